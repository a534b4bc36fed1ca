# SPDX-License-Identifier: BSD-3-Clause
"""`Pattern`: canonical compressed columns that nobody else can write to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import (
    IndexArray,
    as_width,
    checked_shape,
    index_array,
    index_type,
    prefix,
    why_invalid,
    zeros_among,
)

__all__ = ["Pattern"]


def _frozen(array: IndexArray) -> IndexArray:
    view = array.view()
    view.setflags(write=False)
    return view


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
        columns and entries fit, else int64. Both arrays are the pattern's own and read-only
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
        zero_mask: npt.ArrayLike | None = None,
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
        zero_mask : the same, as truth values
        drop_zeros : leave stored zeros out
        name, source : see `Pattern`
        symmetric : each position off the diagonal stands for its transpose, too
        owned : the arrays are handed over and may be overwritten, which spares a copy

        Raises
        ------
        InvalidMatrixError : lengths differ, or an index lies outside the shape
        ResourceMissingError : the shape is beyond any memory
        """
        m, n = checked_shape(shape, name)
        row_array, col_array = index_array(rows, "rows"), index_array(cols, "cols")
        if row_array.size != col_array.size:
            raise InvalidMatrixError(
                f"{prefix(name)}{row_array.size} row indices but {col_array.size} column indices"
            )
        if symmetric and m != n:
            raise InvalidMatrixError(f"{prefix(name)}a symmetric matrix is square, not {m} x {n}")
        mask = zeros_among(values, zero_mask, row_array.size, name)
        width = index_type((m, n), row_array.size)
        one_array = np.may_share_memory(row_array, col_array)
        own_rows = _writeable(row_array, width, copy=not owned)
        own_cols = _writeable(col_array, width, copy=not owned or one_array)
        where = _core.first_out_of_range(m, n, own_rows, own_cols)
        if where >= 0:
            raise InvalidMatrixError(
                f"{prefix(name)}entry {where} is at row {int(row_array[where])}, column "
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
                own_rows, own_cols = own_rows[stays], own_cols[stays]
            elif zeros.nnz < np.count_nonzero(mask) or _has_duplicates(own_rows, own_cols, m, n):
                # A position may be stored as zero and again as something else: that is no zero.
                nonzero = cls.from_coo(own_rows[stays], own_cols[stays], (m, n), owned=True)
                zeros = zeros.without(nonzero)
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
        width = index_type(shape, both)
        indptr, indices = np.empty(shape[1] + 1, dtype=width), np.empty(both, dtype=width)
        nnz = _core.columns_of_triangle(
            as_width(rows, width, copy=False), as_width(cols, width, copy=False), indptr, indices
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
        owned: bool = False,
    ) -> Pattern:
        """Pattern of compressed columns, which need not be sorted and may hold duplicates.

        O(m + n + entries).

        Parameters
        ----------
        indptr, indices, shape : the columns
        values, drop_zeros, name, source : as for `from_coo`
        owned : nobody else writes to the arrays any more, which spares a copy of canonical ones;
            if that is not so, the core may read out of bounds. They are not overwritten

        Raises
        ------
        InvalidMatrixError : the arrays do not describe an m x n matrix
        """
        m, n = checked_shape(shape, name)
        starts, rows = index_array(indptr, "indptr"), index_array(indices, "indices")
        if starts.size != n + 1:
            raise InvalidMatrixError(
                f"{prefix(name)}indptr has {starts.size} places, a matrix of {n} columns needs "
                f"{n + 1}"
            )
        mask = zeros_among(values, None, rows.size, name)
        width = index_type((m, n), rows.size)
        own_starts = as_width(starts, width, copy=not owned)
        own_rows = as_width(rows, width, copy=not owned)
        order, where = _core.check_columns(m, own_starts, own_rows)
        if order == 3:
            raise InvalidMatrixError(f"{prefix(name)}{why_invalid(m, starts, rows, where)}")
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
            owned=not owned,  # what is ours by a copy may be overwritten
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
        owned: bool = False,
    ) -> Pattern:
        """Pattern of compressed rows; as `from_csc` otherwise, and shares no array, `owned` or
        not."""
        m, n = checked_shape(shape, name)
        transposed = cls.from_csc(
            indptr,
            indices,
            (n, m),
            values=values,
            drop_zeros=drop_zeros,
            name=name,
            source=source,
            owned=True,  # for this moment: the transposed lists are new
        )
        return transposed.transpose()

    # -- other forms -------------------------------------------------------------------------

    def on_host(self) -> Pattern:
        """The pattern with NumPy arrays: itself, unless it lives on a device."""
        return self

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
            as_width(other.indptr, width.type, copy=False),
            as_width(other.indices, width.type, copy=False),
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


def _writeable(
    array: npt.NDArray[Any], width: type[np.signedinteger[Any]], *, copy: bool
) -> IndexArray:
    own = as_width(array, width, copy=copy)
    return own if own.flags.writeable else own.copy()


def _transposed(m: int, indptr: IndexArray, indices: IndexArray) -> tuple[IndexArray, IndexArray]:
    out_indptr = np.empty(m + 1, dtype=indices.dtype)
    out_indices = np.empty(indices.size, dtype=indices.dtype)
    _core.transpose(m, indptr, indices, out_indptr, out_indices)
    return out_indptr, out_indices


def _has_duplicates(rows: IndexArray, cols: IndexArray, m: int, n: int) -> bool:
    indptr = np.empty(n + 1, dtype=rows.dtype)
    kept: int = _core.columns_of_triplets(m, rows.copy(), cols.copy(), indptr)
    return kept < rows.size
