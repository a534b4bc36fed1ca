# SPDX-License-Identifier: BSD-3-Clause
"""The certificate over ranks: each rank checks its own matched columns and its own entries.

`is_legal` verifies that the matching consists of entries, and that `row_match` and `col_match`
agree. `check` verifies that the cover touches every entry, and that it has as many rows and columns
as the matching has entries. For this, each rank receives the marks of its ghosts (``halo.py``),
which are the rows of other ranks in its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.backends.protocol import Proof, Session
from btfperm.backends.threads import in_threads, usable_cores
from btfperm.errors import DefectError
from btfperm.transversal.owned_trees import HostTrees

__all__ = ["is_legal", "prove", "rank_at_most"]

_PIECE = 1 << 20  # rows or columns that a thread counts at once
_WORTH_A_THREAD = 1 << 25  # for fewer rows and columns, a thread starts later than it is needed
_ALL = 1 << 62  # limits on levels and columns that no search reaches

_WRONG = "the matching of the mpi backend failed its certificate ({0}); this is a defect of btfperm"


def prove(
    problem: DistributedProblem,
    view: DistributedProblem,
    stopped_by: str | None,
    threads: int,
    size: int | None,
) -> Proof:
    """Checks the matching of a problem and its cover. If the search has not marked the cover,
    `mark_cover` does so. If a limit stopped the search, only the matching is checked, and no cover
    is returned.

    Raises
    ------
    DefectError : the matching contains a pair that is no entry, or matches a row or column twice;
        or the cover does not touch each entry, or has not the size of the matching
    """
    problem.forget_by_row()
    if view.is_checked:
        return _received(problem, stopped_by)
    if not is_legal(problem):
        raise DefectError(_WRONG.format("a pair is no entry, or a row or column is in two pairs"))
    matched = problem.size
    if stopped_by is not None:
        return None, None, matched
    if not view.proven:
        mark_cover(view)
    check(problem, matched)
    return problem.row_in_cover, problem.col_in_cover, matched


def _received(problem: DistributedProblem, stopped_by: str | None) -> Proof:
    """The proof of a matching that the first rank has checked for the whole matrix and then sent to
    the ranks. Checks what the ranks have received: they must have as many matched rows as matched
    columns, and as many rows and columns of the cover in total. Collective."""
    covers = problem.row_in_cover, problem.col_in_cover
    arrays = problem.row_match, problem.col_match, *covers
    rows, cols, *marked = problem.exchange.sums(*_counts(problem, arrays))
    in_cover = sum(marked)
    if rows != cols or (stopped_by is None and in_cover != rows):
        found = f"{rows} rows, {cols} columns and {in_cover} members of the cover reached the ranks"
        raise DefectError(_WRONG.format(found))
    return (None, None, rows) if stopped_by is not None else (*covers, rows)


def _counts(problem: DistributedProblem, arrays: Sequence[npt.NDArray[Any]]) -> list[int]:
    """For each array, the number of mates that are not -1, or of bytes that are not 0. The ranks of
    a machine share its cores."""
    parts = [
        (which, array[begin : begin + _PIECE])
        for which, array in enumerate(arrays)
        for begin in range(0, array.size, _PIECE)
    ]
    cores = usable_cores() // problem.exchange.ranks_here
    threads = min(cores, sum(array.size for array in arrays) // _WORTH_A_THREAD)
    counts = [0] * len(arrays)
    for (which, _), count in zip(parts, in_threads(_count, parts, threads), strict=True):
        counts[which] += count
    return counts


def _count(part: tuple[int, npt.NDArray[Any]]) -> int:
    array = part[1]
    if array.dtype == np.uint8:
        return int(np.count_nonzero(array.view(np.bool_)))
    return int(_core.transversal.count_matched(array))


def check(problem: DistributedProblem, matched: int) -> None:
    """Raises DefectError unless the cover has `matched` members and touches every entry."""
    exchange, halo = problem.exchange, problem.halo
    members = int(np.count_nonzero(problem.row_in_cover) + np.count_nonzero(problem.col_in_cover))
    in_cover = exchange.sums(members)[0]
    if in_cover != matched:
        raise DefectError(
            _WRONG.format(f"its cover has {in_cover} rows and columns for {matched} pairs")
        )
    rows = halo.extended(problem.row_in_cover)
    untouched = _core.transversal.uncovered(problem.indptr, halo.items, problem.col_in_cover, rows)
    if exchange.sums(untouched)[0]:
        raise DefectError(_WRONG.format("an entry has neither its row nor its column in the cover"))


def is_legal(problem: DistributedProblem) -> bool:
    """Whether the matching consists of entries, and `row_match` and `col_match` agree.
    Collective."""
    exchange = problem.exchange
    matched = np.flatnonzero(problem.col_match >= 0)
    entries = _core.transversal.matched_entries(*problem.bipartite())
    rows = problem.col_match[matched]
    numbers = matched + problem.cols.first
    got = exchange.route(problem.rows, rows, numbers, kind=problem.width).items
    agreed = problem.row_match[got[:, 0] - problem.rows.first] == got[:, 1]
    of_rows = int(np.count_nonzero(problem.row_match >= 0))
    wrong = matched.size - entries + int(np.count_nonzero(~agreed))
    bad, n_rows, n_cols = exchange.sums(wrong, of_rows, matched.size)
    return bad == 0 and n_rows == n_cols


def mark_cover(view: DistributedProblem) -> None:
    """Marks a cover by an alternating search from the unmatched columns: the rows that the search
    reaches, and the columns that it does not reach. If it reaches an unmatched row, the matching is
    not maximum, and `check` finds that the cover is too large."""
    trees = HostTrees(view)
    trees.restart()
    lines = np.empty(0, dtype=view.width)
    while True:
        lines, sent, *_ = trees.grow(lines, _ALL, _ALL)
        lines, (total,) = view.exchange.step(lines.reshape(-1, 3), sent)
        lines = lines.reshape(-1)
        if not total:
            break
    view.row_in_cover[:] = trees.rows_in_trees()
    view.col_in_cover[:] = trees.cols_in_trees() == 0


def rank_at_most(session: Session) -> int:
    """An upper bound of the structural rank: the number of rows, or of columns, that have an entry,
    whichever is smaller. Collective."""
    pattern: Any = session.pattern
    rows = int(np.count_nonzero(pattern.row_lists.lengths()))
    cols = int(np.count_nonzero(np.diff(pattern.indptr)))
    bounds: list[int] = pattern.exchange.sums(rows, cols)
    return min(bounds)
