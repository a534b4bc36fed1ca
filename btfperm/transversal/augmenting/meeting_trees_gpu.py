# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees: what it is is told in ``meeting_trees.cu``; here are its start, its memory and its
limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.transversal.augmenting.far_walks_gpu import walk_far
from btfperm.transversal.augmenting.meeting_starts_gpu import Memory, begin
from btfperm.transversal.augmenting.ordered_trees_gpu import ordered_trees

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["meeting_trees"]

_FILE = "transversal/augmenting/meeting_trees.cu"
_THREADS = {4: 512, 8: 256}  # of a block, by the bytes of an index: 32 times `warps` there
# Numbers of Progress, and where some of its Plan stand.
_PROGRESS, _ROUND, _PHASE, _PATHS, _EDGES, _CLOSED, _FREE = 44, 28, 29, 30, 31, 32, 33
# Bounds of one launch, after which the host can check limits: entries and rounds. The number of
# rounds grows with nnz, so that the time lost with an abandoned search stays in proportion to the
# CPU's.
_LAUNCH_EDGES, _LAUNCH_ROUNDS = 1 << 28, 1 << 9
_LEAST_ROUNDS, _ENTRIES_FOR_A_ROUND = 1 << 5, 1 << 14
# After so many rounds free rows and columns are taken to be far apart.
_PATIENCE = 768
# So many free columns and rows walk; for fewer, trees go on.
_MANY = 64
# So few columns and rows that grow, for each warp, are thin: so many steps are taken without a
# barrier.
_THIN, _STEPS = 16, 16
# A phase ends when it has a path for so many columns and rows, open or on the border; for so many
# open ones, where these are thin.
_SHARE, _SHARE_THIN = 300, 1000
# Where they are not, a side waits that has so many times as much open as the other.
_LEAN = 2
# Where so many times what is thin is open, the larger side waits.
_MUCH = 8
_NULL = np.uint64(0)


def meeting_trees(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Searches until there is no path, or a limit is reached; begins by itself where nothing is
    matched.

    Returns
    -------
    The counters: edges read, phases, rounds (each ends with a barrier), augmentations, launches;
    phases of far walks; pairs that the start found, and what it read.
    """
    if options.get("pairs") == "same":
        return ordered_trees(problem, budget, seed)
    import cupy

    nothing = [0] * _PROGRESS
    if not problem.nnz:
        return _counters(nothing, 0)
    memory = Memory.of(problem)
    begun = begin(problem, budget, seed, memory)
    if not begun.core:
        problem.reached = cupy.empty(problem.m, dtype=np.int32)
        _mark_cover(problem, memory, problem.reached)
        counters = begun.counters()
        return {**_counters(nothing, begun.pairs, counters["begun_edges"]), **counters}
    search = _Search(problem, memory)
    counters = begun.counters()
    spent, far = counters.get("begun_edges", 0), 0
    told = nothing if budget.stop else search.go(budget, spent, _PATIENCE)
    pairs = problem.n - told[_FREE] if search.launches else problem.size
    if not told[_CLOSED] and not budget.stop:
        edges, far, done = walk_far(problem, budget, seed, memory, spent + told[_EDGES])
        spent += edges
        if not done and not budget.stop:
            search.forget()
            more = search.go(budget, spent + told[_EDGES], 0)
            told = [a + b for a, b in zip(told, more, strict=True)]
    return {**_counters(told, pairs, spent, search.launches, far), **counters}


def _counters(
    told: list[int], pairs: int, spent: int = 0, launches: int = 0, far: int = 0
) -> dict[str, int | list[int]]:
    return {
        "edges": spent + told[_EDGES],
        "phases": told[_PHASE],
        "rounds": told[_ROUND],
        "augmentations": told[_PATHS],
        "launches": launches,
        "far_phases": far,
        "begun_pairs": pairs,
    }


class _Search:
    """The launches of a search: what they need is there before the start has ended.

    Attributes
    ----------
    launches : so far
    """

    def __init__(self, problem: DeviceProblem, memory: Memory) -> None:
        import cupy

        m, n, width = problem.m, problem.n, problem.width
        self.launches = 0
        self._problem = problem
        self._memory = memory
        self._run = problem.kernels(_FILE)
        self._reached = cupy.empty(m, dtype=np.int32)
        self._progress = Readback(_PROGRESS)
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
            memory.most_pieces,
            cupy.empty(3 * min(m, n), dtype=width),
        )
        self._last = (
            np.uint64(thin),
            np.uint64(_SHARE),
            np.uint64(_SHARE_THIN),
            np.int32(_STEPS),
            np.uint64(_LEAN),
            np.uint64(_MUCH * thin),
            memory.core,
            self._progress.array,
        )

    def forget(self) -> None:
        """Its trees: pairs have moved since."""
        self._memory.state.fill(0)
        self._progress.array.fill(0)

    def go(self, budget: Budget, before: int, patience: int) -> list[int]:
        """Searches to the end or a limit: the numbers of Progress; `before`: entries read so far.
        Gives up after so many rounds, if not 0, that leave many free."""
        problem, told = self._problem, [0] * _PROGRESS
        most = min(max(problem.nnz // _ENTRIES_FOR_A_ROUND, _LEAST_ROUNDS), _LAUNCH_ROUNDS)
        while not told[_CLOSED] and not budget.spent(before + told[_EDGES]):
            self.launches += 1
            rounds = min(most, patience - told[_ROUND] if patience else most)
            edges = budget.work_left(before + told[_EDGES], _LAUNCH_EDGES)
            limits = np.uint64(edges), np.uint64(rounds)
            self._run.launch_together(
                "meeting_trees", self._threads, *self._first, *limits, *self._last
            )
            _mark_cover(problem, self._memory, self._reached, self._progress.array)
            told = self._progress.read()
            if told[_CLOSED]:
                problem.reached = self._reached
            elif patience and told[_ROUND] >= patience:
                if min(problem.m, problem.n) - problem.size >= _MANY:
                    break
                patience = 0
        return told


def _mark_cover(
    problem: DeviceProblem, memory: Memory, reached: Any, progress: Any = _NULL
) -> None:
    """The rows of a least cover, if `progress` says that the search has ended, or is null."""
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
