# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's layouts bsr (compressed rows of dense blocks) and dia (diagonals), without SciPy.

These layouts may take one byte for each entry, but a row or column index takes four bytes or more.
Therefore a `Pattern` is made without column indices: the entries of each column are counted, and
then the row indices are computed in pieces. Blocks that contain zeros are an exception: the row and
column indices of all their entries are listed, so that `Pattern.from_coo` can mark the zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import (
    IndexArray,
    checked_columns,
    checked_shape,
    index_type,
    prefix,
    refuse_masked,
    refuse_non_numbers,
)
from btfperm.pattern.canonical import columns_of, transposed
from btfperm.pattern.memory import check_memory
from btfperm.pattern.pattern import Pattern

__all__ = [
    "Positions",
    "pattern_of_blocks",
    "pattern_of_diagonals",
    "positions_of_blocks",
    "positions_of_diagonals",
]

Positions = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]  # rows, columns, values
Shape = tuple[int, int]

_LARGEST_OFFSET = 2**62
_PIECE = 1 << 17  # entries that are computed at a time


class _Blocks(NamedTuple):
    """Compressed rows of blocks: block p is ``values[p]``, in the block column ``lists[p]``."""

    shape: Shape
    starts: IndexArray
    lists: IndexArray
    values: npt.NDArray[Any]  # (blocks, height, width)

    @property
    def height(self) -> int:
        return int(self.values.shape[1])

    @property
    def width(self) -> int:
        return int(self.values.shape[2])

    @property
    def dtype(self) -> type[np.signedinteger[Any]]:
        return index_type(self.shape, self.values.size)


class _Diagonals(NamedTuple):
    """The diagonals that lie inside the shape, at least in part: ``values[places[k]]`` has the
    offset ``offsets[k]``. The offsets descend, so the rows of a column ascend."""

    shape: Shape
    offsets: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    values: npt.NDArray[Any]

    def entries(self) -> Iterator[Positions]:
        """Rows, columns and values of the nonzeros in canonical order, in pieces."""
        if not self.offsets.size:
            return
        m = self.shape[0]
        first = max(0, int(self.offsets[-1]))
        last = min(self.values.shape[1], m + int(self.offsets[0]))
        step = max(1, _PIECE // self.offsets.size)  # columns in a piece
        for col in range(first, last, step):
            for at in range(0, self.offsets.size, _PIECE):
                part = slice(at, at + _PIECE)
                block = self.values[self.places[part], col : min(col + step, last)].T
                cols, which = np.nonzero(block)
                rows = cols + col - self.offsets[part][which]
                inside = (rows >= 0) & (rows < m)
                cols, which = cols[inside], which[inside]
                yield rows[inside], cols + col, block[cols, which]


def positions_of_blocks(
    data: npt.ArrayLike, indices: npt.ArrayLike, indptr: npt.ArrayLike, shape: Any, name: str | None
) -> Positions:
    """Entries of a matrix in SciPy's layout bsr, block by block.

    Raises
    ------
    InvalidMatrixError : the size of the blocks does not divide the shape, or a block lies outside
    """
    blocks = _checked_blocks(data, indices, indptr, shape, name)
    # Without entries, the declared height and width of a block may be huge.
    places = blocks.values.shape if blocks.values.size else (0,)
    rows: IndexArray = np.empty(places, dtype=blocks.dtype)
    cols: IndexArray = np.empty(places, dtype=blocks.dtype)
    if blocks.values.size:
        first_rows = columns_of(blocks.starts).astype(blocks.dtype) * blocks.height
        first_cols = blocks.lists.astype(blocks.dtype) * blocks.width
        rows[:] = np.arange(blocks.height, dtype=blocks.dtype)[:, None]
        rows += first_rows[:, None, None]
        cols[:] = np.arange(blocks.width, dtype=blocks.dtype)
        cols += first_cols[:, None, None]
    return rows.reshape(-1), cols.reshape(-1), blocks.values.reshape(-1)


def pattern_of_blocks(
    data: npt.ArrayLike,
    indices: npt.ArrayLike,
    indptr: npt.ArrayLike,
    shape: Any,
    *,
    drop_zeros: bool,
    name: str | None = None,
    source: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Pattern:
    """Pattern of a matrix in SciPy's layout bsr. O(m + n + entries); with zeros in a block, the
    cost is that of `Pattern.from_coo`.

    Raises
    ------
    InvalidMatrixError : as `positions_of_blocks`, or the values are no numbers
    """
    blocks = _checked_blocks(data, indices, indptr, shape, name)
    refuse_masked(data)
    refuse_non_numbers(blocks.values, name)
    about: dict[str, Any] = {"name": name, "source": source}
    if not blocks.values.size or not blocks.values.all():  # `from_coo` marks the zeros
        rows, cols, values = positions_of_blocks(data, indices, indptr, shape, name)
        return Pattern.from_coo(
            rows, cols, blocks.shape, values=values, drop_zeros=drop_zeros, owned=True, **about
        )
    n, across = blocks.shape[1], blocks.shape[1] // blocks.width
    check_memory(blocks.shape, name, indices=n + across)
    starts, lists = transposed(across, blocks.starts, blocks.lists, threads)
    columns = _column_starts(starts, blocks), _rows_of_blocks(starts, lists, blocks)
    return Pattern._of_lists(
        *columns, blocks.shape, None, False, (name, dict(source or {})), True, threads
    )


def positions_of_diagonals(
    data: npt.ArrayLike, offsets: npt.ArrayLike, shape: Any, name: str | None
) -> Positions:
    """Nonzero entries of a matrix in SciPy's layout dia, in canonical order. Row k of the data
    holds the diagonal ``offsets[k]``, by columns. Zeros in the data, and values whose position lies
    outside the shape, are padding.

    Raises
    ------
    InvalidMatrixError : the data are not rows of numbers, or there is not one offset for each row,
        a whole number and different from all others
    """
    diagonals = _checked_diagonals(data, offsets, shape, name)
    count = sum(rows.size for rows, _, _ in diagonals.entries())
    index = index_type(diagonals.shape, count)
    all_rows: IndexArray = np.empty(count, dtype=index)
    all_cols: IndexArray = np.empty(count, dtype=index)
    all_values = np.empty(count, dtype=diagonals.values.dtype)
    used = 0
    for rows, cols, values in diagonals.entries():
        here = slice(used, used + rows.size)
        all_rows[here], all_cols[here], all_values[here] = rows, cols, values
        used += rows.size
    return all_rows, all_cols, all_values


def pattern_of_diagonals(
    data: npt.ArrayLike,
    offsets: npt.ArrayLike,
    shape: Any,
    *,
    name: str | None = None,
    source: Mapping[str, Any] | None = None,
) -> Pattern:
    """Pattern of a matrix in SciPy's layout dia; see `positions_of_diagonals`."""
    diagonals = _checked_diagonals(data, offsets, shape, name)
    n = diagonals.shape[1]
    check_memory(diagonals.shape, name, indices=n)
    indptr: IndexArray = np.zeros(n + 1, index_type(diagonals.shape, diagonals.values.size))
    for _, cols, _ in diagonals.entries():
        if cols.size:
            counts = np.bincount(cols - cols[0])
            indptr[cols[0] + 1 : cols[-1] + 2] += counts.astype(indptr.dtype)
    np.cumsum(indptr, out=indptr)
    indices: IndexArray = np.empty(int(indptr[-1]), dtype=indptr.dtype)
    used = 0
    for rows, _, _ in diagonals.entries():
        indices[used : used + rows.size] = rows
        used += rows.size
    about = name, dict(source or {})
    return Pattern._of_lists(indptr, indices, diagonals.shape, None, False, about, True, None)


def _checked_blocks(
    data: npt.ArrayLike, indices: npt.ArrayLike, indptr: npt.ArrayLike, shape: Any, name: str | None
) -> _Blocks:
    m, n = checked_shape(shape)
    values = np.asarray(data)
    height, width = values.shape[1:] if values.ndim == 3 else (0, 0)
    if height < 1 or width < 1 or m % height or n % width:
        raise InvalidMatrixError(
            f"{prefix(name)}data of shape {values.shape} are no blocks of a {m} x {n} matrix"
        )
    blocks = n // width, m // height
    starts, lists, _ = checked_columns(indptr, indices, blocks, name, owned=True, by_rows=True)
    if lists.size != len(values):
        raise InvalidMatrixError(f"{prefix(name)}{lists.size} indices of {len(values)} blocks")
    count = int(starts[-1])
    return _Blocks((m, n), starts, lists[:count], values[:count])


def _column_starts(starts: IndexArray, blocks: _Blocks) -> IndexArray:
    """The position where each column starts. `starts` holds the number of blocks before each block
    column."""
    n = blocks.shape[1]
    indptr: IndexArray = np.zeros(n + 1, dtype=blocks.dtype)
    lengths = indptr[1:].reshape(-1, blocks.width)
    np.subtract(starts[1:], starts[:-1], out=lengths[:, 0])
    lengths[:, 0] *= blocks.height
    lengths[:, 1:] = lengths[:, :1]
    np.cumsum(indptr, out=indptr)
    return indptr


def _rows_of_blocks(starts: IndexArray, lists: IndexArray, blocks: _Blocks) -> IndexArray:
    """The row indices of all entries, column by column. `starts` and `lists` are compressed block
    columns: the block rows of the blocks in each."""
    height, width = blocks.height, blocks.width
    indices: IndexArray = np.empty(blocks.values.size, dtype=blocks.dtype)
    some = max(1, _PIECE // (height * width))  # blocks in a piece
    some_cols = min(width, max(1, _PIECE // height))  # columns of a block in a piece
    for at in range(0, lists.size, some):
        block = np.arange(at, min(at + some, lists.size))
        of = np.searchsorted(starts, block, side="right") - 1
        before = starts[of].astype(np.int64)  # number of blocks in the block columns to the left
        length = height * (starts[of + 1] - before)  # entries of each column of the matrix
        first = height * (width * before + block - before)
        for col in range(0, width, some_cols):
            col_of = np.arange(col, min(col + some_cols, width))
            places = first[:, None] + length[:, None] * col_of
            for row in range(0, height, _PIECE):
                row_of = np.arange(row, min(row + _PIECE, height))
                rows = height * lists[block].astype(np.int64)[:, None] + row_of
                indices[places[:, :, None] + row_of] = rows[:, None, :]
    return indices


def _checked_diagonals(
    data: npt.ArrayLike, offsets: npt.ArrayLike, shape: Any, name: str | None
) -> _Diagonals:
    m, n = checked_shape(shape)
    refuse_masked(data)
    values, diagonals = np.atleast_2d(np.asarray(data)), np.atleast_1d(np.asarray(offsets))
    if values.ndim != 2 or diagonals.shape != values.shape[:1] or diagonals.dtype.kind not in "iu":
        raise InvalidMatrixError(
            f"{prefix(name)}data of shape {values.shape} and offsets of type {diagonals.dtype} and "
            f"shape {diagonals.shape} are no diagonals"
        )
    refuse_non_numbers(values, name)
    beyond = diagonals[(diagonals > _LARGEST_OFFSET) | (diagonals < -_LARGEST_OFFSET)]
    if beyond.size:
        raise InvalidMatrixError(f"{prefix(name)}no diagonal has the offset {beyond[0]}")
    in_order = np.sort(diagonals)
    if (in_order[1:] == in_order[:-1]).any():
        raise InvalidMatrixError(f"{prefix(name)}a diagonal is listed twice")
    del in_order
    places = np.flatnonzero((diagonals < n) & (diagonals > -m))
    places = places[np.argsort(-diagonals[places].astype(np.int64))]
    return _Diagonals((m, n), diagonals[places].astype(np.int64), places, values[:, :n])
