# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of a factorization: compressed columns with checked values."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern import Pattern, inverse
from btfperm.pattern.arrays import matrix_on_device, refuse_masked
from btfperm.pattern.host_matrix import checked_matrix, compressed, is_scipy, native, recognised
from btfperm.results import IndexArray

__all__ = ["LONG", "Columns", "as_places", "canonical_copies", "columns_of", "gathered"]
__all__ += ["new_values", "refuse_below", "refuse_changed"]

LONG = 256
"""If a row or a column has more entries, rounding errors of its sum would disturb a refinement."""

_MOST_NARROW = 2**31 - 1  # entries with 32-bit indices
_INDICES = (np.dtype(np.int32), np.dtype(np.int64))
_DOUBLES = (np.dtype(np.float64), np.dtype(np.complex128))


class EntryFacts:
    """Facts about the entries of a matrix in sorted compressed columns that do not depend on the
    values: the order of the entries by rows, and the longest row or column. Each is computed at its
    first use, and stored for later values."""

    def __init__(self, indptr: npt.NDArray[Any], indices: npt.NDArray[Any]) -> None:
        self._columns = indptr, indices

    @cached_property
    def _rows(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Compressed rows without values, and the place of each entry of the columns in them."""
        from scipy.sparse import csc_array

        indptr, indices = self._columns
        n, numbers = indptr.size - 1, np.arange(indices.size)
        rows = csc_array((numbers, indices, indptr), shape=(n, n)).tocsr()
        return rows.indptr, rows.indices, as_places(inverse(rows.data))

    def fits(self, A: Any) -> bool:
        """Whether a csr matrix has these entries, sorted and without duplicates. O(nnz)."""
        starts, cols, _ = self._rows
        return np.array_equal(A.indptr, starts) and np.array_equal(A.indices, cols)

    @property
    def places(self) -> npt.NDArray[Any]:
        """For each entry in the order of the columns, its place in the order of the rows."""
        return self._rows[2]

    @cached_property
    def longest(self) -> int:
        """The largest number of entries in a row or a column; LONG + 1 if it is larger."""
        return int(_core.preorder.longest_up_to(*self._columns, LONG))


class Columns(NamedTuple):
    """A square matrix in compressed columns: sorted, without duplicates, every value finite.

    Attributes
    ----------
    indptr, indices : int32, or int64 where there are more than 2^31 - 1 entries
    values : float64 or complex128
    given_by : the order of the entries in the arrays of the caller's matrix: "columns" (CSC, or
        COO), "rows" (CSR, or COO), or "other" if they are not sorted, contain duplicates, or the
        matrix has another format of SciPy
    facts : what is known about the entries, for new values
    """

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]
    given_by: Literal["columns", "rows", "other"] = "columns"
    facts: EntryFacts | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.indptr.size - 1

    @property
    def longest(self) -> int:
        """See `EntryFacts.longest`."""
        facts = self.facts or EntryFacts(self.indptr, self.indices)
        return facts.longest

    def has_entries_of(self, A: Any) -> bool:
        """Whether compressed columns `A` have the same entries in the same order. O(nnz)."""
        return np.array_equal(A.indptr, self.indptr) and np.array_equal(A.indices, self.indices)


def refuse_changed(n: int, row_perm: IndexArray, col_perm: IndexArray, blocks: IndexArray) -> None:
    """Raises InvalidArgumentError unless the arrays are two permutations and block boundaries. They
    may have been changed since `preorder`, and solvers do not check them."""
    width = row_perm.dtype
    arrays = (np.ascontiguousarray(array, width) for array in (row_perm, col_perm, blocks))
    if not _core.preorder.is_order(n, *arrays):
        raise InvalidArgumentError(
            "the arrays of this Preordering are no permutations and blocks; call preorder again"
        )


def refuse_below(columns: Columns, below: Any, values: npt.NDArray[Any]) -> None:
    """Raises InvalidArgumentError if there are nonzeros below the diagonal blocks, at the positions
    `below`. Zeros stored there are allowed."""
    if not len(below):
        return
    places = np.asarray(below)
    wrong = places[values[places] != 0]
    if wrong.size:
        p = wrong.min()
        i, j = columns.indices[p], np.searchsorted(columns.indptr, p, side="right") - 1
        raise InvalidArgumentError(
            f"the entry in row {i}, column {j} lies below the diagonal blocks (and "
            f"{wrong.size - 1:,} others do): this is not the pattern that was preordered; call "
            "preorder with this matrix"
        )


def _plain_arrays(
    A: Any,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]] | None:
    """``indptr``, ``indices`` and ``data`` of a square SciPy CSC matrix, if the core can read these
    arrays; else None."""
    if not is_scipy(A) or A.format != "csc" or A.shape[0] != A.shape[1]:
        return None
    arrays = A.indptr, A.indices, A.data
    for array in arrays:
        if type(array) is not np.ndarray or array.ndim != 1 or not array.flags.c_contiguous:
            return None
    indptr, indices, values = arrays
    if indptr.dtype != indices.dtype or indptr.dtype not in _INDICES:
        return None
    if values.dtype not in _DOUBLES or indptr.size != A.shape[0] + 1:
        return None
    return arrays


def _values_of_same(A: Any, known: Columns) -> npt.NDArray[Any] | None:
    """A copy of the values of a SciPy CSC matrix with the entries of `known`. None if the matrix is
    of another kind or has other entries, or if a value is not finite. Takes one pass."""
    arrays = _plain_arrays(A)
    if arrays is None or known.indptr.dtype != np.int32:
        return None
    values = np.empty(known.indices.size, arrays[2].dtype)
    return values if _core.preorder.copy_same(*arrays, *known[:2], values) else None


def canonical_copies(
    A: Any,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]] | None:
    """Copies of ``indptr``, ``indices`` and ``data`` of a square SciPy CSC matrix, with indices of
    32 bits. Returns None if the matrix or its arrays are of another kind, if a number in them is
    too large for such indices, if its columns are not sorted or have duplicates, or if a value is
    not a finite double (real or complex). Makes one pass over the entries."""
    arrays = _plain_arrays(A)
    if arrays is None:
        return None
    indptr, indices, values = arrays
    starts, rows = np.empty(indptr.size, np.int32), np.empty(indices.size, np.int32)
    copies = starts, rows, np.empty_like(values)
    done = _core.preorder.copy_columns(A.shape[0], *arrays, *copies)
    return copies if done else None


def columns_of(A: Any, shape: tuple[int, int], known: Columns | None = None) -> Columns:
    """A copy of `A`, which later changes of `A` do not affect. Its arrays are writeable, as nbklu
    requires. If `A` has the entries of `known`, the copy shares the arrays and facts of `known`.

    Raises
    ------
    InvalidArgumentError : another shape, no values, a matrix on a GPU
    InvalidMatrixError : `A` is no matrix, its arrays describe none, or a value is not finite
    """
    values = None if known is None else _values_of_same(A, known)
    if known is not None and values is not None:
        return Columns(known.indptr, known.indices, values, "columns", known.facts)
    found = _new_columns(A, shape)
    if known is not None and known.has_entries_of(found):
        return known._replace(values=found.values, given_by=found.given_by)
    return found


def _new_columns(A: Any, shape: tuple[int, int]) -> Columns:
    arrays = canonical_copies(A)
    if arrays is not None and A.shape == shape:
        return Columns(*arrays, facts=EntryFacts(*arrays[:2]))
    C = _with_values(A, shape)
    given_by = _order_of_entries(A, C)
    if not C.has_canonical_format:
        C = C.copy()
        C.sum_duplicates()
    width = np.int32 if C.nnz <= _MOST_NARROW else np.int64
    indptr, indices = np.array(C.indptr, width), np.array(C.indices, width)
    values = _finite_copy(C.data, indptr, indices)
    return Columns(indptr, indices, values, given_by, EntryFacts(indptr, indices))


def _order_of_entries(A: Any, C: Any) -> Literal["columns", "rows", "other"]:
    """The order of the entries in the arrays of `A`; `C` is `A` in compressed columns. For a dense
    matrix or a file, it is that of `C`."""
    given = A if is_scipy(A) else C
    if given.format == "coo":
        if _are_sorted(given.col, given.row):
            return "columns"
        if _are_sorted(given.row, given.col):
            return "rows"
    if given.format in ("csc", "csr") and given.has_canonical_format:
        return "columns" if given.format == "csc" else "rows"
    return "other"


def _are_sorted(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> bool:
    """Whether the pairs are sorted and differ. O(nnz)."""
    steps = np.diff(first)
    return bool(np.all((steps > 0) | ((steps == 0) & (np.diff(second) > 0))))


def new_values(A: Any, old: Columns) -> npt.NDArray[Any]:
    """A copy of the values of `A`, in the order of `old`. `A` is a matrix with the entries of
    `old`, or an array with one value for each of them, in the order of the arrays of the first
    matrix.

    Raises
    ------
    InvalidArgumentError : `A` has another shape or other entries, or is an array and the order is
        not known
    InvalidMatrixError : see `columns_of`
    """
    if isinstance(A, np.ndarray) and A.ndim == 1:
        refuse_masked(A)
        if A.shape != old.values.shape or A.dtype.kind not in "biufc":
            raise InvalidArgumentError(
                f"there are {old.values.size:,} entries, and {A.size:,} values of type {A.dtype} "
                "were given"
            )
        return _finite_copy(A, old.indptr, old.indices, _places(old))
    same = _values_of_same(A, old)
    if same is not None:
        return same
    shape = old.n, old.n
    if is_scipy(A) and A.format in ("csc", "csr") and A.shape == shape:
        refuse_masked(A)
        if A.data.shape == old.values.shape and A.data.dtype.kind in "biufc":
            if A.format == "csc" and old.has_entries_of(A):
                return _finite_copy(A.data, old.indptr, old.indices)
            if A.format == "csr" and old.facts is not None and old.facts.fits(A):
                return _finite_copy(A.data, old.indptr, old.indices, old.facts.places)
    new = columns_of(A, shape)
    if not old.has_entries_of(new):
        raise InvalidArgumentError(
            "this matrix has other entries than the one that was factored; call factor"
        )
    return new.values


def _places(old: Columns) -> npt.NDArray[Any] | None:
    """For each entry of the columns, its place in an array of values from the caller; None if the
    array has the order of the columns. O(nnz)."""
    if old.given_by == "columns":
        return None
    if old.given_by == "other":
        raise InvalidArgumentError(
            "the entries of the matrix that was factored were not sorted by columns or by rows, or "
            "contained duplicates, so the order of an array of values is not known: give the matrix"
        )
    assert old.facts is not None
    return old.facts.places


def as_places(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A permutation in the narrowest index type, in the form that `gathered` takes."""
    return numbers.astype(np.int32 if numbers.size <= _MOST_NARROW else np.int64)


def gathered(values: npt.NDArray[Any], places: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """(the values at these places, the place of the first of them that is NaN or infinite, or -1).
    For float64 and complex128, this takes one pass over the values. Values of other types are not
    tested: the second result is -1."""
    if values.dtype not in _DOUBLES or not values.flags.c_contiguous:
        return values[places], -1
    ordered = np.empty(places.size, values.dtype)
    return ordered, int(_core.preorder.gather_finite(places, values, ordered))


def _finite_copy(
    values: Any, indptr: Any, indices: Any, places: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """A copy of the values, or of the values at `places`, as float64 or complex128. Takes one pass
    over the values, and one more to convert other types."""
    dtype = np.complex128 if values.dtype.kind == "c" else np.float64
    given = np.ascontiguousarray(values, dtype=dtype)
    if places is None:
        copy = np.empty_like(given)
        p = _core.preorder.copy_finite(given, copy)
    else:
        copy, p = gathered(given, places)
    if p >= 0:
        i, j = int(indices[p]), int(np.searchsorted(indptr, p, side="right")) - 1
        raise InvalidMatrixError(
            f"the entry in row {i}, column {j} is {copy[p]}; every value must be finite"
        )
    return copy


def _with_values(A: Any, shape: tuple[int, int]) -> Any:
    """`A` in compressed columns; may share memory with `A`."""
    if matrix_on_device(A):
        raise InvalidArgumentError(
            "this matrix is on a GPU, and factor works on the host: give it A.get()"
        )
    refuse_masked(A)
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read_matrix

        A = read_matrix(A)
    try:
        C = _scipy_of(A, shape)
    except InvalidMatrixError as error:
        raise InvalidMatrixError(f"{type(A).__name__} is no matrix to factor: {error}") from None
    if C.shape != shape:
        raise InvalidArgumentError(
            f"the order is for a matrix of shape {shape}, this one has shape {C.shape}"
        )
    return C


def _scipy_of(A: Any, shape: tuple[int, int]) -> Any:
    """`A`, checked, in compressed columns."""
    from scipy.sparse import csc_array

    if isinstance(A, tuple):
        if len(A) != 3:
            raise InvalidMatrixError("a tuple must be (data, indices, indptr)")
        data, indices, indptr = A
        return compressed("csc", data, indices, indptr, shape)
    found = recognised(A)
    if isinstance(found, Pattern):
        raise InvalidArgumentError("a Pattern has no values to factor; give the matrix itself")
    if is_scipy(found):
        return checked_matrix(found).tocsc()
    if found.ndim != 2 or found.dtype.kind not in "biufc":
        raise InvalidMatrixError(f"it has {found.ndim} dimensions and holds {found.dtype}")
    return csc_array(native(found))
