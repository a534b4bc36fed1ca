# SPDX-License-Identifier: BSD-3-Clause
"""two-sided: the graph of the drawn entries gets a maximum matching, on any number of threads. The
matching has about the size that the paper states."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_bipartite_matching

import btfperm
from btfperm import _core
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.transversal.given import given_problem
from tests import families, strategies
from tests.checks.check_transversal import check_transversal

ROW = next(row for row in btfperm.algorithms("initial") if row.name == "two-sided")
FULL = 2**64 - 1


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def start(A, threads, seed, options=None, given=None):
    P = btfperm.as_pattern(A)
    problem = Problem.empty(P) if given is None else given_problem(P, given)
    request = Request(threads=threads, seed=seed, options=options)
    run_algorithm(ROW, problem, request)
    return problem


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & FULL
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & FULL
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & FULL
    return x ^ (x >> 31)


def drawn(lists, stream):
    """The neighbour that each vertex draws, all with the same probability; -1 without
    neighbours."""
    chosen = np.full(lists.shape[0], -1)
    for k in range(lists.shape[0]):
        neighbours = lists.indices[lists.indptr[k] : lists.indptr[k + 1]]
        if neighbours.size:
            u = (splitmix((stream + k * 0x9E3779B97F4A7C15) & FULL) >> 11) * 2.0**-53
            chosen[k] = neighbours[int(neighbours.size * u)]
    return chosen


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("shape", "seeds"), [((400, 500), 5), ((6, 5), 100), ((1, 3), 5)])
def test_drawn_entries_get_a_maximum_matching(threads, shape, seeds):
    for seed in range(seeds):
        A = families.random_rectangle(*shape, 3, seed).A
        rows, cols = sp.csr_array(A), sp.csr_array(sp.csr_array(A).T)
        rows.sort_indices(), cols.sort_indices()
        of_rows, of_cols = drawn(rows, splitmix(2 * seed)), drawn(cols, splitmix(2 * seed + 1))
        i = np.concatenate([np.flatnonzero(of_rows >= 0), of_cols[of_cols >= 0]])
        j = np.concatenate([of_rows[of_rows >= 0], np.flatnonzero(of_cols >= 0)])
        graph = sp.csr_array((np.ones(i.size), (i, j)), shape=A.shape)
        maximum = int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
        problem = start(A, threads, seed, {"sweeps": 0})
        assert problem.size == maximum
        pairs = problem.col_match >= 0
        assert (graph[problem.col_match[pairs], np.flatnonzero(pairs)] > 0).all()


@given(data=st.data())
def test_the_size_does_not_depend_on_the_threads(data):
    A = data.draw(strategies.any_matrix())
    seed = data.draw(st.integers(0, FULL))
    _, given_cols = data.draw(strategies.legal_matching(A))
    alone = start(A, 1, seed, given=given_cols)
    for threads in (2, 5):
        together = start(A, threads, seed, given=given_cols)
        assert together.size == alone.size
        matched = given_cols >= 0
        np.testing.assert_array_equal(together.col_match[matched], given_cols[matched])


@pytest.mark.parametrize("threads", [1, 4])
def test_the_size_that_the_paper_promises(threads, run_seed):
    """If each entry is in some perfect transversal, the matching has about 0.866 of the columns."""
    n, draw = 20_000, np.random.default_rng(run_seed)
    i = np.concatenate([draw.permutation(n) for _ in range(5)])
    A = sp.csc_array((np.ones(5 * n), (i, np.tile(np.arange(n), 5))), shape=(n, n))
    assert start(A, threads, run_seed).size > 0.85 * n
    t = btfperm.maximum_transversal(A, initializer="two-sided", threads=threads)
    check_transversal(A, t, rank=n)


def test_sweeps_over_a_matrix_without_entries_obey_a_limit():
    """Without a limit these sweeps take tens of seconds. The bound is on processor time, which
    other processes do not increase."""
    begin = time.process_time()
    t = btfperm.maximum_transversal(
        np.zeros((5, 5)), initializer="two-sided", options={"sweeps": 3e7}, time_limit=0.05
    )
    assert t.size == 0 and time.process_time() - begin < 5
