# SPDX-License-Identifier: BSD-3-Clause
"""Driver of heavy-perfect on a GPU. The auction is described in ``heavy_perfect.cu``; the CPU
matches the last columns (``heavy_perfect.hpp``)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.gpu.arrays import BLOCK, download, grid, lanes_for, minus_ones, upload
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.device import refuse_beyond_free
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES

if TYPE_CHECKING:
    from btfperm.weighted.problem import WeightedProblem

__all__ = ["heavy_perfect"]

_FILE = "weighted/approximate/heavy_perfect.cu"

# The CPU searches diagonal blocks with fewer entries, because it is faster there.
_LEAST_ENTRIES = 1 << 17
_PHASES = 3
# Epsilon is the smallest change of a price. The first epsilon is the mean difference between the
# best and the second choice of a column, divided by this number.
_FIRST_SHARE = 4.0
_SHRINK = 5.0  # epsilon is divided by it after each phase
_ROUNDING = 1e-12
# Largest share of columns with several best choices. Beyond it, augmenting paths are faster.
_MOST_EQUAL = 0.75
_MOST_PASSES = 50  # over the entries of a block
_MOST_ROUNDS = 100  # a phase has at most _MOST_ROUNDS sqrt(n) rounds
# If at most this number of columns are unmatched, one thread block continues alone.
_ONE_BLOCK = 256
# Limits of one launch, after which the host checks the limits of the call.
_LAUNCH_ROUNDS = 1 << 12
_LAUNCH_EDGES = 1 << 30
_THREADS, _THREADS_ALONE = 512, 1024  # of a thread block: of many, or of the only one
_BLOCKS = 2  # thread blocks on each multiprocessor; with more, each barrier takes longer
_FAR = float(np.finfo(np.float64).max)  # `far` of the kernels
# A bid is a word of 64 bits, of which 32 hold the column.
_MOST_COLUMNS = 2**32 - 2

Reals = npt.NDArray[np.float64]


def heavy_perfect(
    problem: WeightedProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int]:
    """Sets the matching and the duals of the problem, whose arrays are on the host, unless the
    budget ends the search. Returns the counters.

    Raises
    ------
    BackendUnavailableError : the GPU fails, or its free memory is too small
    """
    m, indptr, indices, value, row_perm, col_perm, row_blocks, col_blocks, *_ = problem.arguments
    start_match = np.full(problem.col_match.size, -1, indices.dtype)
    start_price = np.full(m, np.nan)
    counters = dict.fromkeys(OF_WEIGHTED_SEARCHES, 0)
    blocks = _large_blocks(indptr, col_perm, row_blocks, col_blocks)
    if blocks:
        auction = _Auction(m, indptr, indices, value)
        for k, block_entries in blocks:
            rows = row_perm[row_blocks[k] : row_blocks[k + 1]]
            cols = col_perm[col_blocks[k] : col_blocks[k + 1]]
            auction.run(rows, cols, block_entries, budget, start_match, start_price)
            if budget.stop:
                break
        counters["edges"], counters["bids"], counters["rounds"] = auction.counted()
    if not budget.stop:
        seconds, work = budget.limits_left(counters["edges"])
        limits = {"time_limit": seconds, "max_work": work, "threads": problem.threads}
        budget.stop, counted = _core.weighted.complete_auction(
            *problem.arguments, start_match, start_price, **limits
        )
        for name, more in zip(OF_WEIGHTED_SEARCHES, counted, strict=True):
            counters[name] += more
    return counters


def _large_blocks(
    indptr: npt.NDArray[Any],
    col_perm: npt.NDArray[Any],
    row_blocks: npt.NDArray[Any],
    col_blocks: npt.NDArray[Any],
) -> list[tuple[int, int]]:
    """(block, number of its entries) for each square block that has more than one column and at
    least _LEAST_ENTRIES entries. The list is empty if the matrix has too many columns for the word
    of a bid."""
    heights, widths = np.diff(row_blocks), np.diff(col_blocks)
    totals = np.concatenate([[0], np.cumsum(np.diff(indptr)[col_perm], dtype=np.int64)])
    entries = np.diff(totals[col_blocks])
    large = (heights == widths) & (widths > 1) & (col_perm.size <= _MOST_COLUMNS)
    chosen = np.flatnonzero(large & (entries >= _LEAST_ENTRIES))
    return list(zip(chosen.tolist(), entries[chosen].tolist(), strict=True))


def max_unmatched(n: int) -> int:
    """The number of columns, of n, that a phase may leave unmatched. The CPU matches the columns
    that the last phase leaves unmatched.

    On random matrices, about n / k rounds leave k columns unmatched. So k is a compromise between
    the time of the rounds and that of the augmenting paths on the CPU.
    """
    return math.isqrt(n) // 20


class _Auction:
    """The matrix on the current device, and the arrays of the auctions in its blocks."""

    def __init__(
        self, m: int, indptr: npt.NDArray[Any], indices: npt.NDArray[Any], value: Reals
    ) -> None:
        import cupy

        n, nnz, width = indptr.size - 1, indices.size, indices.dtype
        refuse_beyond_free(
            nnz * (8 + width.itemsize) + 24 * (m + n) + 8 * (m + n) * width.itemsize,
            f"an auction in a matrix of {m:,} x {n:,} with {nnz:,} entries",
        )
        self._m, self._n = m, n
        self._run = kernels(_FILE, width.name)
        self._matrix = upload(indptr), upload(indices), upload(value)
        self._lanes = np.int32(lanes_for(nnz, n))
        self._price = cupy.empty(m)
        self._bids = cupy.empty(m, dtype=np.uint64)
        self._bids.fill(2**64 - 1)
        self._owner, self._at = minus_ones(m, width), minus_ones(n, width)
        self._lists = [cupy.empty(n, dtype=width) for _ in range(2)]
        self._bid_entry, self._bid_price = cupy.empty(n, dtype=width), cupy.empty(n)
        self._state = SharedStruct(_FILE, "State")

    def run(
        self,
        rows: npt.NDArray[Any],
        cols: npt.NDArray[Any],
        entries: int,
        budget: Budget,
        match: npt.NDArray[Any],
        price: Reals,
    ) -> None:
        """Runs the auction in one diagonal block. Stores in `match` the row of each matched column,
        and in `price` the prices of the rows. Stores nothing if the budget ends the auction. There
        is no auction if more than the share `_MOST_EQUAL` of the columns has several best choices,
        because each of their bids would lower a price by epsilon only."""
        n = cols.size
        lanes, columns, there = self._lanes, upload(cols), upload(rows)
        self._price.fill(-_FAR)
        self._price[there] = _FAR
        first = grid(n * int(lanes)), BLOCK, n, lanes, columns, *self._matrix
        self._run.launch("price_rows", *first, self._price)
        epsilon = self._first_epsilon(first, n)
        if epsilon == 0:
            return
        edges = self._state.fields()["edges"]
        most = edges + _MOST_PASSES * entries
        for _ in range(_PHASES):
            if self._state.fields()["edges"] >= most:
                break  # `release` would take rows from columns that could not bid again
            for field in ("queued", "turn"):
                self._state.field(field).fill(0)
            self._run.launch(
                "release", *first[:4], np.float64(epsilon), *first[4:], self._price, self._owner,
                self._at, self._lists[0], self._state.array,
            )  # fmt: skip
            self._bid(n, epsilon, most, budget)
            if budget.stop:
                return
            epsilon /= _SHRINK
        at = np.empty(self._n, match.dtype)
        download(self._at, at)
        found = np.empty(self._m)
        download(self._price, found)
        price[rows] = found[rows]
        matched = cols[at[cols] >= 0]
        match[matched] = self._matrix[1][upload(at[matched])].get()

    def _first_epsilon(self, first: tuple[Any, ...], n: int) -> float:
        """The mean difference between the best and the second choice of a column, divided by
        _FIRST_SHARE; 0 if the difference is 0 for more than the share _MOST_EQUAL of the
        columns."""
        gaps = self._bid_price[:n]
        self._run.launch("find_gaps", *first, self._price, np.float64(_ROUNDING), gaps)
        here = np.empty(n)
        download(gaps, here)
        if np.count_nonzero(here == 0) > _MOST_EQUAL * n:
            return 0.0
        return float(here.mean()) / _FIRST_SHARE

    def _bid(self, n: int, epsilon: float, most: int, budget: Budget) -> None:
        """Runs rounds of bids until at most `max_unmatched` columns are unmatched, or a limit is
        reached. The number of rounds is limited, too: a round in which few columns bid visits few
        entries, but takes the time of its barriers."""
        n_left, last_round = max_unmatched(n), None
        while True:
            fields = self._state.fields()
            size, edges = fields[f"queued[{fields['turn']}]"], fields["edges"]
            last_round = last_round or fields["rounds"] + _MOST_ROUNDS * math.isqrt(n)
            rounds = min(last_round - fields["rounds"], _LAUNCH_ROUNDS)
            if size <= n_left or edges >= most or rounds <= 0 or budget.spent(edges):
                return
            until = edges + budget.work_left(edges, min(_LAUNCH_EDGES, most - edges))
            shared = size > _ONE_BLOCK
            left = max(n_left, _ONE_BLOCK) if shared else n_left
            arguments = (
                self._lanes, np.float64(epsilon), np.uint64(left), np.uint64(rounds),
                np.uint64(until), *self._matrix, self._price,
                self._bids, self._owner, self._at, *self._lists, self._bid_entry, self._bid_price,
                self._state.array,
            )  # fmt: skip
            if shared:
                self._run.launch_together("bid_in_rounds", _THREADS, *arguments, most=_BLOCKS)
            else:
                self._run.launch("bid_in_one_block", 1, _THREADS_ALONE, *arguments)

    def counted(self) -> tuple[int, int, int]:
        """Entries visited, bids, rounds."""
        fields = self._state.fields()
        return fields["edges"], fields["bids"], fields["rounds"]
