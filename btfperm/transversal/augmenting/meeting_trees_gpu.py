# SPDX-License-Identifier: BSD-3-Clause
"""meeting-trees: what it is is told in ``meeting_trees.cu``; here are its start, its memory and its
limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.pattern.order_sample_gpu import sample_order
from btfperm.transversal.initial.greedy_gpu import greedy

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["choose_start", "meeting_trees"]

_FILE = "transversal/augmenting/meeting_trees.cu"
_THREADS = {4: 512, 8: 256}  # of a block, by the bytes of an index: 32 times `warps` there
_HUB, _PIECE = 256, 256  # is_hub and piece there
# Numbers of Progress, and where some of its Plan stand.
_PROGRESS, _ROUND, _PHASE, _PATHS, _EDGES, _CLOSED = 40, 25, 26, 27, 28, 29
# A launch comes back after so much, that limits can be looked at: a tenth of a second or so.
_LAUNCH_EDGES, _LAUNCH_ROUNDS = 1 << 28, 1 << 11
# So few open columns and rows for each warp are thin: so many steps are taken without a barrier.
_THIN, _STEPS = 8, 8
# A phase ends when it has a path for so many columns and rows, open or on the border; for so many
# open ones, where these are thin.
_SHARE, _SHARE_THIN = 300, 1000
# Where they are not, a side waits that has so many times as much open as the other.
_LEAN = 2
# A hub has so many times the entries of a mean column.
_HUB_BY_MEAN = 16


def meeting_trees(
    problem: DeviceProblem, budget: Budget, seed: int, _options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Searches until there is no path, or a limit is reached; begins by itself where nothing is
    matched.

    Returns
    -------
    The counters: edges read, phases, rounds (each ends with a barrier), augmentations, launches.
    """
    counters: dict[str, int | list[int]] = {}
    edges, size = 0, problem.size
    if size == 0 and problem.nnz:
        begun = greedy(problem, budget, seed, {"choice": choose_start(problem)})["edges"]
        assert isinstance(begun, int)
        edges, size = begun, problem.size
        counters = {"begun_edges": begun, "begun_pairs": size}
    roots = min(problem.m, problem.n) - size
    told = [0] * _PROGRESS
    launches = 0
    if roots and problem.nnz and not budget.stop:
        told, launches = _search(problem, budget, roots, edges)
    return {
        "edges": edges + told[_EDGES],
        "phases": told[_PHASE],
        "rounds": told[_ROUND],
        "augmentations": told[_PATHS],
        "launches": launches,
        **counters,
    }


def _search(
    problem: DeviceProblem,
    budget: Budget,
    roots: int,
    before: int,
) -> tuple[list[int], int]:
    """The numbers of Progress at the end, and how many launches it took; `roots`: free columns or
    rows, which are fewer; `before`: entries read so far."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    run = problem.kernels(_FILE)
    row_starts, row_lists = problem.by_rows
    most_pieces = problem.nnz // _PIECE + problem.nnz // _HUB + 1
    workspace = cupy.empty(7 * (m + n) + 2 * m, dtype=width)
    state = cupy.zeros(m + n, dtype=np.int32)
    pieces = cupy.empty(8 * most_pieces, dtype=width)
    paths = cupy.empty(3 * roots, dtype=width)
    progress = Readback(_PROGRESS)
    threads = _THREADS[width.itemsize]
    thin = _THIN * run.threads_at_once("meeting_trees", threads) // 32
    told, launches = [0] * _PROGRESS, 0
    while not told[_CLOSED] and not budget.spent(before + told[_EDGES]):
        launches += 1
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
            workspace,
            state,
            pieces,
            most_pieces,
            paths,
            np.uint64(budget.work_left(before + told[_EDGES], _LAUNCH_EDGES)),
            np.uint64(_LAUNCH_ROUNDS),
            np.uint64(thin),
            np.uint64(_SHARE),
            np.uint64(_SHARE_THIN),
            np.int32(_STEPS),
            np.uint64(_LEAN),
            progress.array,
        )
        told = progress.read()
    if told[_CLOSED]:
        reached = problem.reached = cupy.empty(m, dtype=np.int32)
        owner, closed = workspace[7 * (m + n) :], np.int32(told[_CLOSED])
        run.launch(
            "mark_cover", grid(m), BLOCK, m, owner, state, problem.row_match, n, closed, reached
        )
    return told, launches


def choose_start(problem: DeviceProblem) -> str:
    """The choice of greedy that leaves least to do.

    In order where neighbours lie near, since threads that draw at the same time drift there; and
    where there are hubs, whose lists one thread reads. Else at random: what the order leaves on a
    mesh that was permuted takes five times as long to find (2.6 and 12 ms, `del:20+rcp`).
    """
    sample = sample_order(problem.m, problem.indptr, problem.indices)
    has_hub = sample.longest > _HUB_BY_MEAN * (problem.nnz / problem.n + 1)
    return "first" if has_hub or 2 * sample.near > sample.entries else "random"
