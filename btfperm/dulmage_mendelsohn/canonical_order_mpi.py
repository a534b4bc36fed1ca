# SPDX-License-Identifier: BSD-3-Clause
"""The canonical order over ranks: positions by counting, without sorting across ranks.

Blocks are sorted by decreasing height, then by their smallest column (vertical blocks: row); rows
and columns ascend in each block (``canonical_order.hpp``). Each rank knows the block of each of its
rows and columns, by its name. Three steps give each rank the positions of what it owns:

1. to the owner of each block: how many of its rows and columns a rank has;
2. from there to the owner of its smallest column, where the blocks of a rank are in the order of
   that column; the owner of each height adds up the blocks of all ranks at this height;
3. back to these ranks: the number of the block, and where its rows and columns begin.

As ranges ascend with the ranks, the members of a block on one rank follow those on lower ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    """The rows and columns of one coarse part that a rank owns.

    Attributes
    ----------
    cols, rows : numbers of its columns and rows in this part, ascending
    col_names, row_names : the block of each
    owners : gives the rank that owns each name
    heights : gives the height of each block that this rank owns, by name
    by_rows : whether blocks of equal height are sorted by their smallest row
    """

    cols: Indices
    rows: Indices
    col_names: Indices
    row_names: Indices
    owners: Callable[[Indices], Indices]
    heights: Callable[[Indices], Indices]
    by_rows: bool = False


class Placed(NamedTuple):
    """Positions of the columns and rows of a part; of the blocks that this rank owns, the number,
    and the positions of their first column and row; and where the next part begins."""

    cols: Counts
    rows: Counts
    blocks: Counts
    after: Base


def place(exchange: Exchange, part: Part, ids: Slices, base: Base) -> Placed:
    """The positions of one part. `ids` are the ranges of the columns, or of the rows where blocks
    are sorted by rows."""
    names, places = distinct(np.concatenate((part.col_names, part.row_names)))
    of_cols, of_rows = places[: part.cols.size], places[part.cols.size :]
    members = [np.bincount(of, minlength=names.size) for of in (of_cols, of_rows)]
    smallest = np.full(names.size, ids.count, dtype=np.int64)
    keys, of_keys = (part.rows, of_rows) if part.by_rows else (part.cols, of_cols)
    np.minimum.at(smallest, of_keys, keys)

    got = exchange.route_to(part.owners(names), names, *members, smallest)
    order, starts, sizes = _groups(got.items[:, 0])
    sorted_members = got.items[order, 1:3]
    totals = np.add.reduceat(sorted_members, starts) if starts.size else sorted_members
    before = np.cumsum(sorted_members, axis=0) - sorted_members
    before -= np.repeat(before[starts], sizes, axis=0)
    least = np.minimum.reduceat(got.items[order, 3], starts) if starts.size else starts
    heights = part.heights(got.items[order, 0][starts])

    blocks = _numbered(exchange, ids, least, heights, totals, base)
    answers = np.empty((order.size, 2), dtype=np.int64)
    answers[order] = np.repeat(blocks[:, 1:], sizes, axis=0) + before
    first_col, first_row = exchange.reply(got, *answers.T)
    sums = exchange.sums(totals.shape[0], *totals.sum(axis=0).tolist())
    return Placed(
        first_col[of_cols] + _running(of_cols),
        first_row[of_rows] + _running(of_rows),
        blocks,
        Base(*(a + b for a, b in zip(base, sums, strict=True))),
    )


def _numbered(
    exchange: Exchange, ids: Slices, least: Counts, heights: Indices, sizes: Counts, base: Base
) -> Counts:
    """For each block of this rank, by its smallest column (or row), its height and its numbers of
    columns and rows: its number, and where its columns and rows begin."""
    got = exchange.route(ids, least, heights, *sizes.T)
    order = _by_height(got.items[:, 0] - ids.first, got.items[:, 1], ids.size)
    levels = got.items[order, 1]
    extent = np.empty((order.size, 3), dtype=np.int64)  # blocks, columns, rows
    extent[:, 0], extent[:, 1:] = 1, got.items[order, 2:]
    starts = np.flatnonzero(np.append(True, levels[1:] != levels[:-1])[: levels.size])
    counts = np.diff(np.append(starts, levels.size))
    sums = np.add.reduceat(extent, starts) if starts.size else extent
    first = _first_of_levels(exchange, levels[starts], sums) + np.array(base)
    before = np.cumsum(extent, axis=0) - extent
    before += np.repeat(first - before[starts], counts, axis=0)
    answers = np.empty_like(before)
    answers[order] = before
    return np.stack(exchange.reply(got, *answers.T), axis=1)


def _by_height(least: Counts, heights: Counts, count: int) -> Counts:
    """An order of the blocks by decreasing height and, at each height, by their smallest members
    `least`, which are distinct and below `count`. O(count) if heights differ by less than 2^16."""
    place = np.full(count, -1, dtype=np.int64)
    place[least] = np.arange(least.size)
    place = place[place >= 0]
    depth = int(heights.max(initial=0)) - heights[place]
    small = depth.astype(np.uint16) if depth.max(initial=0) < 1 << 16 else depth
    found: Counts = place[np.argsort(small, kind="stable")]
    return found


def _first_of_levels(exchange: Exchange, levels: Counts, sums: Counts) -> Counts:
    """For each height on this rank, what is before its first block: the blocks, columns and rows of
    larger heights, and those of this height on lower ranks."""
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
    exchange: Exchange, count: int, positions: Counts, numbers: Indices, width: type
) -> Indices:
    """The part of a gather permutation that belongs to this rank: an even share."""
    slices = even_slices(count, exchange.size, exchange.rank)
    got = exchange.route(slices, positions, numbers, kind=width)
    found: Indices = np.empty(slices.size, dtype=width)
    found[got.items[:, 0] - slices.first] = got.items[:, 1]
    return found


def boundaries(
    exchange: Exchange, blocks: Counts, shape: tuple[int, int], width: type
) -> tuple[Indices, Indices]:
    """The parts of `row_blocks` and `col_blocks` that belong to this rank in even slices."""
    count = exchange.sums(blocks.shape[0])[0]
    slices = even_slices(count + 1, exchange.size, exchange.rank)
    got = exchange.route(slices, *blocks.T)
    rows: Indices = np.empty(slices.size, dtype=width)
    cols: Indices = np.empty(slices.size, dtype=width)
    at = got.items[:, 0] - slices.first
    cols[at], rows[at] = got.items[:, 1], got.items[:, 2]
    if slices.first <= count < slices.last:
        rows[-1], cols[-1] = shape
    return rows, cols


def _groups(keys: Counts) -> tuple[Counts, Counts, Counts]:
    """A stable order that sorts the keys, where each group of equal keys begins in it, and the size
    of each group."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: keys.size])
    return order, starts, np.diff(np.append(starts, keys.size))


def _running(groups: Counts) -> Counts:
    """For each item, the number of items before it in the same group.

    >>> _running(np.array([1, 0, 1, 1])).tolist()
    [0, 0, 1, 2]
    """
    order, starts, sizes = _groups(groups)
    running = np.arange(groups.size)
    running -= np.repeat(starts, sizes)
    found = np.empty(groups.size, dtype=np.int64)
    found[order] = running
    return found
