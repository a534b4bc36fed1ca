# SPDX-License-Identifier: BSD-3-Clause
"""`as_valued`: a matrix as a `ValuedPattern`.

The constructors of `Pattern` (`from_csc`, `from_csr`, `from_coo`) sort the entries; nothing here
sorts. `places_in` reports the place of each listed entry in the finished pattern, and the values
are written to these places. Searches and decompositions without values do not load this file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.arguments import truth
from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import (
    IndexArray,
    checked_columns,
    checked_positions,
    checked_shape,
    matrix_on_device,
    prefix,
)
from btfperm.pattern.canonical import columns_of, places_in
from btfperm.pattern.host_matrix import is_scipy, positions_of, recognised
from btfperm.pattern.input import as_pattern, parts_of_triple, refuse_other_shape
from btfperm.pattern.pattern import Pattern
from btfperm.pattern.valued import ValuedPattern, as_values, position_of

__all__ = ["as_valued", "carried", "narrowed", "refuse_changed", "valued_matrix"]

Values = npt.NDArray[Any]

_PIECE = 1 << 18  # values converted at a time
_MOST_ROUNDING = 2.0**62  # a larger difference is an overflow, which changes a sum by 2^64 or more


def as_valued(
    A: Any,
    *,
    shape: Sequence[int] | None = None,
    drop_zeros: bool | None = None,
    owned: bool = False,
    threads: int | None = None,
) -> ValuedPattern:
    """A sparse matrix as a `ValuedPattern`: its pattern, and its values in the same order. Inputs
    are never modified.

    Real values become float64, complex ones complex128; integers keep their type. The values of
    duplicates are added up in the order in which they are listed. ``as_valued(A).pattern`` equals
    ``as_pattern(A)``: an entry is a stored zero if all values listed for it are zero. Duplicates
    that cancel, as 1 and -1 do, are an entry with the value 0, which `drop_zeros` keeps.

    Parameters
    ----------
    A : everything that `as_pattern` takes and that has values; a `ValuedPattern`
    shape, drop_zeros, threads : as for `as_pattern`
    owned : as for `as_pattern`; the values are then shared, too, where they need no conversion

    Returns
    -------
    ValuedPattern : the pattern, and `values` (nnz,). The cost is that of `as_pattern` and of a
        bisection of a column for each entry that is not listed in order

    Raises
    ------
    InvalidMatrixError : `A` has no values, they are no numbers, or a sum of integers overflows

    It also raises what `as_pattern` raises.

    Examples
    --------
    >>> from btfperm import as_valued
    >>> V = as_valued(([1.0, 2.0, 5.0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    >>> V.pattern.indices.tolist(), V.values.tolist()
    ([1, 0], [3.0, 5.0])
    """
    drop = bool(drop_zeros) if drop_zeros is None else truth("drop_zeros", drop_zeros)
    owned = truth("owned", owned)
    if isinstance(A, tuple):
        if matrix_on_device(A):
            from btfperm.pattern.values_gpu import of_triple

            return of_triple(A, shape, drop)
        data, indices, indptr, shape = parts_of_triple(A, shape)
        if data is None:
            raise InvalidMatrixError("the triple has no values: its data is None")
        return _of_lists(data, indices, indptr, shape, drop, owned, threads)
    valued = _with_own_shape(A, drop_zeros, owned, threads)
    refuse_other_shape(shape, valued.shape)
    return valued


def _with_own_shape(
    A: Any, drop_zeros: bool | None, owned: bool, threads: int | None
) -> ValuedPattern:
    drop = bool(drop_zeros)
    if isinstance(A, ValuedPattern):
        return _with_zeros(A, drop_zeros)
    if isinstance(A, Pattern):
        raise InvalidMatrixError(f"{prefix(A.name)}a Pattern has no values; give the matrix itself")
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read_valued

        return read_valued(A, drop_zeros=drop)
    if not is_scipy(A):
        if matrix_on_device(A):
            from btfperm.pattern.values_gpu import of_matrix

            return of_matrix(A, drop)
        A = recognised(A)
    if isinstance(A, Pattern):
        raise InvalidMatrixError("the matrix has positions of entries, but no values")
    return valued_matrix(A, drop, owned=owned, threads=threads)


def valued_matrix(
    A: Any,
    drop_zeros: bool,
    *,
    owned: bool = False,
    threads: int | None = None,
    name: str | None = None,
    source: Mapping[str, Any] | None = None,
) -> ValuedPattern:
    """A SciPy matrix or a NumPy array as a `ValuedPattern`; see `as_valued`."""
    about: dict[str, Any] = {"name": name, "source": source}
    if not is_scipy(A):
        return _of_dense(np.asarray(A), about)
    if len(A.shape) != 2:
        raise InvalidMatrixError(f"{prefix(name)}a matrix has two dimensions, not {len(A.shape)}")
    if A.format in ("csc", "csr"):
        by_rows = A.format == "csr"
        return _of_lists(
            A.data, A.indices, A.indptr, A.shape, drop_zeros, owned, threads, by_rows, about
        )
    rows, cols, data = positions_of(A, name)
    shape = checked_shape(A.shape)
    # `from_coo` makes copies of the two lists, so that `carried` can use them again.
    rows, cols = checked_positions(rows, cols, shape, name, owned=True)
    values = as_values(data, rows.size, name)
    pattern = Pattern.from_coo(rows, cols, shape, values=values, drop_zeros=drop_zeros, **about)
    return carried(pattern, rows, cols, values)


def _of_lists(
    data: Any,
    indices: Any,
    indptr: Any,
    shape: Sequence[int],
    drop: bool,
    owned: bool,
    threads: int | None,
    by_rows: bool = False,
    about: Mapping[str, Any] | None = None,
) -> ValuedPattern:
    """The `ValuedPattern` of compressed columns, or of rows if `by_rows`."""
    about = about or {}
    name = about.get("name")
    m, n = checked_shape(shape)
    how: dict[str, Any] = {"threads": threads, "owned": owned, "by_rows": by_rows}
    starts, lists, canonical = checked_columns(
        indptr, indices, (n, m) if by_rows else (m, n), name, **how
    )
    count = int(starts[-1])
    values = as_values(data, lists.size, name)[:count]
    lists = lists[:count]
    make = Pattern.from_csr if by_rows else Pattern.from_csc
    pattern = make(
        starts,
        lists,
        (m, n),
        values=values,
        drop_zeros=drop,
        owned=True,
        threads=threads,
        **about,
    )
    if canonical and not by_rows and pattern.nnz == count:
        return ValuedPattern._unchecked(pattern, values if owned else values.copy())
    rows, cols = (columns_of(starts), lists) if by_rows else (lists, columns_of(starts))
    return carried(pattern, rows, cols, values)


def _of_dense(A: Values, about: Mapping[str, Any]) -> ValuedPattern:
    """The `ValuedPattern` of a dense array: its nonzeros in canonical order."""
    if A.ndim != 2:
        raise InvalidMatrixError(f"a matrix has two dimensions, not {A.ndim}")
    as_values(A[:0, :0].reshape(-1), 0, about["name"])  # checks the type first
    cols, rows = np.nonzero(A.T)
    values = as_values(A[rows, cols], rows.size, about["name"])
    pattern = Pattern.from_coo(rows, cols, A.shape, owned=True, **about)
    return ValuedPattern._unchecked(pattern, values)


def _with_zeros(V: ValuedPattern, drop_zeros: bool | None) -> ValuedPattern:
    """The same matrix with its stored zeros, or without them if `drop_zeros`; see `as_pattern`."""
    pattern = as_pattern(V.pattern, drop_zeros=drop_zeros)
    if pattern is V.pattern:
        return V
    V = V.on_host()  # as `as_pattern` does
    places, _ = _places(pattern, V.pattern.indices, V.pattern.cols())
    values = np.zeros(pattern.nnz, dtype=V.values.dtype)
    there = places >= 0
    values[places[there]] = V.values[there]
    return ValuedPattern._unchecked(pattern, values)


def carried(pattern: Pattern, rows: Any, cols: Any, values: Any) -> ValuedPattern:
    """A pattern with the values of the list of entries from which it was made. The values of
    duplicates are added up in the order of the list. Zeros that the pattern omits are omitted.

    The cost is that of `places_in`.
    """
    if pattern.backend != "cpu":
        from btfperm.pattern import values_gpu

        return values_gpu.carried(pattern, rows, cols, values)
    places, found = _places(pattern, rows, cols)
    if found < places.size:
        refuse_changed(pattern)
        there = places >= 0
        places, values = places[there], values[there]
    if found == pattern.nnz:  # no duplicates, because each entry of the pattern was listed
        ordered = np.zeros(found, dtype=values.dtype)
        ordered[places] = values
        return ValuedPattern._unchecked(pattern, ordered)
    return ValuedPattern._unchecked(pattern, _sums(pattern, places, values))


def refuse_changed(pattern: Pattern) -> None:
    """Raise InvalidMatrixError for entries that the pattern lacks, if it left no zeros out."""
    if not pattern.zeros_dropped:
        raise InvalidMatrixError(
            f"{prefix(pattern.name)}the arrays of the matrix changed while they were read"
        )


def _places(pattern: Pattern, rows: IndexArray, cols: IndexArray) -> tuple[IndexArray, int]:
    return places_in((pattern.indptr, pattern.indices), pattern.m, rows, cols)


def _sums(pattern: Pattern, places: IndexArray, values: Values) -> Any:
    """The sum of the values at each place, in the order of the list."""
    kind, count = values.dtype.kind, pattern.nnz
    if kind in "fc":
        # The neutral element of the addition is -0: a single -0 keeps its sign.
        sums = np.full(count, -0.0 if kind == "f" else complex(-0.0, -0.0), dtype=values.dtype)
        with np.errstate(all="ignore"):  # `require_finite` reports what is not finite
            np.add.at(sums, places, values)
        return sums
    if kind == "b":  # a matrix that is written to a file: True if one of the duplicates is
        sums = np.zeros(count, dtype=bool)
        sums[places[values]] = True
        return sums
    sums = np.zeros(count, dtype=np.int64 if kind == "i" else np.uint64)
    # Sums of fewer than 2^32 numbers of 32 bits fit into 64 bits.
    close = np.zeros(count) if values.dtype.itemsize == sums.dtype.itemsize else None
    for first in range(0, values.size, _PIECE):
        piece = slice(first, first + _PIECE)
        np.add.at(sums, places[piece], values[piece].astype(sums.dtype, copy=False))
        if close is not None:
            np.add.at(close, places[piece], values[piece].astype(np.float64))
    return narrowed(pattern, sums, close, values.dtype)


def narrowed(pattern: Pattern, sums: Any, close: Any, dtype: np.dtype[Any]) -> Any:
    """Converts 64-bit sums to `dtype`, the integer type of the values, for NumPy and CuPy arrays.

    `close` is None if no sum can have overflowed. Otherwise it holds the same sums in float64: they
    are rounded but cannot overflow, so a large difference from `sums` reveals an overflow.

    Raises
    ------
    InvalidMatrixError : a sum does not fit into `dtype`
    """
    limits = np.iinfo(dtype)
    wrong = sums < limits.min
    wrong |= sums > limits.max
    if close is not None:
        wrong |= abs(sums.astype(np.float64) - close) > _MOST_ROUNDING
    if bool(wrong.any()):
        i, j = position_of(pattern, int(wrong.argmax()))
        raise InvalidMatrixError(
            f"{prefix(pattern.name)}the values listed for row {i}, column {j} (counted from 0) "
            f"have a sum that {dtype} cannot hold"
        )
    return sums.astype(dtype, copy=False)
