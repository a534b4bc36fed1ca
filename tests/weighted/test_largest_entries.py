# SPDX-License-Identifier: BSD-3-Clause
"""Blocks in which each column can have its largest entry, and blocks in which only one cannot."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

import btfperm
from tests.oracles.plain_weighted import best_transversal
from tests.weighted.test_weighted_transversal import check_matching, check_scalings

LARGE = 20_000  # rows, enough for a sample


def with_largest(m, n, seed, ties=False):
    """A random m x n matrix of one block whose largest entries of all columns are in different
    rows. With `ties`, there are only two values, and columns may have several largest entries."""
    rng = np.random.default_rng(seed)
    rows, cols = rng.permutation(m)[:n], np.arange(n)
    entries = sp.coo_array(
        (
            np.ones(5 * n),
            (
                np.concatenate((rows, np.roll(rows, 1), rng.integers(0, m, 3 * n))),
                np.concatenate((cols, cols, rng.integers(0, n, 3 * n))),
            ),
        ),
        shape=(m, n),
    )
    A = sp.csc_array(entries)
    A.data = rng.integers(1, 3, A.nnz) / 2.0 if ties else rng.uniform(0.1, 0.9, A.nnz)
    at = np.repeat(cols, np.diff(A.indptr))
    A.data[A.indices == rows[at]] = 1.0 if ties else rng.uniform(1, 3, n)
    return A, rows


def first_unmatched(A):
    """The row of each column by the rule: the first unmatched row of a largest entry, or None."""
    row, taken = [], set()
    for j in range(A.shape[1]):
        part = slice(A.indptr[j], A.indptr[j + 1])
        largest = A.indices[part][A.data[part] == A.data[part].max()]
        found = [int(i) for i in largest if int(i) not in taken]
        if not found:
            return None
        row.append(found[0])
        taken.add(found[0])
    return np.array(row)


@pytest.mark.parametrize("algorithm", ["mc64", "heavy-perfect"])
@pytest.mark.parametrize("shape", [(300, 300), (350, 300), (LARGE, LARGE)])
def test_one_pass_finds_matching_and_scalings(shape, algorithm):
    A, rows = with_largest(*shape, 1)
    for kind in ("product", "sum"):
        w = btfperm.weighted_transversal(A, objective=kind, algorithm=algorithm)
        assert np.array_equal(w.col_match, rows) and w.gap == 0
        assert w.counters["searches"] == 0 and w.counters["edges"] < 1.1 * A.nnz
        largest = np.log(A.max(axis=0).toarray()) if kind == "product" else A.max(axis=0).toarray()
        assert not w.row_dual.any() and np.array_equal(w.col_dual, -largest.ravel())
    w = btfperm.weighted_transversal(A, objective="bottleneck")
    assert w.objective == A.max(axis=0).toarray().min()


@st.composite
def dominated(draw):
    """A small dense matrix with ties in which each column has a largest entry in its own row."""
    n = draw(st.integers(1, 5))
    m = n + draw(st.integers(0, 1))
    few = st.lists(st.sampled_from([0, 1, 2, 3]), min_size=m * n, max_size=m * n)
    A = np.array(draw(few), dtype=float).reshape(m, n)
    for j, i in enumerate(draw(st.permutations(range(m)))[:n]):
        A[i, j] = max(A[:, j].max(), 1)
    return A


@given(A=dominated())
def test_no_other_transversal_is_better(A):
    for kind in ("product", "sum", "bottleneck"):
        w = btfperm.weighted_transversal(sp.csc_array(A), objective=kind)
        rank, objective = best_transversal(A, kind)
        assert w.structural_rank == rank == A.shape[1]
        assert w.objective == pytest.approx(objective, rel=1e-12, abs=1e-12)
        check_matching(A, w)
        if kind == "product":
            check_scalings(A, w)


@pytest.mark.parametrize("seed", range(20))
def test_a_tie_is_decided_by_the_order_of_columns_and_rows(seed):
    """The matching is the same on every number of threads: that of the rule, if the rule matches
    all columns."""
    A, _ = with_largest(200, 200, seed, ties=True)
    rule = first_unmatched(A)
    found = [btfperm.weighted_transversal(A, threads=threads) for threads in (1, 2, 7)]
    for w in found:
        assert np.array_equal(w.col_match, found[0].col_match)
        assert w.objective == 0  # all largest entries are 1
        check_scalings(A, w)
    assert rule is None or np.array_equal(found[0].col_match, rule)


def test_ties_of_both_kinds_occur():
    rules = [first_unmatched(with_largest(12, 12, seed, ties=True)[0]) for seed in range(40)]
    assert 0 < sum(rule is None for rule in rules) < 40


@pytest.mark.parametrize("n_competing", [1, LARGE // 10])
def test_columns_that_compete_for_a_row(n_competing):
    """A sample finds many competing columns, and the pass over all columns finds a single one, the
    last. Then the search runs as usual."""
    A, rows = with_largest(LARGE, LARGE, 2)
    at = np.repeat(np.arange(LARGE), np.diff(A.indptr))
    last = LARGE - n_competing
    A.data[(at >= last) & (A.indices == np.roll(rows, 1)[at])] = 4.0
    w = btfperm.weighted_transversal(A)
    costs = sp.csr_array(A)
    costs.data = 3.0 - np.log(costs.data)
    best = np.log(A[min_weight_full_bipartite_matching(costs)]).sum()
    assert w.objective == pytest.approx(best, rel=1e-12)
    check_scalings(A, w)
    assert w.counters["edges"] > 3 * A.nnz
    again = btfperm.weighted_transversal(A, algorithm="heavy-perfect")
    assert np.array_equal(again.col_match, w.col_match) or again.objective <= w.objective


@pytest.mark.parametrize("competing", [False, True])
def test_two_blocks(competing):
    """Entries between the blocks are larger than all others and belong to no transversal. In one
    block, two columns may compete for a row."""
    one, rows = with_largest(40, 40, 3)
    other = one.tolil()
    if competing:
        other[rows[0], 1] = 9.0
    between = sp.coo_array((np.full(40, 100.0), (np.arange(40), np.arange(40))), shape=(40, 40))
    A = sp.csc_array(sp.block_array([[one, between], [None, other]]))
    rng = np.random.default_rng(4)
    A = sp.csc_array(sp.csr_array(A)[rng.permutation(80)])[:, rng.permutation(80)]
    w = btfperm.weighted_transversal(A)
    parts = [btfperm.weighted_transversal(B).objective for B in (one, sp.csc_array(other))]
    assert w.objective == pytest.approx(sum(parts), rel=1e-12)
    check_scalings(A, w)
    assert competing or w.counters["edges"] == A.nnz


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_end_the_pass(threads):
    A, rows = with_largest(LARGE, LARGE, 5)
    enough = 100 * A.nnz  # on two threads, the work of the search varies
    for most in (1, A.nnz // 100, A.nnz // 2, A.nnz, enough):
        try:
            w = btfperm.weighted_transversal(A, max_work=most, threads=threads)
        except btfperm.LimitReachedError:
            assert most < enough
            continue
        assert most > 1
        assert np.array_equal(w.col_match, rows)
