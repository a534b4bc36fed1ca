# SPDX-License-Identifier: BSD-3-Clause
"""Canonical compressed columns, made by the core: ascending, no duplicates, read-only.

Everything here trusts its arguments; ``arrays.py`` has checked them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import pass_threads
from btfperm.pattern.arrays import IndexArray, as_width, index_type

__all__ = [
    "Columns",
    "columns_of",
    "difference",
    "from_columns",
    "from_positions",
    "from_triangle",
    "frozen",
    "places_in",
    "selected",
    "split_flags",
    "transposed",
    "with_flags",
]

Columns = tuple[IndexArray, IndexArray]  # indptr, indices
Shape = tuple[int, int]

# Rows or columns for each entry. If there are more, an array with an element for each row or column
# costs more than sorting.
_SPARSE = 8


def frozen(array: IndexArray) -> IndexArray:
    """A read-only view; the flags of the array itself do not change."""
    view = array.view()
    view.setflags(False)  # type: ignore[call-arg]  # a keyword argument would take twice as long
    return view


def from_positions(rows: IndexArray, cols: IndexArray, shape: Shape) -> Columns:
    """Canonical columns of a list of positions in any order. Both arrays may be overwritten."""
    m, n = shape
    width = index_type(shape, rows.size)
    rows, cols = as_width(rows, width, copy=False), as_width(cols, width, copy=False)
    indptr = np.empty(n + 1, dtype=width)
    nnz = _core.pattern.columns_of_triplets(m, rows, cols, indptr)
    return frozen(indptr), _first(nnz, rows)


def from_triangle(rows: IndexArray, cols: IndexArray, shape: Shape) -> Columns:
    """Canonical columns of a symmetric matrix, of which one entry of each symmetric pair is listed.
    No list of the other entries is made, so that the peak of memory is about twice the result."""
    both = 2 * rows.size - int(np.count_nonzero(rows == cols))
    width = index_type(shape, both)
    indptr, indices = np.empty(shape[1] + 1, dtype=width), np.empty(both, dtype=width)
    rows, cols = as_width(rows, width, copy=False), as_width(cols, width, copy=False)
    nnz = _core.pattern.columns_of_triangle(rows, cols, indptr, indices)
    return frozen(indptr), _first(nnz, indices)


def from_columns(m: int, columns: list[IndexArray], threads: int | None = None) -> Columns:
    """Canonical columns of compressed columns that are not sorted: two transpositions sort them,
    or, if most rows are empty, a sort of each column.

    `columns` holds indptr and indices. It is emptied: if the caller has no other reference to
    them, their memory is released before the second transposition.
    """
    indptr, indices = columns
    n = indptr.size - 1
    if m // _SPARSE > indices.size:  # sorting costs less than an array of the length m
        columns.clear()
        return from_positions(indices.copy(), columns_of(indptr), (m, n))
    # With several threads, a transposition needs workspace for each entry. If the entries are more
    # than half of the m n positions, most of them may be duplicates, and the result may be much
    # smaller than that workspace; therefore one thread runs.
    is_full = 2 * indices.size > m * n
    starts, lists = _row_lists(m, indptr, indices, 1 if is_full else threads)
    columns.clear()
    del indptr, indices
    nnz = _core.pattern.merge_duplicates(starts, lists)
    lists = _first(nnz, lists)
    return transposed(n, starts, lists, threads)


def transposed(
    m: int, indptr: IndexArray, indices: IndexArray, threads: int | None = None
) -> Columns:
    """The columns of the transpose; there are `m` of them."""
    starts, lists = _row_lists(m, indptr, indices, threads)
    return frozen(starts), frozen(lists)


def difference(m: int, columns: Columns, less: Columns) -> Columns:
    """The columns without the entries of `less`."""
    width = columns[1].dtype
    wide = np.promote_types(width, less[1].dtype).type
    given = [as_width(array, wide, copy=False) for array in (*columns, *less)]
    indptr, indices = np.empty_like(given[0]), np.empty_like(given[1])
    kept = _core.pattern.difference(m, *given, indptr, indices)
    starts = as_width(indptr, width.type, copy=False)
    return frozen(starts), frozen(indices[:kept].astype(width))


def columns_of(indptr: IndexArray) -> IndexArray:
    """(nnz,) the column of each entry."""
    n, nnz = indptr.size - 1, int(indptr[-1])
    if n // _SPARSE > nnz:  # needs no array of length n
        found = np.searchsorted(indptr, np.arange(nnz, dtype=indptr.dtype), side="right") - 1
        return found.astype(indptr.dtype)
    return np.repeat(np.arange(n, dtype=indptr.dtype), np.diff(indptr))


def selected(
    indptr: IndexArray, indices: IndexArray, chosen: npt.NDArray[np.bool_], shape: Shape
) -> Columns:
    """The chosen entries of canonical columns; the same arrays if all are chosen."""
    count = int(np.count_nonzero(chosen))
    width = index_type(shape, count)
    if count == chosen.size:
        return frozen(as_width(indptr, width, copy=False)), frozen(
            as_width(indices, width, copy=False)
        )
    up_to = np.cumsum(chosen, dtype=width)
    starts = up_to[indptr - 1]
    starts[indptr == 0] = 0
    return frozen(starts), frozen(as_width(indices[chosen], width, copy=False))


def with_flags(
    rows: IndexArray, zeros: npt.NDArray[np.bool_], shape: Shape, *, copy: bool
) -> IndexArray:
    """``2 * row``, and 1 more for each stored zero. Unless `copy`, `rows` may be overwritten.

    When these numbers are made canonical as rows of a matrix of 2m rows, the zeros of a position
    follow its nonzeros. So one sort orders both, without copies of either.
    """
    keys = as_width(rows, index_type((2 * shape[0], shape[1]), rows.size), copy=copy)
    np.left_shift(keys, 1, out=keys)
    np.bitwise_or(keys, zeros, out=keys)
    return keys


def split_flags(flagged: Columns, shape: Shape, *, drop_zeros: bool) -> tuple[Columns, Columns]:
    """Splits canonical columns whose row indices are numbers made by `with_flags`. Returns the
    columns of the matrix, without its stored zeros if `drop_zeros`, and those of its stored zeros.
    A position that is listed both as zero and with a nonzero value is not a stored zero."""
    indptr, keys = flagged
    zero = (keys & 1).astype(bool)
    repeated = np.zeros(keys.size, dtype=bool)  # zeros that follow a nonzero of the position
    np.equal(keys[1:] - keys[:-1], 1, out=repeated[1:])
    repeated &= zero
    repeated[indptr[:-1][indptr[:-1] < keys.size]] = False  # the entry before is in another column
    rows = keys >> 1
    chosen = ~zero if drop_zeros else ~repeated
    zero &= ~repeated
    return selected(indptr, rows, chosen, shape), selected(indptr, rows, zero, shape)


def places_in(
    columns: Columns, m: int, rows: IndexArray, cols: IndexArray
) -> tuple[IndexArray, int]:
    """The place of each listed entry in canonical columns, or -1 if they lack the entry; and the
    number of entries found. Values are written to these places, so they need no sort.

    O(n + entries) for a list of all entries in which the rows of each column ascend; in other
    lists, or if most columns are empty, an entry may take a bisection of its column.
    """
    indptr, indices = columns
    width = indices.dtype.type
    rows, cols = as_width(rows, width, copy=False), as_width(cols, width, copy=False)
    places = np.empty(rows.size, dtype=width)
    return places, _core.pattern.places_of_entries(m, indptr, indices, rows, cols, places)


def _row_lists(m: int, indptr: IndexArray, indices: IndexArray, threads: int | None) -> Columns:
    starts = np.empty(m + 1, dtype=indices.dtype)
    lists = np.empty(indices.size, dtype=indices.dtype)
    threads = pass_threads(indices.size, threads)
    _core.pattern.transpose(m, indptr, indices, starts, lists, threads=threads)
    return starts, lists


def _first(count: int, array: IndexArray) -> IndexArray:
    return frozen(array if count == array.size else array[:count].copy())
