# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees: what it is is told in ``meeting_trees.cu``; here are its start, its memory and its
limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.transversal.augmenting.far_walks_gpu import walk_far
from btfperm.transversal.augmenting.meeting_starts_gpu import Memory, begin, count_pairs
from btfperm.transversal.augmenting.ordered_trees_gpu import ordered_trees

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["meeting_trees"]

_FILE = "transversal/augmenting/meeting_trees.cu"
_THREADS = {4: 512, 8: 256}  # of a block, by the bytes of an index: 32 times `warps` there
# Numbers of Progress, and where some of its Plan stand.
_PROGRESS, _ROUND, _PHASE, _PATHS, _EDGES, _CLOSED = 40, 25, 26, 27, 28, 29
# A launch comes back after so much, that limits can be looked at, some 30 ms; of a search that a
# rule gives up, what is lost is a few launches.
_LAUNCH_EDGES, _LAUNCH_ROUNDS = 1 << 28, 1 << 9
# After so many rounds free rows and columns are taken to be far apart.
_PATIENCE = 768
# So many free columns and rows walk; for fewer, trees go on.
_MANY = 64
# So few open columns and rows for each warp are thin: so many steps are taken without a barrier.
_THIN, _STEPS = 16, 16
# A phase ends when it has a path for so many columns and rows, open or on the border; for so many
# open ones, where these are thin.
_SHARE, _SHARE_THIN = 300, 1000
# Where they are not, a side waits that has so many times as much open as the other.
_LEAN = 2
# Where so many times what is thin is open, the larger side waits.
_MUCH = 8


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
    memory = Memory.of(problem)
    begun, core = begin(problem, budget, seed, memory) if problem.nnz else ({}, True)
    spent, pairs = begun.get("begun_edges", 0), count_pairs(problem)
    told, launches, far = [0] * _PROGRESS, 0, 0
    if not core:
        _mark_cover(problem, memory, 1)
    elif problem.nnz and not budget.stop:
        told, launches = _search(problem, budget, memory, spent, _PATIENCE)
        if not told[_CLOSED] and not budget.stop:
            edges, far, done = walk_far(problem, budget, seed, memory, spent + told[_EDGES])
            spent += edges
            if not done and not budget.stop:
                memory.state.fill(0)
                again, more = _search(problem, budget, memory, spent + told[_EDGES], 0)
                told, launches = [a + b for a, b in zip(told, again, strict=True)], launches + more
    return {
        "edges": spent + told[_EDGES],
        "phases": told[_PHASE],
        "rounds": told[_ROUND],
        "augmentations": told[_PATHS],
        "launches": launches,
        "far_phases": far,
        "begun_pairs": pairs(),
        **begun,
    }


def _search(
    problem: DeviceProblem,
    budget: Budget,
    memory: Memory,
    before: int,
    patience: int,
) -> tuple[list[int], int]:
    """The numbers of Progress at the end, and how many launches it took; `before`: entries
    read so far. Gives up after so many rounds, if not 0, that leave many free."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels(_FILE)
    row_starts, row_lists = problem.by_rows
    paths = cupy.empty(3 * min(m, n), dtype=width)
    progress = Readback(_PROGRESS)
    threads = _THREADS[width.itemsize]
    thin = _THIN * run.threads_at_once("meeting_trees", threads) // 32
    told, launches = [0] * _PROGRESS, 0
    while not told[_CLOSED] and not budget.spent(before + told[_EDGES]):
        launches += 1
        rounds = min(_LAUNCH_ROUNDS, patience - told[_ROUND] if patience else _LAUNCH_ROUNDS)
        run.launch_together(
            "meeting_trees",
            threads,
            m,
            n,
            problem.indptr,
            problem.indices,
            row_starts,
            row_lists,
            problem.row_match,
            problem.col_match,
            memory.workspace,
            memory.state,
            memory.pieces,
            memory.most_pieces,
            paths,
            np.uint64(budget.work_left(before + told[_EDGES], _LAUNCH_EDGES)),
            np.uint64(rounds),
            np.uint64(thin),
            np.uint64(_SHARE),
            np.uint64(_SHARE_THIN),
            np.int32(_STEPS),
            np.uint64(_LEAN),
            np.uint64(_MUCH * thin),
            memory.core,
            progress.array,
        )
        told = progress.read()
        if told[_CLOSED]:
            _mark_cover(problem, memory, told[_CLOSED])
        elif patience and told[_ROUND] >= patience:
            if min(m, n) - problem.size >= _MANY:
                break
            patience = 0
    return told, launches


def _mark_cover(problem: DeviceProblem, memory: Memory, closed: int) -> None:
    """The rows of a least cover, by the side whose trees are complete."""
    import cupy

    m = problem.m
    reached = problem.reached = cupy.empty(m, dtype=np.int32)
    problem.kernels(_FILE).launch(
        "mark_cover",
        grid(m),
        BLOCK,
        m,
        memory.owner,
        memory.state,
        problem.row_match,
        problem.n,
        np.int32(closed),
        reached,
    )
