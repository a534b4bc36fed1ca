# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of all checkers: entries as index arrays, permutations and boundaries."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def canonical(A):
    """CSC array of ones at the distinct stored entries; rows ascend in each column."""
    csc = A if isinstance(A, sp.csc_array) and A.has_canonical_format else sp.csc_array(A)
    ones = sp.csc_array((np.ones(csc.nnz), csc.indices, csc.indptr), shape=csc.shape, copy=True)
    ones.sum_duplicates()
    ones.data[:] = 1
    return ones


def entries(A):
    """(rows, cols) of the distinct stored entries, int64."""
    csc = canonical(A)
    cols = np.repeat(np.arange(csc.shape[1]), np.diff(csc.indptr))
    return csc.indices.astype(np.int64), cols


def are_entries(A, rows, cols):
    """Whether each pair is a stored entry."""
    if not len(rows):
        return np.zeros(0, dtype=bool)
    return np.asarray(canonical(A)[np.asarray(rows), np.asarray(cols)]).ravel() == 1


def check_permutation(perm, size, name):
    perm = np.asarray(perm)
    assert perm.shape == (size,), f"{name} has shape {perm.shape}, not ({size},)"
    assert perm.dtype.kind in "iu", f"{name} holds {perm.dtype}, not integers"
    seen = np.zeros(size, dtype=bool)
    inside = (perm >= 0) & (perm < size)
    assert inside.all(), f"{name} holds {perm[~inside][:3]}, outside 0..{size - 1}"
    seen[perm] = True
    assert seen.all(), f"{name} is no permutation: {np.flatnonzero(~seen)[:3]} missing"


def check_boundaries(boundaries, size, name):
    boundaries = np.asarray(boundaries)
    assert boundaries.size and boundaries[0] == 0, f"{name} does not start at 0"
    assert boundaries[-1] == size, f"{name} ends at {boundaries[-1]}, not {size}"
    assert (np.diff(boundaries) >= 0).all(), f"{name} decreases"


def label_of(perm, boundaries):
    """The number of the interval that holds each original index."""
    sizes = np.diff(np.asarray(boundaries))
    label = np.empty(len(perm), dtype=np.int64)
    label[np.asarray(perm)] = np.repeat(np.arange(sizes.size), sizes)
    return label
