# SPDX-License-Identifier: BSD-3-Clause
"""Converts arrays and sparse matrices on a device to a `DevicePattern`, after checks on the device.

Canonical columns are used as they are; ``canonical_gpu.py`` sorts the others and merges duplicates.
Everything runs on CuPy's current device and stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, as_device_array, brought, device_of, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.device import on
from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import columns_shape, index_type, is_device_array, refuse_masked
from btfperm.pattern.canonical_gpu import columns_of, from_keys, from_positions, keys_of
from btfperm.pattern.device_pattern import DevicePattern

__all__ = ["canonical_columns", "from_columns", "from_coo", "from_dense", "from_rows"]
__all__ += ["index_array", "of_zeros"]

_CANONICAL, _UNSORTED = 0, 1  # results of `_state_of_columns`


def from_columns(
    indptr: Any, indices: Any, shape: Any, values: Any = None, *, drop_zeros: bool = False
) -> DevicePattern:
    """Pattern of compressed columns, which need not be sorted and may hold duplicates.

    Raises
    ------
    InvalidMatrixError : the arrays do not describe a matrix of this shape
    """
    m, n = columns_shape(shape)
    starts, rows = index_array(indptr, "indptr"), index_array(indices, "indices")
    if starts.size != n + 1:
        raise InvalidMatrixError(
            f"indptr has {starts.size} places, a matrix of {n} columns needs {n + 1}"
        )
    width = np.dtype(index_type((m, n), int(rows.size)))
    state, nnz = _state_of_columns(m, starts, rows, width)
    zeros = _zeros_among(values, int(rows.size))
    rows = rows[:nnz]
    if zeros is not None and bool(zeros[:nnz].any()):
        return of_zeros(rows, columns_of(starts, nnz), zeros[:nnz], (m, n), drop_zeros=drop_zeros)
    if state == _CANONICAL:
        narrow = starts.astype(width, copy=False), rows.astype(width, copy=False)
    else:
        narrow = from_positions(rows, columns_of(starts, nnz), (m, n))
    return DevicePattern._unchecked((m, n), *narrow)


def canonical_columns(indptr: Any, indices: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """The arrays themselves, which must be canonical columns of this shape and one index type.

    Raises
    ------
    InvalidMatrixError : they are not
    """
    device = device_of(as_device_array(indices))
    with on(None), on(device):
        starts, rows = index_array(indptr, "indptr"), index_array(indices, "indices")
        if starts.size == shape[1] + 1 and starts.dtype == rows.dtype:
            width = np.dtype(index_type(shape, int(rows.size)))
            state, nnz = _state_of_columns(shape[0], starts, rows, width)
            if state == _CANONICAL and nnz == rows.size and rows.dtype.itemsize >= width.itemsize:
                return starts, rows
    raise InvalidMatrixError(
        "DevicePattern(...) takes canonical columns: two arrays of one index type, row indices "
        "that ascend in each column, without duplicates; use as_pattern"
    )


def from_rows(
    indptr: Any, indices: Any, shape: Any, values: Any = None, *, drop_zeros: bool = False
) -> DevicePattern:
    """Pattern of compressed rows; as `from_columns` otherwise."""
    m, n = columns_shape(shape)
    turned = from_columns(indptr, indices, (n, m), values, drop_zeros=drop_zeros)
    return turned.transpose()  # type: ignore[return-value]


def from_coo(
    rows: Any, cols: Any, shape: Any, values: Any, *, drop_zeros: bool = False
) -> DevicePattern:
    """Pattern of a list of positions; duplicates are merged.

    Raises
    ------
    InvalidMatrixError : the arrays differ in length, or an index lies outside the shape
    """
    m, n = columns_shape(shape)
    rows, cols = index_array(rows, "rows"), index_array(cols, "cols")
    # In 64 bits, because m and n may exceed the type of the arrays.
    rows, cols = (part.astype(np.int64, copy=False) for part in (rows, cols))
    if rows.size != cols.size:
        raise InvalidMatrixError(f"{rows.size} row indices but {cols.size} column indices")
    if bool(((rows < 0) | (rows >= m) | (cols < 0) | (cols >= n)).any()):
        raise InvalidMatrixError(f"an entry lies outside a {m} x {n} matrix (counted from 0)")
    zeros = _zeros_among(values, int(rows.size))
    if zeros is not None and bool(zeros.any()):
        return of_zeros(rows, cols, zeros, (m, n), drop_zeros=drop_zeros)
    return DevicePattern._unchecked((m, n), *from_positions(rows, cols, (m, n)))


def from_dense(array: Any) -> DevicePattern:
    """Pattern of the nonzeros of a two-dimensional array."""
    cols, rows = as_device_array(array).T.nonzero()
    m, n = array.shape
    return DevicePattern._unchecked((m, n), *from_positions(rows, cols, (m, n)))


def of_zeros(
    rows: Any, cols: Any, zeros: Any, shape: tuple[int, int], *, drop_zeros: bool
) -> DevicePattern:
    """Pattern of positions, some of which are stored zeros. A position that is stored both as zero
    and with a nonzero value is not a stored zero."""
    keys, nonzero = keys_of(rows, cols, shape), None
    import cupy

    nonzero = cupy.unique(keys[~zeros])
    zero = cupy.unique(keys[zeros])
    zero = zero[~cupy.isin(zero, nonzero)]
    kept = nonzero if drop_zeros else cupy.unique(keys)
    marked = DevicePattern._unchecked(shape, *from_keys(zero, shape)) if zero.size else None
    return DevicePattern._unchecked(
        shape,
        *from_keys(kept, shape),
        stored_zeros=marked,
        zeros_dropped=drop_zeros and marked is not None,
    )


def index_array(array: Any, what: str) -> Any:
    """A contiguous array of int32 or int64 on the current device; messages call it `what`.

    Raises
    ------
    InvalidMatrixError : it is no list of integers
    """
    taken = brought(as_device_array(array))
    if taken.ndim != 1 or taken.dtype.kind not in "iu":
        raise InvalidMatrixError(
            f"{what} must be a one-dimensional array of integers, not {taken.dtype} with "
            f"{taken.ndim} dimensions"
        )
    if taken.dtype.name not in ("int32", "int64"):
        taken = taken.astype(np.int64)
    return taken if taken.flags.c_contiguous else taken.copy()


def _zeros_among(values: Any, count: int) -> Any:
    """True for each entry that is stored as zero, on the current device; None if there are no
    values. The values may be on the host."""
    import cupy

    if values is None:
        return None
    refuse_masked(values)
    try:
        on_device = is_device_array(values)
        there = brought(as_device_array(values)) if on_device else np.asarray(values)
    except (TypeError, ValueError):  # lists of unequal lengths, objects that are no arrays
        there = np.empty((), dtype=object)
    if there.shape != (count,) or there.dtype.kind not in "biufc":
        raise InvalidMatrixError(
            f"the values of {count} positions must be a list of {count} numbers, not {there.dtype} "
            f"of shape {there.shape}"
        )
    return cupy.asarray(there == 0)


def _state_of_columns(m: int, starts: Any, rows: Any, width: Any) -> tuple[int, int]:
    """Whether the columns are canonical (else `_UNSORTED`, also for duplicates), and how many
    entries they hold.

    Raises
    ------
    InvalidMatrixError : they are no columns
    """
    import cupy

    # This type holds the numbers of both arrays and of the shape.
    wide = np.result_type(width, rows.dtype, starts.dtype)
    found = cupy.zeros(2, dtype=np.int32)
    n, room = int(starts.size) - 1, int(rows.size)
    run = kernels("pattern/canonical.cu", wide.name)
    same = starts.astype(wide, copy=False), rows.astype(wide, copy=False)
    run.launch("check_starts", grid(n + 1), BLOCK, n, room, same[0], found)
    if int(found[0]):
        raise InvalidMatrixError(
            "indptr is wrong: it must start with 0, never fall, and end within the indices"
        )
    nnz = int(starts[-1])
    run.launch("check_rows", grid(32 * n), BLOCK, m, n, *same, found)
    wrong, unsorted = found.tolist()
    if wrong:
        raise InvalidMatrixError(f"a row index lies outside 0 ... {m - 1}; rows are counted from 0")
    return (_UNSORTED if unsorted else _CANONICAL), nnz
