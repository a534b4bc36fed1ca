# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``max_id.cu``: rounds of sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid, minus_ones
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph, heads, of_pairs, on_host

__all__ = ["name_components"]

# Edges that all sweeps together may visit, for each edge of the graph; after these, Tarjan's
# algorithm continues on one core. And the number of edges that each sweep counts in addition.
_MOST_READINGS, _EDGES_OF_A_LAUNCH = 1000, 200_000
_SWEEPS_AT_ONCE = 4  # sweeps between two polls
_SWEEPS_A_QUESTION = 4  # sweeps between two shortcuts, which cost a sweep and double the distance
_MOST_BLOCKS = 4096


def name_components(graph: Digraph) -> Any:
    """The name of the component of each vertex, which is a member; the lists have no holes."""
    import cupy

    n, width, run = graph.n, graph.width, graph.kernels("max_id.cu")
    tails, ends = graph.pred, heads(graph)
    name, learned = minus_ones(n, width), cupy.empty(4 * n, dtype=width)
    changed, sweeps = Readback(1), 0
    left_to_read = _MOST_READINGS * int(tails.size)
    while True:
        count = int(tails.size)
        run.launch("begin_round", grid(n), BLOCK, n, name, learned)
        moving = count > 0
        while moving and left_to_read > 0:
            for _ in range(_SWEEPS_AT_ONCE):
                sweeps += 1
                left_to_read -= count + _EDGES_OF_A_LAUNCH
                common = np.uint64(sweeps), changed.array
                blocks = grid(count, _MOST_BLOCKS)
                run.launch("sweep", blocks, BLOCK, count, tails, ends, learned, *common)
                if sweeps % _SWEEPS_A_QUESTION == 0:
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
    import cupy

    n, width = int(name.size), name.dtype
    named, _ = on_host(of_pairs(ends, tails, n, width))
    return cupy.where(name < 0, cupy.asarray(named), name)
