# SPDX-License-Identifier: BSD-3-Clause
"""The part of the drivers that the three algorithms g-pr share: global relabelling, and when it is
due."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.layout import constant
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["PushRelabel", "first_levels"]

# The numbers of loops, and of levels of a relabelling, between two polls of the host. A poll costs
# as much as several launches, and a launch that finds nothing to do changes nothing.
_LOOPS_PER_POLL = 8
_LEVELS_PER_POLL = 4
_FILE = "transversal/push_relabel/relabel.cuh"
# Maximum number of levels that are counted for the feature `depth`, because each takes a launch.
_DEEPEST = 1000


def first_levels(problem: DeviceProblem) -> int:
    """The number of levels of the first global relabelling from the current matching, at most
    `_DEEPEST`. It is about half of the largest distance of a column to an unmatched row. Each level
    inspects all rows."""
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.device import on

    if not problem.nnz:
        return 0
    with on(problem.device):
        run = PushRelabel(problem, Budget(), {"relabel": "fixed:1"}, "g_pr_shr.cu")
        run.relabel_if_due(_DEEPEST)
        return min(run.levels_by_relabel[0], _DEEPEST)


class PushRelabel:
    """A run of one of the three algorithms g-pr: graph, labels, counters.

    Attributes
    ----------
    launch : runs a kernel
    graph : the arguments of the push kernels for the graph, the matching, the labels and counters
    mu_row, mu_col, state : the matching and the counters of `graph`
    size : number of matched columns before the run
    loop : number of the current execution of the push kernel, from 1 on
    levels_by_relabel : levels of each global relabelling
    """

    def __init__(
        self, problem: DeviceProblem, budget: Budget, options: Mapping[str, float | str], file: str
    ) -> None:
        import cupy

        self._problem, self._budget = problem, budget
        self._run = problem.kernels(f"transversal/push_relabel/{file}").launch
        m, n, width = problem.m, problem.n, problem.width
        self.mu_row, self.mu_col = problem.row_match, problem.col_match
        self._psi = cupy.empty(m, dtype=width), cupy.empty(n, dtype=width)
        self._unreachable = min(m + n, int(np.iinfo(width).max))
        self._state = SharedStruct(_FILE, "State")
        self.state = self._state.array
        self.graph = (
            problem.indptr,
            problem.indices,
            self.mu_row,
            self.mu_col,
            self._unreachable,
            *self._psi,
            self.state,
        )
        strategy, _, k = str(options["relabel"]).partition(":")
        self._adaptive, self._k = strategy == "adaptive", Fraction(k)
        self.loop = 1
        self._iter_gr = 1
        self._kernels, self._level_launches = 0, 0
        self.levels_by_relabel: list[int] = []
        self.size = problem.size

    def launch(self, name: str, blocks: int, *arguments: Any) -> None:
        self._kernels += 1
        self._run(name, blocks, BLOCK, *arguments)

    def relabel_if_due(self, most_levels: float = math.inf) -> bool:
        """If a global relabelling is due, runs it (G-GR), for at most `most_levels` levels, and
        determines when the next one is due (GetIterGR). Returns whether it has run, and no limit of
        the budget has ended it."""
        if self.loop != self._iter_gr:
            return False
        problem = self._problem
        m, n = problem.m, problem.n
        row_ptr, row_cols = problem.by_rows
        self.launch("init_relabel", grid(m + n), m, n, self.mu_row, self._unreachable, *self._psi)
        first, c_level, added = self._level_launches, 0, True
        blocks = grid(-(-m // constant(_FILE, "batch")), COUNTING)
        while added and not self._budget.stop and self._level_launches - first < most_levels:
            for _ in range(_LEVELS_PER_POLL):
                self._level_launches += 1
                self.launch(
                    "g_gr_krnl",
                    blocks,
                    np.uint64(self._level_launches),
                    c_level,
                    m,
                    row_ptr,
                    row_cols,
                    self.mu_row,
                    self.mu_col,
                    self._unreachable,
                    *self._psi,
                    self.state,
                )
                c_level += 2
            counters = self.poll()
            self._budget.spent(counters["edges"])
            added = counters["u_added"] == self._level_launches
        # The last launch that found rows of its level is the one after the last launch that reached
        # a row.
        levels = max(counters["u_added"] - first, 0) + 1
        self.levels_by_relabel.append(min(levels, self._level_launches - first))
        self._iter_gr = self.loop + self._loops_to_next(2 * levels)
        return not self._budget.stop

    def _loops_to_next(self, c_level: int) -> int:
        """GetIterGR: the number of loops until the next relabelling. It is k c_level (adaptive) or
        k (fixed), rounded up, but at most m + n, because only a relabelling detects that a column
        has no augmenting path."""
        every = self._k * c_level if self._adaptive else self._k
        return max(1, min(math.ceil(every), self._problem.m + self._problem.n))

    def continues(self) -> bool:
        """Counts the loop that has ended. Returns whether another one is needed, because a column
        was active and no limit is reached. It polls this only every `_LOOPS_PER_POLL` loops and
        before a relabelling; otherwise it returns True."""
        self.loop += 1
        if self.loop % _LOOPS_PER_POLL and self.loop != self._iter_gr:
            return True
        counters = self.poll()
        return counters["act_exists"] == self.loop - 1 and not self._budget.spent(counters["edges"])

    def poll(self) -> dict[str, int]:
        """Waits for all launches so far and returns the counters."""
        return self._state.fields()

    def finish(self) -> dict[str, int | list[int]]:
        """Runs FixMatching and returns the counters: visited entries, loops, relabellings, levels
        (iterations of the loop of G-GR, in total and by relabelling), pushes, augmentations, kernel
        launches."""
        problem = self._problem
        self.launch("fix_matching", grid(problem.n), problem.n, self.mu_row, self.mu_col)
        counters = self.poll()
        return {
            "edges": counters["edges"],
            "loops": counters["act_exists"],
            "relabels": len(self.levels_by_relabel),
            "levels": sum(self.levels_by_relabel),
            "pushes": counters["pushes"],
            "augmentations": problem.size - self.size,
            "kernels": self._kernels,
            "levels_by_relabel": self.levels_by_relabel,
        }
