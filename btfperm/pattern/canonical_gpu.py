# SPDX-License-Identifier: BSD-3-Clause
"""Canonical compressed columns, computed on a device: entries become 64-bit keys, by columns and
then by rows, which are sorted and merged. Everything runs on CuPy's current device and stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.errors import BackendUnavailableError
from btfperm.pattern.arrays import index_type

__all__ = ["columns_of", "from_keys", "from_positions", "keys_of"]


def from_positions(rows: Any, cols: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Canonical columns (indptr, indices) of positions that lie inside the shape."""
    import cupy

    return from_keys(cupy.unique(keys_of(rows, cols, shape)), shape)


def columns_of(indptr: Any, nnz: int) -> Any:
    """(nnz,) the column of each entry of compressed columns."""
    import cupy

    starts = cupy.zeros(nnz + 1, dtype=indptr.dtype)
    run = kernels("pattern/canonical.cu", indptr.dtype.name)
    n = int(indptr.size) - 1
    run.launch("mark_starts", grid(n), BLOCK, n, indptr, starts)
    return cupy.cumsum(starts[:-1], dtype=indptr.dtype)


def keys_of(rows: Any, cols: Any, shape: tuple[int, int]) -> Any:
    """A key for each position, which orders them by columns, then by rows.

    Raises
    ------
    BackendUnavailableError : the shape has too many positions for 64 bits
    """
    if shape[0] * shape[1] > 2**63 - 1:
        raise BackendUnavailableError(
            f"a {shape[0]} x {shape[1]} matrix cannot be sorted on the device: its positions pass "
            "64 bits; hand it over with sorted columns, or from the host"
        )
    return cols.astype(np.int64) * shape[0] + rows


def from_keys(keys: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Columns (indptr, indices) of keys that ascend without duplicates."""
    import cupy

    m, n = shape
    width = index_type(shape, int(keys.size))
    first = cupy.arange(n + 1, dtype=np.int64) * m
    return cupy.searchsorted(keys, first).astype(width), (keys % max(m, 1)).astype(width)
