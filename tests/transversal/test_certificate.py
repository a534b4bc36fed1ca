# SPDX-License-Identifier: BSD-3-Clause
"""The check of the certificate on wrong input: matched pairs that are not entries, in lists of 1 to
40 entries and at every position; row_match and col_match that disagree; wrong covers. The tests
include all three cases: every column is matched, every row is matched, neither."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm import _core, maximum_transversal
from tests import families

PROVEN, DISAGREEMENT, NO_ENTRY, COVER_SIZE, UNCOVERED = range(5)
WIDTHS = [np.int32, np.int64]


@pytest.fixture(params=[1, 3], ids=["alone", "three threads"])
def threads(request):
    before = _core.backends.share_always(request.param > 1)
    yield request.param
    _core.backends.share_always(before)


def certify(problem, rows, cols, cover, threads):
    """The verdict, the column at fault, and the columns of the cover."""
    m, indptr, indices = problem
    in_cover = np.full(cols.size, 7, dtype=np.uint8)
    verdict, where, pairs = _core.transversal.certify(
        m, indptr, indices, rows, cols, np.asarray(cover, np.uint8), in_cover, threads=threads
    )
    assert pairs == np.count_nonzero(rows != -1)
    return verdict, where, in_cover


def staircase(width, max_length):
    """Column j holds the rows 0, 2, 4, ..., 2 (j % max_length): lists of 1 to max_length rows."""
    lists = [2 * np.arange(j % max_length + 1) for j in range(3 * max_length)]
    indptr = np.concatenate(([0], np.cumsum([x.size for x in lists])))
    return indptr.astype(width), np.concatenate(lists).astype(width)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_entry_is_found_wherever_it_is_and_no_other(width):
    """Matches one column to each row in turn. The check must accept the pair if and only if the row
    is in the column's list, whatever the next list holds."""
    indptr, indices = staircase(width, 40)
    m, n = 82, indptr.size - 1
    problem = (m, indptr, indices)
    for j in [*range(40), *range(n - 42, n)]:
        for i in range(m):
            rows, cols = np.full(m, -1, width), np.full(n, -1, width)
            rows[i], cols[j] = j, i
            expected = (0, -1) if i in indices[indptr[j] : indptr[j + 1]] else (NO_ENTRY, j)
            assert _core.transversal.check_matching(*problem, rows, cols) == expected


def solved(shape, seed, width):
    """A random matrix of full rank, with a maximum matching and its cover."""
    m, n = shape
    k = np.arange(min(shape))
    rng = np.random.default_rng(seed)
    more = rng.integers(0, m, 3 * n), rng.integers(0, n, 3 * n)
    hard = families.csc([rng.permutation(m)[k], more[0]], [rng.permutation(n)[k], more[1]], shape)
    t = maximum_transversal(hard, threads=1)
    assert t.size == min(shape)
    hard.sum_duplicates()
    problem = (m, hard.indptr.astype(width), hard.indices.astype(width))
    return problem, t.row_match.astype(width), t.col_match.astype(width), t.row_in_cover


SHAPES = [(300, 300), (400, 300), (300, 400)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_full_rank_stands_and_falls_with_its_pairs(shape, width, threads, run_seed):
    problem, rows, cols, cover = solved(shape, run_seed, width)
    m, n = shape
    verdict, where, in_cover = certify(problem, rows, cols, cover, threads)
    assert (verdict, where) == (PROVEN, -1)
    assert cover.all() == (m < n) and in_cover.all() == (m >= n)
    matched = np.flatnonzero(cols >= 0)
    for j in matched[:: max(1, matched.size // 25)]:
        for what in ("unmatched", "beyond", "below", "other", "no entry", "half"):
            r, c = rows.copy(), cols.copy()
            entries = problem[2][problem[1][j] : problem[1][j + 1]]
            if what == "unmatched":  # still a matching, but smaller than its cover
                r[c[j]], c[j] = -1, -1
            elif what == "no entry":
                i = next((i for i in range(m) if i not in entries and rows[i] < 0), None)
                if i is None:
                    continue
                r[c[j]], r[i], c[j] = -1, j, i
            elif what == "half":
                r[c[j]] = -1
            else:
                c[j] = {"beyond": m, "below": -2, "other": cols[matched[matched != j][0]]}[what]
            verdict, where, _ = certify(problem, r, c, cover, threads)
            expected = {
                "unmatched": (UNCOVERED, COVER_SIZE),
                "no entry": (NO_ENTRY,),
            }.get(what, (DISAGREEMENT,))
            assert verdict in expected, what
            assert where == j or where == -1 or what in ("other", "unmatched")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_cover_of_one_row_more_or_less_is_none(shape, threads, run_seed):
    problem, rows, cols, cover = solved(shape, run_seed, np.int32)
    for i in range(0, shape[0], 17):
        wrong = cover.copy()
        wrong[i] ^= 1
        verdict, _, in_cover = certify(problem, rows, cols, wrong, threads)
        touched = wrong[problem[2]] | np.repeat(in_cover, np.diff(problem[1]))
        if verdict == PROVEN:  # the changed rows are another cover of the same size
            assert touched.all() and wrong.sum() + in_cover.sum() == min(shape)
        else:
            assert verdict in (COVER_SIZE, UNCOVERED)


def test_two_columns_cannot_have_the_same_row(threads):
    """Both columns are matched to row 0; no entry of row_match or col_match is -1."""
    problem = (2, np.array([0, 1, 3], np.int32), np.array([0, 0, 1], np.int32))
    rows, cols = np.array([0, 1], np.int32), np.array([0, 0], np.int32)
    assert certify(problem, rows, cols, [0, 0], threads)[:2] == (DISAGREEMENT, 1)
    assert certify(problem, rows, cols, [1, 1], threads)[:2] == (DISAGREEMENT, 1)


def test_nothing_to_prove(threads):
    empty = np.zeros(0, np.int32)
    for n in (0, 3):
        problem = (0, np.zeros(n + 1, np.int32), empty)
        assert certify(problem, empty, np.full(n, -1, np.int32), empty, threads)[0] == PROVEN
