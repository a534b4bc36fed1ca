# SPDX-License-Identifier: BSD-3-Clause
"""The searches in CASES take, on one thread, the steps of a simple implementation: the same phases,
paths and visited entries. So options have the effect that their names promise."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from btfperm.transversal.given import given_problem
from tests import families
from tests.oracles import plain_augmenting

MATRICES = {
    "square": families.random_rectangle(70, 70, 2, 1).A,
    "wide": families.random_rectangle(60, 90, 3, 2).A,
    "tall": families.random_rectangle(90, 60, 2, 3).A,
    "very tall": families.random_rectangle(300, 40, 3, 4).A,
    "chains": families.chains_hk(7).A,
    "dead tree": families.deadtree(60, 1).A,
    "one column": sp.csc_array(np.ones((5, 1))),
    "empty lines": families.empty_lines(50, 1).A,
}
CASES = [
    ("ss-dfs", {}),
    ("ss-dfs", {"close": 1}),
    ("pothen-fan", {"fairness": 0}),
    ("pothen-fan", {"fairness": 1}),
    ("p-dbfs", {}),
    ("ms-bfs", {}),
    ("ms-bfs-graft", {}),
    ("ms-bfs-graft", {"alpha": 1}),
    ("ms-bfs-graft", {"alpha": 1e9}),
    ("ms-bfs-graft", {"direction": 0}),
    ("ms-bfs-graft", {"graft": 0}),
    ("ms-bfs-graft", {"graft": 0, "alpha": 40}),
]


def some_pairs(A):
    """A matching of every second column to the first row of its list that is still unmatched."""
    A = sp.csc_array(A)
    col_match = np.full(A.shape[1], -1)
    for j in range(0, A.shape[1], 2):
        rows = A.indices[A.indptr[j] : A.indptr[j + 1]]
        rows = rows[~np.isin(rows, col_match)]
        if rows.size:
            col_match[j] = rows[0]
    return col_match


# Names of counters that the simple implementation does not have.
NAMES = {"top_down": "top_down_steps", "bottom_up": "bottom_up_steps"}


def counters(A, name, options, start=None):
    """The counters of a search on one thread, without a transposition of `A`."""
    pattern = as_pattern(A)
    problem = Problem.empty(pattern) if start is None else given_problem(pattern, start)
    request = Request(threads=1, options=options)
    return run_algorithm(registry.find(name, initializer=False), problem, request).counters


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_steps(name, options):
    plain = getattr(plain_augmenting, name.replace("-", "_"))
    frontiers = {"frontiers": 1} if name == "ms-bfs-graft" else {}
    for matrix, A in MATRICES.items():
        for start in (None, some_pairs(A)):
            found = counters(A, name, options | frontiers, start)
            for counter, number in plain(A, **options, col_match=start).items():
                reported = found.get(NAMES.get(counter, counter)) or type(number)()
                assert reported == number, f"{matrix}: {counter}"


def test_at_most_ten_thousand_levels_are_reported():
    """The only augmenting path starts at column 0 and passes every column, each of which is a
    level. Rows are numbered from 0: column j > 0 is matched to row j - 1 and has row j, too."""
    n = 10_050
    j = np.arange(n)
    A = families.csc([j, j[1:] - 1], [j, j[1:]], (n, n))
    start = j - 1
    plain, reported = (
        counters(A, "ms-bfs-graft", {"frontiers": frontiers, "direction": 0}, start)
        for frontiers in (0, 1)
    )
    assert "frontier_sizes" not in plain
    assert reported["top_down_steps"] == n and "bottom_up_steps" not in reported
    assert reported["frontier_sizes"] == [1] * 10_000 and reported["longest_path"] == 2 * n - 1
