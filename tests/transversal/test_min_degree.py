# SPDX-License-Identifier: BSD-3-Clause
"""min-degree gives the matching that its head defines, with all ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import coo_array

from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families, strategies


def started(A):
    """The matching of min-degree alone: the column of each row, or -1."""
    problem = Problem.empty(as_pattern(A))
    run_algorithm(registry.find("min-degree", initializer=True), problem, Request(threads=1))
    return problem.row_match.tolist()


def plain(A):
    """The definition in plain Python. Columns precede rows. Among vertices of the same side and
    degree, the vertex whose degree changed last is taken, otherwise the one of lowest index. Among
    equal neighbours, the first in the list is taken."""
    m, n = A.shape
    entries = sorted(set(zip(*map(np.ndarray.tolist, coo_array(A).coords), strict=True)))
    lists = {(0, i): [(1, j) for k, j in entries if k == i] for i in range(m)}
    lists |= {(1, j): [(0, i) for i, k in entries if k == j] for j in range(n)}
    degree = {v: len(others) for v, others in lists.items()}
    changed = {v: -v[1] for v in lists}
    clock = 0
    row_match = [-1] * m
    while any(degree.values()):
        v = min((v for v in lists if degree[v]), key=lambda v: (degree[v], -v[0], -changed[v]))
        w = min((w for w in lists[v] if degree[w]), key=lambda w: (degree[w], w))
        row, col = sorted((v, w))
        row_match[row[1]] = col[1]
        degree[row] = degree[col] = 0
        for u in (*lists[col], *lists[row]):
            if degree[u]:
                clock += 1
                degree[u], changed[u] = degree[u] - 1, clock
    return row_match


def test_columns_precede_rows():
    """All degrees are 2. Columns come first: column 0 takes row 1, and so on. If rows came first,
    row 0 would take column 1."""
    assert started(1 - np.eye(3)) == [2, 0, 1]


@pytest.mark.parametrize("shape", [(12, 12), (10, 15), (15, 10)], ids=str)
@pytest.mark.parametrize("entries", [1.5, 2.5, 4.0])
def test_ties_are_broken_as_defined(shape, entries, run_seed):
    for seed in range(10):
        A = families.random_rectangle(*shape, entries, run_seed + seed).A
        assert started(A) == plain(A)


@given(A=strategies.any_matrix())
def test_any_matrix(A):
    assert started(A) == plain(A)
