# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ordered-trees. The algorithm is described in ``ordered_trees.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.transversal.initial.greedy_gpu import greedy

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["ordered_trees"]

_FILE = "transversal/augmenting/ordered_trees.cu"
# The growth of a phase ends when there is more than one path for each `_SHARE` columns of the next
# level.
_SHARE = 300
# Limits of a launch, after which the host can check the limits of the search: levels by which the
# trees grow, and columns of a path along which it augments.
_LAUNCH_LEVELS, _LAUNCH_SHIFTS = 1 << 12, 1 << 16


def ordered_trees(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Searches until a phase finds no path, or a limit is reached. If nothing is matched, greedy in
    natural order computes an initial matching. The matching is the same in each run that no limit
    ends; `seed` and `options` have no effect.

    Returns
    -------
    The counters: visited entries, phases, rounds (levels), augmentations.
    """
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    edges, levels, paths, phases = 0, 0, 0, 0
    if problem.size == 0 and problem.nnz:
        # greedy matches a column to the first unmatched row of its list, so the lists must be
        # sorted. In a transposed problem they are not; another transposition returns the original,
        # sorted lists.
        in_order = problem if problem.has_sorted_lists else problem.transposed()
        start_edges = greedy(in_order, budget, seed, {"choice": "first"})["edges"]
        assert isinstance(start_edges, int)
        edges = start_edges
    run = problem.kernels(_FILE)
    workspace = cupy.empty(2 * m + 3 * n, dtype=width)
    state = SharedStruct(_FILE, "Phase")
    columns = problem.indptr, problem.indices, problem.row_match, problem.col_match
    numbers, over = state.zeros(), True
    while problem.nnz and not budget.spent(edges + numbers["edges"]):
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
        numbers = state.fields()
        over = numbers["grown"] != 0 and numbers["left"] == 0
        if over and not numbers["paths"]:
            reached = problem.reached = cupy.empty(m, dtype=np.int32)
            run.launch("mark_rows", grid(m), BLOCK, m, workspace[m:], reached)
            break
        if over:
            edges, levels, paths = (
                edges + numbers["edges"],
                levels + numbers["levels"],
                paths + numbers["paths"],
            )
            numbers = state.zeros()
    edges, levels, paths = (
        edges + numbers["edges"],
        levels + numbers["levels"],
        paths + numbers["paths"],
    )
    return {"edges": edges, "phases": phases, "rounds": levels, "augmentations": paths}
