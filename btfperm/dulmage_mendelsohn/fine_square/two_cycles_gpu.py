# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``two_cycles.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph, contracted

__all__ = ["contract", "share"]

_SAMPLES = 8192  # sampled vertices
_MIN_REMOVED = 0.2  # another round runs if a round removed at least this share of the edges


def share(graph: Digraph) -> float:
    """Estimates the share of the edges whose reverse edge exists, by a sample of vertices with
    short lists."""
    n, counts = graph.n, Readback(2)
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
        counts.array[:1],
        counts.array[1:],
    )
    edges, both = counts.read()
    return both / max(edges, 1)


def contract(graph: Digraph, few: int = 0) -> tuple[Any, Digraph, Any]:
    """Contracts 2-cycles in rounds: at least one round, and more while more than `few` edges are
    left and each round removes at least the share `_MIN_REMOVED` of the edges.

    Returns
    -------
    vertex : for each vertex of `graph` its vertex in the contracted graph
    smaller : the contracted graph
    members : for each vertex of the contracted graph one of its vertices in `graph`
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
        if smaller.n == n or left <= few or left > (1 - _MIN_REMOVED) * edges:
            break
    return vertex, smaller, members


def _united(graph: Digraph) -> Any:
    """The parents of sets of vertices, see ``union_find.cuh``: the two vertices of each 2-cycle
    that is found are in one set."""
    import cupy

    n, lanes = graph.n, graph.lanes
    parent = cupy.arange(n, dtype=graph.width)
    lists = graph.indptr, graph.pred, parent
    graph.kernels("two_cycles.cu").launch("unite_pairs", grid(lanes * n), BLOCK, n, lanes, *lists)
    return parent
