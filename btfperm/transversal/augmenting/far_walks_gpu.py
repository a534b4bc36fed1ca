# SPDX-License-Identifier: BSD-3-Clause
"""Driver of far walks, the part of meeting-trees for unmatched columns that are far from unmatched
rows. The algorithm is described in ``far_walks.cu``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.layout import constant
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem
    from btfperm.transversal.augmenting.meeting_starts_gpu import Memory

__all__ = ["walk_far"]

_FILE = "transversal/augmenting/far_walks.cu"
# Fields of Progress.
_STRAYS, _EDGES, _WAVE, _DONE = "strays", "course.edges", "course.wave", "course.done"
# The number of steps between the starts of two waves: `_GAP` times the square root of m, but at
# least `_LEAST_GAP`. The square root, because the depth of a mesh is proportional to it.
_GAP, _LEAST_GAP = 0.25, 64
# Each launch ends after this number of rounds, of at most 16 steps each, or after this number of
# entries, so that the host can check limits.
_LAUNCH_ROUNDS, _LAUNCH_EDGES = 1 << 11, 1 << 29
# How often the labels may be cleared: at the start, then after 254 waves or a rejected proof. After
# that, the search continues with trees, which always end with a maximum matching.
_TURNS = 8


def walk_far(
    problem: DeviceProblem, budget: Budget, seed: int, memory: Memory, before: int
) -> tuple[int, int, bool]:
    """Walks until no unmatched column can reach an unmatched row, until a limit is reached, or
    until the labels have been cleared `_TURNS` times. `before` is the number of entries that the
    search has visited so far.

    Returns
    -------
    visited entries, waves, and whether the matching is maximum; if so, the rows of a cover are
    marked
    """
    import cupy

    m, n = problem.m, problem.n
    run = problem.kernels(_FILE)
    rows, cols = problem.row_match, problem.col_match
    capacity = 4 * (m + n)
    walkers, targets = memory.workspace[:n], memory.workspace[n : n + m]
    shared_lists = memory.workspace[n + m : n + m + 2 * capacity]
    label = cupy.empty(m, dtype=np.uint32)
    state = SharedStruct(_FILE, "Progress")
    edges, waves, numbers, over = 0, 0, state.zeros(), True
    turns, doubted = 0, 0
    while not budget.spent(before + edges + numbers[_EDGES]):
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
            constant(_FILE, "threads"),
            problem.indptr,
            problem.indices,
            *problem.by_rows,
            rows,
            cols,
            label,
            walkers,
            targets,
            shared_lists,
            np.uint64(capacity),
            np.uint64((seed + edges) % 2**64),
            np.uint64(_LAUNCH_ROUNDS),
            np.uint64(budget.work_left(before + edges + numbers[_EDGES], _LAUNCH_EDGES)),
            state.array,
        )
        run.launch("correct_col_match", grid(max(m, n)), BLOCK, m, rows, cols, walkers, state.array)
        strays, numbers = numbers[_STRAYS], state.fields()
        if numbers[_STRAYS] != strays:
            doubted = numbers[_WAVE]  # waves up to this one may have read the rows of strays
        if numbers[_DONE] == 1 and numbers[_WAVE] > doubted:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch(
                "mark_far_cover", grid(m), BLOCK, m, rows, label, memory.owner, state.array, reached
            )
            return edges + numbers[_EDGES], waves + numbers[_WAVE], True
        over = numbers[_DONE] != 0
        if over:
            edges, waves, numbers = edges + numbers[_EDGES], waves + numbers[_WAVE], state.zeros()
    return edges + numbers[_EDGES], waves + numbers[_WAVE], False
