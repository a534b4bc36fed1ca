# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``two_cycles.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph, edges_between, of_keys

__all__ = ["are_most", "contract"]

_SAMPLES = 8192  # vertices that are looked at
_LEAST_GONE = 0.2  # of the edges in a round; else the next one does not pay


def are_most(graph: Digraph) -> bool:
    """Whether most edges have an edge back, by a sample."""
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
        found.array[:1],
        found.array[1:],
    )
    edges, both = found.read()
    return 2 * both > edges


def contract(graph: Digraph) -> tuple[Any, Digraph, Any]:
    """Contracts 2-cycles, again and again while that pays.

    Returns
    -------
    The vertex of the contracted graph that each vertex is in; that graph; and for each of its
    vertices one of those it stands for.
    """
    import cupy

    n, width, run = graph.n, graph.width, graph.kernels("two_cycles.cu")
    parent = cupy.empty(n, dtype=width)
    run.launch("each_alone", grid(n), BLOCK, n, parent)
    lanes = graph.lanes
    run.launch("unite_pairs", grid(lanes * n), BLOCK, n, lanes, graph.indptr, graph.pred, parent)
    run.launch("flatten", grid(n), BLOCK, n, parent)
    keys = edges_between(graph, parent)
    united, gone = 1, 1.0
    while keys.size and united and gone >= _LEAST_GONE:
        united = _unite_again(run, keys, parent)
        before = int(keys.size)
        keys = _between_roots(keys, parent)
        gone = 1 - int(keys.size) / before
    alone = cupy.arange(n, dtype=width)
    roots = cupy.flatnonzero(parent == alone).astype(width)
    number = cupy.empty(n, dtype=width)
    number[roots] = alone[: roots.size]
    tails, ends = _parts(keys)
    renamed = number[ends].astype(np.uint64) << np.uint64(32) | number[tails].astype(np.uint64)
    return number[parent], of_keys(cupy.sort(renamed), int(roots.size), width), roots


def _unite_again(run: Any, keys: Any, parent: Any) -> int:
    """Unites the ends of edges (head, tail) with an edge back; how many those are."""
    import cupy

    n, count = int(parent.size), Readback(1)
    tails, ends = (part.astype(np.uint64) for part in _parts(keys))
    smaller, larger = cupy.minimum(tails, ends), cupy.maximum(tails, ends)
    pairs = (smaller * np.uint64(n) + larger) * np.uint64(2) + (tails < ends)
    pairs = cupy.unique(pairs)
    blocks = grid(int(pairs.size), COUNTING)
    run.launch("unite_neighbours", blocks, BLOCK, int(pairs.size), pairs, n, parent, count.array)
    run.launch("flatten", grid(n), BLOCK, n, parent)
    return count.read()[0]


def _between_roots(keys: Any, parent: Any) -> Any:
    import cupy

    tails, ends = _parts(keys)
    tails, ends = parent[tails], parent[ends]
    apart = tails != ends
    renamed = ends[apart].astype(np.uint64) << np.uint64(32) | tails[apart].astype(np.uint64)
    return cupy.unique(renamed)


def _parts(keys: Any) -> tuple[Any, Any]:
    """Tail and head of each key, as indices."""
    tails = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return tails, (keys >> np.uint64(32)).astype(np.int64)
