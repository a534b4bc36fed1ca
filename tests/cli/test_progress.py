# SPDX-License-Identifier: BSD-3-Clause
"""The lines of `--verbose`, and the stages that follow each other, without a terminal."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from btfperm_cli import progress
from btfperm_cli.progress import Stage, Stages, verbose_line, watcher_of

from btfperm.path.watch import SearchState

STATE = SearchState("search", "hkdw", 1500, 2000, 34_091, False)


def test_the_line_of_a_state():
    text = "  0.31 s  search (hkdw): 500 of 2,000 unmatched, 34,091 entries visited"
    assert verbose_line(STATE, 0.314) == text
    assert verbose_line(STATE._replace(done=True), 0.314) == f"{text}; done"


def test_lines_become_rare(monkeypatch, capsys):
    """The first and the last state have a line; between them, the pauses grow by about 0.1 s each,
    up to about 10 s."""
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    watch = watcher_of(Stage("x"), verbose=True)
    watch(STATE._replace(entries=0))
    printed = []
    for tick in range(1, 20_000):
        now[0] = 100 + tick / 8
        watch(STATE)
        if capsys.readouterr().err.count("unmatched") > (tick == 1):
            printed.append(tick / 8)
    pauses = [after - before for before, after in itertools.pairwise(printed)]
    assert pauses == sorted(pauses) and pauses[0] <= 0.375 and 9.5 < max(pauses) <= 10.125
    assert len(pauses) > 250
    watch(STATE._replace(done=True))
    assert capsys.readouterr().err.endswith("; done\n")


def test_without_verbose_and_terminal_nothing_watches():
    assert watcher_of(Stage("x"), verbose=False) is None


@pytest.mark.parametrize("quiet", [True, False])
def test_each_stage_ends_before_the_next_begins(monkeypatch, quiet):
    events = []

    @contextmanager
    def stage(title, *, quiet):
        events.append(f"begin {title}" + " quietly" * quiet)
        current = Stage(title)
        monkeypatch.setattr(
            current, "advance", lambda done, total=None: events.append((done, total))
        )
        yield current
        events.append(f"end {title}")

    monkeypatch.setattr(progress, "stage", stage)
    with Stages(quiet=quiet) as stages:
        stages.advance("read", "A.mtx", 0, 10)
        stages.advance("read", "A.mtx", 7, 10)
        stages.advance("search", None, 0, None)
        stages.advance("write", "p.npz", 0, None)
        stages.advance("write", "q.npz", 0, None)
    mark = " quietly" * quiet
    assert events == [
        *(f"begin reading A.mtx{mark}", (0, 10), (7, 10), "end reading A.mtx"),
        *(f"begin searching{mark}", (0, None), "end searching"),
        *(f"begin writing p.npz{mark}", (0, None), "end writing p.npz"),
        *(f"begin writing q.npz{mark}", (0, None), "end writing q.npz"),
    ]


def test_a_stage_keeps_what_it_is_told():
    current = Stage("x")
    for given, kept in (((3, 10), (3, 10)), ((4, None), (4, 0)), ((5,), (5, 0)), ((6, 0), (6, 0))):
        current.advance(*given)
        assert (current._done, current._total) == kept
