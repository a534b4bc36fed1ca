# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``coarse.cu``: finds the coarse part of each column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid, lanes_for
from btfperm.backends.gpu.by_levels import NONE, LevelSearch, Limits
from btfperm.backends.gpu.layout import layout
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.errors import DefectError

__all__ = ["Parts", "split"]

# Maximum number of threads that visit a list together. More are not worthwhile, because a large
# mean length is due to few long lists.
_MOST_LANES = 8
# If rows and columns have at least this mean number of entries, bits mark the reached vertices.
_MIN_MARKED_LENGTH = 16
# A round runs from the other side (see coarse.cu) if its lists have at least 1 / _LARGE_ROUND of
# all entries, if there are row lists, and if columns have at least _MIN_MEAN_LENGTH entries on
# average. If a round has few items, its entries are not counted, and it runs from its own side.
_LARGE_ROUND, _MIN_MEAN_LENGTH = 8, 6
_FILE = "dulmage_mendelsohn/coarse.cu"
_COUNTS = 2  # reach_parts counts the columns of the horizontal and of the vertical part


@dataclass(frozen=True)
class Parts:
    """The coarse parts of a problem.

    Attributes
    ----------
    of_col : (n,) 0 square, 1 horizontal, 2 vertical; None if all columns are in the square part. A
        matched row is in the part of its column, an unmatched row in the vertical part
    horizontal, square, vertical : (number of rows, number of columns) of each part
    unmatched_rows, unmatched_cols : how many rows and columns are unmatched
    """

    of_col: Any
    horizontal: tuple[int, int]
    square: tuple[int, int]
    vertical: tuple[int, int]
    unmatched_rows: int
    unmatched_cols: int

    def boundaries(self) -> tuple[list[int], list[int]]:
        """`coarse_rows` and `coarse_cols`, see `btfperm.results.decomposition`."""
        rows = (
            self.horizontal[0],
            self.square[0],
            self.vertical[0] - self.unmatched_rows,
            self.unmatched_rows,
        )
        cols = (
            self.unmatched_cols,
            self.horizontal[1] - self.unmatched_cols,
            self.square[1],
            self.vertical[1],
        )
        return [sum(rows[:k]) for k in range(5)], [sum(cols[:k]) for k in range(5)]


def split(problem: DeviceProblem, matched: int) -> Parts:
    """The coarse parts of a problem with a maximum matching of `matched` entries.

    Raises
    ------
    DefectError : the matching is not maximum
    """
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    rows, cols = m - matched, n - matched
    if rows == cols == 0:
        return Parts(None, (0, 0), (m, n), (0, 0), 0, 0)
    run = problem.kernels(_FILE)
    of_col = cupy.empty(n, dtype=np.int32)
    both_sides = rows > 0 or "by_rows" in vars(problem)
    may_reverse = both_sides and problem.nnz >= _MIN_MEAN_LENGTH * n
    limits = Limits(max_round_entries=max(problem.nnz // _LARGE_ROUND, 1) if may_reverse else NONE)
    own = _COUNTS + layout(_FILE, "Asked").size
    new_search = partial(LevelSearch, m + n, width, limits, own=own)
    search = new_search()
    match = problem.row_match, problem.col_match
    by_rows = problem.by_rows if both_sides else (np.uint64(0), np.uint64(0))
    marks_reached = problem.nnz >= _MIN_MARKED_LENGTH * max(m, n)
    reached = cupy.empty((m + n) // 32 + 1, dtype=np.uint32) if marks_reached else np.uint64(0)
    lists = problem.indptr, by_rows[0]
    queued = reached, search.items, search.end
    run.launch("queue_unmatched", grid(m + n), BLOCK, m, n, *lists, *match, of_col, *queued)
    lanes = min(lanes_for(problem.nnz, n), _MOST_LANES)
    graph = problem.indptr, problem.indices, *by_rows, *match, of_col, reached
    while True:
        search.launch(run, "reach_parts", lanes, m, *graph, n, search.own)
        following = new_search() if may_reverse else search  # allocated while the kernel runs
        state = search.state()
        if state.found or not state.gave_up:
            break
        before, search = search.items[slice(*state.left)], following
        asked = before, int(before.size), search.own[_COUNTS:]
        queue = search.items, search.end, search.found
        run.launch_together("ask_back", BLOCK, m, n, *graph, *asked, *queue)
    if state.found:
        raise DefectError(
            "the decomposition went wrong: the matching is not maximum; this is a defect of "
            "btfperm, please report it with the matrix"
        )
    horizontal, vertical, *_ = state.own
    square = n - horizontal - vertical
    return Parts(
        of_col,
        (horizontal - cols, horizontal),
        (square, square),
        (vertical + rows, vertical),
        rows,
        cols,
    )
