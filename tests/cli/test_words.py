# SPDX-License-Identifier: BSD-3-Clause
"""The words of the command line that few runs print: long times, counts of one, completions, and
errors of click."""

from __future__ import annotations

import click
import pytest
from btfperm_cli import algorithms, json_keys
from btfperm_cli.comparison import milliseconds
from btfperm_cli.failure import Failure, guarded
from btfperm_cli.option_types import completions
from btfperm_cli.output import Output, laid_out
from btfperm_cli.summary import count, duration, explanation_lines, plan_line

from btfperm.reports.page.facts import command_line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0.0 ms"),
        (0.00044, "0.4 ms"),
        (0.00999, "10.0 ms"),
        (0.01, "10 ms"),
        (0.5, "500 ms"),
        (0.9994, "999 ms"),
        (1.0, "1.00 s"),
        (119.994, "119.99 s"),
        (120.0, "2 min 0 s"),
        (250.7, "4 min 10 s"),
        (3600.0, "60 min 0 s"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (0.000000123456, "0.000123"),
        (0.0012345, "1.23"),
        (0.09994, "99.9"),
        (0.09996, "100"),
        (0.0999999, "100"),
        (0.1, "100"),
        (1.2344, "1,234"),
        (1234.5678, "1,234,568"),
    ],
)
def test_milliseconds_in_the_table_of_solvers(seconds, text):
    """Three digits, or all digits of a whole number; never an exponent such as 1e+02."""
    assert milliseconds(seconds) == text


def test_counts():
    assert [count(k, "entry", "entries") for k in (0, 1, 2000)] == [
        *("0 entries", "1 entry", "2,000 entries")
    ]
    assert [count(k, "row") for k in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_completions():
    found = [item.value for item in completions(["greedy", "gpa", "hem"], "g")]
    assert found == ["greedy", "gpa"]
    assert algorithms.starting_with("pothen") == ["pothen-fan"]
    assert "greedy" in algorithms.starting_with("") and algorithms.starting_with("x") == []


def test_the_command_of_a_line():
    of = json_keys.command_of
    assert of(["rank", "A.mtx"]) == "rank" and of(["-q", "solve", "rank"]) == "solve"
    assert of(["A.mtx", "--json"]) == of([]) == "order"


def test_the_command_that_repeats_a_page():
    options = {"drop-zeros": True, "row-names": "r s.txt", "full": False, "x": None, "within": 0}
    assert command_line("A.mtx", options) == (
        "btfperm report A.mtx -o report.html --drop-zeros --row-names 'r s.txt' --within 0"
    )
    assert command_line(None, options) == 'btfperm.report(A, "report.html")'


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (click.exceptions.Exit(0), 0, None),
        (click.exceptions.Exit(7), 7, None),
        (click.UsageError("wrong"), 2, "wrong (Help: btfperm --help)"),
        (click.ClickException("other"), 1, "other"),
        (click.Abort(), 130, "interrupted"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 4, "out of memory; use a machine with more, or stop other programs"),
        (OSError(28, "No space left"), 4, "standard output cannot be written: No space left"),
        (OSError(28, "No space left", "x"), 4, "x cannot be written: No space left"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_every_end_has_its_code_and_its_sentence(capsys, monkeypatch, error, code, text):
    monkeypatch.setattr(Output, "current", None)  # or the message names a file

    def work():
        raise error

    assert guarded(work, Failure(lambda: "rank", as_json=False, to_stderr=False)) == code
    err = capsys.readouterr().err
    assert err == ("" if text is None else f"btfperm: {text}\n")
    assert guarded(lambda: 3, Failure(lambda: "rank", as_json=False, to_stderr=False)) == 3
    assert guarded(lambda: None, Failure(lambda: "rank", as_json=False, to_stderr=False)) == 0


def test_lines_for_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    text = "  rank   " + "word " * 20
    assert laid_out(text, 0) == text
    lines = click.unstyle(laid_out(text, 9)).splitlines()
    assert len(lines) == 4 and max(map(len, lines)) <= 40
    assert all(line.startswith(" " * 9) and line[9] != " " for line in lines[1:])


def test_the_explanation_of_a_search_that_nobody_chose():
    plan = dict.fromkeys(["initializer", "algorithm", "initializer_within", "within"])
    plan |= {"backend": "cpu", "threads": 2, "uses_threads": True}
    plan |= {"time_limit": 0.5, "max_work": 1}
    explain = {"plan": plan, "decisions": {}, "features": {"rows": 3, "depth": None}}
    facts = {"choice": "", "explain": explain}
    ended = [*explanation_lines({**facts, "algorithm": "none"})]
    named = [*explanation_lines({**facts, "algorithm": "hkdw"})]
    assert ended == [
        "a limit stopped the initializer, so no search was chosen",
        "plan: no search, on cpu, 2 threads; limits: 0.5 s, 1 entry",
        "features: rows 3",
    ]
    assert named[0] == "the algorithm was asked for by name, so `auto` chose none"


def test_the_line_of_a_plan():
    plan = {"initializer": "greedy", "algorithm": "ss-bfs", "initializer_within": 3, "within": 0.5}
    plan |= {"backend": "gpu", "threads": 4, "initializer_threads": 1, "uses_threads": True}
    plan |= {"time_limit": None, "max_work": None}
    assert plan_line(plan) == (
        "plan: greedy, then ss-bfs, on gpu, 4 threads, 1 for greedy; "
        "bounds: greedy 3, ss-bfs 0.5; no limit"
    )
    plan |= {"uses_threads": False, "max_work": 9}
    assert plan_line(plan) == (
        "plan: greedy, then ss-bfs, on gpu; bounds: greedy 3, ss-bfs 0.5; limits: 9 entries"
    )


@pytest.mark.parametrize(
    ("option", "name", "advice"),
    [
        ("--algorithm", "pothen", "similar: pothen-fan; btfperm algorithms lists all names."),
        ("--algorithm", "%" * 5000, "; btfperm algorithms lists all names."),
        ("--initializer", "gredy", "there are auto, none, greedy, "),
    ],
)
def test_an_unknown_algorithm(cli, matrix, option, name, advice):
    sentence = cli(matrix("blocks"), option, name).failed(2, "there is no '" + name[:9], advice).err
    assert len(sentence) < 300 and "similar: ;" not in sentence
