# SPDX-License-Identifier: BSD-3-Clause
"""karp-sipser on one thread gives the matching that its head defines."""

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
    """The matching of karp-sipser alone: the column of each row, or -1."""
    problem = Problem.empty(as_pattern(A))
    run_algorithm(registry.find("karp-sipser", initializer=True), problem, Request(threads=1))
    return problem.row_match.tolist()


def plain(A):
    """The definition in plain Python. Vertices of degree one are taken first in, first out: first
    the rows in their order, then the columns, then vertices whose degree falls to one. If there is
    no such vertex, the next column takes its first unmatched row."""
    m, n = A.shape
    entries = sorted(set(zip(*map(np.ndarray.tolist, coo_array(A).coords), strict=True)))
    lists = {(0, i): [(1, j) for k, j in entries if k == i] for i in range(m)}
    lists |= {(1, j): [(0, i) for i, k in entries if k == j] for j in range(n)}
    degree = {v: len(others) for v, others in lists.items()}
    mate = {}
    queue = [v for v in lists if degree[v] == 1]

    def match(v):
        w = next((w for w in lists[v] if w not in mate), None)
        if v in mate or w is None:
            return
        mate[v], mate[w] = w, v
        row, col = sorted((v, w))
        for u in (*lists[col], *lists[row]):
            degree[u] -= 1
            if degree[u] == 1 and u not in mate:
                queue.append(u)

    for j in range(n + 1):
        while queue:
            match(queue.pop(0))
        if j < n:
            match((1, j))
    return [mate.get((0, i), (1, -1))[1] for i in range(m)]


def test_forced_vertices_are_matched_first():
    """Row 2 has an entry in column 0 alone. Without the rule for vertices of degree one, column 0
    would take row 0."""
    assert started(np.array([[1, 1], [1, 1], [1, 0]])) == [1, -1, 0]


@pytest.mark.parametrize("shape", [(12, 12), (10, 15), (15, 10)], ids=str)
@pytest.mark.parametrize("entries", [1.5, 2.5, 4.0])
def test_the_order_is_that_of_the_definition(shape, entries, run_seed):
    for seed in range(10):
        A = families.random_rectangle(*shape, entries, run_seed + seed).A
        assert started(A) == plain(A)


@given(A=strategies.any_matrix())
def test_any_matrix(A):
    assert started(A) == plain(A)
