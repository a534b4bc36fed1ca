# SPDX-License-Identifier: BSD-3-Clause
"""A maximum matching of large entries over ranks, and its duals, by the blocks of a decomposition.

Entries outside the blocks belong to no maximum matching (see ``assign.hpp``). One auction treats
all square blocks together, a second one all blocks with more rows than columns, and a third one, in
the transposed matrix, all blocks with more columns than rows. Then the duals of each block are
shifted so that they are feasible for entries between two blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.halo import Halo
from btfperm.backends.mpi.slices import even_slices
from btfperm.pattern.distributed_values import row_values
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES
from btfperm.weighted.approximate import heavy_perfect_mpi
from btfperm.weighted.approximate.heavy_perfect_mpi import Part

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.protocol import ValuedSession
    from btfperm.pattern.distributed import DistributedPattern
    from btfperm.results.distributed import DistributedDecomposition

__all__ = ["Blocks", "DistributedWeights", "blocks_of", "heavy_perfect"]

GATHERED, ROUNDS = 1 << 22, 40
"""If shifts still rise after `ROUNDS` rounds, the first rank computes all shifts alone, provided
that the number of blocks plus the number of entries between blocks is at most `GATHERED`."""

Integers = npt.NDArray[Any]
Reals = npt.NDArray[np.float64]


class Blocks(NamedTuple):
    """The fine blocks of the rows and columns of this rank.

    Attributes
    ----------
    rows, cols : the number of the block of each row and each column
    square : number of the first square block, and of the first block with more rows than columns
    n_blocks : number of blocks of the whole matrix
    """

    rows: Integers
    cols: Integers
    square: tuple[int, int]
    n_blocks: int


class DistributedWeights:
    """The object that a weighted search works on: the rows and columns of this rank. Collective.

    Attributes
    ----------
    pattern : the matrix; its `values` are the contributions of the entries to the objective
    blocks : the fine blocks of the rows and columns of this rank
    rank : the structural rank
    row_match, col_match, row_dual, col_dual : set by the search, incomplete if a limit ends it
    """

    is_distributed = True
    device = None

    def __init__(self, session: ValuedSession, threads: int) -> None:
        distributed: Any = session.pattern
        self.pattern: DistributedPattern = distributed._with(values=session.values)
        self.exchange: Exchange = self.pattern.exchange
        self.blocks = blocks_of(self.pattern, session.form)
        self.rank: int = session.form.structural_rank
        n_rows, n_cols = self.pattern.row_slices.size, self.pattern.col_slices.size
        self.row_match, self.col_match = (
            np.full(count, -1, dtype=self.pattern.width) for count in (n_rows, n_cols)
        )
        self.row_dual, self.col_dual = np.zeros(n_rows), np.zeros(n_cols)


def blocks_of(pattern: DistributedPattern, d: DistributedDecomposition) -> Blocks:
    """The blocks of the rows and columns of this rank. Collective."""
    exchange = pattern.exchange
    m, n = pattern.shape
    of_sides, firsts = [], []
    for perm, bounds, count, slices, begin in (
        (d.row_perm, d.row_blocks, m, pattern.row_slices, int(d.coarse_rows[2])),
        (d.col_perm, d.col_blocks, n, pattern.col_slices, int(d.coarse_cols[2])),
    ):
        positions = even_slices(count, exchange.size, exchange.rank)
        block = _block_of_positions(exchange, bounds, d.n_blocks, positions)
        got = exchange.route(slices, perm, block, kind=np.int64).items
        own = np.empty(slices.size, dtype=pattern.width)
        own[got[:, 0] - slices.first] = got[:, 1]
        of_sides.append(own)
        places = np.arange(positions.first, positions.last)
        before = block[places < begin].max(initial=-1)
        behind = block[places >= begin].min(initial=d.n_blocks)
        firsts.append((int(before) + 1, -int(behind)))
    (_, vertical), (horizontal, _) = firsts
    horizontal, vertical = exchange.largest(horizontal, vertical)
    return Blocks(of_sides[0], of_sides[1], (horizontal, -vertical), d.n_blocks)


def _block_of_positions(
    exchange: Any, bounds: Integers, n_blocks: int, positions: Any
) -> npt.NDArray[np.int64]:
    """The block of each position of this rank. `bounds` are block boundaries, of which each rank
    has an even share."""
    numbers = even_slices(n_blocks + 1, exchange.size, exchange.rank).numbers(np.int64)
    begins = bounds.astype(np.int64)
    has_place = (numbers < n_blocks) & (begins < positions.count)
    got = exchange.route(positions, begins[has_place], numbers[has_place], kind=np.int64).items
    block = np.full(positions.size, -1, dtype=np.int64)
    np.maximum.at(block, got[:, 0] - positions.first, got[:, 1])
    carry = exchange.from_all(int(block.max(initial=-1)))[: exchange.rank, 0].max(initial=-1)
    return np.asarray(np.maximum(np.maximum.accumulate(block), carry))


def transposed(pattern: DistributedPattern) -> DistributedPattern:
    """The transposed matrix with its values. Collective."""
    assert pattern.values is not None
    lists, values = row_values(pattern, pattern.values)
    return pattern._with(
        shape=pattern.shape[::-1],
        indptr=lists.indptr,
        values=values,
        row_slices=pattern.col_slices,
        col_slices=pattern.row_slices,
        _copies={"indices": lists.items},
    )


def heavy_perfect(
    problem: DistributedWeights, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int]:
    """Sets the matching and its duals by the auctions of ``heavy_perfect_mpi.py`` in all blocks,
    and then shifts the duals of the blocks. Returns the counters. Collective."""
    pattern, blocks, exchange = problem.pattern, problem.blocks, problem.exchange
    width = pattern.width
    counters = dict.fromkeys(OF_WEIGHTED_SEARCHES, 0)
    whole = problem.row_match, problem.col_match, problem.row_dual, problem.col_dual
    square, vertical = blocks.square
    kinds = (
        (square, vertical, False, True),
        (vertical, blocks.n_blocks, False, False),
        (0, square, True, False),
    )
    for first, last, is_turned, is_square in kinds:
        in_rows = (blocks.rows >= first) & (blocks.rows < last)
        in_cols = (blocks.cols >= first) & (blocks.cols < last)
        n_both = exchange.sums(*(int(np.count_nonzero(chosen)) for chosen in (in_rows, in_cols)))
        if not min(n_both) or budget.stopped:
            continue
        sides = [(blocks.rows, in_rows), (blocks.cols, in_cols)]
        (row_block, _), (col_block, takes_part) = sides[::-1] if is_turned else sides
        part = Part(
            transposed(pattern) if is_turned else pattern,
            row_block,
            np.where(takes_part, col_block, width(-1)),
            is_square,
            np.full(row_block.size, -1, dtype=width),
            np.full(col_block.size, -1, dtype=width),
            np.zeros(row_block.size),
            np.zeros(col_block.size),
        )
        counted = heavy_perfect_mpi.heavy_perfect(part, budget)
        for name in counted:
            counters[name] += counted[name]
        results = part.row_match, part.col_match, part.row_dual, part.col_dual
        if is_turned:
            results = part.col_match, part.row_match, part.col_dual, part.row_dual
        taken = in_rows, in_cols, in_rows, in_cols
        for array, own, here in zip(whole, results, taken, strict=True):
            array[here] = own[here]
    if not budget.stopped:
        before = budget.edges
        _shift(problem, budget)
        counters["edges"] += budget.edges - before
    return counters


def _shift(problem: DistributedWeights, budget: SharedBudget) -> None:
    """Shifts the duals of the blocks so that they are feasible for entries between two blocks,
    unless the budget ends the rounds."""
    pattern, blocks, exchange = problem.pattern, problem.blocks, problem.exchange
    halo, short = pattern.halo(), pattern.width is np.int32
    assert pattern.values is not None
    entries = (_core.weighted.OwnedValues32 if short else _core.weighted.OwnedValues64)(
        pattern.row_slices.size,
        pattern.indptr,
        halo.items,
        pattern.values,
        halo.extended(blocks.rows),
        blocks.cols,
    )
    start, end, excess = entries.cross_edges(halo.extended(problem.row_dual), problem.col_dual)
    if not exchange.sums(start.size)[0]:
        return
    order = np.argsort(end, kind="stable")
    start, end, excess = start[order], end[order], excess[order]
    shift = _Shifts(exchange, blocks, start, end, excess, budget)
    problem.row_dual[:] += shift.of_rows
    problem.col_dual[:] -= shift.of_cols


class _Shifts:
    """The least shifts of the duals of blocks that make the duals feasible between blocks.

    An edge is an entry between two blocks: it starts at the block of the row and ends at the block
    of the column. The shift of its end must be at least the shift of its start plus its excess (see
    ``CrossEdges`` in ``owned_values.hpp``). Shifts are at least 0. Each rank owns an even share of
    the blocks, and has copies (ghosts) of the other blocks that its rows, columns and edges need.

    Attributes
    ----------
    of_rows, of_cols : the shift of the block of each row and column
    """

    def __init__(
        self,
        exchange: Any,
        blocks: Blocks,
        start: Integers,
        end: Integers,
        excess: Reals,
        budget: SharedBudget,
    ) -> None:
        owned = even_slices(blocks.n_blocks, exchange.size, exchange.rank)
        items = np.concatenate((blocks.rows, blocks.cols, start, end))
        halo = Halo(exchange, owned, items)
        sizes = np.cumsum((blocks.rows.size, blocks.cols.size, start.size))
        rows, cols, begins, ends = np.split(halo.items, sizes)
        begins, ends = np.ascontiguousarray(begins), np.ascontiguousarray(ends)
        shift = np.zeros(halo.size)
        edges = exchange.sums(start.size)[0]
        for round_ in range(1 << 62):
            rose = _core.weighted.relax(begins, ends, excess, shift)
            at, there = halo.returned(shift[halo.own :])
            before = shift[: halo.own].copy()
            np.maximum.at(shift[: halo.own], at, there)
            rose += int((shift[: halo.own] > before).sum())
            shift[halo.own :] = halo.update(shift[: halo.own])
            if not exchange.sums(rose)[0] or budget.spent(edges):
                break
            if round_ == ROUNDS and edges + owned.count <= GATHERED:
                self._on_first_rank(exchange, halo, start, end, excess, shift)
                break
        self.of_rows, self.of_cols = shift[rows], shift[cols]

    def _on_first_rank(
        self, exchange: Any, halo: Halo, start: Integers, end: Integers, excess: Reals, shift: Reals
    ) -> None:
        """The first rank passes over all edges in the order of their ends, which is topological."""
        edges = [exchange.gather_to(0, array) for array in (start, end, excess)]
        whole = exchange.gather_to(0, shift[: halo.own])
        found = np.empty(0)
        if whole is not None:
            order = np.argsort(edges[1], kind="stable")
            _core.weighted.relax(*(np.ascontiguousarray(array[order]) for array in edges), whole)
            found = whole
        numbers = np.arange(found.size)
        got = exchange.route(halo.slices, numbers, found.view(np.int64), kind=np.int64).items
        own = np.ascontiguousarray(got[:, 1]).view(np.float64)
        shift[got[:, 0] - halo.slices.first] = own
        shift[halo.own :] = halo.update(shift[: halo.own])
