# SPDX-License-Identifier: BSD-3-Clause
"""Defaults that users rely on, one by one: another value would be an unannounced change."""

from __future__ import annotations

import pytest

import btfperm

DEFAULTS = {
    "apfb gpu": {"threads": "ct"},
    "apfb-wr gpu": {"threads": "ct"},
    "apsb gpu": {"threads": "ct"},
    "apsb-wr gpu": {"threads": "ct"},
    "g-pr-first gpu": {"relabel": "adaptive:0.7"},
    "g-pr-noshr gpu": {"relabel": "adaptive:0.7"},
    "g-pr-shr gpu": {"relabel": "adaptive:0.7"},
    "gpa cpu": {"extend": 0},
    "greedy gpu": {"choice": "first"},
    "hem cpu": {"order": "natural"},
    "local-max cpu": {"limit": 8, "model": "auto", "ties": "renewed"},
    "local-max gpu": {"limit": 8, "ties": "renewed"},
    "local-max-external cpu": {"limit": 8, "ties": "renewed", "model": "sorted"},
    "meeting-trees gpu": {"pairs": "any"},
    "ms-bfs-graft cpu": {"alpha": 5, "direction": 1, "frontiers": 0, "graft": 1, "whole": 0},
    "pothen-fan cpu": {"fairness": 1},
    "push-relabel cpu": {"relabel": 0.5},
    "push-relabel-mt cpu": {"queue_limit": 500, "relabel_frequency": 16},
    "random-greedy cpu": {"order": "random", "place": "random", "select": "random"},
    "red-blue cpu": {"p": 0.53406, "place": "random", "select": "weighted"},
    "red-blue gpu": {"p": 0.53406, "place": "random", "select": "weighted"},
    "ss-dfs cpu": {"close": 0},
    "two-sided cpu": {"sweeps": 5},
}


def test_defaults_of_the_options_of_algorithms():
    """An initializer that is an algorithm for graphs, too, has the same defaults there."""
    found = {}
    for row in btfperm.algorithms():
        if row.options and row.backend != "mpi":
            defaults = {option.name: option.default for option in row.options}
            both = found.setdefault(f"{row.name} {row.backend}", {})
            assert all(both.get(name, value) == value for name, value in defaults.items())
            both |= defaults
    assert found == DEFAULTS


@pytest.mark.parametrize(
    ("parameter", "what"), [("matrix", "matrix"), ("source", "matrix"), ("out", "file")]
)
def test_an_empty_name_is_named_by_its_parameter(parameter, what):
    import click
    from btfperm_cli.option_types import MATRIX

    with pytest.raises(click.UsageError, match=f"the name of the {what} is empty"):
        MATRIX.convert("", click.Argument([parameter]), None)
    with pytest.raises(click.UsageError, match="the name of the file is empty"):
        MATRIX.convert("", None, None)


def test_progress_keeps_the_total_that_the_reader_reports():
    from btfperm_cli.progress import DELAY, Stage

    stage = Stage("reading a.mtx")
    stage.advance(3, 8)
    assert (stage._done, stage._total) == (3, 8)
    stage.advance(4)
    assert (stage._done, stage._total) == (4, 0)
    assert DELAY == 1.0, "the command line shows nothing in its first second"
