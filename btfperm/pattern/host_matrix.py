# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of other packages on the host: what they are, and their checked form.

SciPy's conversions (``tocoo``, ``tocsr``, indexing, ...) trust the arrays of a matrix, and its
``check_format`` inspects ``indptr`` only if there are entries. Wrong arrays of a caller or a file
can make SciPy write outside its buffers. Therefore `checked_matrix` and `compressed` check every
index by ``arrays.py`` before SciPy uses it, and layouts other than csc and csr are converted to
lists of positions here, without SciPy.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import (
    checked_columns,
    checked_positions,
    checked_shape,
    prefix,
    refuse_masked,
    refuse_non_numbers,
)
from btfperm.pattern.blocks_and_diagonals import (
    Positions,
    positions_of_blocks,
    positions_of_diagonals,
)
from btfperm.pattern.pattern import Pattern

__all__ = [
    "checked_matrix",
    "compressed",
    "coordinates",
    "is_scipy",
    "is_valued",
    "native",
    "positions_of",
    "recognised",
]

# Methods of other packages that return a SciPy matrix, the safest first: PyData's own `tocsc` and
# `tocoo` return matrices of PyData.
_CONVERSIONS = ("to_scipy_sparse", "tocsc", "tocoo")
_BUFFERS = ("__array__", "__array_interface__", "__array_struct__")


def is_scipy(A: object) -> bool:
    """Whether this is a SciPy matrix or array. This test does not import SciPy."""
    # While another thread imports the module, it may lack this function. `A` is no SciPy matrix
    # then.
    issparse = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return issparse is not None and bool(issparse(A))


def is_valued(A: object) -> bool:
    """Whether this is a `ValuedPattern`. This test does not import its module."""
    kind = getattr(sys.modules.get("btfperm.pattern.valued"), "ValuedPattern", ())
    return isinstance(A, kind)


def recognised(A: Any, *, values: bool = True) -> Any:
    """`A` as a SciPy matrix of any layout, whose arrays are not checked yet, as a NumPy array, or
    as a `Pattern` where it has no values (a `Pattern`, a CasADi ``Sparsity``).

    With ``values=False``, a `ValuedPattern` and a matrix of expressions (CasADi ``SX``, ``MX``)
    become a `Pattern`, too.

    Raises
    ------
    InvalidMatrixError : it is no matrix, or only a conversion entry by entry could make it one
    """
    if isinstance(A, Pattern | np.ndarray) or is_scipy(A):
        refuse_masked(A)
        if isinstance(A, np.ndarray) and A.dtype == np.float16:
            return A.astype(np.float32)  # SciPy has no such sparse matrices
        return A
    if is_valued(A):
        return A.to_scipy() if values else A.pattern
    if _is_casadi(A) and not hasattr(A, "tocsc"):
        sparsity = A.sparsity() if hasattr(A, "sparsity") else A
        if sparsity is A or not values:
            shape = sparsity.size1(), sparsity.size2()
            return Pattern.from_csc(sparsity.colind(), sparsity.row(), shape)
        raise InvalidMatrixError(f"{_kind(A)} holds expressions, not numbers; give A.sparsity()")
    matrix: Any = None
    convert = next((name for name in _CONVERSIONS if callable(getattr(A, name, None))), None)
    try:
        if convert is not None:
            matrix = getattr(A, convert)()
        elif isinstance(A, list | memoryview) or _has_dense_buffer(A):
            matrix = np.asarray(A)
    except MemoryError:
        raise
    except Exception as error:  # the conversion of another package may raise any exception
        why = " ".join(str(error).split())[:200]
        raise InvalidMatrixError(f"{_kind(A)} cannot be converted to a matrix: {why}") from None
    if not isinstance(matrix, np.ndarray) and not is_scipy(matrix):
        raise InvalidMatrixError(
            f"{_kind(A)} is no matrix: give a scipy.sparse matrix or array, a two-dimensional "
            "array of numbers, a (data, indices, indptr) triple with shape=, a path, or a Pattern"
        )
    return matrix


def checked_matrix(A: Any, name: str | None = None) -> Any:
    """A SciPy matrix as one in csc, csr or coo layout, of the same kind (array or matrix), which
    SciPy can convert safely; arrays are shared where that is possible. O(size of the arrays).

    Raises
    ------
    InvalidMatrixError : its arrays describe no matrix of its shape, or its values are no numbers
    """
    kind = "array" if isinstance(A, sys.modules["scipy.sparse"].sparray) else "matrix"
    shape = _two_dimensions(A.shape, name)
    if A.format in ("csc", "csr"):
        return compressed(A.format, A.data, A.indices, A.indptr, shape, name, kind=kind)
    return coordinates(*positions_of(A, name), shape, name, kind=kind)


def compressed(
    layout: str,
    data: npt.ArrayLike,
    indices: npt.ArrayLike,
    indptr: npt.ArrayLike,
    shape: Any,
    name: str | None = None,
    *,
    kind: str = "array",
) -> Any:
    """A SciPy matrix of compressed columns (``"csc"``) or rows (``"csr"``), checked. It may share
    the arrays.

    Raises
    ------
    InvalidMatrixError : the arrays describe no matrix of this shape
    """
    import scipy.sparse

    m, n = checked_shape(shape)
    by_rows = layout == "csr"
    starts, lists, _ = checked_columns(
        indptr, indices, (n, m) if by_rows else (m, n), name, owned=True, by_rows=by_rows
    )
    values = _numbers(data, name)
    if values.shape != lists.shape:
        raise InvalidMatrixError(
            f"{prefix(name)}{lists.size} indices, but the values have the shape {values.shape}"
        )
    make = getattr(scipy.sparse, f"{layout}_{kind}")
    return make((values, lists, starts), shape=(m, n))


def coordinates(
    rows: npt.ArrayLike,
    cols: npt.ArrayLike,
    values: npt.ArrayLike,
    shape: Any,
    name: str | None = None,
    *,
    kind: str = "array",
) -> Any:
    """A SciPy matrix in coordinate layout, checked. It may share the arrays.

    Raises
    ------
    InvalidMatrixError : an entry lies outside the shape, or the arrays differ in length
    """
    import scipy.sparse

    shape = checked_shape(shape)
    places = checked_positions(rows, cols, shape, name, owned=True)
    numbers = _numbers(values, name)
    if numbers.shape != places[0].shape:
        raise InvalidMatrixError(
            f"{prefix(name)}{places[0].size} positions, but the values have the shape "
            f"{numbers.shape}"
        )
    return getattr(scipy.sparse, f"coo_{kind}")((numbers, places), shape=shape)


def positions_of(A: Any, name: str | None = None) -> Positions:
    """Rows, columns and values of the entries of a SciPy matrix that is neither csc nor csr. The
    caller must compare the positions with the shape; those of blocks and diagonals lie inside.

    Raises
    ------
    InvalidMatrixError : its parts do not fit together
    """
    shape = _two_dimensions(A.shape, name)
    if A.format == "coo":
        try:
            return A.row, A.col, A.data
        except (AttributeError, IndexError, TypeError):
            raise InvalidMatrixError(f"{prefix(name)}its coordinates are damaged") from None
    if A.format == "bsr":
        return positions_of_blocks(A.data, A.indices, A.indptr, shape, name)
    if A.format == "dia":
        return positions_of_diagonals(A.data, A.offsets, shape, name)
    if A.format == "lil":
        return _positions_of_lists(A, shape, name)
    if A.format == "dok":
        return _positions_of_keys(A, name)
    raise InvalidMatrixError(f"{prefix(name)}the layout {A.format!r} is unknown; give A.tocsc()")


def _positions_of_lists(A: Any, shape: tuple[int, int], name: str | None) -> Positions:
    """Entries of a matrix in SciPy's layout lil: a list of columns and one of values for a row."""
    lines, numbers = A.rows, A.data
    try:
        lengths = [len(line) for line in lines]
        if lengths != [len(line) for line in numbers] or len(lengths) != shape[0]:
            raise ValueError("the lists of columns and of values differ in length")
        rows = np.repeat(np.arange(shape[0]), lengths)
        cols = np.array(list(itertools.chain.from_iterable(lines)))
        values = np.array(list(itertools.chain.from_iterable(numbers)), dtype=A.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMatrixError(f"{prefix(name)}its lists are damaged: {error}") from None
    return rows, cols, values


def _positions_of_keys(A: Any, name: str | None) -> Positions:
    """Entries of a matrix in SciPy's layout dok: a dictionary of positions."""
    try:
        keys, values = np.array(list(A.keys())), np.array(list(A.values()), dtype=A.dtype)
        if not keys.size:
            keys = keys.reshape(0, 2).astype(np.int64)
        rows, cols = keys.T
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMatrixError(f"{prefix(name)}its keys are no positions: {error}") from None
    return rows, cols, values


def _two_dimensions(shape: Any, name: str | None) -> tuple[int, int]:
    if len(shape) != 2:
        raise InvalidMatrixError(f"{prefix(name)}a matrix has two dimensions, not {len(shape)}")
    return checked_shape(shape)


def _numbers(values: npt.ArrayLike, name: str | None) -> npt.NDArray[Any]:
    """The values in a type that SciPy computes with."""
    refuse_masked(values)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # lists of unequal lengths
        array = np.empty((), dtype=object)
    refuse_non_numbers(array, name)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    return native(array)


def native(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array in the byte order of this machine, the only one that SciPy computes with."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_casadi(A: object) -> bool:
    """Whether `A` has the methods of CasADi's matrices and of its ``Sparsity``."""
    return all(callable(getattr(A, name, None)) for name in ("colind", "row", "size1", "size2"))


def _has_dense_buffer(A: object) -> bool:
    """Whether NumPy can convert `A` without a loop over its items. False for sparse containers,
    which NumPy would fill with zeros."""
    if hasattr(A, "nnz") or hasattr(A, "todense"):
        return False
    if any(hasattr(A, name) for name in _BUFFERS):
        return True
    try:
        return memoryview(A).ndim == 2  # type: ignore[arg-type]
    except TypeError:
        return False


def _kind(A: object) -> str:
    return type(A).__name__
