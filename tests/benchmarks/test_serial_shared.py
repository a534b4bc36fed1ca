# SPDX-License-Identifier: BSD-3-Clause
"""The section `serial-shared` without its compiled part, which takes half a minute to compile: how
it calls that part, and the ratios that it computes from the times."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from benchmarks import serial_shared
from benchmarks.cases import of_set
from benchmarks.report import Options
from benchmarks.run import cases_of


class Compare:
    """A function with the signature of `compare` that returns given times and results."""

    def __init__(self, answer=2, results=(7, 7)):
        self.answer, self.results, self.calls = answer, results, []

    def __call__(self, name, m, n, indptr, indices, rows, cols, seconds, longest, rounds, *places):
        count = np.ctypeslib.as_array((ctypes.c_int32 * (n + 1)).from_address(indptr))[-1]
        self.calls.append((name.decode(), m, n, int(count)))
        shape = rounds * 2 * serial_shared.MOST_PARTS
        times = np.ctypeslib.as_array((ctypes.c_double * shape).from_address(places[0]))
        times.reshape(rounds, 2, -1)[:] = [[1e-3, 2e-3, 3e-3, 1e-6], [1e-3, 6e-3, 1.5e-3, 1.0]]
        results = np.ctypeslib.as_array((ctypes.c_int64 * (2 * rounds)).from_address(places[1]))
        results.reshape(rounds, 2)[:] = self.results
        return self.answer


def section(monkeypatch, compare, *methods, which="tiny"):
    monkeypatch.setattr(serial_shared, "compiled", lambda folder: compare)
    options = Options("tiny", Path(), 3, 5.0, list(methods) or ["auto"], None, lambda _: None)
    return serial_shared.run(cases_of("serial-shared", which, Path()), options)


def test_ratios_of_every_part_that_is_long_enough(monkeypatch):
    compare = Compare()
    found = section(monkeypatch, compare)
    matrices = of_set("tiny", Path())
    assert {name for name, *_ in compare.calls} == set(serial_shared.METHODS)
    assert not found.complaints and len(found.data["rows"]) == len(matrices)
    ratios = {each["part"]: each["mean"] for each in found.data["summary"]}
    assert ratios["greedy"] == 1 and ratios["local max, equal weights"] == pytest.approx(3)
    assert ratios["square"] == 0.5 and "order" not in ratios, "a microsecond is not long enough"
    assert "| square | 9 | 0.50 | 0.50 | 0.50 |" in found.markdown


def test_only_square_matrices_are_graphs_and_their_patterns_are_symmetric(monkeypatch):
    compare = Compare()
    section(monkeypatch, compare, "local max")
    square = [case.load() for case in of_set("tiny", Path())]
    square = [A for A in square if A.shape[0] == A.shape[1]]
    entries = [((A != 0) + (A != 0).T).nnz for A in square]
    assert compare.calls == [
        ("local max", *A.shape, count) for A, count in zip(square, entries, strict=True)
    ]


def test_different_results_are_a_problem_and_several_threads_an_error(monkeypatch):
    found = section(monkeypatch, Compare(results=(7, 8)), "transpose")
    assert len(found.complaints) == 9 and "transpose: the results differ" in found.complaints[0]
    assert not section(monkeypatch, Compare(results=(7, 8)), "greedy").complaints
    assert not section(monkeypatch, Compare(serial_shared.TOO_LONG), "trees").data["summary"]
    with pytest.raises(OSError, match="one thread"):
        section(monkeypatch, Compare(-2), "trees")
    with pytest.raises(ValueError, match="no method 'treas' with two versions: greedy, "):
        section(monkeypatch, Compare(), "treas")
