# SPDX-License-Identifier: BSD-3-Clause
"""From pairs of row and column numbers to a pattern; the permutations of the names."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Index = npt.NDArray[np.integer[Any]]
SEED = 1  # all families use default_rng(SEED), except those of `planted` and most of `counted`
BOTH_SIDES_SEED = 8


def pattern(rows: Index, cols: Index, shape: tuple[int, int]) -> sp.csc_array:
    """CSC of ones: row indices sorted, duplicates merged, int32 indices where they fit."""
    width = np.int32 if max(*shape, len(rows)) < 2**31 else np.int64
    marks = np.ones(len(rows), np.int8)
    A = sp.coo_array((marks, (rows.astype(width), cols.astype(width))), shape=shape).tocsc()
    A.sum_duplicates()
    return sp.csc_array((np.ones(A.nnz), A.indices, A.indptr), shape=shape)


def symmetric(u: Index, v: Index, n: int) -> sp.csc_array:
    """Both directions of each edge {u, v}, without the diagonal."""
    off = u != v
    u, v = u[off], v[off]
    return pattern(np.concatenate([u, v]), np.concatenate([v, u]), (n, n))


def permuted(A: sp.csc_array, rng: np.random.Generator) -> sp.csc_array:
    """Row i goes to place p[i], column j to q[j]: p is drawn first, then q."""
    C = A.tocoo()
    p = rng.permutation(A.shape[0])
    q = rng.permutation(A.shape[1])
    return pattern(p[C.row], q[C.col], A.shape)


def both_sides(A: sp.csc_array) -> sp.csc_array:
    """The permutation that is part of a family: circuit, tri, bandtri, digraph, wide, blocks."""
    return permuted(A, np.random.default_rng(BOTH_SIDES_SEED))


def rcp(A: sp.csc_array, full_name: str) -> sp.csc_array:
    """The permutation that the suffix ``_rcp`` asks for; its seed is the name's CRC-32."""
    return permuted(A, np.random.default_rng(zlib.crc32(full_name.encode())))
