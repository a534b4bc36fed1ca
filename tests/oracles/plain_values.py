# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's canonical columns with values, and the comparison of a `ValuedPattern` with them."""

from __future__ import annotations

import numpy as np


def wide(dtype):
    """The type that a `ValuedPattern` uses for values of `dtype`."""
    kinds = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}
    return kinds.get(np.dtype(dtype).kind, np.dtype(dtype))


def summed(A):
    """Canonical columns by SciPy, including stored zeros."""
    A = A.copy()
    A.sum_duplicates()
    C = A.tocsc()
    C.sort_indices()
    return C


def lists_of(A, by_rows):
    """Compressed rows or columns, with the entries in the order of the list and with duplicates."""
    major, minor = (A.row, A.col) if by_rows else (A.col, A.row)
    order = np.argsort(major, kind="stable")
    lines = A.shape[0] if by_rows else A.shape[1]
    starts = np.searchsorted(major[order], np.arange(lines + 1)).astype(np.int32)
    return A.data[order], minor[order].astype(np.int32), starts


def assert_is(V, C):
    """Checks that `V` holds the canonical columns `C` and their values."""
    assert V.shape == C.shape and V.values.dtype == wide(C.dtype)
    np.testing.assert_array_equal(V.pattern.indptr, C.indptr)
    np.testing.assert_array_equal(V.pattern.indices, C.indices)
    np.testing.assert_array_equal(V.values, C.data)


def same_pattern(V, P):
    assert V.pattern.indices.dtype == P.indices.dtype
    np.testing.assert_array_equal(V.pattern.indptr, P.indptr)
    np.testing.assert_array_equal(V.pattern.indices, P.indices)
    assert (V.pattern.stored_zeros is None) == (P.stored_zeros is None)
    assert (V.pattern.zeros_dropped, V.values.size) == (P.zeros_dropped, P.nnz)
