# SPDX-License-Identifier: BSD-3-Clause
"""The counts of a density picture equal those of a plain count, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from btfperm import _core
from btfperm.pattern import as_pattern
from btfperm.pattern.raster import raster


def plain(A, rows, cols, height, width):
    """The definition: one entry after the other."""
    counts = np.zeros((height, width), dtype=np.int64)
    (top, bottom), (left, right) = rows, cols
    for r in range(top, bottom):
        for c in range(left, right):
            if A[r, c]:
                y = (r - top) * height // (bottom - top)
                x = (c - left) * width // (right - left)
                counts[y, x] += 1
    return counts


def window(draw, size):
    first = draw(st.integers(0, size))
    return first, draw(st.integers(first, size))


@given(st.data(), st.integers(0, 2**32 - 1))
def test_a_picture_of_any_window(data, seed):
    rng = np.random.default_rng(seed)
    m, n = data.draw(st.integers(0, 30)), data.draw(st.integers(0, 30))
    A = rng.random((m, n)) < 0.2
    perms = [rng.permutation(size) if data.draw(st.booleans()) else None for size in (m, n)]
    row_perm, col_perm = perms
    rows, cols = window(data.draw, m), window(data.draw, n)
    cells = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 40))
    threads = data.draw(st.sampled_from([1, 2]))
    found = raster(
        as_pattern(A), row_perm, col_perm, rows=rows, cols=cols, cells=cells, threads=threads
    )
    height, width = min(cells[0], rows[1] - rows[0]), min(cells[1], cols[1] - cols[0])
    orders = (slice(None) if perm is None else perm for perm in perms)
    permuted = A[next(orders)][:, next(orders)]
    expected = plain(permuted, rows, cols, height, width)
    assert found.shape == expected.shape and (found == expected).all()


@pytest.mark.parametrize("first", [0, 5])
def test_every_number_of_cells_of_a_matrix_in_its_order(first):
    """Rows that are not permuted find their cells in a table of runs."""
    for size in range(1, 50):
        pattern = as_pattern(np.ones((first + size + 3, 1)))
        turned = pattern.transpose()
        for cells in range(1, size + 1):
            window = (first, first + size)
            expected = np.bincount(np.arange(size) * cells // size).tolist()
            found = raster(pattern, rows=window, cells=(cells, 1))
            assert found.ravel().tolist() == expected, (size, cells)
            found = raster(turned, cols=window, cells=(1, cells))
            assert found.ravel().tolist() == expected, (size, cells)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_index_types(width, threads):
    """The test calls the core, because `raster` uses one thread for a small matrix."""
    rng = np.random.default_rng(3)
    A = rng.random((90, 70)) < 0.1
    pattern = as_pattern(A)
    indptr, indices = pattern.indptr.astype(width), pattern.indices.astype(width)
    rows, cols = rng.permutation(90).astype(width), rng.permutation(70).astype(width)
    counts = np.full(20 * 30, -1, dtype=np.int64)
    _core.pattern.raster(
        90, indptr, indices, rows, cols, (0, 90), (5, 65), (20, 30), threads, counts
    )
    expected = plain(A[rows][:, cols], (0, 90), (5, 65), 20, 30)
    assert (expected == counts.reshape(30, 20).T).all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("rows", [(0, 100), (13, 77)])
@pytest.mark.parametrize("is_permuted", [True, False])
def test_cells_with_more_entries_than_a_thread_counts_at_once(threads, rows, is_permuted):
    """A thread counts 255 entries of a cell by itself; cells here have up to 1,020."""
    rng = np.random.default_rng(5)
    A = rng.random((100, 90)) < 0.95
    pattern = as_pattern(A)
    perms = [rng.permutation(size).astype(pattern.indices.dtype) for size in (100, 90)]
    if not is_permuted:
        perms = [np.empty(0, pattern.indices.dtype)] * 2
    counts = np.full(3 * 3, -1, dtype=np.int64)
    _core.pattern.raster(
        *(100, pattern.indptr, pattern.indices, *perms), rows, (0, 90), (3, 3), threads, counts
    )
    B = A[perms[0]][:, perms[1]] if is_permuted else A
    assert (plain(B, rows, (0, 90), 3, 3) == counts.reshape(3, 3).T).all()


def test_all_entries_are_counted_without_a_permutation():
    A = np.random.default_rng(1).random((500, 300)) < 0.05
    counts = raster(as_pattern(A), cells=64)
    assert counts.shape == (64, 64) and counts.sum() == A.sum()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": (0, 4)}, "window"),
        ({"cells": (4, 3)}, "window"),
        ({"cells": (0, 3)}, "window"),
        ({"perm": [0, 1, 3]}, "out of range"),
        ({"perm": [0, 1]}, "2 places, not 3"),
        ({"counts": 8}, "8 places, not 9"),
    ],
)
def test_the_core_refuses_wrong_arguments(wrong, message):
    pattern = as_pattern(np.eye(3))
    perm = np.array(wrong.get("perm", [0, 1, 2]), dtype=pattern.indices.dtype)
    with pytest.raises(ValueError, match=message):
        _core.pattern.raster(
            3,
            pattern.indptr,
            pattern.indices,
            perm,
            perm[:0],
            wrong.get("rows", (0, 3)),
            (0, 3),
            wrong.get("cells", (3, 3)),
            1,
            np.empty(wrong.get("counts", 9), dtype=np.int64),
        )
