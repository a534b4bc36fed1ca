# SPDX-License-Identifier: BSD-3-Clause
"""The certificate over ranks: each rank checks its own pairs and its own entries.

The check shares no code with the searches. It verifies that each matched pair is an entry, that row
and column agree on it, and that a cover with as many members (rows and columns) as there are pairs
touches every entry. It sends, in pieces, the rows of the columns outside the cover to their owners.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.mpi.problem import DistributedProblem, pieces_of
from btfperm.backends.protocol import Proof
from btfperm.errors import DefectError

__all__ = ["is_legal", "prove", "rank_at_most"]

_WRONG = "the matching of the mpi backend failed its certificate ({0}); this is a defect of btfperm"


def prove(
    problem: DistributedProblem,
    view: DistributedProblem,
    stopped_by: str | None,
    threads: int,
    size: int | None,
) -> Proof:
    """Checks the matching of a problem; the cover is that of the last search, or a new one.

    Raises
    ------
    DefectError : a pair is no entry, a row or column is in two pairs, or the cover does not hold
    """
    if not is_legal(problem):
        raise DefectError(_WRONG.format("a pair is no entry, or a row or column is in two pairs"))
    matched = problem.size
    if stopped_by is not None:
        return None, None, matched
    if not view.proven:
        mark_cover(view)
    check(problem, matched)
    return problem.row_in_cover, problem.col_in_cover, matched


def check(problem: DistributedProblem, matched: int) -> None:
    """Raises DefectError unless the cover has `matched` members and touches every entry."""
    exchange, lists = problem.exchange, problem.lists
    members = int(np.count_nonzero(problem.row_in_cover) + np.count_nonzero(problem.col_in_cover))
    in_cover = exchange.sums(members)[0]
    if in_cover != matched:
        raise DefectError(
            _WRONG.format(f"its cover has {in_cover} rows and columns for {matched} pairs")
        )
    untouched = 0
    for part in pieces_of(exchange, lists, np.flatnonzero(problem.col_in_cover == 0)):
        rows = np.unique(lists.of(part)[0])
        got = exchange.route(problem.rows, rows, kind=problem.width).items[:, 0]
        untouched += int(np.count_nonzero(problem.row_in_cover[got - problem.rows.first] == 0))
    if exchange.sums(untouched)[0]:
        raise DefectError(_WRONG.format("an entry has neither its row nor its column in the cover"))


def is_legal(problem: DistributedProblem) -> bool:
    """Whether the pairs are entries, and rows and columns agree on them. Collective."""
    lists, exchange = problem.lists, problem.exchange
    matched = np.flatnonzero(problem.col_match >= 0)
    entries = 0
    for part in np.array_split(matched, 1 + matched.size // (1 << 16)):
        rows, lengths = lists.of(part)
        entries += int(np.count_nonzero(rows == np.repeat(problem.col_match[part], lengths)))
    rows = problem.col_match[matched]
    numbers = matched + problem.cols.first
    got = exchange.route(problem.rows, rows, numbers, kind=problem.width).items
    agreed = problem.row_match[got[:, 0] - problem.rows.first] == got[:, 1]
    of_rows = int(np.count_nonzero(problem.row_match >= 0))
    wrong = matched.size - entries + int(np.count_nonzero(~agreed))
    bad, n_rows, n_cols = exchange.sums(wrong, of_rows, matched.size)
    return bad == 0 and n_rows == n_cols


def mark_cover(view: DistributedProblem) -> None:
    """Marks a cover by alternating search from the unmatched columns: the rows it reaches, and the
    columns it does not reach. If it reaches an unmatched row, `check` finds the cover too large."""
    lists, exchange = view.lists, view.exchange
    reached = view.col_match < 0
    view.row_in_cover.fill(0)
    frontier = np.flatnonzero(reached)
    while exchange.sums(frontier.size)[0]:
        grown: list[Any] = []
        for part in pieces_of(exchange, lists, frontier):
            rows = np.unique(lists.of(part)[0])
            got = exchange.route(view.rows, rows, kind=view.width).items[:, 0]
            at = np.unique(got) - view.rows.first
            at = at[view.row_in_cover[at] == 0]
            view.row_in_cover[at] = 1
            mates = view.row_match[at]
            mates = mates[mates >= 0]
            cols = exchange.route(view.cols, mates, kind=view.width).items[:, 0] - view.cols.first
            reached[cols] = True
            grown.append(cols)
        frontier = np.concatenate(grown)
    view.col_in_cover[:] = ~reached


def rank_at_most(pattern: Any) -> int:
    """An upper bound of the structural rank: the number of rows, or of columns, that have an entry,
    whichever is smaller. Collective."""
    rows = int(np.count_nonzero(pattern.row_lists.lengths()))
    cols = int(np.count_nonzero(pattern.columns.lengths()))
    bounds: list[int] = pattern.exchange.sums(rows, cols)
    return min(bounds)
