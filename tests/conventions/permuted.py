# SPDX-License-Identifier: BSD-3-Clause
"""The common properties of all conventions, checked with dense arrays and index sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp


def positions(A):
    """The stored entries of `A`, including explicit zeros, as a dense boolean array."""
    A = sp.coo_array(A)
    dense = np.zeros(A.shape, dtype=bool)
    dense[A.row, A.col] = True
    return dense


def blocks(p, q, r, s):
    """The fine blocks in their order, as (set of rows, set of columns)."""
    rows = [frozenset(p[a:b].tolist()) for a, b in pairwise(r)]
    cols = [frozenset(q[a:b].tolist()) for a, b in pairwise(s)]
    return list(zip(rows, cols, strict=True))


def check_gathers(A, p, q, r, s):
    """p and q are permutations, r and s divide all of them, no entry lies below the blocks."""
    m, n = A.shape
    np.testing.assert_array_equal(np.sort(p), np.arange(m))
    np.testing.assert_array_equal(np.sort(q), np.arange(n))
    assert (r[0], s[0], r[-1], s[-1]) == (0, 0, m, n)
    permuted = positions(A)[np.ix_(p, q)]
    for k in range(len(r) - 1):
        assert not permuted[r[k + 1] :, s[k] : s[k + 1]].any(), f"entries below block {k}"


def dominant(A, col_match):
    """`A` with small values, and a large one at each matched entry, so it is well conditioned."""
    C = sp.csc_array(A, dtype=float)
    C.sum_duplicates()
    count = np.diff(C.indptr).max(initial=1)
    cols = np.repeat(np.arange(C.shape[1]), np.diff(C.indptr))
    C.data[:] = 1 / (1 + (3 * C.indices + 5 * cols) % 7)
    C.data[col_match[cols] == C.indices] = 2.0 + count
    return C
