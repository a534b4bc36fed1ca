# SPDX-License-Identifier: BSD-3-Clause
"""Permutes matrices on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import as_device_array, brought, device_of
from btfperm.backends.gpu.device import on
from btfperm.errors import InvalidMatrixError
from btfperm.pattern.canonical_gpu import columns_of, from_positions
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.input import as_pattern

__all__ = ["matrix_of_triple", "permute_on_device"]


def permute_on_device(A: Any, row_perm: Any, col_perm: Any) -> Any:
    """``A[row_perm, :][:, col_perm]`` of a `DevicePattern`, a CuPy matrix (as ``csc_matrix``, its
    columns sorted) or an array on a device. The permutations may be on the host or on
    the device."""
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
            columns = from_positions(*places, A.shape)
            return DevicePattern._unchecked(A.shape, *columns, A.name)
        if hasattr(A, "tocsc"):
            as_pattern(A)  # checks every index, which CuPy's conversions do not
            return _permuted(A.tocsc(), rows, cols)
        return A[rows[:, None], cols[None, :]]


def matrix_of_triple(A: tuple[Any, Any, Any], shape: tuple[int, int]) -> Any:
    """(data, indices, indptr) of compressed columns, checked, as a ``csc_matrix`` of CuPy.

    Raises
    ------
    InvalidMatrixError : they are no matrix of this shape, or CuPy has no matrices of this type
    """
    from cupyx.scipy.sparse import csc_matrix

    pattern = as_pattern(A, shape=shape)
    assert isinstance(pattern, DevicePattern)
    with on(pattern.device):
        parts = tuple(brought(as_device_array(part)) for part in A)
        try:
            return csc_matrix(parts, shape=shape)
        except (TypeError, ValueError) as error:
            raise InvalidMatrixError(
                f"the (data, indices, indptr) triple is no matrix of CuPy: {error}"
            ) from None


def _permuted(A: Any, rows: Any, cols: Any) -> Any:
    """The columns in their new order with new row numbers, sorted. O(nnz) before the sort."""
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
