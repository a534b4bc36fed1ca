# SPDX-License-Identifier: BSD-3-Clause
"""ms-bfs: maximum transversal over ranks, by multi-source search with grafting

Idea        All unmatched columns grow alternating trees at the same time. A rank grows the trees
            through the rows and columns that it owns, breadth first, as far as it can, and sends
            each row of another rank that it reaches once to its owner, which lets one tree have it.
            A tree that reaches an unmatched row stops. When no tree grows any more, all paths are
            augmented at once; a step takes each path as far as it stays on one rank. Then the
            rows of finished trees are unvisited again, and the trees that are left grow on. If
            many steps in succession have few lines, one rank finishes a matrix that is not large.
Paper       Azad, Buluç, Pothen, IEEE Trans. Parallel Distrib. Syst. 28 (2017): phases, grafting,
            and the rule that chooses it. Ours: the distribution, the growth without levels, and
            the messages. There is no search from the unvisited rows: it would need the rows of the
            matrix as well, and here a rank sends a row at most once in a phase in any case.
Cost        O(nnz) entries a phase over all ranks; as many steps as the longest path of a tree
            changes its owner; a step is one exchange of numbers and one of lines.
Prefer it   for matrices of more ranks than one.
Options     alpha (5): bound of grafting, as in the paper
Invariants  between phases the matching is legal, and only columns of trees that have found no path
            are in trees; all rows next to such a column are in such trees, or about to be grafted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.transversal.augmenting.one_rank_mpi import finish_on_one_rank

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["ms_bfs", "owned_trees"]

THIN, THIN_STEPS = 256, 40
"""A step of fewer lines takes longer to exchange than to search; that many in succession show that
paths are long."""

GATHERED = 1 << 22
"""Entries of a matrix that one rank may hold for the end of a search."""


def ms_bfs(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Improves the matching in place until it is maximum or the budget ends the search."""
    search = _Search(problem, budget, float(options["alpha"]))
    search.trees.restart()
    while not budget.stopped:
        search.phases += 1
        found = search.grow()
        if budget.stopped:
            break
        if search.is_thin():
            search.augment()
            search.gathered = finish_on_one_rank(problem)
            break
        if not found:
            problem.proven = True
            problem.row_in_cover[:] = search.trees.rows_in_trees()
            problem.col_in_cover[:] = search.trees.cols_in_trees() == 0
            break
        search.augment()
        search.graft()
    return search.counters()


def owned_trees(problem: DistributedProblem) -> Any:
    """The trees of this rank (``owned_trees.hpp``)."""
    core = _core.transversal
    is_short = problem.col_match.dtype == np.int32
    return (core.OwnedTrees32 if is_short else core.OwnedTrees64)(*problem.bipartite())


class _Search:
    """The steps of one search, each of which is collective."""

    def __init__(self, problem: DistributedProblem, budget: SharedBudget, alpha: float) -> None:
        self.problem, self.budget, self.alpha = problem, budget, alpha
        self.exchange = problem.exchange
        self.trees = owned_trees(problem)
        self.none: npt.NDArray[Any] = np.empty(0, dtype=problem.width)
        self.phases = self.levels = self.grafts = self.paths = 0
        self.thin_steps = self.gathered = 0

    def counters(self) -> dict[str, int | list[int]]:
        return {
            "edges": self.budget.edges,
            "phases": self.phases,
            "levels": self.levels,
            "grafts": self.grafts,
            "augmentations": self.paths,
            "gathered_edges": self.gathered,
        }

    def is_thin(self) -> bool:
        """True after many steps with few lines, if the matrix fits on one rank."""
        return self.thin_steps > THIN_STEPS and self.problem.pattern.nnz <= GATHERED

    def grow(self) -> int:
        """Grows all trees until none can grow; the number of trees that found a path."""
        lines, found = self.none, 0
        while True:
            lines, sent, ended, edges = self.trees.grow(lines, True)
            lines, (total, ended, edges) = self._moved(lines, sent, ended, edges)
            self.levels += 1
            found += ended
            self.thin_steps = self.thin_steps + 1 if total < THIN else 0
            if self.budget.spent(edges) or not total or self.is_thin():
                return found

    def augment(self) -> None:
        """Augments along the paths of all finished trees, from their ends to their roots."""
        lines, is_start = self.none, True
        while True:
            lines, sent, paths = self.trees.augment(lines, is_start)
            lines, (total, paths) = self._moved(lines, sent, paths)
            self.paths += paths
            if not total:
                return
            is_start = False

    def _moved(self, lines: Any, sent: Any, *values: int) -> tuple[Any, list[int]]:
        """The lines that arrive, flat, and the sums over all ranks."""
        lines, sums = self.exchange.step(lines.reshape(-1, 3), sent, *values)
        return lines.reshape(-1), sums

    def graft(self) -> None:
        """Releases the finished trees; the others grow on, or all trees start again from the
        unmatched columns where that visits less."""
        n_released, n_left = self.exchange.sums(*self.trees.release())
        if n_left * self.alpha <= n_released:
            self.trees.restart()
            return
        self.grafts += 1
        self.trees.set_ghosts_seen(self.problem.halo.update(self.trees.rows_in_trees()))
        self.trees.regrow()
