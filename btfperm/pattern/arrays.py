# SPDX-License-Identifier: BSD-3-Clause
"""Checks of arrays from outside: types, lengths, and every index. Each failure raises an error of
one sentence.

`checked_columns` and `checked_positions` call the core's checks. They run before any other code,
SciPy's included, uses the arrays as indices.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import pass_threads
from btfperm.errors import InvalidMatrixError, ResourceMissingError
from btfperm.pattern.memory import check_memory

__all__ = [
    "LARGEST_INT32",
    "IndexArray",
    "as_width",
    "canonical_columns",
    "checked_columns",
    "checked_positions",
    "checked_shape",
    "columns_shape",
    "device_context",
    "index_type",
    "is_device_array",
    "is_masked",
    "is_on_device_of",
    "matrix_on_device",
    "prefix",
    "refuse_masked",
    "refuse_non_numbers",
    "zeros_among",
]

IndexArray = npt.NDArray[np.signedinteger[Any]]

# Made once: calls on small matrices are short.
_OF_HOST = (np.ndarray, list, tuple)
_NOTHING: AbstractContextManager[Any] = nullcontext()

# Searches need a few numbers above the largest index, so the limits are below those of the types.
LARGEST_INT32 = 2**31 - 16
_LARGEST_INT64 = 2**63 - 16
_DLPACK_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
_SHORT = 2**11  # entries of a short array, see `_none_is_zero`
_MIN_LINES_TO_CHECK = 2**24  # rows plus columns; a smaller shape cannot exceed a limit
_CANONICAL, _INVALID = 0, 3  # results of the core's check_columns


def index_type(shape: tuple[int, int], nnz: int) -> type[np.signedinteger[Any]]:
    """int32 if neither the rows plus the columns nor the entries exceed `LARGEST_INT32`, else
    int64."""
    m, n = shape
    return np.int32 if m + n <= LARGEST_INT32 and nnz <= LARGEST_INT32 else np.int64


def prefix(name: str | None) -> str:
    """The beginning of a message: the name of the matrix, if it has one."""
    return f"{name}: " if name else ""


def checked_shape(shape: Sequence[int]) -> tuple[int, int]:
    """(m, n) as Python's own integers; numbers that are no integers are refused. A caller that
    allocates `indptr` must use `columns_shape` instead; over MPI ranks, `check_own_lines` follows
    as soon as the owners are known."""
    try:
        m, n = shape
        m, n = operator.index(m), operator.index(n)
    except (TypeError, ValueError):
        raise InvalidMatrixError(f"a shape is two whole numbers, not {shape!r}") from None
    if m < 0 or n < 0:
        raise InvalidMatrixError(f"a matrix cannot have the shape {m} x {n}")
    if m + n < _MIN_LINES_TO_CHECK:
        return m, n
    if max(m, n) > _LARGEST_INT64:
        raise InvalidMatrixError("a matrix with this many rows or columns is beyond 64-bit indices")
    if 8 * (max(m, n) + 1) > sys.maxsize:
        raise ResourceMissingError(
            f"a matrix of shape {m} x {n} needs more memory than this machine can address"
        )
    return m, n


def columns_shape(shape: Sequence[int], name: str | None = None) -> tuple[int, int]:
    """`checked_shape`, and a check of the memory for `indptr`, which is allocated next."""
    m, n = checked_shape(shape)
    if m + n >= _MIN_LINES_TO_CHECK:
        check_memory((m, n), name, indices=n)
    return m, n


def is_masked(array: object) -> bool:
    """Whether this is a masked array. NumPy imports `numpy.ma` only when it is needed; before that
    there is no masked array."""
    return "numpy.ma" in sys.modules and isinstance(array, np.ma.MaskedArray)


def refuse_masked(array: object) -> None:
    """Raise InvalidMatrixError for a masked array, whose masked values are undefined."""
    if is_masked(array):
        raise InvalidMatrixError(
            "a masked array does not define which of its masked places are entries; give "
            "A.filled(0) if none of them is"
        )


def refuse_non_numbers(values: npt.NDArray[Any], name: str | None) -> None:
    """Raise InvalidMatrixError for values that are neither numbers nor truth values."""
    if values.dtype.kind not in "biufc":
        raise InvalidMatrixError(f"{prefix(name)}values of type {values.dtype} are no numbers")


def is_device_array(array: object) -> bool:
    """Whether this is an array on a GPU, of any package. The test loads no module."""
    if isinstance(array, _OF_HOST):
        return False
    if hasattr(array, "__cuda_array_interface__"):
        return True
    where = getattr(array, "__dlpack_device__", None)
    try:
        return where is not None and where()[0] in _DLPACK_CUDA
    except Exception:  # an array that cannot be exported is not on a CUDA device
        return False


def matrix_on_device(A: object) -> bool:
    """Whether a dense or sparse matrix, or any part of a triple, is on a GPU."""
    if isinstance(A, tuple):
        return any(map(is_device_array, A))
    if isinstance(A, np.ndarray):  # `data` of an array of dates raises an error
        return False
    return is_device_array(A) or is_device_array(getattr(A, "data", None))


def is_on_device_of(pattern: Any, array: object) -> bool:
    """Whether an array is on the device that holds a pattern on a device."""
    if not is_device_array(array):
        return False
    from btfperm.backends.gpu.arrays import device_of

    return device_of(array) == int(pattern.device)


def device_context(array: Any) -> AbstractContextManager[Any]:
    """A context in which the device of an array is CuPy's current one; for NumPy arrays, nothing
    changes."""
    device: AbstractContextManager[Any] = array.device if is_device_array(array) else _NOTHING
    return device


def _as_array(array: Any) -> npt.NDArray[Any]:
    """`array`, converted by NumPy. If NumPy cannot convert it, returns an array of objects without
    dimensions, which the callers refuse."""
    try:
        converted: npt.NDArray[Any] = np.asarray(array)
    except MemoryError:
        raise
    except Exception:  # lists of unequal lengths, and whatever an object's own __array__ raises
        return np.empty((), dtype=object)
    return converted


def _index_array(array: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """`array` as a one-dimensional NumPy array of integers of any width. An empty array of another
    type is accepted, too, unless the type is a structure. Raises InvalidMatrixError for other
    arrays."""
    values = array
    if type(values) is not np.ndarray:
        refuse_masked(array)
        values = _as_array(array)
    if values.size == 0 and values.ndim == 1 and values.dtype.kind != "V":
        return values.astype(np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InvalidMatrixError(
            f"{what} must be a one-dimensional array of integers, not "
            f"{values.dtype} with {values.ndim} dimensions"
        )
    return values


def as_width(
    array: npt.NDArray[Any], width: type[np.signedinteger[Any]], *, copy: bool
) -> IndexArray:
    """The array with another index type. Numbers that do not fit become -1, so that the later check
    of the range refuses them.

    With `copy`, the result shares no memory with the array.
    """
    if array.dtype == width:
        return np.array(array, order="C") if copy else np.ascontiguousarray(array)
    limits = np.iinfo(width)
    if array.size and (int(array.max()) > limits.max or int(array.min()) < limits.min):
        outside = (array > limits.max) | (array < limits.min)
        array = array.astype(width, order="C")  # a copy, which may be written to
        array[outside] = -1
    return np.ascontiguousarray(array, dtype=width)


def checked_positions(
    rows: npt.ArrayLike,
    cols: npt.ArrayLike,
    shape: tuple[int, int],
    name: str | None,
    *,
    owned: bool,
) -> tuple[IndexArray, IndexArray]:
    """The row and column indices of entries, after the check that they lie inside the shape. The
    caller may overwrite them: they are copies unless the arguments are `owned`."""
    m, n = shape
    row_array, col_array = _index_array(rows, "rows"), _index_array(cols, "cols")
    if row_array.size != col_array.size:
        raise InvalidMatrixError(
            f"{prefix(name)}{row_array.size} row indices but {col_array.size} column indices"
        )
    width = index_type(shape, row_array.size)
    one_array = np.may_share_memory(row_array, col_array)
    own_rows = _writeable(row_array, width, copy=not owned)
    own_cols = _writeable(col_array, width, copy=not owned or one_array)
    where = _core.pattern.first_out_of_range(m, n, own_rows, own_cols)
    if where >= 0:
        raise InvalidMatrixError(
            f"{prefix(name)}entry {where} is at row {int(row_array[where])}, column "
            f"{int(col_array[where])}, outside a {m} x {n} matrix (counted from 0)"
        )
    return own_rows, own_cols


def checked_columns(
    indptr: npt.ArrayLike,
    indices: npt.ArrayLike,
    shape: tuple[int, int],
    name: str | None,
    *,
    owned: bool,
    threads: int | None = None,
    by_rows: bool = False,
    width: type[np.signedinteger[Any]] | None = None,
) -> tuple[IndexArray, IndexArray, bool]:
    """The arrays of compressed columns after a check of every index, and whether the columns are
    canonical. The arrays are copies; if `owned`, they are shared where the index type permits.
    There may be more indices than `indptr` uses.

    `by_rows`: the arrays are the compressed rows of a matrix, and `shape` is that of its
    transpose; messages then name rows. `width`: the index type, if not the smallest that fits.
    """
    m, n = shape
    starts, rows = _index_array(indptr, "indptr"), _index_array(indices, "indices")
    if starts.size != n + 1:
        lists = "rows" if by_rows else "columns"
        raise InvalidMatrixError(
            f"{prefix(name)}indptr has {starts.size} places, a matrix of {n} {lists} needs {n + 1}"
        )
    width = width or index_type(shape, rows.size)
    own_starts = as_width(starts, width, copy=not owned)
    own_rows = as_width(rows, width, copy=not owned)
    order, where = _core.pattern.check_columns(
        m, own_starts, own_rows, pass_threads(rows.size, threads)
    )
    if order == _INVALID:
        raise InvalidMatrixError(f"{prefix(name)}{_why_invalid(m, starts, rows, where, by_rows)}")
    return own_starts, own_rows, order == _CANONICAL


def canonical_columns(
    indptr: npt.ArrayLike, indices: npt.ArrayLike, shape: tuple[int, int], name: str | None
) -> tuple[IndexArray, IndexArray]:
    """Copies of compressed columns. Two arrays of int64 stay int64; others get the smallest index
    type that fits.

    Raises InvalidMatrixError unless the columns are canonical and `indptr` uses all indices.
    """
    types = {getattr(array, "dtype", None) for array in (indptr, indices)}
    width = np.int64 if types == {np.dtype(np.int64)} else None
    starts, rows, canonical = checked_columns(
        indptr, indices, shape, name, owned=False, width=width
    )
    if not canonical or rows.size != int(starts[-1]):
        raise InvalidMatrixError(
            f"{prefix(name)}Pattern(...) takes canonical columns: row indices that ascend in each "
            "column, without duplicates, and no others; use Pattern.from_csc"
        )
    return starts, rows


def zeros_among(
    values: npt.ArrayLike | None, mask: npt.ArrayLike | None, count: int, name: str | None
) -> npt.NDArray[np.bool_] | None:
    """True for each entry that is a stored zero; None if there is none."""
    if mask is None and values is None:
        return None
    if mask is None and _none_is_zero(values, count):
        return None
    refuse_masked(values)
    refuse_masked(mask)
    zeros = _are_zero(_as_array(values)) if mask is None else _as_array(mask)
    shape = zeros.shape
    if shape != (count,):
        what = f"{shape[0]} values" if len(shape) == 1 else "values that are no list of numbers"
        raise InvalidMatrixError(f"{prefix(name)}{what} for {count} positions")
    if zeros.dtype.kind != "b" and count:
        raise InvalidMatrixError(
            f"{prefix(name)}zero_mask must hold a truth value for each entry, not {zeros.dtype}"
        )
    return zeros.astype(bool, copy=False) if zeros.any() else None


def _are_zero(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """True for each value that equals zero. An array without dimensions if the type of the array
    is not numeric, or if its objects cannot be compared with zero."""
    zeros: npt.NDArray[Any] = np.empty((), dtype=object)
    if values.dtype.kind in "biufc":
        zeros = np.equal(values, 0)
    elif values.dtype.kind == "O":  # perhaps numbers of a type that NumPy does not have
        try:
            zeros = np.equal(values, 0).astype(bool)
        except MemoryError:
            raise
        except Exception:  # whatever an object's own comparison raises
            pass
    return zeros


def _none_is_zero(values: object, count: int) -> bool:
    """Whether `values` is a NumPy array of `count` numbers, fewer than `_SHORT` and none of them
    zero. If not, the caller compares all values with zero."""
    return (
        type(values) is np.ndarray
        and count < _SHORT
        and values.shape == (count,)
        and values.dtype.kind in "biufc"
        and np.count_nonzero(values) == count
    )


def _why_invalid(
    m: int, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], where: int, by_rows: bool
) -> str:
    """What is wrong at `where`, the place that the check of compressed columns reports."""
    line, other = ("row", "column") if by_rows else ("column", "row")
    if indptr[0] != 0:
        return f"indptr starts with {indptr[0]}, not with 0"
    if where + 1 < indptr.size:
        begin, end = int(indptr[where]), int(indptr[where + 1])
        if end < begin:
            return f"indptr falls from {begin} to {end} at {line} {where}"
        if end > indices.size:
            return (
                f"indptr of {line} {where} points to entry {end}, but there are only "
                f"{indices.size} indices"
            )
    return (
        f"entry {where} has {other} index {int(indices[where])}, outside 0 ... {m - 1}; "
        f"{other} indices are counted from 0"
    )


def _writeable(
    array: npt.NDArray[Any], width: type[np.signedinteger[Any]], *, copy: bool
) -> IndexArray:
    own = as_width(array, width, copy=copy)
    return own if own.flags.writeable else own.copy()
