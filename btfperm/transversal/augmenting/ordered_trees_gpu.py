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
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["ordered_trees"]

_FILE = "transversal/augmenting/ordered_trees.cu"
# Numbers of Phase, and where some stand.
_PHASE, _PATHS, _LEVELS, _EDGES = 7, 4, 5, 6
# A phase ends with one path for so many columns of a level.
_SHARE = 300


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
    workspace = cupy.empty(3 * (m + n), dtype=width)
    state = Readback(_PHASE)
    while problem.nnz and not budget.spent(edges):
        phases += 1
        state.array.fill(0)
        run.launch_together(
            "grow_in_order",
            BLOCK,
            m,
            n,
            problem.indptr,
            problem.indices,
            problem.row_match,
            problem.col_match,
            workspace,
            np.uint64(_SHARE),
            state.array,
        )
        told = state.read()
        edges, levels, found = edges + told[_EDGES], levels + told[_LEVELS], found + told[_PATHS]
        if not told[_PATHS]:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch("mark_rows", grid(m), BLOCK, m, workspace[m:], reached)
            break
    return {"edges": edges, "phases": phases, "rounds": levels, "augmentations": found}
