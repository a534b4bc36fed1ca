# SPDX-License-Identifier: BSD-3-Clause
"""guided-displacement, the default search, with all loops shared, on several threads and on one. It
proves its matching during the search: labels stay lower bounds, no path to an unmatched row can
appear for a hopeless row (one that has no such path), and no thread leaves a column unmatched that
another could match."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_bipartite_matching

from btfperm import _core, maximum_transversal
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_cover import check_cover
from tests.checks.check_matching import check_matching
from tests.loops import looped

# Eight threads take too long under ThreadSanitizer, see dulmage_mendelsohn/test_threads.py.
THREADS = [2, 3] if "BTFPERM_TEST_THREADS" in os.environ else [2, 3, 8]

# Parts that no search can match, rows that many columns compete for, labels larger than a byte,
# paths through the whole matrix, and local numberings, on which short searches run first.
FAMILIES = {
    "deficient": lambda seed: families.random_rectangle(6000, 6000, 2, seed),
    "tall": lambda seed: families.random_rectangle(5000, 4000, 2, seed),
    "stars": lambda seed: families.renumbered(families.stars(20, 100), "mixed", seed),
    "rivals": lambda seed: families.renumbered(families.rivals(80, 25), "mixed", seed),
    "dead trees": lambda seed: families.deadtree(4000, seed),
    "long chain": lambda seed: families.renumbered(families.chain(3000), "mixed", seed),
    "chains": lambda _: families.chains_hk(60),
    "strip": lambda seed: families.strip(600, seed),
    "broken band": lambda seed: families.local_and_deficient(8000, seed),
    "saddle point": lambda seed: families.saddle_point(3000, 1000, seed),
    "saddle point, mixed": lambda seed: families.renumbered(
        families.Hard(families.saddle_point(3000, 1000, seed), -1), "mixed", seed
    ),
    "saddle point, deficient": lambda seed: families.saddle_point(600, 1000, seed),
}


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def behind_dense_columns(n, seed):
    """A matrix, and a matching of its first n columns. 1.5 % more columns are unmatched. Each of
    them leads to two of eight dense columns, and from there to most other columns. Only one
    unmatched row can be reached, and only from 100 columns, so no search is short."""
    rng = np.random.default_rng(seed)
    dense, unmatched = np.arange(8), np.arange(n, n + 3 * n // 200)
    sparse, last = np.arange(8, n), np.arange(n - 100, n)
    first = 2 * (unmatched % 4)
    rows = [np.arange(n), rng.integers(8, n, n), rng.integers(8, n, sparse.size)]
    cols = [np.arange(n), np.repeat(dense, n // 8), sparse]
    rows += [first, first + 1, np.full(last.size, n)]
    cols += [unmatched, unmatched, last]
    size = n + unmatched.size
    pairs = np.where(np.arange(size) < n, np.arange(size), -1)
    return families.csc(rows, cols, (size, size)), pairs


def run(name, A, threads, start=None):
    """Runs one function of the core: the pattern, row_match, col_match, the rows of the cover,
    whether the search has proved the matching maximum, and the counters."""
    P = as_pattern(getattr(A, "A", A))
    rows = np.full(P.m, -1, dtype=P.indices.dtype)
    cols = np.full(P.n, -1, dtype=P.indices.dtype)
    if start is not None:
        rows[:], cols[:] = start
    cover = np.zeros(P.m, dtype=np.uint8)
    _, proven, counters = getattr(_core.transversal, name)(
        P.m, P.indptr, P.indices, rows, cols, cover, threads=threads
    )
    check_matching(P.to_scipy(), rows, cols)
    return P, rows, cols, cover, proven, counters


def rank_of(A):
    if 0 in A.shape:
        return 0
    return int((maximum_bipartite_matching(sp.csr_array(A), perm_type="column") >= 0).sum())


@cache
def with_rank(family, seed):
    P = as_pattern(getattr(A := FAMILIES[family](seed), "A", A))
    return P, rank_of(P.to_scipy())


def check_proven(A, threads, start=None, rank=None):
    """Checks that the matching of guided-displacement is maximum, and that the rows that the search
    marked are a cover together with the columns that follow from the matching. The only exception:
    if trees exceed their bounds (finish_by_trees.hpp), pushes along exact labels follow and mark no
    cover; the certificate must find one later."""
    P, _, cols, cover, proven, counters = run("guided_displacement", A, threads, start)
    assert (cols >= 0).sum() == (rank_of(P.to_scipy()) if rank is None else rank)
    if not proven:
        assert counters["relabels"] > 0, "only these pushes relabel"
        return
    matched = np.flatnonzero(cols >= 0)
    in_cols = matched[cover[cols[matched]] == 0]
    check_cover(P.to_scipy(), np.flatnonzero(cover), in_cols, matched.size)


@pytest.mark.parametrize("threads", [1, *THREADS])
@pytest.mark.parametrize("family", FAMILIES)
def test_columns_that_threads_drop_are_proven_unmatchable(family, threads, run_seed):
    """A column is dropped only if all rows of its list are hopeless, so the proof needs no second
    search."""
    rounds = 1 if threads == 1 else 2  # races are rare
    for round_ in range(rounds):
        P, rank = with_rank(family, run_seed + round_)
        for start in (False, True):
            check_proven(P, threads, run("greedy", P, threads)[1:3] if start else None, rank)


@given(A=strategies.any_matrix(), threads=st.integers(1, 6))
def test_small_matrices_are_proven(A, threads):
    check_proven(A, threads)


@pytest.mark.parametrize("threads", THREADS)
def test_constraints_are_matched_in_two_steps(threads, run_seed):
    """Each thread avoids the rows that the others need, so that almost no column is left for the
    search."""
    P = as_pattern(families.saddle_point(30_000, 10_000, run_seed))
    result = maximum_transversal(P, algorithm="guided-displacement", threads=threads)
    assert result.size == rank_of(P.to_scipy())
    assert "pushes" not in result.counters and result.counters["edges"] <= P.nnz
    assert result.counters["augmentations"] >= result.counters["path_edges"] / 3 * 0.9


@pytest.mark.parametrize("threads", [2, 3])
def test_searches_together_visit_the_entries_at_most_six_times(threads, run_seed):
    A, pairs = behind_dense_columns(80_000, run_seed)
    P = as_pattern(A)
    result = maximum_transversal(
        P, algorithm="guided-displacement", initializer="none", initial=pairs, threads=threads
    )
    assert result.size == rank_of(P.to_scipy())
    assert result.counters["edges"] <= 6 * P.nnz


def band(n):
    k = np.arange(n)
    rows = [np.clip(k + step, 0, n - 1) for step in (-1, 0, 1)]
    return families.csc(rows, [k, k, k], (n, n))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["band", "saddle point"])
def test_greedy_by_threads_matches_the_diagonal_as_one_thread_does(name, threads, run_seed):
    """If most entries are near the diagonal, each thread first takes only rows of its own part. If
    most columns have an entry near it, a block of columns prefers the rows from its diagonal on. So
    nearly all columns are matched as by one thread."""
    A = band(50_000) if name == "band" else families.saddle_point(30_000, 10_000, run_seed)
    _, _, cols_by_one, *_ = run("greedy", A, 1)
    for _ in range(5):  # races are rare
        _, _, cols, *_ = run("greedy", A, threads)
        assert (cols != cols_by_one).mean() <= 0.02


@pytest.mark.parametrize("threads", THREADS)
def test_greedy_by_threads_leaves_few_more_columns_than_one_thread(threads, run_seed):
    """If the numbering is local, each thread leaves a few more columns unmatched only at the
    borders of its part of the columns."""
    rng = np.random.default_rng(run_seed)
    j = np.repeat(np.arange(60_000), 5)
    A = families.csc([np.clip(j + rng.integers(-9, 10, j.size), 0, 59_999)], [j], (60_000,) * 2)
    _, _, cols_by_one, *_ = run("greedy", A, 1)
    _, _, cols, *_ = run("greedy", A, threads)
    assert (cols < 0).sum() <= (cols_by_one < 0).sum() + 20 * threads


@pytest.mark.parametrize("threads", [2, 3])
def test_an_initializer_ends_when_no_row_is_unmatched(threads, run_seed):
    """A thread that starts late, as on a busy machine, makes the others visit more entries, so the
    test takes the best of 20 runs."""
    A = families.random_rectangle(200_000, 400, 6, run_seed).A.T
    runs = (maximum_transversal(A, initializer="greedy", threads=threads) for _ in range(20))
    assert any(result.counters["start_edges"] < A.nnz / 2 for result in runs)


@looped("threads", THREADS)
@looped("family", FAMILIES)
def test_starts_are_maximal(family, threads, run_seed):
    P, rows, cols, *_ = run("greedy", with_rank(family, run_seed)[0], threads)
    j = np.repeat(np.arange(P.n), np.diff(P.indptr))
    assert not ((cols[j] < 0) & (rows[P.indices] < 0)).any()


@pytest.mark.parametrize("threads", THREADS)
def test_the_entries_that_each_thread_visits_are_added_up(threads):
    """Each column of a permutation has one entry, which the first step visits."""
    n = 20_000
    P = as_pattern(sp.eye_array(n, format="csc")[np.random.default_rng(1).permutation(n)])
    t = maximum_transversal(P, algorithm="guided-displacement", initializer="none", threads=threads)
    assert t.counters["edges"] == t.counters["augmentations"] == n
