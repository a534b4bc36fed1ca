# SPDX-License-Identifier: BSD-3-Clause
"""The scaling tables show the measured medians, speed-ups, spread, and ratios of whole calls."""

from __future__ import annotations

import statistics
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import run, scaling
from benchmarks.cases import SETS, names
from benchmarks.report import Options, Section
from benchmarks.run import cases_of


def options(**named):
    return Options("tiny", Path(), 1, 5.0, ["auto"], 1, lambda _: None, **named)


def row(matrix, kind, algorithm, threads, *runs):
    """Each run is a list of the seconds of its calls; a number stands for one call."""
    calls = [run if isinstance(run, tuple) else (run,) for run in runs]
    seconds = [call for run in calls for call in run if call is not None]
    return {
        "matrix": matrix,
        "nnz": 12_000_000,
        "class": kind,
        "algorithm": algorithm,
        "threads": threads,
        "seconds": seconds,
        "medians": [None if None in run else statistics.median(run) for run in calls],
        "stages": {"start": [0.1 * s for s in seconds], "search": [0.9 * s for s in seconds]},
    }


def cells(table, matrix):
    (line,) = [line for line in table.splitlines() if line.startswith(f"| {matrix} ")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    ("max_threads", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (16, [1, 2, 4, 8, 16])]
)
def test_powers_of_two_and_the_last(max_threads, counts):
    assert scaling.counts(max_threads) == counts


def test_speed_up_is_the_ratio_of_medians():
    rows = [
        row("a", "random", "auto", 1, (4.0, 4.4, 4.2)),
        row("a", "random", "auto", 2, (2.0, 2.1, 2.2)),
        row("b", "random", "auto", 1, 8.0),
        row("b", "random", "auto", 2, 1.0),
        row("c", "networks", "auto", 1, 8.0),
        row("c", "networks", "auto", 2, None),
        row("d", "random", "auto", 1, 1.0),
        row("d", "random", "auto", 2, 2.0),
    ]
    table = scaling._table(rows, "auto", [1, 2], [])
    assert cells(table, "`a`")[3:] == ["4200", "2100", "2.00", "2.00 to 2.00", "10%"]
    assert cells(table, "`c`")[3:] == ["8000", "-", "-", "-", "-"]
    assert cells(table, "geometric mean, random")[3:5] == ["1.00", "2.00"]
    assert cells(table, "geometric mean, all")[3:5] == ["1.00", "2.00"]
    assert cells(table, "median, all")[3:5] == ["1.00", "2.00"]
    assert "geometric mean, networks" not in table
    assert "**1 of 4 matrices exceeded the limit**" in table
    assert "Slower on 2 than on 1: 1 of 3." in table


def test_the_median_of_the_runs_counts_not_the_best():
    rows = [
        row("a", "random", "auto", 1, 6.0, 6.0, 9.0),
        row("a", "random", "auto", 16, 1.0, 2.0, 3.0),
    ]
    table = scaling._table(rows, "auto", [1, 16], [])
    assert cells(table, "`a`")[3:] == ["6000", "2000", "3.00", "3.00 to 6.00", "100%"]
    assert cells(table, "median, all")[4] == "3.00"


def test_a_run_that_exceeded_the_limit_leaves_the_matrix_without_a_speed_up():
    rows = [row("a", "random", "auto", 1, 6.0, 6.0), row("a", "random", "auto", 16, 1.0, None)]
    table = scaling._table(rows, "auto", [1, 16], [])
    assert cells(table, "`a`")[3:] == ["6000", "-", "-", "-", "-"]
    assert "median" not in table


def test_a_selection_is_labelled_and_has_no_mean():
    asked = options()
    section = scaling.run(cases_of("scaling", "tiny", Path())[:1], asked)
    (left_out,) = section.data["left_out"]
    assert "**This is a selection.**" in section.markdown and f"`{left_out}`" in section.markdown
    assert "median, all" not in section.markdown and "geometric mean" not in section.markdown
    whole = scaling.run(cases_of("scaling", "tiny", Path()), asked)
    assert whole.data["left_out"] == [] and "median, all" in whole.markdown


def test_every_run_measures_all_and_none_is_started_too_late():
    done = scaling.run(cases_of("scaling", "tiny", Path()), options(runs=2))
    assert done.data["runs"] == 2
    assert {len(row["medians"]) for row in done.data["rows"]} == {2}
    assert {len(row["seconds"]) for row in done.data["rows"]} == {2}
    assert (
        scaling.run(cases_of("scaling", "tiny", Path()), options(runs=9, within=0)).data["runs"]
        == 1
    )


def test_scaling_alone_takes_the_whole_large_set(monkeypatch, capsys):
    asked = []

    def stub(matrices, options):
        asked.append(([case.name for case in matrices], options.which, options.runs))
        return Section("Several threads", "", {})

    monkeypatch.setattr(run, "load", lambda section: SimpleNamespace(run=stub))
    assert run.main(["--section", "scaling"]) == 0
    assert asked == [(names("scaling", "large"), "large", 3)]
    assert len(asked[0][0]) == 19
    assert run.main(["--section", "scaling", "--section", "matching"]) == 0
    assert [which for _, which, _ in asked[1:]] == ["quick", "quick"]
    capsys.readouterr()


def test_whole_calls_are_compared_on_all_threads():
    rows = [
        row("a", "random", "auto", 1, 9.0),
        row("a", "random", "auto", 2, 2.0),
        row("a", "random", "ms-bfs-graft", 2, 3.0),
    ]
    table = scaling._contest(rows, ["auto", "ms-bfs-graft"], 2)
    assert cells(table, "`a`")[1:] == ["1.00", "1.50"]
    assert scaling._contest(rows, ["auto"], 2) == ""


def test_the_search_of_every_call_in_a_sample_counts(monkeypatch):
    found = [SimpleNamespace(seconds={"search": s}) for s in (1.0, 3.0, 5.0)]
    calls = iter(found)
    stub = SimpleNamespace(as_pattern=lambda A: A, maximum_transversal=lambda A, **_: next(calls))
    monkeypatch.setattr(scaling.importlib, "import_module", lambda _: stub)
    method = scaling._method("ms-bfs-graft", 1)
    call = method.prepare(None)
    call()
    assert method.counted(call(), 9.0) == 2.0
    assert method.counted(call(), 9.0) == 5.0, "a sample must not count an earlier one"


def test_every_set_has_matrices():
    for size in SETS:
        for case in cases_of("scaling", size, Path()):
            assert case.kind in scaling.CLASSES


def test_the_requested_numbers_of_threads_are_compared():
    data = scaling.run(cases_of("scaling", "tiny", Path())[:1], options(counts=(3, 2))).data
    assert data["threads"] == [2, 3] == [row["threads"] for row in data["rows"]]
