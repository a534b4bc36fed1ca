# SPDX-License-Identifier: BSD-3-Clause
"""ms-bfs: maximum transversal over ranks, by multi-source search with grafting

Idea        An alternating tree grows from each unmatched column, all at the same time. In each
            step, a rank extends the trees, breadth first, through the rows and columns that it
            owns. The first steps of a phase add one level to each tree, the later ones 2, 4, 8, ...
            levels inside a rank. For a row of another rank that a tree reaches, the rank sends a
            line (see ``owned_trees.hpp``) to the owner of the row, at most once in a phase; the
            owner adds the row to one tree. A tree that reaches an unmatched row stops. When no tree
            grows any more, the matching is augmented along all paths at once; in each step, a rank
            follows the paths until they leave it. Then the rows of trees that found a path become
            unvisited, and either the other trees continue to grow, or all trees start again
            (`graft`). A step is thin if it sends between 1 and 255 lines over all ranks. After more
            than 40 successive thin steps (steps without lines are not counted), the first rank
            finishes the search alone, unless the matrix has more than 2^22 entries, or more than
            2^22 rows and columns together.
Paper       Azad, Buluç, Pothen, IEEE Trans. Parallel Distrib. Syst. 28 (2017): phases, grafting,
            and the rule that chooses it. Ours: the distribution, the depth of the steps, and the
            messages.
Direction   By default, a rank extends all levels from the columns of its trees (top-down), and
            releases its entries by rows (``owned_rows.hpp``), which the initializer ``karp-sipser``
            makes without a message. With ``direction=1``, it keeps them after ``karp-sipser``, and
            extends the first level of a step from its unvisited rows and ghosts (bottom-up) if it
            expects to visit fewer entries that way. In a bottom-up step, the rank searches the list
            of each of these rows for a column in a tree. If the trees of the last phase continue to
            grow, their columns have only the released rows as unvisited neighbours; then a
            bottom-up step visits a few rows instead of all columns of the trees. To see the effect,
            compare the counter ``edges`` with that for ``direction=0``: on some matrices the rule
            visits half of the entries, but the search took as long on all that were measured, and
            the lists need five bytes for each entry.
Cost        visits O(nnz) entries per phase over all ranks. The number of steps grows with the
            largest number of times that a path from a root changes its owner. A step exchanges
            numbers and lines.
GPU         With ``device=``, the trees of a rank grow on its GPU (``owned_trees.cu``), which
            expands a column in parallel with others of its level, and takes all unvisited rows of
            its list. The form of the lines and the rules of the steps are the same as on the CPU,
            but all levels are extended top-down.
Prefer it   for matrices over more than one rank.
Options     alpha (5): threshold for grafting, as in the paper; direction (0): 0 always top-down, 1
            as above, 2 bottom-up in each step
Invariants  between phases the matching is legal, and only trees that have found no path contain
            columns. The rows in the lists of these columns are in such trees or unvisited; the
            unvisited ones are grafted in the next phase.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.transversal.augmenting.one_rank_mpi import finish_on_one_rank
from btfperm.transversal.owned_trees import TOP_DOWN

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["ms_bfs"]

THIN, THIN_STEPS = 256, 40
"""A step that sends fewer than `THIN` lines is thin: its exchange takes longer than its search.
More than `THIN_STEPS` successive thin steps are a sign of long paths. Steps without lines do not
count."""

LEVELS = 5
"""The number of steps at the start of a phase in which a rank grows its trees by one level. In the
following steps, it grows them by 2, 4, 8, ... levels, so that long paths inside a rank need few
steps."""

PARTS, LEAST_STEP = 16, 1 << 15
"""In one step, a rank expands at most a sixteenth of its columns, or `LEAST_STEP` if that is more,
or adds four times as many rows to its trees bottom-up. So the lists of lines stay short, and each
rank soon receives the notice that a tree has found a path, and stops growing it."""

GATHERED = 1 << 22
"""Largest number of entries, and of rows and columns together, of a matrix that one rank gathers to
finish a search."""


def ms_bfs(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Improves the matching in place until it is maximum or the budget ends the search."""
    search = _Search(problem, budget, float(options["alpha"]), int(options["direction"]))
    search.trees.restart()
    while not budget.stopped:
        search.phases += 1
        found = search.grow()
        if budget.stopped:
            break
        if search.is_thin():
            search.augment()
            search.trees.deliver()
            search.gathered = finish_on_one_rank(problem)
            return search.counters()
        if not found:
            problem.proven = True
            problem.row_in_cover[:] = search.trees.rows_in_trees()
            problem.col_in_cover[:] = search.trees.cols_in_trees() == 0
            break
        search.augment()
        search.graft()
    search.trees.deliver()
    return search.counters()


class _Search:
    """The steps of one search, each of which is collective."""

    def __init__(
        self, problem: DistributedProblem, budget: SharedBudget, alpha: float, direction: int
    ) -> None:
        self.problem, self.budget, self.alpha = problem, budget, alpha
        self.exchange = problem.exchange
        if direction == TOP_DOWN:
            problem.forget_by_row()
            _core.backends.return_free_memory(True)
        self.trees = problem.own_step("trees of a rank")(problem, direction)
        self.none: npt.NDArray[Any] = np.empty(0, dtype=problem.width)
        self.phases = self.levels = self.grafts = self.paths = 0
        self.thin_steps = self.gathered = 0

    def counters(self) -> dict[str, int | list[int]]:
        """The counters of the search over all ranks. Collective."""
        steps, edges = self.exchange.sums(*self.trees.bottom_up())
        return {
            "edges": self.budget.edges,
            "phases": self.phases,
            "levels": self.levels,
            "bottom_up_steps": steps,
            "bottom_up_edges": edges,
            "grafts": self.grafts,
            "augmentations": self.paths,
            "gathered_edges": self.gathered,
        }

    def is_thin(self) -> bool:
        """Whether one rank should finish the search, see `THIN` and `GATHERED`."""
        if self.thin_steps <= THIN_STEPS:
            return False
        pattern = self.problem.pattern
        return max(pattern.nnz, sum(pattern.shape)) <= GATHERED

    def grow(self) -> int:
        """Grows all trees until none can grow, a limit is reached or `is_thin` holds. Returns the
        number of trees that found a path."""
        lines, found, steps = self.none, 0, 0
        most = max(LEAST_STEP, self.problem.cols.size // PARTS)
        while True:
            steps += 1
            depth = 1 << min(max(steps - LEVELS, 0), 40)
            lines, sent, ended, edges, waiting = self.trees.grow(lines, depth, most)
            lines, (total, ended, edges, waiting) = self._moved(lines, sent, ended, edges, waiting)
            self.levels += 1
            found += ended
            if total:  # a step without lines is work inside the ranks
                self.thin_steps = self.thin_steps + 1 if total < THIN else 0
            if self.budget.spent(edges) or self.is_thin() or not total + waiting:
                return found

    def augment(self) -> None:
        """Augments along the paths of all trees that found one, from their ends to their roots."""
        lines, is_start = self.none, True
        while True:
            lines, sent, paths = self.trees.augment(lines, is_start)
            lines, (total, paths) = self._moved(lines, sent, paths)
            self.paths += paths
            if not total:
                return
            is_start = False

    def _moved(self, lines: Any, sent: Any, *values: int) -> tuple[Any, list[int]]:
        """Exchanges lines. Returns the received lines as a flat array, and a list of sums over all
        ranks: the number of lines, then each of `values`."""
        lines, sums = self.problem.link.step(lines.reshape(-1, 3), sent, *values)
        return lines.reshape(-1), sums

    def graft(self) -> None:
        """Releases the trees that found a path. The other trees continue to grow in the next phase,
        unless the number of their columns times `alpha` is at most the number of released rows:
        then all trees start again from the unmatched columns."""
        n_released, n_left = self.exchange.sums(*self.trees.release())
        if n_left * self.alpha <= n_released:
            self.trees.restart()
            return
        self.grafts += 1
        self.trees.share_visited()
        self.trees.regrow()
