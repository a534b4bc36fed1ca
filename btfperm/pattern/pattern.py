# SPDX-License-Identifier: BSD-3-Clause
"""`Pattern`: canonical compressed columns in read-only arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from btfperm.arguments import text, truth
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import (
    IndexArray,
    as_width,
    canonical_columns,
    checked_columns,
    checked_positions,
    columns_shape,
    prefix,
    zeros_among,
)
from btfperm.pattern.canonical import (
    Columns,
    columns_of,
    difference,
    from_columns,
    from_positions,
    from_triangle,
    frozen,
    selected,
    split_flags,
    transposed,
    with_flags,
)
from btfperm.pattern.compared import ComparedByEntries
from btfperm.printable import one_line

__all__ = ["Pattern"]


@dataclass(frozen=True, eq=False, repr=False)
class Pattern(ComparedByEntries):
    """Positions of the stored entries of an m x n matrix, as canonical compressed columns.

    Make one with `as_pattern`, or with `from_csc`, `from_csr`, `from_coo`. The constructor takes
    canonical columns only; it checks and copies them, as unpickling and `copy.deepcopy` do, so
    that the core can rely on every `Pattern`.

    Attributes
    ----------
    shape : (m, n)
    indptr : (n + 1,) the rows of column j are ``indices[indptr[j]:indptr[j+1]]``
    indices : (nnz,) row indices, ascending in each column, no duplicates. Both arrays are
        read-only, and copies unless the caller set `owned`. They are int32 if neither the rows plus
        the columns nor the entries exceed 2**31 - 16, else int64; the constructor keeps int64
    name : what messages call the matrix, usually its file name
    source : for the ``meta`` of a result: file name and sha256 of the file
    stored_zeros : the entries that were stored with the value zero; None when there are none, or
        when the values are not known
    zeros_dropped : whether the stored zeros were left out of this pattern

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

    #: backend that holds the arrays: whole on the host, in parts in several processes, or on a GPU
    backend: ClassVar[str] = "cpu"
    is_on_host: ClassVar[bool] = True
    is_distributed: ClassVar[bool] = False
    is_on_device: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _about(self.name, self.source)
        shape, zeros = columns_shape(self.shape, self.name), self.stored_zeros
        if zeros is not None and not (isinstance(zeros, Pattern) and zeros.shape == shape):
            raise InvalidArgumentError(
                f"stored_zeros is a Pattern of shape {shape}, or None, not {zeros!r}"
            )
        columns = self._checked_arrays(shape)
        vars(self).update(shape=shape, indptr=columns[0], indices=columns[1])

    def _checked_arrays(self, shape: tuple[int, int]) -> Columns:
        """The checked copies that the constructor stores."""
        starts, rows = canonical_columns(self.indptr, self.indices, shape, self.name)
        return frozen(starts), frozen(rows)

    @classmethod
    def _unchecked(
        cls,
        shape: tuple[int, int],
        indptr: IndexArray,
        indices: IndexArray,
        name: str | None = None,
        source: Mapping[str, Any] | None = None,
        stored_zeros: Pattern | None = None,
        zeros_dropped: bool = False,
    ) -> Self:
        """The constructor for code of this package, which passes arrays that are canonical and
        read-only. O(1)."""
        pattern = object.__new__(cls)
        vars(pattern).update(
            shape=shape,
            indptr=indptr,
            indices=indices,
            name=name,
            source={} if source is None else source,
            stored_zeros=stored_zeros,
            zeros_dropped=zeros_dropped,
        )
        return pattern

    def __copy__(self) -> Self:
        return self  # frozen, with read-only arrays

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Unpickled arrays are writeable and may be shared, so they go through the constructor."""
        self.__init__(**{f.name: state[f.name] for f in fields(self) if f.init})  # type: ignore[misc]

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
        name = f" {one_line(self.name)}" if self.name else ""
        zeros = ""
        if self.stored_zeros is not None:
            what = "left out" if self.zeros_dropped else "stored as zero"
            zeros = f", {self.stored_zeros.nnz:,} {what}"
        entries = "1 entry" if self.nnz == 1 else f"{self.nnz:,} entries"
        return f"<Pattern{name} {self.m:,} x {self.n:,}, {entries}{zeros}>"

    # -- other constructors -----------------------------------------------------------------

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
        """Pattern of a list of positions; duplicates are merged. O(m + n + entries log(longest
        column)).

        Parameters
        ----------
        rows, cols : integer arrays of the same length
        shape : (m, n)
        values : numbers that are used only to find stored zeros: positions whose values, with those
            of all duplicates, are zero
        zero_mask : booleans instead of values: True for a zero
        drop_zeros : True omits stored zeros. Default False
        name, source : see `Pattern`
        symmetric : True adds the transpose of each position off the diagonal. Default False
        owned : True if this function may overwrite `rows` and `cols`, which saves a copy. Default
            False

        Raises
        ------
        InvalidMatrixError : lengths differ, or an index lies outside the shape
        ResourceMissingError : the free memory is too small for the rows and columns
        """
        about = _about(name, source)
        shape = m, n = columns_shape(shape, name)
        drop_zeros = truth("drop_zeros", drop_zeros)
        if truth("symmetric", symmetric) and m != n:
            raise InvalidMatrixError(f"{prefix(name)}a symmetric matrix is square, not {m} x {n}")
        own_rows, own_cols = checked_positions(rows, cols, shape, name, owned=owned)
        mask = zeros_among(values, zero_mask, own_rows.size, name)
        if mask is None:
            make = from_triangle if symmetric else from_positions
            return cls._unchecked(shape, *make(own_rows, own_cols, shape), *about)
        if symmetric:
            off = own_rows != own_cols
            mask = np.concatenate((mask, mask[off]))
            own_rows, own_cols = (
                np.concatenate((own_rows, own_cols[off])),
                np.concatenate((own_cols, own_rows[off])),
            )
        keys = with_flags(own_rows, mask, shape, copy=False)
        del own_rows, mask
        flagged = from_positions(keys, own_cols, (2 * m, n))
        columns, zero = split_flags(flagged, shape, drop_zeros=drop_zeros)
        return cls._unchecked(shape, *columns, *about)._with_zeros(zero, drop_zeros)

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
        threads: int | None = None,
    ) -> Pattern:
        """Pattern of compressed columns, which need not be sorted and may hold duplicates.

        O(m + n + entries); if most rows are empty, O(n + entries log(longest column)).

        Parameters
        ----------
        indptr, indices, shape : the columns
        values, drop_zeros, name, source : as for `from_coo`
        owned : as for `as_pattern`; the arrays are not overwritten
        threads : as for `as_pattern`

        Raises
        ------
        InvalidMatrixError : the arrays do not describe an m x n matrix
        """
        about = _about(name, source)
        shape = columns_shape(shape, name)
        drop_zeros, owned = truth("drop_zeros", drop_zeros), truth("owned", owned)
        return cls._of_lists(indptr, indices, shape, values, drop_zeros, about, owned, threads)

    @classmethod
    def _of_lists(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        shape: tuple[int, int],
        values: npt.ArrayLike | None,
        drop_zeros: bool,
        about: tuple[str | None, dict[str, Any]],
        owned: bool,
        threads: int | None,
        by_rows: bool = False,
    ) -> Pattern:
        """The pattern of compressed columns. `by_rows`: these are the rows of the caller's matrix,
        and messages name rows."""
        m, name = shape[0], about[0]
        starts, rows, canonical = checked_columns(
            indptr, indices, shape, name, owned=owned, threads=threads, by_rows=by_rows
        )
        mask = zeros_among(values, None, rows.size, name)
        rows = rows[: int(starts[-1])]
        if canonical and mask is None:
            return cls._unchecked(shape, frozen(starts), frozen(rows), *about)
        if mask is None:
            unsorted = [starts, rows]
            del starts, rows  # so that `from_columns` can release them
            return cls._unchecked(shape, *from_columns(m, unsorted, threads), *about)
        mask = mask[: rows.size]
        if canonical:
            zero = selected(starts, rows, mask, shape)
            columns = frozen(starts), frozen(rows)
            if drop_zeros:
                columns = selected(starts, rows, ~mask, shape)
            return cls._unchecked(shape, *columns, *about)._with_zeros(zero, drop_zeros)
        is_shared = np.may_share_memory(rows, np.asarray(indices))  # `indices` may be a buffer
        keys = with_flags(rows, mask, shape, copy=is_shared)
        flagged = [as_width(starts, keys.dtype.type, copy=False), keys]
        del starts, rows, mask, keys
        columns, zero = split_flags(
            from_columns(2 * m, flagged, threads), shape, drop_zeros=drop_zeros
        )
        return cls._unchecked(shape, *columns, *about)._with_zeros(zero, drop_zeros)

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
        threads: int | None = None,
    ) -> Pattern:
        """Pattern of compressed rows; the parameters are those of `from_csc`. The pattern shares no
        array with the caller, even if `owned`."""
        about = _about(name, source)
        m, n = columns_shape(shape, name)
        drop_zeros = truth("drop_zeros", drop_zeros)
        # The arrays can be shared for the moment, because the transposed lists are new.
        transposed = cls._of_lists(
            indptr, indices, (n, m), values, drop_zeros, about, True, threads, by_rows=True
        )
        return transposed._turned(threads)

    # -- other forms -------------------------------------------------------------------------

    def on_host(self) -> Pattern:
        """The whole pattern with NumPy arrays: itself, unless it is on a GPU or over ranks."""
        return self

    def transpose(self) -> Pattern:
        """The pattern with rows and columns exchanged. O(m + n + nnz)."""
        return self._turned(None)

    def _turned(self, threads: int | None) -> Pattern:
        indptr, indices = transposed(self.m, self.indptr, self.indices, threads)
        zeros = None if self.stored_zeros is None else self.stored_zeros.transpose()
        about = self.name, self.source, zeros, self.zeros_dropped
        return Pattern._unchecked((self.n, self.m), indptr, indices, *about)

    @property
    def T(self) -> Pattern:
        """The same as `transpose()`."""
        return self.transpose()

    def without(self, other: Pattern) -> Pattern:
        """The pattern without the entries of another one of the same shape."""
        self._must_fit(other)
        columns = difference(self.m, (self.indptr, self.indices), (other.indptr, other.indices))
        return Pattern._unchecked(self.shape, *columns, self.name, self.source)

    def union(self, other: Pattern) -> Pattern:
        """The pattern with the entries of another one of the same shape added."""
        self._must_fit(other)
        rows = np.concatenate((self.indices, other.indices))
        cols = np.concatenate((self.cols(), other.cols()))
        return Pattern.from_coo(
            rows, cols, self.shape, name=self.name, source=self.source, owned=True
        )

    def cols(self) -> IndexArray:
        """(nnz,) column index of each entry, in the order of `indices`."""
        return columns_of(self.indptr)

    def to_scipy(self) -> Any:
        """A ``scipy.sparse.csc_array`` with ones (float64) at the entries."""
        import scipy.sparse

        ones = np.ones(self.nnz)
        return scipy.sparse.csc_array(
            (ones, self.indices.copy(), self.indptr.copy()), shape=self.shape
        )

    def _with_zeros(self, zeros: Columns, dropped: bool) -> Pattern:
        if zeros[1].size == 0:
            return self
        marked = Pattern._unchecked(self.shape, *zeros)
        return self._with(stored_zeros=marked, zeros_dropped=dropped)

    def _with(self, **changes: Any) -> Self:
        """The same columns with other fields. O(1)."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), **changes)
        return other

    def _must_fit(self, other: Pattern) -> None:
        if not isinstance(other, Pattern):
            raise InvalidArgumentError(f"{type(other).__name__} is no Pattern")
        if other.shape != self.shape:
            raise InvalidArgumentError(
                f"patterns of {self.shape} and {other.shape} do not fit together"
            )


def _about(name: Any, source: Any) -> tuple[str | None, dict[str, Any]]:
    """The name and a copy of the source of a pattern, which must be text and a mapping, if any."""
    if name is not None:
        text("name", name)
    if source is not None and not isinstance(source, Mapping):
        raise InvalidArgumentError(f"source must be a mapping, not {type(source).__name__}")
    return name, dict(source or {})
