# SPDX-License-Identifier: BSD-3-Clause
"""The scaling tables show what was measured: medians, speed-ups, spread, ratios of whole calls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import scaling
from benchmarks.cases import SETS
from benchmarks.contest import Options


def row(matrix, kind, algorithm, threads, *seconds):
    stages = {"start": [0.1 * s for s in seconds], "search": [0.9 * s for s in seconds]}
    return {
        "matrix": matrix,
        "nnz": 12_000_000,
        "class": kind,
        "algorithm": algorithm,
        "threads": threads,
        "seconds": list(seconds),
        "stages": stages if seconds else {},
    }


def cells(table, matrix):
    (line,) = [line for line in table.splitlines() if line.startswith(f"| {matrix} ")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    ("most", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (16, [1, 2, 4, 8, 16])]
)
def test_powers_of_two_and_the_last(most, counts):
    assert scaling.counts(most) == counts


def test_speed_up_is_the_ratio_of_medians():
    rows = [
        row("a", "random", "auto", 1, 4.0, 4.4, 4.2),
        row("a", "random", "auto", 2, 2.0, 2.1, 2.2),
        row("b", "random", "auto", 1, 8.0),
        row("b", "random", "auto", 2, 1.0),
        row("c", "networks", "auto", 1, 8.0),
        row("c", "networks", "auto", 2),
    ]
    table = scaling._table(rows, "auto", [1, 2])
    assert cells(table, "`a`")[3:] == ["4200", "2100", "2.0", "10%"]
    assert cells(table, "`c`")[3:] == ["8000", "-", "-", "-"]
    assert cells(table, "speed-up, random")[3:5] == ["1.00", "4.00"]
    assert cells(table, "speed-up, all")[3:5] == ["1.00", "4.00"]
    assert "speed-up, networks" not in table


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
    assert method.counted(call(), 9.0) == 5.0, "a sample does not count the one before"


def test_every_set_has_matrices():
    for size in SETS:
        for case in scaling.cases(size):
            assert case.kind in scaling.CLASSES


def test_the_numbers_of_threads_asked_for_are_those_compared():
    asked = Options("tiny", Path(), 1, 5.0, ["auto"], 16, lambda _: None, counts=(3, 2))
    data = scaling.run(scaling.cases("tiny")[:1], asked).data
    assert data["threads"] == [2, 3] == [row["threads"] for row in data["rows"]]
