# SPDX-License-Identifier: BSD-3-Clause
"""The default engine (guided-displacement, with its start): its start, peeling and short paths on
patterns that need them, and the memory that the engine uses."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm import _core
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.oracles.plain_matching import structural_rank


def run(A, *, threads=1, **options):
    return btfperm.maximum_transversal(A, threads=threads, **options)


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def started(P, name):
    row_match, col_match, marks, _ = _core.transversal.unmatched(P.m, P.indptr)
    counters = getattr(_core.transversal, name)(
        P.m, P.indptr, P.indices, row_match, col_match, marks
    )[2]
    return row_match, col_match, counters


# -- the start -------------------------------------------------------------------------------------


def test_a_start_stops_when_every_row_is_taken():
    m, n = 50, 20_000
    rows = np.arange(n * 3) % m
    A = sp.csc_array((np.ones(n * 3), (rows, np.repeat(np.arange(n), 3))), shape=(m, n))
    row_match, _, counters = started(as_pattern(A), "greedy")
    assert np.all(row_match >= 0) and counters["edges"] < A.nnz / 4
    last = sp.csc_array((np.ones(3), ([0, 0, 1], [0, n - 2, n - 1])), shape=(2, n))
    # The last column holds the only entry of row 1: the start must not stop earlier.
    assert np.all(started(as_pattern(last), "greedy")[0] >= 0)


# -- the search ------------------------------------------------------------------------------------


def band(n, width, seed):
    """Diagonal, superdiagonal and random entries to the right of them; rows and columns
    renumbered."""
    draw = np.random.default_rng(seed)
    rows = np.concatenate((np.arange(n), np.arange(n - 1), np.arange(n), np.arange(n)))
    more = np.arange(n)[None, :] + draw.integers(1, width, (2, n))
    cols = np.concatenate((np.arange(n), np.arange(1, n), np.minimum(more, n - 1).ravel()))
    p, q = draw.permutation(n), draw.permutation(n)
    return sp.csc_array((np.ones(rows.size), (p[rows], q[cols])), shape=(n, n))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_peeling_follows_stalled_pushes(everything_shared, run_seed, threads):
    """Pushes stall on these sparse patterns, which have long augmenting paths. Then
    displacement/peel.hpp starts from an empty matching, and matches rows that have one unmatched
    column left to it. Here that matches all columns, so no search augments along a path of n / 2
    edges or more."""
    for A in (band(60_000, 9, run_seed), families.renumbered(families.chain(60_000), "mixed").A):
        t = run(A, threads=threads, algorithm="guided-displacement")
        assert t.structural_rank == A.shape[0]
        assert t.counters["pushes"] > 0
        assert t.counters.get("longest_path", 0) < A.shape[0] / 2
        check_transversal(A, t)


def test_peeling_that_finds_less_changes_nothing(everything_shared, run_seed):
    """Full diagonal blocks have no row or column with one entry, so peeling cannot match them."""
    A = sp.block_diag((band(20_000, 9, run_seed), np.ones((60, 60)), np.ones((40, 40))))
    draw = np.random.default_rng(run_seed)
    A = A.tocsc()[draw.permutation(A.shape[0]), :][:, draw.permutation(A.shape[1])]
    for threads in (1, 2, 5):
        t = run(A, threads=threads, algorithm="guided-displacement")
        assert t.structural_rank == A.shape[0]
        check_transversal(A, t)


@pytest.mark.parametrize("algorithm", ["auto", "guided-displacement"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_paths_of_three_edges_are_counted(everything_shared, algorithm, threads):
    """Each column of the second half holds one row, which the given matching matches to a column of
    the first half. That column holds one unmatched row, so paths have length 3. Both algorithms,
    `auto` and guided-displacement, find these paths, on one thread and on several."""
    k = 3_000
    i = np.arange(k)
    rows = np.concatenate((i, k + (i + k // 2) % k, i))
    cols = np.concatenate((i, i, k + (i * 7919) % k))
    A = sp.csc_array((np.ones(3 * k), (rows, cols)), shape=(2 * k, 2 * k))
    given = np.concatenate((i, np.full(k, -1)))
    t = run(A, initializer="none", algorithm=algorithm, threads=threads, initial=given)
    assert t.structural_rank == 2 * k and "pushes" not in t.counters
    assert t.counters["augmentations"] == k
    assert (t.counters["path_edges"], t.counters["longest_path"]) == (3 * k, 3)
    check_transversal(A, t)


@given(A=strategies.any_matrix())
def test_any_matrix(A):
    t = run(A)
    check_transversal(A, t, rank=structural_rank(A))


# -- memory ----------------------------------------------------------------------------------------


def test_results_do_not_change_in_later_searches():
    """The engine reuses the memory of results, but not while a result or a view of it exists."""
    A = families.renumbered(families.triangular(80_000, 5), "mixed").A
    first = run(A)
    copies = first.row_match.copy(), first.col_match.copy(), first.row_in_cover.copy()
    view = run(A).row_match[::2]
    expected = view.copy()
    for n in (80_000, 50_000, 90_000, 80_000):
        run(families.renumbered(families.chain(n), "mixed", seed=n).A)
    np.testing.assert_array_equal(first.row_match, copies[0])
    np.testing.assert_array_equal(first.col_match, copies[1])
    np.testing.assert_array_equal(first.row_in_cover, copies[2])
    np.testing.assert_array_equal(view, expected)


def test_threads_of_the_caller_share_the_memory(run_seed):
    """Four threads call at once, each with matrices of several sizes."""
    wrong = []

    def caller(seed):
        draw = np.random.default_rng(seed)
        for _ in range(12):
            n = int(draw.integers(20_000, 120_000))
            hard = families.renumbered(families.chain(n), "mixed", seed=seed)
            t = run(hard.A)
            if t.structural_rank != n or not np.array_equal(t.row_match[t.col_match], np.arange(n)):
                wrong.append((seed, n))

    callers = [threading.Thread(target=caller, args=(run_seed + k,)) for k in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert not wrong
