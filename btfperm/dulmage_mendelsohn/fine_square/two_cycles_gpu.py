# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``two_cycles.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph, contracted

__all__ = ["contract", "share"]

_SAMPLES = 8192  # sampled vertices
_LEAST_GONE = 0.2  # least share of contracted edges for another round


def share(graph: Digraph) -> float:
    """The share of the edges whose reverse is an edge, by a sample of vertices with short lists."""
    n, found = graph.n, Readback(2)
    apart = max(n // _SAMPLES, 1)
    run = graph.kernels("two_cycles.cu")
    run.launch(
        "sample",
        grid(min(n, 2 * _SAMPLES)),
        BLOCK,
        n,
        apart,
        graph.indptr,
        graph.pred,
        graph.out,
        found.array[:1],
        found.array[1:],
    )
    edges, both = found.read()
    return both / max(edges, 1)


def contract(graph: Digraph, few: int = 0) -> tuple[Any, Digraph, Any]:
    """Contracts 2-cycles, at least once, and again while more than `few` edges are left and each
    step removes at least the share `_LEAST_GONE` of them.

    Returns
    -------
    For each vertex its vertex in the contracted graph; that graph; and for each of its vertices an
    original vertex.
    """
    import cupy

    vertex, members, smaller = None, None, graph
    while True:
        parent, n, edges = _united(smaller), smaller.n, int(smaller.pred.size)
        if vertex is None:
            vertex = cupy.empty(n, dtype=graph.width)
        smaller, _, members, _ = contracted(
            smaller, parent, sets=True, vertex=vertex, members=members
        )
        left = int(smaller.pred.size)
        if smaller.n == n or left <= few or left > (1 - _LEAST_GONE) * edges:
            break
    return vertex, smaller, members


def _united(graph: Digraph) -> Any:
    """Sets of vertices, see ``union_find.cuh``: both ends of a 2-cycle are in one."""
    import cupy

    n, lanes = graph.n, graph.lanes
    parent = cupy.arange(n, dtype=graph.width)
    lists = graph.indptr, graph.pred, parent
    graph.kernels("two_cycles.cu").launch("unite_pairs", grid(lanes * n), BLOCK, n, lanes, *lists)
    return parent
