# SPDX-License-Identifier: BSD-3-Clause
"""heavy-perfect: over ranks, a maximum matching that is nearly the best, by an auction

Idea        Columns bid for rows, as in ``auction.hpp``. The rank that owns a row holds its dual.
            The other ranks use the last dual that they know, which may only be too high
            (``owned_auction.hpp``). In each step, the columns of a rank bid until all have a row or
            a bound on the number of bids is reached. Then the bids for rows of other ranks are sent
            to their owners. There are three phases; after each but the last, epsilon is divided by
            5. A phase ends when all columns have a row, after more than 40 successive steps in
            which fewer than 256 columns had no row, or at a limit on the visited entries. After the
            last phase, the search of ``ms_bfs_mpi.py`` matches the remaining columns along entries
            whose slack is at most 2 epsilon. As long as columns remain, the search is repeated,
            each time with 8 times the bound on the slack. At the end, the duals of the rows of
            square blocks rise as far as they can. The sum of the slacks of the matched entries
            bounds the distance from the optimum. The slack of an entry is minus the sum of its
            value and of its two duals. In a block with more rows than columns, the duals of
            unmatched rows must remain the largest ones. So there is only one phase, with the last
            epsilon, from duals of 0. Blocks with more columns than rows are solved in the
            transposed matrix.
Paper       D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
            assignment problem", Annals of Operations Research 14, 1988. Ours: the epsilons, the
            bids that count as accepted until they are refused, the augmenting paths at the end
Cost        some tens of passes over the entries of random matrices; in square blocks, the bids end
            after about 50 passes over the entries of the matrix. In each step, the ranks exchange
            bids and messages to losers. The matching depends on the number of ranks
Prefer it   for matrices with values over more than one rank
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core, registry
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget
    from btfperm.pattern.distributed import DistributedPattern

__all__ = ["Part", "heavy_perfect"]

PHASES = 3
_FIRST_SHARE = 4.0  # the first epsilon is the mean difference of two choices, divided by this
_SHRINK = 5.0
_ROUNDING = 1e-12  # differences below this share of the largest value count as 0
_MOST_PASSES = 50
_LEAST = float(np.finfo(np.float64).smallest_subnormal)  # a bound of 0 would never grow

THIN, THIN_STEPS = 256, 40
"""A phase ends after more than `THIN_STEPS` successive steps in which fewer than `THIN` columns had
no row."""

PARTS, LEAST_STEP = 4, 1 << 14
"""In one step, a rank makes at most as many bids as the larger of `LEAST_STEP` and the number of
its columns divided by `PARTS`."""

_WIDER = 8.0  # quotient of two successive bounds on the slack of entries on augmenting paths

Reals = npt.NDArray[np.float64]


class Part(NamedTuple):
    """Blocks of one kind, with at least as many rows as columns, and the result of their auction.

    Attributes
    ----------
    pattern : the matrix; its `values` are the contributions of the entries to the objective
    row_block, col_block : the block of each row and column of this rank; -1 for columns that take
        no part
    is_square : whether all blocks are square
    row_match, col_match : the mates, as numbers of the whole matrix; -1 at first
    row_dual, col_dual : the duals; those of rows and columns outside the blocks have no meaning
    """

    pattern: DistributedPattern
    row_block: npt.NDArray[Any]
    col_block: npt.NDArray[Any]
    is_square: bool
    row_match: npt.NDArray[Any]
    col_match: npt.NDArray[Any]
    row_dual: Reals
    col_dual: Reals


def heavy_perfect(part: Part, budget: SharedBudget) -> dict[str, int]:
    """Matches the columns of the blocks and sets the duals, unless the budget ends the search.
    Collective."""
    auction = _Auction(part, budget)
    if part.is_square:
        auction.set_first_duals()
    epsilon = auction.first_epsilon()
    for phase in range(PHASES):
        is_last = phase + 1 == PHASES
        if epsilon and (part.is_square or is_last) and not budget.stopped:
            auction.run_phase(epsilon)
        if not is_last:
            epsilon /= _SHRINK
    auction.match_the_last(epsilon)
    if not budget.stopped:
        auction.set_last_duals()
    return auction.counters()


class _Auction:
    """The steps of one auction, each of which is collective."""

    def __init__(self, part: Part, budget: SharedBudget) -> None:
        pattern = part.pattern
        self.part, self.budget = part, budget
        self.exchange, self.halo = pattern.exchange, pattern.halo()
        self.rows, self.cols = pattern.row_slices, pattern.col_slices
        self.numbers = self.halo.numbers()
        assert pattern.values is not None
        short = pattern.width is np.int32
        self.entries: Any = (
            _core.weighted.OwnedValues32 if short else _core.weighted.OwnedValues64
        )(
            self.rows.size,
            pattern.indptr,
            self.halo.items,
            pattern.values,
            self.halo.extended(part.row_block),
            part.col_block,
        )
        self.dual = np.zeros(self.halo.size)  # of the rows of this rank, then of its ghosts
        self.match_at = np.full(self.cols.size, -1, dtype=np.int64)
        self.bidding: Any = (
            _core.weighted.OwnedAuction32 if short else _core.weighted.OwnedAuction64
        )(
            self.entries,
            self.halo.ghosts.part(0, self.halo.ghosts.size),
            self.rows.bounds,
            self.cols.bounds,
            self.exchange.rank,
            self.dual,
            part.row_match,
            self.match_at,
        )
        values = pattern.values
        largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        self.largest = self.exchange.largest_real(largest)
        self.rounds = self.searches = 0
        self.edges_before = budget.edges

    def counters(self) -> dict[str, int]:
        bids = self.exchange.sums(self.bidding.bids)[0]
        counted = self.edges, self.searches, bids, self.rounds
        return dict(zip(OF_WEIGHTED_SEARCHES, counted, strict=True))

    @property
    def edges(self) -> int:
        """Entries that all ranks have visited."""
        return self.budget.edges - self.edges_before

    def refresh(self) -> None:
        """Copies the duals of the rows to their ghosts on other ranks."""
        own = self.rows.size
        self.dual[own:] = self.halo.update(self.dual[:own])

    def raise_rows(self, col_dual: Reals) -> None:
        """Raises the dual of each row until an entry of the row in its block has slack 0."""
        own = self.rows.size
        slack = self.entries.row_slack(self.dual, col_dual)
        at, there = self.halo.returned(slack[own:])
        least = slack[:own]
        np.minimum.at(least, at, there)
        self.dual[:own] += np.where(np.isfinite(least), np.maximum(least, 0.0), 0.0)
        self.refresh()

    def set_first_duals(self) -> None:
        """Sets the dual of each row to the least difference between the largest entry of a column
        and the entry of this column in the row, inside the block."""
        self.raise_rows(self.entries.col_duals(self.dual))

    def first_epsilon(self) -> float:
        """The mean of the positive differences between the best and the second choice of a column,
        divided by `_FIRST_SHARE`; 0 if no column has such a difference."""
        found, count = self.entries.differences(self.dual, _ROUNDING * self.largest)
        total, columns = self.exchange.reals_from_all(found, count).sum(axis=0)
        return float(total / columns / _FIRST_SHARE) if columns else 0.0

    def run_phase(self, epsilon: float) -> None:
        """All columns bid until each has a row, until fewer than `THIN` columns had no row in more
        than `THIN_STEPS` successive steps, or until a limit is reached."""
        self.refresh()
        self.bidding.begin(epsilon)
        lines = np.empty(0, dtype=np.int64)
        most, thin, is_ending = max(LEAST_STEP, self.cols.size // PARTS), 0, False
        last = self.edges + _MOST_PASSES * self.part.pattern.nnz // PHASES
        while True:
            lines, sent, edges, left = self.bidding.bid(lines, epsilon, 0 if is_ending else most)
            lines, (total, edges, left) = self.exchange.step(
                lines.reshape(-1, 3), sent, edges, left
            )
            lines = lines.reshape(-1)
            self.rounds += 1
            is_stopped = self.budget.spent(edges)
            if not total and (is_ending or not left):
                return
            thin = thin + 1 if total + left < THIN else 0
            is_over = is_stopped or self.edges >= last
            is_ending = is_ending or is_over or thin > THIN_STEPS

    def match_the_last(self, epsilon: float) -> None:
        """Matches the columns that the auction left unmatched, along paths of entries with small
        slack."""
        part, pattern = self.part, self.part.pattern
        self.set_matches()
        self.refresh()
        part.col_dual[:] = self.entries.col_duals(self.dual)
        most = max(2 * epsilon, _ROUNDING * self.largest, _LEAST)
        takes_part = part.col_block >= 0
        search = registry.find("ms-bfs", initializer=False, backend="mpi").load()
        mates = part.col_match
        everywhere = self.entries.near(self.numbers, mates, self.dual, part.col_dual, np.inf)
        inside, kept = self.exchange.sums(int(np.count_nonzero(everywhere)))[0], -1
        while not self.budget.stopped and kept < inside:
            if not self.exchange.sums(int(np.count_nonzero(takes_part & (mates < 0))))[0]:
                return
            near = self.entries.near(self.numbers, mates, self.dual, part.col_dual, most)
            most *= _WIDER
            if self.exchange.sums(int(np.count_nonzero(near)))[0] == kept:
                continue  # the larger bound adds no entry
            some = pattern.selected(near)
            kept = some.nnz
            self.searches += 1
            problem = DistributedProblem(some)
            problem.row_match[:], problem.col_match[:] = part.row_match, part.col_match
            search(problem, self.budget, 0, {"alpha": 5, "direction": 1})
            part.row_match[:], part.col_match[:] = problem.row_match, problem.col_match

    def set_matches(self) -> None:
        """Sets the mates of the columns, and sends them to the ranks of their rows."""
        part = self.part
        own = np.flatnonzero(self.match_at >= 0)
        rows = self.numbers[self.halo.items[self.match_at[own]]]
        part.col_match.fill(-1)
        part.col_match[own] = rows
        part.row_match.fill(-1)
        first = part.pattern.width(self.cols.first)
        got = self.exchange.route(self.rows, rows, own + first, kind=part.pattern.width).items
        part.row_match[got[:, 0] - self.rows.first] = got[:, 1]

    def set_last_duals(self) -> None:
        """Sets the duals of the result."""
        part = self.part
        if part.is_square:
            self.raise_rows(part.col_dual)
        part.row_dual[:] = self.dual[: self.rows.size]
