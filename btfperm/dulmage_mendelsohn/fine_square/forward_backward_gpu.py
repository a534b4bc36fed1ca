# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``forward_backward.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.by_levels import LevelSearch, Limits
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph

__all__ = ["BOTH", "find_giant"]

BOTH = 3  # the mark of the members of the giant component
# In long thin graphs, the searches have many small levels; contraction of 2-cycles or propagation
# of numbers is faster there.
_LIMITS = Limits(narrow=50, window=500, max_levels=3000)


def find_giant(graph: Digraph, name: Any) -> tuple[Any, int] | None:
    """Finds the component of a pivot, the vertex with the largest product of its numbers of
    predecessors and successors, and names it in `name` by the pivot. Returns the marks of all
    vertices and the size of the component; None if the searches exceed `_LIMITS`."""
    import cupy

    n, run = graph.n, graph.kernels("forward_backward.cu")
    best = Readback(1)
    mark = cupy.empty(n, dtype=np.int32)
    run.launch("begin_search", grid(n), BLOCK, n, graph.indptr, graph.out, mark, best.array)
    pivot = best.read()[0] & 0xFFFFFFFF
    search = LevelSearch(2 * n, graph.width, _LIMITS)
    successors = graph.list_successors()
    run.launch("queue_pivot", 1, 1, pivot, successors[2], mark, search.items, search.end)
    state = search.run(
        run, "reach_both_ways", graph.lanes, graph.indptr, graph.pred, *successors, mark
    )
    if state.gave_up:
        return None
    size = Readback(1)
    run.launch("name_giant", grid(n, COUNTING), BLOCK, n, mark, pivot, name, size.array)
    return mark, size.read()[0]
