# SPDX-License-Identifier: BSD-3-Clause
"""Canonical columns from lists of every kind, in any order, and the type of their indices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from btfperm.pattern import canonical
from btfperm.pattern.arrays import index_type
from tests import strategies

BOTH = st.sampled_from([np.int32, np.int64])


def expected(rows, cols, n):
    """The distinct positions, sorted by column and row."""
    positions = sorted(set(zip(cols.tolist(), rows.tolist(), strict=True)))
    indptr = np.searchsorted([j for j, _ in positions], np.arange(n + 1))
    return indptr, [i for _, i in positions]


def assert_columns(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(A=strategies.any_matrix(), data=st.data(), width=BOTH)
def test_positions_in_any_order(A, data, width):
    order = data.draw(st.permutations(range(A.nnz)))
    rows, cols = A.row[order].astype(width), A.col[order].astype(width)
    wanted = expected(rows, cols, A.shape[1])
    assert_columns(canonical.from_positions(rows, cols, A.shape), wanted)


@given(A=strategies.any_matrix(), width=BOTH)
def test_positions_by_columns(A, width):
    """The list of positions is sorted by columns, but not by rows inside a column, and some
    positions occur twice."""
    order = np.argsort(A.col, kind="stable")
    rows, cols = A.row[order].astype(width), A.col[order].astype(width)
    wanted = expected(rows, cols, A.shape[1])
    assert_columns(canonical.from_positions(rows, cols, A.shape), wanted)


@given(A=strategies.any_square(), data=st.data(), width=BOTH)
def test_one_triangle_in_any_order(A, data, width):
    """The entries are sorted by rows or by columns, or in the order in which they were drawn, or in
    the reverse of one of these orders. All are on or below the diagonal, or all on or above it."""
    low, high = np.minimum(A.row, A.col), np.maximum(A.row, A.col)
    order = data.draw(
        st.sampled_from([np.lexsort((low, high)), np.lexsort((high, low)), np.arange(low.size)])
    )
    order = order[::-1] if data.draw(st.booleans()) else order
    rows, cols = (high, low) if data.draw(st.booleans()) else (low, high)
    rows, cols = rows[order].astype(width), cols[order].astype(width)
    both = np.concatenate((rows, cols)), np.concatenate((cols, rows))
    wanted = expected(*both, A.shape[1])
    assert_columns(canonical.from_triangle(rows, cols, A.shape), wanted)


LARGEST = 2**31 - 16  # the core adds small numbers to indices


@pytest.mark.parametrize(
    ("shape", "nnz", "width"),
    [
        ((LARGEST, 0), 0, np.int32),
        ((LARGEST - 1, 1), 0, np.int32),
        ((1, LARGEST - 1), LARGEST, np.int32),
        ((LARGEST, 1), 0, np.int64),
        ((1, LARGEST), 0, np.int64),
        ((2**30, 2**30), 0, np.int64),
        ((5, 5), LARGEST + 1, np.int64),
        ((2**31 - 15, 0), 0, np.int64),
    ],
    ids=str,
)
def test_indices_are_narrow_while_every_sum_fits(shape, nnz, width):
    """One array numbers rows and columns together, and pointers count entries."""
    assert index_type(shape, nnz) is width
