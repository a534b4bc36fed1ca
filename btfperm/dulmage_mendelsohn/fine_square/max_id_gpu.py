# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``max_id.cu``: rounds of sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid, minus_ones
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph, heads, of_pairs, on_host

__all__ = ["name_components"]

# The budget of visited edges of all sweeps together, per edge of the graph. If it is exhausted,
# Tarjan's algorithm continues on one core.
_MAX_VISITS = 1000
# The time of a launch, as the number of edges that a sweep visits in this time. Each sweep spends
# this number in addition to its edges.
_EDGES_OF_A_LAUNCH = 200_000
_SWEEPS_A_POLL = 4  # sweeps between two polls
_SWEEPS_A_SHORTCUT = 4  # sweeps between two shortcuts; a shortcut costs about as much as a sweep
_MOST_BLOCKS = 4096  # largest number of thread blocks of a sweep


def name_components(graph: Digraph) -> Any:
    """The name of the component of each vertex, which is a member of the component. The lists of
    `graph` must have no holes."""
    import cupy

    n, width, run = graph.n, graph.width, graph.kernels("max_id.cu")
    tails, ends = graph.pred, heads(graph)
    name, learned = minus_ones(n, width), cupy.empty(4 * n, dtype=width)
    changed, sweeps = Readback(1), 0
    visits_left = _MAX_VISITS * int(tails.size)
    while True:
        count = int(tails.size)
        run.launch("begin_round", grid(n), BLOCK, n, name, learned)
        moving = count > 0
        while moving and visits_left > 0:
            for _ in range(_SWEEPS_A_POLL):
                sweeps += 1
                visits_left -= count + _EDGES_OF_A_LAUNCH
                common = np.uint64(sweeps), changed.array
                blocks = grid(count, _MOST_BLOCKS)
                run.launch("sweep", blocks, BLOCK, count, tails, ends, learned, *common)
                if sweeps % _SWEEPS_A_SHORTCUT == 0:
                    run.launch("ask_further", grid(n), BLOCK, n, name, learned, *common)
            moving = changed.read()[0] == sweeps
        if moving:
            return _finished_by_tarjan(name, tails, ends)
        run.launch("settle", grid(n), BLOCK, n, learned, name)
        if count == 0:
            return name
        kept = Readback(1)
        left = cupy.empty(count, dtype=width), cupy.empty(count, dtype=width)
        run.launch("keep_edges", grid(count), BLOCK, count, tails, ends, learned, *left, kept.array)
        tails, ends = (part[: kept.read()[0]] for part in left)


def _finished_by_tarjan(name: Any, tails: Any, ends: Any) -> Any:
    """`name` with the missing names, which Tarjan's algorithm finds for the remaining edges."""
    import cupy

    n, width = int(name.size), name.dtype
    named, _ = on_host(of_pairs(ends, tails, n, width))
    return cupy.where(name < 0, cupy.asarray(named), name)
