# SPDX-License-Identifier: BSD-3-Clause
"""What meeting-trees does where free columns lie far from free rows: see ``far_walks.cu``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting.meeting_starts_gpu import Memory

__all__ = ["walk_far"]

_THREADS = 512  # of a block of walk_far
_PROGRESS = 32  # numbers of Progress, and where some stand
_STRAYS, _EDGES, _WAVE, _DONE = 21, 23, 24, 31
# Steps between two waves: so large a part of the root of the rows, since a mesh is that deep; and
# at least.
_GAP, _LEAST_GAP = 0.25, 64
# A launch comes back after so many rounds of 16 steps, or entries, that limits can be looked at: a
# tenth of a second or so.
_LAUNCH_ROUNDS, _LAUNCH_EDGES = 1 << 11, 1 << 29
# So often all labels are cleared, behind 254 waves or a proof that was none; then trees, which come
# to an end, go on. A hundred waves are many.
_TURNS = 8


def walk_far(
    problem: DeviceProblem, budget: Budget, seed: int, memory: Memory, before: int
) -> tuple[int, int, bool]:
    """Walks until no free column can get to a free row, a limit is reached or waves have not told
    the way; `before`: entries read so far.

    Returns
    -------
    edges read, waves, and whether the matching is maximum: then the rows of a cover are marked
    """
    import cupy

    m, n = problem.m, problem.n
    run = problem.kernels("transversal/augmenting/far_walks.cu")
    rows, cols = problem.row_match, problem.col_match
    most = 4 * (m + n)
    walkers, targets = memory.workspace[:n], memory.workspace[n : n + m]
    beyond = memory.workspace[n + m : n + m + 2 * most]
    label = cupy.empty(m, dtype=np.uint32)
    state = Readback(_PROGRESS)
    edges, waves, told, over = 0, 0, [0] * _PROGRESS, True
    turns, doubted = 0, 0
    while not budget.spent(before + edges + told[_EDGES]):
        if over:
            if turns == _TURNS:
                break
            turns, doubted = turns + 1, 0
            state.array.fill(0)
            run.launch(
                "prepare_far",
                grid(max(m, n)),
                BLOCK,
                m,
                n,
                problem.indptr,
                problem.by_rows[0],
                rows,
                cols,
                memory.owner,
                memory.core,
                label,
                walkers,
                targets,
                np.uint64(max(_GAP * m**0.5, _LEAST_GAP)),
                state.array,
            )
        run.launch_together(
            "walk_far",
            _THREADS,
            problem.indptr,
            problem.indices,
            *problem.by_rows,
            rows,
            cols,
            label,
            walkers,
            targets,
            beyond,
            np.uint64(most),
            np.uint64((seed + edges) % 2**64),
            np.uint64(_LAUNCH_ROUNDS),
            np.uint64(budget.work_left(before + edges + told[_EDGES], _LAUNCH_EDGES)),
            state.array,
        )
        run.launch("seat_columns", grid(max(m, n)), BLOCK, m, rows, cols, walkers, state.array)
        strays, told = told[_STRAYS], state.read()
        if told[_STRAYS] != strays:
            doubted = told[_WAVE]  # it, and those before it, may have seen the strays
        if told[_DONE] == 1 and told[_WAVE] > doubted:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch(
                "mark_far_cover", grid(m), BLOCK, m, rows, label, memory.owner, state.array, reached
            )
            return edges + told[_EDGES], waves + told[_WAVE], True
        over = told[_DONE] != 0
        if over:
            edges, waves, told = edges + told[_EDGES], waves + told[_WAVE], [0] * _PROGRESS
    return edges + told[_EDGES], waves + told[_WAVE], False
