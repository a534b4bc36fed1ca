# SPDX-License-Identifier: BSD-3-Clause
"""THE MATRIX WITHOUT ITS VALUES.

`Pattern` is the one form in which every other room sees a matrix: canonical compressed columns,
validated once, in linear time. `as_pattern` is the one door: it takes whatever is a sparse matrix
to its owner. After the door, nobody checks again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.results import IndexArray

__all__ = ["Pattern", "as_pattern", "permute"]

# Searches keep a few numbers beyond the largest index, so the types end a little earlier.
_LARGEST_INT32 = 2**31 - 16
_LARGEST_INT64 = 2**63 - 16


def _index_type(shape: tuple[int, int], nnz: int) -> type[np.signedinteger[Any]]:
    return np.int32 if max(sum(shape), nnz) <= _LARGEST_INT32 else np.int64


def _frozen(array: IndexArray) -> IndexArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _checked_shape(shape: Sequence[int]) -> tuple[int, int]:
    try:
        m, n = (int(k) for k in shape)
    except (TypeError, ValueError):
        raise InvalidMatrixError(f"a shape is two numbers, not {shape!r}") from None
    if m < 0 or n < 0:
        raise InvalidMatrixError(f"a matrix cannot have the shape {m} x {n}")
    if max(m, n) > _LARGEST_INT64:
        raise InvalidMatrixError(f"a matrix of shape {m} x {n} is beyond 64-bit indices")
    return m, n


def _index_array(array: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    values = np.asarray(array)
    if values.size == 0 and values.ndim == 1:
        return values.astype(np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InvalidMatrixError(
            f"{what} must be a one-dimensional array of integers, not "
            f"{values.dtype} with {values.ndim} dimensions"
        )
    return values


def _as_width(array: npt.NDArray[Any], width: type[np.signedinteger[Any]]) -> IndexArray:
    """The array with another index type; what does not fit turns negative, never small."""
    if array.dtype == width:
        return np.ascontiguousarray(array)
    limits = np.iinfo(width)
    if array.size and (int(array.max()) > limits.max or int(array.min()) < limits.min):
        array = np.where((array > limits.max) | (array < limits.min), -1, array)
    return np.ascontiguousarray(array, dtype=width)


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """Positions of the stored entries of an m x n matrix, as canonical compressed columns.

    Make one with `as_pattern`, or with `from_csc`, `from_csr`, `from_coo`; the constructor itself
    trusts its arguments.

    Attributes
    ----------
    shape : (m, n)
    indptr : (n + 1,) the rows of column j are ``indices[indptr[j]:indptr[j+1]]``
    indices : (nnz,) row indices, ascending in each column, no duplicates; int32 where rows,
        columns and entries fit, else int64. Both arrays are read-only.
    name : what messages call the matrix, usually its file name
    source : for the ``meta`` of a result: file name and sha256 of the file
    stored_zeros : the entries that were stored with the value zero; None when there are none, or
        when the values are not known
    zeros_dropped : whether those were left out of this pattern

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm import Pattern
    >>> A = Pattern.from_coo([0, 2, 2, 0], [0, 0, 1, 0], shape=(3, 2))
    >>> A
    <Pattern 3 x 2, 3 entries>
    >>> A.indptr.tolist(), A.indices.tolist()
    ([0, 2, 3], [0, 2, 2])
    """

    shape: tuple[int, int]
    indptr: IndexArray
    indices: IndexArray
    name: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)
    stored_zeros: Pattern | None = None
    zeros_dropped: bool = False

    @property
    def m(self) -> int:
        """Number of rows."""
        return self.shape[0]

    @property
    def n(self) -> int:
        """Number of columns."""
        return self.shape[1]

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return int(self.indices.size)

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        zeros = ""
        if self.stored_zeros is not None:
            what = "left out" if self.zeros_dropped else "stored as zero"
            zeros = f", {self.stored_zeros.nnz:,} {what}"
        entries = "1 entry" if self.nnz == 1 else f"{self.nnz:,} entries"
        return f"<Pattern{name} {self.m:,} x {self.n:,}, {entries}{zeros}>"

    # -- makers ------------------------------------------------------------------------------

    @classmethod
    def from_coo(
        cls,
        rows: npt.ArrayLike,
        cols: npt.ArrayLike,
        shape: Sequence[int],
        *,
        values: npt.ArrayLike | None = None,
        zero_mask: npt.NDArray[np.bool_] | None = None,
        drop_zeros: bool = False,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
        symmetric: bool = False,
        owned: bool = False,
    ) -> Pattern:
        """Pattern of a list of positions; duplicates are merged. O(m + n + entries).

        Parameters
        ----------
        rows, cols : integer arrays of the same length
        shape : (m, n)
        values : only to find out which entries are stored zeros
        zero_mask : the same, as a boolean array
        drop_zeros : leave stored zeros out
        name, source : see `Pattern`
        symmetric : each position off the diagonal stands for its transpose, too
        owned : the arrays may be overwritten, which spares a copy

        Raises
        ------
        InvalidMatrixError : lengths differ, or an index lies outside the shape
        """
        m, n = _checked_shape(shape)
        row_array, col_array = _index_array(rows, "rows"), _index_array(cols, "cols")
        if row_array.size != col_array.size:
            raise InvalidMatrixError(
                f"{_of(name)}{row_array.size} row indices but {col_array.size} column indices"
            )
        if symmetric and m != n:
            raise InvalidMatrixError(f"{_of(name)}a symmetric matrix is square, not {m} x {n}")
        mask = _zero_mask(values, zero_mask, row_array.size, name)
        width = _index_type((m, n), row_array.size)
        own_rows, own_cols = _as_width(row_array, width), _as_width(col_array, width)
        where = _core.first_out_of_range(m, n, own_rows, own_cols)
        if where >= 0:
            raise InvalidMatrixError(
                f"{_of(name)}entry {where} is at row {int(row_array[where])}, column "
                f"{int(col_array[where])}, outside a {m} x {n} matrix (counted from 0)"
            )
        if symmetric and mask is None:
            return cls._of_triangle(own_rows, own_cols, (m, n), name, source)
        if symmetric and mask is not None:
            off = own_rows != own_cols
            mask = np.concatenate((mask, mask[off]))
            own_rows, own_cols = (
                np.concatenate((own_rows, own_cols[off])),
                np.concatenate((own_cols, own_rows[off])),
            )
        zeros: Pattern | None = None
        if mask is not None:
            zeros = cls.from_coo(own_rows[mask], own_cols[mask], (m, n), owned=True)
            stays = ~mask
            if drop_zeros:
                own_rows, own_cols, owned = own_rows[stays], own_cols[stays], True
            elif zeros.nnz < np.count_nonzero(mask) or _has_duplicates(own_rows, own_cols, m, n):
                # A position may be stored as zero and again as something else: that is no zero.
                nonzero = cls.from_coo(own_rows[stays], own_cols[stays], (m, n), owned=True)
                zeros = zeros.without(nonzero)
        if not owned:  # asked for again below: overwriting works on copies
            own_rows = own_rows.copy() if np.shares_memory(own_rows, row_array) else own_rows
            own_cols = own_cols.copy() if np.shares_memory(own_cols, col_array) else own_cols
        indptr = np.empty(n + 1, dtype=width)
        nnz = _core.columns_of_triplets(m, own_rows, own_cols, indptr)
        indices = own_rows if nnz == own_rows.size else own_rows[:nnz].copy()
        pattern = cls((m, n), _frozen(indptr), _frozen(indices), name, dict(source or {}))
        return pattern._with_zeros(zeros, drop_zeros)

    @classmethod
    def _of_triangle(
        cls,
        rows: IndexArray,
        cols: IndexArray,
        shape: tuple[int, int],
        name: str | None,
        source: Mapping[str, Any] | None,
    ) -> Pattern:
        """From one half of a symmetric list: the other half is never listed, which keeps the
        memory at twice the result."""
        both = 2 * rows.size - int(np.count_nonzero(rows == cols))
        width = _index_type(shape, both)
        indptr, indices = np.empty(shape[1] + 1, dtype=width), np.empty(both, dtype=width)
        nnz = _core.columns_of_triangle(
            _as_width(rows, width), _as_width(cols, width), indptr, indices
        )
        indices = indices if nnz == both else indices[:nnz].copy()
        return cls(shape, _frozen(indptr), _frozen(indices), name, dict(source or {}))

    @classmethod
    def from_csc(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: Sequence[int],
        *,
        values: npt.ArrayLike | None = None,
        drop_zeros: bool = False,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Pattern:
        """Pattern of compressed columns, which need not be sorted and may hold duplicates.

        Canonical arrays of the right type are not copied. O(m + n + entries).

        Raises
        ------
        InvalidMatrixError : the arrays do not describe an m x n matrix
        """
        m, n = _checked_shape(shape)
        starts, rows = _index_array(indptr, "indptr"), _index_array(indices, "indices")
        if starts.size != n + 1:
            raise InvalidMatrixError(
                f"{_of(name)}indptr has {starts.size} places, a matrix of {n} columns needs {n + 1}"
            )
        mask = _zero_mask(values, None, rows.size, name)
        width = _index_type((m, n), rows.size)
        own_starts, own_rows = _as_width(starts, width), _as_width(rows, width)
        order, where = _core.check_columns(m, own_starts, own_rows)
        if order == 3:
            raise InvalidMatrixError(f"{_of(name)}{_why_invalid(m, starts, rows, where)}")
        nnz = int(own_starts[-1])
        if mask is None and order == 0:
            return cls(
                (m, n), _frozen(own_starts), _frozen(own_rows[:nnz]), name, dict(source or {})
            )
        if mask is None:  # two transpositions sort the columns
            own_starts, own_rows = _transposed(m, own_starts, own_rows[:nnz])
            own_starts, own_rows = _transposed(n, own_starts, own_rows)
            kept = _core.merge_duplicates(own_starts, own_rows)
            own_rows = own_rows if kept == own_rows.size else own_rows[:kept].copy()
            return cls((m, n), _frozen(own_starts), _frozen(own_rows), name, dict(source or {}))
        cols = np.repeat(np.arange(n, dtype=width), np.diff(own_starts))
        return cls.from_coo(
            own_rows[:nnz],
            cols,
            (m, n),
            zero_mask=mask[:nnz],
            drop_zeros=drop_zeros,
            name=name,
            source=source,
        )

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: Sequence[int],
        *,
        values: npt.ArrayLike | None = None,
        drop_zeros: bool = False,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Pattern:
        """Pattern of compressed rows; as `from_csc` otherwise."""
        m, n = _checked_shape(shape)
        transposed = cls.from_csc(
            indptr,
            indices,
            (n, m),
            values=values,
            drop_zeros=drop_zeros,
            name=name,
            source=source,
        )
        return transposed.transpose()

    # -- other forms -------------------------------------------------------------------------

    def transpose(self) -> Pattern:
        """The pattern with rows and columns exchanged. O(m + n + nnz)."""
        indptr, indices = _transposed(self.m, self.indptr, self.indices)
        zeros = self.stored_zeros.transpose() if self.stored_zeros is not None else None
        return Pattern(
            (self.n, self.m),
            _frozen(indptr),
            _frozen(indices),
            self.name,
            self.source,
            zeros,
            self.zeros_dropped,
        )

    @property
    def T(self) -> Pattern:
        """The same as `transpose()`."""
        return self.transpose()

    def without(self, other: Pattern) -> Pattern:
        """The pattern without the entries of another one of the same shape."""
        if other.shape != self.shape:
            raise InvalidArgumentError(
                f"patterns of {self.shape} and {other.shape} do not fit together"
            )
        width = self.indices.dtype
        indptr = np.empty(self.n + 1, dtype=width)
        indices = np.empty(self.nnz, dtype=width)
        kept = _core.difference(
            self.m,
            self.indptr,
            self.indices,
            _as_width(other.indptr, width.type),
            _as_width(other.indices, width.type),
            indptr,
            indices,
        )
        return Pattern(
            self.shape, _frozen(indptr), _frozen(indices[:kept].copy()), self.name, self.source
        )

    def union(self, other: Pattern) -> Pattern:
        """The pattern with the entries of another one of the same shape added."""
        if other.shape != self.shape:
            raise InvalidArgumentError(
                f"patterns of {self.shape} and {other.shape} do not fit together"
            )
        rows = np.concatenate((self.indices, other.indices))
        cols = np.concatenate((self.cols(), other.cols()))
        return Pattern.from_coo(
            rows, cols, self.shape, name=self.name, source=self.source, owned=True
        )

    def cols(self) -> IndexArray:
        """(nnz,) column index of each entry, in the order of `indices`."""
        return np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csc_array`` with ones (float64) at the entries."""
        import scipy.sparse

        ones = np.ones(self.nnz)
        return scipy.sparse.csc_array(
            (ones, self.indices.copy(), self.indptr.copy()), shape=self.shape
        )

    def _with_zeros(self, zeros: Pattern | None, dropped: bool) -> Pattern:
        if zeros is not None and dropped:
            zeros = zeros.without(self)  # stored as zero and again as something else
        if zeros is None or zeros.nnz == 0:
            return self
        return Pattern(
            self.shape, self.indptr, self.indices, self.name, self.source, zeros, dropped
        )


def _of(name: str | None) -> str:
    return f"{name}: " if name else ""


def _transposed(m: int, indptr: IndexArray, indices: IndexArray) -> tuple[IndexArray, IndexArray]:
    out_indptr = np.empty(m + 1, dtype=indices.dtype)
    out_indices = np.empty(indices.size, dtype=indices.dtype)
    _core.transpose(m, indptr, indices, out_indptr, out_indices)
    return out_indptr, out_indices


def _has_duplicates(rows: IndexArray, cols: IndexArray, m: int, n: int) -> bool:
    indptr = np.empty(n + 1, dtype=rows.dtype)
    kept: int = _core.columns_of_triplets(m, rows.copy(), cols.copy(), indptr)
    return kept < rows.size


def _zero_mask(
    values: npt.ArrayLike | None,
    mask: npt.NDArray[np.bool_] | None,
    count: int,
    name: str | None,
) -> npt.NDArray[np.bool_] | None:
    """Which entries are stored zeros; None when none is."""
    if mask is None and values is not None:
        mask = np.asarray(values) == 0
    if mask is None:
        return None
    if mask.shape != (count,):
        raise InvalidMatrixError(f"{_of(name)}{mask.size} values for {count} positions")
    return mask.astype(bool, copy=False) if mask.any() else None


def _why_invalid(m: int, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], where: int) -> str:
    starts = indptr.astype(object)
    if starts[0] != 0:
        return f"indptr starts with {starts[0]}, not with 0"
    falls = [j for j in (where,) if j + 1 < len(starts)]
    for j in falls:
        if starts[j + 1] < starts[j]:
            return f"indptr falls from {starts[j]} to {starts[j + 1]} at column {j}"
        if starts[j + 1] > indices.size:
            return (
                f"indptr of column {j} points to entry {starts[j + 1]}, but there are only "
                f"{indices.size} indices"
            )
    return (
        f"entry {where} has row index {int(indices[where])}, outside 0 ... {m - 1}; "
        "row indices are counted from 0"
    )


def as_pattern(
    A: Any, *, shape: Sequence[int] | None = None, drop_zeros: bool | None = None
) -> Pattern:
    """Whatever is a sparse matrix to its owner, as a `Pattern`. Inputs are never modified.

    Parameters
    ----------
    A : a `Pattern`; any ``scipy.sparse`` matrix or array, or an object that becomes one by
        ``tocsc()`` or ``tocoo()``; a dense array (entries are the nonzeros);
        a ``(data, indices, indptr)`` triple of compressed columns with `shape`, where data may be
        None; a path of a matrix file
    shape : (m, n), only with a triple
    drop_zeros : leave stored zeros out; default is to keep them (for a `Pattern`: as it is)

    Raises
    ------
    InvalidMatrixError : arrays do not describe a matrix
    UnreadableInputError : a file is no matrix

    Examples
    --------
    >>> import numpy as np
    >>> from btfperm import as_pattern
    >>> as_pattern(np.array([[4.0, 0.0, 1.0], [0.0, 2.0, 0.0]]))
    <Pattern 2 x 3, 3 entries>
    >>> as_pattern((None, [0, 0, 1], [0, 1, 3]), shape=(2, 2))
    <Pattern 2 x 2, 3 entries>
    """
    if isinstance(A, Pattern):
        if drop_zeros is None or A.stored_zeros is None or drop_zeros == A.zeros_dropped:
            return A
        other = A.without(A.stored_zeros) if drop_zeros else A.union(A.stored_zeros)
        return other._with_zeros(A.stored_zeros, drop_zeros)
    drop = bool(drop_zeros)
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read

        return read(A, drop_zeros=drop)
    if isinstance(A, tuple):
        return _from_triple(A, shape, drop)
    if not hasattr(A, "format") and (hasattr(A, "tocsc") or hasattr(A, "tocoo")):
        A = A.tocsc() if hasattr(A, "tocsc") else A.tocoo()  # not SciPy's own, but becomes so
    if hasattr(A, "tocoo") and hasattr(A, "format") and hasattr(A, "shape"):
        return _from_scipy(A, drop)
    try:
        dense = np.asarray(A)
    except (TypeError, ValueError):
        dense = np.empty(0, dtype=object)
    if dense.ndim != 2 or dense.dtype.kind not in "biufc":
        raise InvalidMatrixError(
            f"{type(A).__name__} is no matrix: give a scipy.sparse matrix or array, a "
            "two-dimensional array of numbers, a (data, indices, indptr) triple with shape=, a "
            "path, or a Pattern"
        )
    cols, rows = np.nonzero(dense.T)
    return Pattern.from_coo(rows, cols, dense.shape, owned=True)


def _from_triple(A: tuple[Any, ...], shape: Sequence[int] | None, drop: bool) -> Pattern:
    if len(A) != 3 or shape is None:
        raise InvalidMatrixError(
            "a tuple must be (data, indices, indptr) of compressed columns, with shape=(m, n)"
        )
    data, indices, indptr = A
    return Pattern.from_csc(indptr, indices, shape, values=data, drop_zeros=drop)


def _from_scipy(A: Any, drop: bool) -> Pattern:
    if len(A.shape) != 2:
        raise InvalidMatrixError(f"a matrix has two dimensions, not {len(A.shape)}")
    if A.format == "csc":
        return Pattern.from_csc(A.indptr, A.indices, A.shape, values=A.data, drop_zeros=drop)
    if A.format == "csr":
        return Pattern.from_csr(A.indptr, A.indices, A.shape, values=A.data, drop_zeros=drop)
    coo = A if A.format == "coo" else A.tocoo()
    return Pattern.from_coo(coo.row, coo.col, coo.shape, values=coo.data, drop_zeros=drop)


def permute(A: Any, row_perm: IndexArray, col_perm: IndexArray) -> Any:
    """``A[row_perm, :][:, col_perm]``: a `Pattern` gives a `Pattern`, a SciPy matrix the same kind
    in compressed columns, a dense array a dense array.

    Raises
    ------
    InvalidArgumentError : the permutations do not fit the matrix
    """
    shape = tuple(np.shape(A)) if not hasattr(A, "shape") else tuple(A.shape)
    if shape != (row_perm.size, col_perm.size):
        raise InvalidArgumentError(
            f"permutations of {row_perm.size} rows and {col_perm.size} columns do not fit a matrix "
            f"of shape {shape}"
        )
    if isinstance(A, Pattern):
        row_place = np.empty_like(row_perm)
        row_place[row_perm] = np.arange(row_perm.size, dtype=row_perm.dtype)
        col_place = np.empty_like(col_perm)
        col_place[col_perm] = np.arange(col_perm.size, dtype=col_perm.dtype)
        return Pattern.from_coo(
            row_place[A.indices], col_place[A.cols()], A.shape, name=A.name, owned=True
        )
    if hasattr(A, "tocsc"):
        return A.tocsr()[row_perm, :].tocsc()[:, col_perm]
    return np.asarray(A)[np.ix_(row_perm, col_perm)]
