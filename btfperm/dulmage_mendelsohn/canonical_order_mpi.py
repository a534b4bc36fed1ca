# SPDX-License-Identifier: BSD-3-Clause
"""The canonical order over ranks: positions by counting, without sorting across ranks.

Coarse parts are placed one after the other. In each of them, blocks are sorted by decreasing
height, then by their smallest column (vertical blocks: by their smallest row); rows and columns
ascend in each block (``canonical_order.hpp``). A block has a name, which is one of its columns, and
the owner of this column owns the block. Each rank knows the names of the blocks that contain its
rows and columns. Four steps give each rank the positions of its rows and columns
(``owned_order.hpp``):

1. For each block of which a rank has rows or columns, the rank sends a line to the owner of the
   block: how many of its columns and rows the block has, and the smallest of these columns (or
   rows).
2. This owner adds up the numbers. It sends the height and the size of the block to the owner of the
   smallest column (or row) of the block, which sorts the blocks of each height by this column (or
   row).
3. Each height also has an owner, which adds up the blocks that the ranks have at this height.
4. The number of each block, and the positions at which its rows and columns begin, are sent back to
   the owner of the block, and from there to the ranks that have its rows and columns.

The ranges of rows and columns ascend with the ranks. So the rows and columns of a block on one rank
follow those on lower ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.halo import distinct
from btfperm.backends.mpi.slices import Slices, even_slices
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Indices

__all__ = ["Base", "Part", "Placed", "boundaries", "permutation", "place"]

Counts = npt.NDArray[np.int64]


class Base(NamedTuple):
    """The numbers of blocks, columns and rows in the coarse parts before this one."""

    blocks: int = 0
    cols: int = 0
    rows: int = 0


class Part(NamedTuple):
    """The rows and columns of one coarse part that a rank owns. All arrays have the same integer
    type.

    Attributes
    ----------
    cols, rows : the columns and rows of this rank in this part, as numbers in the whole matrix,
        ascending
    col_names, row_names : the name of the block of each of them. A name below n, the number of
        columns, is a column of the block; a name n or above is that of a block of one row
    heights : for each column of this rank, the height of the block that has this column as its
        name, if there is such a block; None: all heights are 0
    by_rows : whether blocks of equal height are sorted by their smallest row
    """

    cols: Indices
    rows: Indices
    col_names: Indices
    row_names: Indices
    heights: Indices | None
    by_rows: bool = False


class Placed(NamedTuple):
    """The result of `place`.

    Attributes
    ----------
    cols, rows : the positions of the columns and of the rows of this rank in a part
    blocks : for each block that this rank owns, its number and the positions of its first column
        and of its first row
    after : the numbers of blocks, columns and rows in all parts up to and including this one
    """

    cols: Indices
    rows: Indices
    blocks: Indices
    after: Base


def place(exchange: Exchange, part: Part, cols: Slices, rows: Slices, base: Base) -> Placed:
    """Computes the positions of one part. `cols` and `rows` are the ranges of all ranks. `base`
    counts what precedes the part. Collective."""
    core = _core.dulmage_mendelsohn
    places = np.concatenate((part.col_names, part.row_names))
    names: Indices = _core.ranks.number_ghosts(0, 0, int(places.max(initial=-1)) + 1, places)
    of_cols, of_rows = places[: part.cols.size], places[part.cols.size :]
    lines = core.list_members(names, of_cols, part.cols, of_rows, part.rows, part.by_rows)
    begins = np.searchsorted(names, cols.bounds.astype(names.dtype))  # names ascend, as owners do
    n_shared = int(begins[-1])
    del names

    lines, single_rows = np.split(lines.reshape(-1, 4), [n_shared])
    sent = np.diff(begins)
    received = exchange.counts_from(sent) if exchange.size > 1 else sent
    got = exchange.move(lines, sent, received) if exchange.size > 1 else lines
    del lines
    blocks = core.number_blocks(cols.first, cols.size, got.reshape(-1)).reshape(-1, 4)
    n_numbered = blocks.shape[0]
    blocks = np.concatenate((blocks, single_rows))
    extents = np.zeros((blocks.shape[0], 3), dtype=blocks.dtype)
    if part.heights is not None:
        extents[:, 0] = part.heights[blocks[:, 0] - cols.first]
    extents[:, 1:] = blocks[:, 1:3]
    sums = exchange.sums(blocks.shape[0], *extents[:, 1:].sum(axis=0, dtype=np.int64).tolist())
    starts = _numbered(exchange, rows if part.by_rows else cols, blocks[:, 3], extents, base)
    del blocks, extents

    answers = got[:, 1:3] + starts[got[:, 0], 1:]
    del got
    if exchange.size > 1:
        answers = exchange.move(answers, received, sent)
    answers = np.concatenate((answers, starts[n_numbered:, 1:]))
    first_col, first_row = answers[:, 0].copy(), answers[:, 1].copy()
    return Placed(
        core.hand_out(of_cols, first_col),
        core.hand_out(of_rows, first_row),
        starts,
        Base(*(a + b for a, b in zip(base, sums, strict=True))),
    )


def _numbered(
    exchange: Exchange, ids: Slices, least: Indices, extents: Indices, base: Base
) -> Indices:
    """The number of each block that this rank owns, and the positions of its first column and of
    its first row. `least` holds the smallest column (or row) of each block; `extents` its height,
    its number of columns and its number of rows."""
    width = extents.dtype
    got = exchange.route(ids, least, *extents.T, kind=width)
    levels, level = distinct(got.field(1))
    sums, before = _core.dulmage_mendelsohn.number_in_levels(
        ids.first, ids.size, got.items.reshape(-1), level, levels.size
    )
    first = _first_of_levels(exchange, levels.astype(np.int64), sums.reshape(-1, 3))
    before = before.reshape(-1, 3)
    before += (first + np.array(base)).astype(width)[level]
    return np.stack(exchange.reply(got, *before.T), axis=1)


def _first_of_levels(exchange: Exchange, levels: Counts, sums: Counts) -> Counts:
    """For each height of blocks that this rank sorts: the numbers of blocks, columns and rows of
    this part that precede the first of these blocks. They are those of larger heights, and those of
    this height on lower ranks."""
    top = exchange.largest(int(levels.max(initial=0)))[0]
    ranges = even_slices(top + 1, exchange.size, exchange.rank)
    got = exchange.route(ranges, levels, *sums.T)
    order = np.argsort(-got.items[:, 0], kind="stable")
    sorted_sums = got.items[order, 1:]
    before = np.cumsum(sorted_sums, axis=0) - sorted_sums  # in order of decreasing height, by rank
    totals = exchange.from_all(*sorted_sums.sum(axis=0).tolist())
    before += totals[exchange.rank + 1 :].sum(axis=0)
    answers = np.empty_like(before)
    answers[order] = before
    return np.stack(exchange.reply(got, *answers.T), axis=1)


def permutation(
    exchange: Exchange, count: int, positions: Indices, numbers: Indices, width: type
) -> Indices:
    """The part of a gather permutation that this rank gets: an even slice. Each rank gives the
    `positions` of its rows (or columns), whose `numbers` are those in the whole matrix.
    Collective."""
    slices = even_slices(count, exchange.size, exchange.rank)
    got = exchange.route(slices, positions, numbers, kind=width)
    found: Indices = np.empty(slices.size, dtype=width)
    found[got.items[:, 0] - slices.first] = got.items[:, 1]
    return found


def boundaries(
    exchange: Exchange, blocks: Indices, shape: tuple[int, int], width: type
) -> tuple[Indices, Indices]:
    """The parts of `row_blocks` and `col_blocks` that this rank gets: even slices. `blocks` are the
    blocks that this rank owns, see `Placed`. Collective."""
    count = exchange.sums(blocks.shape[0])[0]
    slices = even_slices(count + 1, exchange.size, exchange.rank)
    got = exchange.route(slices, *blocks.T, kind=width)
    rows: Indices = np.empty(slices.size, dtype=width)
    cols: Indices = np.empty(slices.size, dtype=width)
    at = got.items[:, 0] - slices.first
    cols[at], rows[at] = got.items[:, 1], got.items[:, 2]
    if slices.first <= count < slices.last:
        rows[-1], cols[-1] = shape
    return rows, cols
