# SPDX-License-Identifier: BSD-3-Clause
"""Driver of meeting-trees: start, memory and limits. The algorithm is described in
``meeting_trees.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.layout import layout
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.transversal.augmenting.far_walks_gpu import walk_far
from btfperm.transversal.augmenting.meeting_starts_gpu import Memory, begin
from btfperm.transversal.augmenting.ordered_trees_gpu import ordered_trees

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["meeting_trees"]

_FILE = "transversal/augmenting/meeting_trees.cu"
# The number of threads of a block (32 * `warps` in meeting_grower.cuh), by the bytes of an index.
_THREADS = {4: 512, 8: 256}
# Fields of Progress.
_ROUND, _PHASE, _PATHS, _EDGES, _CLOSED, _UNMATCHED = (
    f"plan.{name}" for name in ("round", "phase", "paths_before", "edges", "closed", "n_unmatched")
)
# Limits on the entries and rounds of one launch, after which the host can check the limits of the
# search. Between `_LEAST_ROUNDS` and `_LAUNCH_ROUNDS`, the number of rounds is proportional to nnz:
# so if `auto` abandons the search, the time lost stays in proportion to that of a search on the
# CPU.
_LAUNCH_EDGES, _LAUNCH_ROUNDS = 1 << 28, 1 << 9
_LEAST_ROUNDS, _ENTRIES_FOR_A_ROUND = 1 << 5, 1 << 14
# After this number of rounds, the host assumes that unmatched rows are far from unmatched columns,
# and continues with far walks (far_walks.cu).
_PATIENCE = 768
# Far walks start only if at least this number of columns, and of rows, are unmatched; otherwise the
# trees continue.
_MANY = 64
# A round with at most `_THIN` open vertices for each warp is thin: it does not fill the device. If
# the sides that grow have no more open vertices than that, each block takes up to `_STEPS` steps
# between two grid barriers.
_THIN, _STEPS = 16, 16
# A phase ends when it has one path for `_SHARE` vertices that are open or on the border, or in a
# thin round for `_SHARE_THIN` open vertices.
_SHARE, _SHARE_THIN = 300, 1000
# If a round is not thin, a side waits, which means that its trees do not grow in this round, if it
# has more than this number of times the open vertices of the other side.
_SIDE_RATIO = 2
# If the two sides together have more than this number of times the open vertices of the largest
# thin round, `_SIDE_RATIO` is replaced by 1: the side with more open vertices waits.
_OPEN_RATIO = 8
_NULL = np.uint64(0)


def meeting_trees(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Searches until there is no path, or a limit is reached. Computes an initial matching if
    nothing is matched.

    Returns
    -------
    The counters: visited entries, phases, rounds (each ends with a grid barrier), augmentations,
    launches; waves of far walks; matched columns of the initial matching, the entries that it
    visited, and its rounds of peeling.
    """
    if options["pairs"] == "same":  # another name of the algorithm ordered-trees
        return ordered_trees(problem, budget, seed, options)
    import cupy

    zeros = dict.fromkeys(layout(_FILE, "Progress").words, 0)
    if not problem.nnz:
        return _counters(zeros, 0)
    memory = Memory.of(problem)
    start = begin(problem, budget, seed, memory)
    if not start.core:
        problem.reached = cupy.empty(problem.m, dtype=np.int32)
        _mark_cover(problem, memory, problem.reached)
        counters = start.counters()
        return {**_counters(zeros, start.pairs, counters["begun_edges"]), **counters}
    search = _Search(problem, memory)
    counters = start.counters()
    spent, far = counters.get("begun_edges", 0), 0
    numbers = zeros if budget.stop else search.go(budget, spent, _PATIENCE)
    pairs = problem.n - numbers[_UNMATCHED] if search.launches else problem.size
    if not numbers[_CLOSED] and not budget.stop:
        edges, far, done = walk_far(problem, budget, seed, memory, spent + numbers[_EDGES])
        spent += edges
        if not done and not budget.stop:
            search.forget()
            added = search.go(budget, spent + numbers[_EDGES], 0)
            numbers = {name: numbers[name] + added[name] for name in numbers}
    return {**_counters(numbers, pairs, spent, search.launches, far), **counters}


def _counters(
    numbers: dict[str, int], pairs: int, spent: int = 0, launches: int = 0, far: int = 0
) -> dict[str, int | list[int]]:
    return {
        "edges": spent + numbers[_EDGES],
        "phases": numbers[_PHASE],
        "rounds": numbers[_ROUND],
        "augmentations": numbers[_PATHS],
        "launches": launches,
        "far_phases": far,
        "begun_pairs": pairs,
    }


class _Search:
    """The launches of a search. Its arrays are allocated while the kernels of the start still run.

    Attributes
    ----------
    launches : the number of launches so far
    """

    def __init__(self, problem: DeviceProblem, memory: Memory) -> None:
        import cupy

        m, n, width = problem.m, problem.n, problem.width
        self.launches = 0
        self._problem = problem
        self._memory = memory
        self._run = problem.kernels(_FILE)
        self._reached = cupy.empty(m, dtype=np.int32)
        self._progress = SharedStruct(_FILE, "Progress")
        self._threads = _THREADS[width.itemsize]
        thin = _THIN * self._run.threads_at_once("meeting_trees", self._threads) // 32
        self._first = (
            m,
            n,
            problem.indptr,
            problem.indices,
            *problem.by_rows,
            problem.row_match,
            problem.col_match,
            memory.workspace,
            memory.state,
            memory.pieces,
            memory.max_pieces,
            cupy.empty(3 * min(m, n), dtype=width),
        )
        self._last = (
            np.uint64(thin),
            np.uint64(_SHARE),
            np.uint64(_SHARE_THIN),
            np.int32(_STEPS),
            np.uint64(_SIDE_RATIO),
            np.uint64(_OPEN_RATIO * thin),
            memory.core,
            self._progress.array,
        )

    def forget(self) -> None:
        """Deletes all trees, because the caller has changed the matching since they grew."""
        self._memory.state.fill(0)
        self._progress.array.fill(0)

    def go(self, budget: Budget, before: int, patience: int) -> dict[str, int]:
        """Searches until the matching is maximum or a limit is reached, and returns the counters of
        the struct `Progress`. `before` is the number of entries visited so far. If `patience` is
        not 0, the search also ends after `patience` rounds, if at least `_MANY` rows and at least
        `_MANY` columns are unmatched then."""
        problem, numbers = self._problem, self._progress.zeros()
        most = min(max(problem.nnz // _ENTRIES_FOR_A_ROUND, _LEAST_ROUNDS), _LAUNCH_ROUNDS)
        while not numbers[_CLOSED] and not budget.spent(before + numbers[_EDGES]):
            self.launches += 1
            rounds = min(most, patience - numbers[_ROUND] if patience else most)
            edges = budget.work_left(before + numbers[_EDGES], _LAUNCH_EDGES)
            limits = np.uint64(edges), np.uint64(rounds)
            self._run.launch_together(
                "meeting_trees", self._threads, *self._first, *limits, *self._last
            )
            _mark_cover(problem, self._memory, self._reached, self._progress.array)
            numbers = self._progress.fields()
            if numbers[_CLOSED]:
                problem.reached = self._reached
            elif patience and numbers[_ROUND] >= patience:
                if min(problem.m, problem.n) - problem.size >= _MANY:
                    break
                patience = 0
        return numbers


def _mark_cover(
    problem: DeviceProblem, memory: Memory, reached: Any, progress: Any = _NULL
) -> None:
    """Marks the rows of a minimum cover if the search has ended according to `progress`, or if
    `progress` is null."""
    problem.kernels(_FILE).launch(
        "mark_cover",
        grid(problem.m),
        BLOCK,
        problem.m,
        memory.owner,
        memory.state,
        problem.row_match,
        problem.n,
        progress,
        reached,
    )
