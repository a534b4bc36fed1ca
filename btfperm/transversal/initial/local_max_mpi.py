# SPDX-License-Identifier: BSD-3-Clause
"""local-max: over ranks, entries that are heavier than all others in their row and column

Idea        Each entry has a random weight, which the owner of its row and the owner of its column
            both compute. In each round, the candidate of an unmatched row (or column) is its
            heaviest entry whose column (or row) is not known to be matched. The owners of rows and
            columns send the candidates to each other. An entry that is the candidate of both its
            row and its column is matched. If the column (or row) of a candidate turns out to be
            matched already, the next entry of the row (or column) becomes the candidate.
Paper       Birn, Osipov, Sanders, Schulz, Sitchinava, Euro-Par 2013, section 3: processes exchange
            candidates once in each round. In the paper, each process removes all entries of
            matched vertices; here, an entry is removed only when it is a candidate, so that a
            message holds one item for each unmatched row or column.
Cost        O(k log k) to sort the k entries of the columns of a rank, and likewise those of its
            rows. A round has four exchanges and a sum over the ranks, and sends one item for each
            unmatched row and column.
Prefer it   for comparison with greedy, or where many columns have the same first row
Options     rounds (64): maximum number of rounds; the search matches the remaining columns
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.pattern.owned_lists import OwnedLists

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["local_max", "weights"]

# The answer to a candidate: it is not the candidate of the other side; it is, and is matched; the
# other side is matched already.
_WAIT, _MATCHED, _GONE = 0, 1, 2

Indices = npt.NDArray[Any]


def local_max(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Matches locally heaviest entries until no candidate is left, for at most `rounds` rounds."""
    exchange, width = problem.exchange, problem.width
    cols = _Side(problem.lists, problem.cols, problem.col_match, seed, by_rows=False)
    rows = _Side(problem.row_lists, problem.rows, problem.row_match, seed, by_rows=True)
    rounds = 0
    while rounds < int(options["rounds"]):
        own_cols, own_rows = cols.waiting(), rows.waiting()
        left = exchange.sums(own_cols.size, own_rows.size)
        if not min(left) or budget.spent(sum(left)):
            break
        rounds += 1
        for side, own, other in ((cols, own_cols, rows), (rows, own_rows, cols)):
            own = own[side.match[own] < 0]
            wanted, numbers = side.candidates(own), own + width(side.slices.first)
            got = exchange.route(other.slices, wanted, numbers, kind=width)
            answer = other.answer(got.items[:, 0] - other.slices.first, got.items[:, 1])
            answer = exchange.reply(got, answer)[0]
            matched = answer == _MATCHED
            side.match[own[matched]] = wanted[matched]
            side.cursor[own[answer == _GONE]] += 1
    return {"edges": budget.edges, "rounds": rounds}


class _Side:
    """The rows, or the columns, of this rank. The entries of each list are sorted by decreasing
    weight."""

    def __init__(
        self, lists: OwnedLists, slices: Any, match: Indices, seed: int, *, by_rows: bool
    ) -> None:
        self.slices, self.match = slices, match
        own = lists.list_of_each(np.int64)
        numbers = own + slices.first
        rows, cols = (numbers, lists.items) if by_rows else (lists.items, numbers)
        order = np.lexsort((~weights(rows, cols, seed), own))
        self.items = lists.items[order]
        self.cursor, self.end = lists.indptr[:-1].copy(), lists.indptr[1:]

    def waiting(self) -> Indices:
        """The unmatched rows (or columns) that still have a candidate."""
        return np.flatnonzero((self.match < 0) & (self.cursor < self.end))

    def candidates(self, own: Indices) -> Indices:
        return self.items[self.cursor[own]]

    def answer(self, own: Indices, suitors: Indices) -> npt.NDArray[np.int64]:
        """Answers the candidates of the other side: the candidate of ``suitors[k]`` is its entry
        with ``own[k]``. If this entry is also the candidate of ``own[k]``, it is matched; at most
        one entry of a row (or column) is."""
        free = self.match[own] < 0
        waits = free & (self.cursor[own] < self.end[own])
        mutual = np.zeros(own.size, dtype=bool)
        mutual[waits] = self.candidates(own[waits]) == suitors[waits]
        self.match[own[mutual]] = suitors[mutual]
        return np.where(mutual, _MATCHED, np.where(free, _WAIT, _GONE))


def weights(rows: Indices, cols: Indices, seed: int) -> npt.NDArray[np.uint64]:
    """The weight of each entry: a hash of its row and column, so that both owners compute the same
    number."""
    x = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x ^= cols.astype(np.uint64) + np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))
