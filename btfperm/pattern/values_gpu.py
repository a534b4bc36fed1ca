# SPDX-License-Identifier: BSD-3-Clause
"""Values of matrices on a GPU, brought into the order of a `DevicePattern` on the device.

The keys of ``canonical_gpu.py`` define the order; each listed entry is searched among the keys of
the finished pattern. Duplicates are added up in the order of the list, so the sums equal those of
the host in every bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, as_device_array, brought, device_of, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.device import on
from btfperm.errors import InvalidMatrixError
from btfperm.pattern import device_input
from btfperm.pattern.arrays import index_type, is_device_array
from btfperm.pattern.canonical_gpu import columns_of, keys_of
from btfperm.pattern.input import as_pattern
from btfperm.pattern.pattern import Pattern
from btfperm.pattern.valued import ValuedPattern, as_values
from btfperm.pattern.values import narrowed, refuse_changed

__all__ = ["carried", "of_matrix", "of_triple"]


def of_triple(A: tuple[Any, ...], shape: Sequence[int] | None, drop_zeros: bool) -> ValuedPattern:
    """`as_valued` of a ``(data, indices, indptr)`` triple of compressed columns."""
    pattern = as_pattern(A, shape=shape, drop_zeros=drop_zeros)
    data, indices, indptr = A
    if data is None:
        raise InvalidMatrixError("the triple has no values: its data is None")
    return _of_lists(pattern, data, indices, indptr, by_rows=False)


def of_matrix(A: Any, drop_zeros: bool) -> ValuedPattern:
    """`as_valued` of a CuPy sparse matrix, or of a dense array on a device."""
    form = getattr(A, "format", None)
    if form is None:
        return _of_dense(A)
    if form not in ("csc", "csr", "coo"):
        with on(None), on(device_of(as_device_array(A.data))):
            A, form = A.tocsc(), "csc"
    pattern = as_pattern(A, drop_zeros=drop_zeros)
    if form != "coo":
        return _of_lists(pattern, A.data, A.indices, A.indptr, by_rows=form == "csr")
    with on(None), on(device_of(pattern.indices)):
        rows, cols = (device_input.index_array(part, "positions") for part in (A.row, A.col))
        values = as_values(brought(as_device_array(A.data)), int(rows.size), None)
        return carried(pattern, rows, cols, values)


def _of_lists(
    pattern: Pattern, data: Any, indices: Any, indptr: Any, *, by_rows: bool
) -> ValuedPattern:
    """The `ValuedPattern` of the compressed columns, or rows, of which the pattern was made. It
    shares the values of canonical columns, as a `DevicePattern` shares their arrays."""
    import cupy

    with on(None), on(device_of(pattern.indices)):
        starts = device_input.index_array(indptr, "indptr")
        lists = device_input.index_array(indices, "indices")
        room, count = int(lists.size), int(starts[-1])
        if is_device_array(data):
            values = as_values(brought(as_device_array(data)), room, None)[:count]
        else:
            values = cupy.asarray(as_values(data, room, None)[:count])
        lists = lists[:count]
        same = not by_rows and pattern.nnz == count
        if same and bool((pattern.indices == lists).all() & (pattern.indptr == starts).all()):
            return ValuedPattern._unchecked(pattern, values)
        heads = columns_of(starts, count)
        return carried(pattern, *((heads, lists) if by_rows else (lists, heads)), values)


def _of_dense(A: Any) -> ValuedPattern:
    """The `ValuedPattern` of a dense array: its nonzeros in canonical order."""
    pattern = as_pattern(A)
    with on(None), on(device_of(pattern.indices)):
        values = brought(as_device_array(A))[pattern.indices, pattern.cols()]
        return ValuedPattern._unchecked(pattern, as_values(values, pattern.nnz, None))


def carried(pattern: Pattern, rows: Any, cols: Any, values: Any) -> ValuedPattern:
    """As ``values.carried``, on the device that holds the pattern."""
    import cupy

    with on(device_of(pattern.indices)):
        own = keys_of(pattern.indices, pattern.cols(), pattern.shape)
        keys = keys_of(rows, cols, pattern.shape)
        places = cupy.minimum(cupy.searchsorted(own, keys), max(pattern.nnz - 1, 0))
        found = own[places] == keys if pattern.nnz else cupy.zeros(keys.size, dtype=bool)
        if not bool(found.all()):
            refuse_changed(pattern)
            places, values = places[found], values[found]
        if places.size == pattern.nnz:  # no duplicates, because each entry was listed
            ordered = cupy.zeros(pattern.nnz, dtype=values.dtype)
            ordered[places] = values
        else:
            ordered = _sums(pattern, places, values)
        return ValuedPattern._unchecked(pattern, ordered)


def _sums(pattern: Pattern, places: Any, values: Any) -> Any:
    """The sum of the values at each place, in the order of the list."""
    import cupy

    width = np.dtype(index_type(pattern.shape, int(places.size)))
    order = cupy.argsort(places)  # cupy.argsort is stable
    starts = cupy.searchsorted(places[order], cupy.arange(pattern.nnz + 1)).astype(width)
    order = order.astype(width)
    run = kernels("pattern/canonical.cu", width.name)

    def summed(kernel: str, listed: Any, parts: int, dtype: Any) -> Any:
        sums = cupy.empty(parts * pattern.nnz, dtype=dtype)
        listed = listed.astype(dtype, copy=False) if parts == 1 else listed.view(dtype)
        arguments = pattern.nnz, parts, starts, order, listed, sums
        run.launch(kernel, grid(pattern.nnz * parts), BLOCK, *arguments)
        return sums

    if values.dtype.kind == "f":
        return summed("sum_real_runs", values, 1, np.float64)
    if values.dtype.kind == "c":
        return summed("sum_real_runs", values, 2, np.float64).view(np.complex128)
    wide = np.int64 if values.dtype.kind == "i" else np.uint64
    sums = summed("sum_whole_runs", values, 1, wide)
    close = summed("sum_real_runs", values, 1, np.float64)
    return narrowed(pattern, sums, close, np.dtype(values.dtype))
