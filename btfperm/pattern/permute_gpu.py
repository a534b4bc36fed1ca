# SPDX-License-Identifier: BSD-3-Clause
"""Permuting without leaving the device: new columns are old ones, their rows renamed."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import as_device_array, device_of
from btfperm.backends.gpu.device import on
from btfperm.pattern.canonical_gpu import columns_of, from_positions
from btfperm.pattern.device_pattern import DevicePattern

__all__ = ["permute_on_device"]


def permute_on_device(A: Any, row_perm: Any, col_perm: Any) -> Any:
    """``A[row_perm, :][:, col_perm]`` of a `DevicePattern`, a CuPy matrix (as ``csc_matrix``, its
    columns sorted) or an array on a device. The permutations may live on either side."""
    import cupy

    if isinstance(A, DevicePattern):
        device = A.device
    elif hasattr(A, "tocsc"):
        device = device_of(A.data)
    else:
        A = as_device_array(A)
        device = device_of(A)
    with on(device):
        rows, cols = cupy.asarray(row_perm), cupy.asarray(col_perm)
        if isinstance(A, DevicePattern):
            places = _inverse(rows)[A.indices], _inverse(cols)[A.cols()]
            return DevicePattern(A.shape, *from_positions(*places, A.shape), name=A.name)
        if hasattr(A, "tocsc"):
            return _permuted(A.tocsc(), rows, cols)
        return A[rows[:, None], cols[None, :]]


def _permuted(A: Any, rows: Any, cols: Any) -> Any:
    """O(nnz) moves, then a sort inside the columns."""
    import cupy

    width = A.indptr.dtype
    indptr = cupy.zeros(A.indptr.size, dtype=width)
    indptr[1:] = cupy.cumsum(cupy.diff(A.indptr)[cols], dtype=width)
    column = columns_of(indptr, int(A.indices.size))
    from_place = cupy.arange(A.indices.size, dtype=np.int64)
    from_place += (A.indptr[:-1][cols] - indptr[:-1])[column]
    indices = _inverse(rows)[A.indices[from_place]].astype(width)
    permuted = type(A)((A.data[from_place], indices, indptr), shape=A.shape)
    permuted.has_sorted_indices = False
    permuted.sort_indices()
    return permuted


def _inverse(perm: Any) -> Any:
    import cupy

    position = cupy.empty_like(perm)
    position[perm] = cupy.arange(perm.size, dtype=perm.dtype)
    return position
