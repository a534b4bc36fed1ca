# SPDX-License-Identifier: BSD-3-Clause
"""greedy: over ranks, unmatched columns propose to their rows one after another

Idea        Each column takes the row on the diagonal if that is an entry. Then, in rounds, every
            unmatched column proposes to the next row of its list, and every unmatched row accepts
            the column with the smallest number. All proposals of a round are one message per pair
            of ranks. Without the first step, all columns of a mesh in its natural order would take
            the row above the diagonal, which leaves augmenting paths as long as the matrix.
Paper       Duff, ACM TOMS 7 (1981), for one thread: each column takes its first unmatched row. The
            rounds are ours.
Cost        O(nnz) proposals in all; two exchanges per round, at most `rounds` rounds.
Prefer it   as the usual start over ranks
Options     rounds (16): bound on the rounds; the search matches the columns that are left
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.mpi.problem import DistributedProblem

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["accept_first", "greedy"]

_PIECE = 1 << 20  # entries compared at a time


def greedy(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Matches columns to rows until no column has a row to propose to, or for the given rounds."""
    lists, exchange = problem.lists, problem.exchange
    _take_diagonal(problem)
    cursor = lists.indptr[:-1].copy()
    waiting = np.flatnonzero((problem.col_match < 0) & (lists.lengths() > 0))
    rounds = 0
    while rounds < int(options["rounds"]):
        left = exchange.sums(waiting.size)[0]
        if not left or budget.spent(left):
            break
        rounds += 1
        rows = lists.items[cursor[waiting]]
        accepted = accept_first(problem, rows, waiting)
        problem.col_match[waiting[accepted]] = rows[accepted]
        waiting = waiting[~accepted]
        cursor[waiting] += 1
        waiting = waiting[cursor[waiting] < lists.indptr[waiting + 1]]
    return {"edges": budget.edges, "rounds": rounds}


def _take_diagonal(problem: DistributedProblem) -> None:
    """Matches each unmatched column to the row of its number if that is an unmatched row and an
    entry."""
    lists, first = problem.lists, problem.width(problem.cols.first)
    on_diagonal = []
    for part in np.array_split(
        np.flatnonzero(problem.col_match < 0), 1 + lists.items.size // _PIECE
    ):
        rows, lengths = lists.of(part)
        cols = np.repeat(part, lengths)
        on_diagonal.append(cols[rows == cols + first])
    cols = np.concatenate(on_diagonal)
    rows = (cols + first).astype(problem.width)
    accepted = accept_first(problem, rows, cols)
    problem.col_match[cols[accepted]] = rows[accepted]


def accept_first(problem: DistributedProblem, rows: Any, cols: Any) -> Any:
    """Column ``cols[k]`` of this rank proposes to row ``rows[k]``; each unmatched row accepts the
    smallest of its columns. Returns which proposals were accepted."""
    exchange, first = problem.exchange, problem.width(problem.rows.first)
    numbers = cols + problem.width(problem.cols.first)
    got = exchange.route(problem.rows, rows, numbers, kind=problem.width)
    at, suitors = got.items[:, 0] - first, got.items[:, 1]
    order = np.lexsort((suitors, at))
    _, places = np.unique(at[order], return_index=True)
    best = order[places]
    best = best[problem.row_match[at[best]] < 0]
    problem.row_match[at[best]] = suitors[best]
    answer = np.zeros(at.size, dtype=bool)
    answer[best] = True
    return exchange.reply(got, answer)[0] != 0
