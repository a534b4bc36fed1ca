# SPDX-License-Identifier: BSD-3-Clause
"""Driver of apfb and apsb: algorithm 1 of their paper, with one launch per level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK
from btfperm.backends.gpu.layout import constant
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["search_in_phases"]

_FILE = "transversal/augmenting/gpubfs.cuh"
_CT_BLOCKS = 256
# The number of launches between two polls of the host in apfb, where a search continues after its
# first path. A poll costs as much as several launches, and a launch that finds no column of its
# level changes nothing. Such launches are not counted as levels.
_LEVELS_PER_POLL = 4


def search_in_phases(
    problem: DeviceProblem,
    budget: Budget,
    options: Mapping[str, float | str],
    *,
    shortest: bool,
    with_roots: bool,
) -> dict[str, int | list[int]]:
    """Searches and augments in phases until a search finds no path, or a limit is reached.

    Parameters
    ----------
    shortest : True is APsB, in which a search ends with the level that finds the first paths; False
        is APFB
    with_roots : True is GPUBFS-WR, False is GPUBFS

    Returns
    -------
    The counters: phases; levels, in total and by phase (iterations of the loop in line 7 of the
    paper); visited entries; augmentations; the number of paths that threads followed to a root, the
    sum of their edges, and the longest. If two paths meet and both threads continue (see
    ``alternate.cuh``), both paths count.
    """
    import cupy

    file = "apsb.cu" if shortest else "apfb.cu"
    run = problem.kernels(f"transversal/augmenting/{file}").launch
    m, n, width = problem.m, problem.n, problem.width
    cxadj, cadj, rmatch, cmatch = (
        problem.indptr,
        problem.indices,
        problem.row_match,
        problem.col_match,
    )
    bfs_array = cupy.empty(n, dtype=width)
    root = cupy.empty(n, dtype=width) if with_roots else np.uint64(0)
    predecessor = cupy.empty(m, dtype=width)
    graph = bfs_array, cxadj, cadj, n, rmatch
    state = SharedStruct(_FILE, "State")
    blocks = _CT_BLOCKS if options["threads"] == "ct" else max(-(-n // BLOCK), 1)
    bfs = "bfs_wr" if with_roots else "bfs"
    before, launches, edges = problem.size, 0, 0
    l0 = constant(_FILE, "l0")  # level of the unmatched columns
    levels: list[int] = []

    while True:
        phase = len(levels) + 1
        run("init_bfs_array", blocks, BLOCK, n, cmatch, bfs_array, root)
        launches_before, bfs_level = launches, l0
        while True:
            for _ in range(1 if shortest else _LEVELS_PER_POLL):
                launches += 1
                when = np.uint64(launches), np.uint64(phase), bfs_level
                run(bfs, blocks, BLOCK, *when, *graph, root, predecessor, state.array)
                bfs_level += 1
            fields = state.fields()
            edges, found_path = fields["edges"], fields["augmenting_path_found"] == phase
            ended = fields["vertex_inserted"] != launches
            if ended and not found_path:
                break  # the matching is maximum: a finished search is never abandoned
            if budget.spent(edges) or ended or (shortest and found_path):
                break
        # The last launch that found columns of its level is the one after the last launch that
        # inserted a vertex.
        last = max(fields["vertex_inserted"], launches_before) + 1
        levels.append(min(last, launches) - launches_before)
        if not found_path:
            break
        if shortest and with_roots:
            arrays = bfs_array, cmatch, rmatch, predecessor, state.array
            run("alternate_roots", blocks, BLOCK, n, *arrays)
        else:
            run("alternate", blocks, BLOCK, m, cmatch, rmatch, predecessor, state.array)
        run("fix_matching", blocks, BLOCK, m, cmatch, rmatch)
        if budget.stop:
            break

    totals = state.fields()
    return {
        "edges": edges,
        "phases": len(levels),
        "levels": sum(levels),
        "augmentations": problem.size - before,
        "paths_walked": totals["paths"],
        "path_edges": totals["path_edges"],
        "longest_path": totals["longest_path"],
        "levels_by_phase": levels,
    }
