# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``two_cycles.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import (
    Digraph,
    edges_between,
    numbered,
    of_pairs,
)

__all__ = ["contract", "share"]

_SAMPLES = 8192  # vertices that are looked at
_LEAST_GONE = 0.2  # of the edges in a round; else the next one does not pay


def share(graph: Digraph) -> float:
    """The share of the edges that have an edge back, by a sample."""
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
    """Contracts 2-cycles, again and again while that pays and more than `few` edges are left.

    Returns
    -------
    The vertex of the contracted graph that each vertex is in; that graph; and for each of its
    vertices one of those it stands for.
    """
    vertex, member, contracted = None, None, graph
    while True:
        edges = int(contracted.pred.size)
        parent, united = _united(contracted)
        if not united and member is not None:
            break
        number, roots = numbered(parent)
        own = number[parent]
        vertex = own if vertex is None else own[vertex]
        member = roots if member is None else member[roots]
        contracted = of_pairs(
            *edges_between(contracted, parent, number), int(roots.size), graph.width
        )
        left = int(contracted.pred.size)
        if not united or left <= few or left > (1 - _LEAST_GONE) * edges:
            break
    return vertex, contracted, member


def _united(graph: Digraph) -> tuple[Any, bool]:
    """The smallest vertex that each is united with, and whether any two are."""
    import cupy

    n, lanes, found = graph.n, graph.lanes, Readback(1)
    run = graph.kernels("two_cycles.cu")
    parent = cupy.arange(n, dtype=graph.width)
    lists = graph.indptr, graph.pred
    run.launch("unite_pairs", grid(lanes * n), BLOCK, n, lanes, *lists, parent, found.array)
    run.launch("flatten", grid(n), BLOCK, n, parent)
    return parent, found.read()[0] != 0
