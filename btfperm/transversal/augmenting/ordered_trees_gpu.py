# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees with ``pairs=same``: what it is is told in ``ordered_trees.cu``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.transversal.initial.greedy_gpu import greedy

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["ordered_trees"]

_FILE = "transversal/augmenting/ordered_trees.cu"
# Numbers of Phase, and where some stand.
_PHASE, _LEVELS, _PATHS, _EDGES, _GROWN, _LEFT = 9, 4, 5, 6, 7, 8
# A phase ends with one path for so many columns of a level.
_SHARE = 300
# A launch comes back after so many levels, or columns shifted along a path: some tenth of a second,
# and limits are looked at.
_LAUNCH_LEVELS, _LAUNCH_SHIFTS = 1 << 12, 1 << 16


def ordered_trees(problem: DeviceProblem, budget: Budget, seed: int) -> dict[str, int | list[int]]:
    """Searches until a phase finds no path, or a limit is reached; begins in order where nothing is
    matched. The same pairs each time; `seed` changes nothing.

    Returns
    -------
    The counters: edges read, phases, rounds (levels), augmentations.
    """
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    edges, levels, found, phases = 0, 0, 0, 0
    if problem.size == 0 and problem.nnz:
        begun = greedy(problem, budget, seed, {"choice": "first"})["edges"]
        assert isinstance(begun, int)
        edges = begun
    run = problem.kernels(_FILE)
    workspace = cupy.empty(2 * m + 3 * n, dtype=width)
    state = Readback(_PHASE)
    columns = problem.indptr, problem.indices, problem.row_match, problem.col_match
    told, over = [0] * _PHASE, True
    while problem.nnz and not budget.spent(edges + told[_EDGES]):
        if over:
            phases += 1
            state.array.fill(0)
            run.launch(
                "plant_in_order", grid(max(m, n)), BLOCK, m, n, *columns, workspace, state.array
            )
        run.launch_together(
            "grow_in_order",
            BLOCK,
            m,
            n,
            *columns,
            workspace,
            np.uint64(_SHARE),
            np.uint64(_LAUNCH_LEVELS),
            state.array,
        )
        run.launch(
            "shift_in_order",
            grid(n),
            BLOCK,
            m,
            n,
            *columns,
            workspace,
            _LAUNCH_SHIFTS,
            state.array,
        )
        told = state.read()
        over = told[_GROWN] != 0 and told[_LEFT] == 0
        if over and not told[_PATHS]:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch("mark_rows", grid(m), BLOCK, m, workspace[m:], reached)
            break
        if over:
            edges, levels, found = (
                edges + told[_EDGES],
                levels + told[_LEVELS],
                found + told[_PATHS],
            )
            told = [0] * _PHASE
    edges, levels, found = edges + told[_EDGES], levels + told[_LEVELS], found + told[_PATHS]
    return {"edges": edges, "phases": phases, "rounds": levels, "augmentations": found}
