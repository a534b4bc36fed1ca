# SPDX-License-Identifier: BSD-3-Clause
"""What meeting-trees does where free columns lie far from free rows: see ``far_walks.cu``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.augmenting.meeting_starts_gpu import Memory
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["walk_far"]

_THREADS = 512  # of a block of label_rows
_PHASE = 14  # numbers of Phase, and where some stand
_FOUND, _DEPTH, _EDGES, _LEFT = 10, 11, 12, 13
_WARPS = 4096  # that walk
_STEPS = 2  # of a walk, for each level; at least
_LEAST_STEPS = 64
_MOST_LEVELS = 1 << 16  # of a phase: a level takes some 10 us


def walk_far(
    problem: DeviceProblem, budget: Budget, seed: int, memory: Memory, before: int
) -> tuple[int, int, bool]:
    """Walks until no free column can get to a free row, a limit is reached, or nobody arrives.

    Returns
    -------
    edges read, phases, and whether the matching is maximum: then the rows of a cover are marked
    """
    import cupy

    m, n = problem.m, problem.n
    run = problem.kernels("transversal/augmenting/far_walks.cu")
    rows, cols = problem.row_match, problem.col_match
    label = cupy.empty(m, dtype=np.uint32)
    marks = cupy.empty(n, dtype=np.int32)
    walkers, beyond = memory.workspace[:n], memory.workspace[n : n + 2 * m]
    state = Readback(_PHASE)
    edges, phases, wanted = 0, 0, n + 1
    while not budget.spent(before + edges):
        phases += 1
        state.array.fill(0)
        run.launch_together(
            "label_rows",
            _THREADS,
            m,
            n,
            *problem.by_rows,
            rows,
            cols,
            memory.owner,
            memory.core,
            label,
            marks,
            walkers,
            beyond,
            np.uint64(wanted),
            np.uint32(_MOST_LEVELS),
            state.array,
        )
        told = state.read()
        found = told[_FOUND]
        if not found and told[_DEPTH] == _MOST_LEVELS:
            break
        if not found:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch(
                "mark_far_cover", grid(m), BLOCK, m, label, memory.owner, memory.core, rows, reached
            )
            return edges + told[_EDGES], phases, True
        run.launch(
            "walk_far",
            grid(32 * _WARPS),
            BLOCK,
            np.uint64(found),
            np.uint64(_WARPS),
            np.int32(max(_STEPS * told[_DEPTH], _LEAST_STEPS)),
            np.uint64(seed + phases),
            problem.indptr,
            problem.indices,
            walkers,
            rows,
            cols,
            label,
            state.array,
        )
        run.launch("seat_columns", grid(m), BLOCK, m, rows, label, cols)
        told = state.read()
        edges, wanted = edges + told[_EDGES], told[_LEFT] or n + 1
        if told[_LEFT] == found:  # nobody has arrived
            break
    return edges, phases, False
