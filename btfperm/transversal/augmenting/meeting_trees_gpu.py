# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees: what it is is told in ``meeting_trees.cu``; here are its memory and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["meeting_trees"]

_FILE = "transversal/augmenting/meeting_trees.cu"
_THREADS = 512  # of a block: 32 times `warps` there
_HUB, _PIECE = 2048, 1024  # is_hub and piece there
# Numbers of Progress, and where some of its Plan stand.
_PROGRESS, _ROUND, _PHASE, _PATHS, _EDGES, _CLOSED = 40, 25, 26, 27, 28, 29
# A launch comes back after so much, that limits can be looked at: a tenth of a second or so.
_LAUNCH_EDGES, _LAUNCH_ROUNDS = 1 << 30, 1 << 13
_STEPS = (
    8  # without a barrier, where so few columns and rows are open that they do not fill the device
)


def meeting_trees(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Searches until there is no path, or a limit is reached.

    Returns
    -------
    The counters: edges read, phases, rounds (each ends with a barrier), augmentations, launches.
    """
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels(_FILE)
    size = problem.size
    roots = min(m, n) - size
    if roots == 0 or problem.nnz == 0:
        return {"edges": 0, "phases": 0, "rounds": 0, "augmentations": 0, "launches": 0}
    row_starts, row_lists = problem.by_rows
    most = problem.nnz // _PIECE + problem.nnz // _HUB + 1
    workspace = cupy.empty(3 * (m + n) + 2 * m, dtype=width)
    state = cupy.zeros(m + n, dtype=np.int32)
    pieces = cupy.empty(8 * most, dtype=width)
    paths = cupy.empty(3 * roots, dtype=width)
    progress = Readback(_PROGRESS)
    lanes = [_lanes(problem.nnz / side) for side in (n, m)]
    at_once = run.threads_at_once("meeting_trees", _THREADS)
    thin = 2 * at_once // max(lanes)
    launches, edges, told = 0, 0, []
    while True:
        launches += 1
        run.launch_together(
            "meeting_trees",
            _THREADS,
            m,
            n,
            problem.indptr,
            problem.indices,
            row_starts,
            row_lists,
            problem.row_match,
            problem.col_match,
            workspace,
            state,
            pieces,
            most,
            paths,
            np.int32(lanes[0]),
            np.int32(lanes[1]),
            np.uint64(budget.work_left(edges, _LAUNCH_EDGES)),
            np.uint64(_LAUNCH_ROUNDS),
            np.uint64(options.get("share", 500)),
            np.uint64(options.get("thin", thin)),
            np.int32(options.get("steps", _STEPS)),
            progress.array,
        )
        told = progress.read()
        edges = told[_EDGES]
        if told[_CLOSED] or budget.spent(edges):
            break
    if told[_CLOSED]:
        reached = problem.reached = cupy.empty(m, dtype=np.int32)
        owner, closed = workspace[3 * (m + n) :], np.int32(told[_CLOSED])
        run.launch(
            "mark_cover", grid(m), BLOCK, m, owner, state, problem.row_match, n, closed, reached
        )
    return {
        "edges": edges,
        "phases": told[_PHASE],
        "rounds": told[_ROUND],
        "augmentations": told[_PATHS],
        "launches": launches,
    }


def _lanes(degree: float) -> int:
    """Lanes that share a list: a power of two, from 4 to 32."""
    return min(32, max(4, 1 << int(np.ceil(np.log2(max(degree, 1.0))))))
