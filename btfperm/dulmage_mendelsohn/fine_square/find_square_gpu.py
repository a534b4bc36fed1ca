# SPDX-License-Identifier: BSD-3-Clause
"""The square part on the device: the order of the searches.

The peel runs first. If most edges of the remaining graph are in 2-cycles, or if the search for the
giant component takes too many levels, 2-cycles are contracted; otherwise the giant component is
removed. The graph is then peeled again, and numbers are propagated in the part that the peel leaves
(``max_id.cu``), which gives each vertex the name of its component. In the end, the graph whose
vertices are the blocks is peeled, which gives the heights. If few edges remain before one of these
steps, or if a step exceeds its limits, one core of the CPU finds the result for the remaining
graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, minus_ones
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.dulmage_mendelsohn.coarse_gpu import Parts
from btfperm.dulmage_mendelsohn.fine_square import two_cycles_gpu
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import (
    NULL,
    Digraph,
    contracted,
    on_host,
    part_of,
    whole,
)
from btfperm.dulmage_mendelsohn.fine_square.forward_backward_gpu import BOTH, find_giant
from btfperm.dulmage_mendelsohn.fine_square.max_id_gpu import name_components
from btfperm.dulmage_mendelsohn.fine_square.peel_gpu import peel

__all__ = ["Square", "find_square", "heights_above"]

# One core finds the components or heights of a graph with at most this number of edges.
_MAX_CPU_EDGES = 10_000
# If a larger share of the edges than `_SYMMETRIC` is in 2-cycles, these are contracted before any
# search; from the share `_SHORTER` on, they are contracted before the propagation of numbers.
_SYMMETRIC, _SHORTER = 0.5, 0.05
# Number of successive narrow levels of the block graph (see ``peel_gpu.py``) after which the CPU
# continues: the time of the CPU depends on the entries, the time of the device on the levels.
_BLOCK_WINDOW = 40


class Square(NamedTuple):
    """Blocks of the square part, on the device. Elements of columns outside this part have no
    meaning.

    Attributes
    ----------
    leader : (n,) for each column the leader of its block, which is the smallest column of the
        block; None if the peel removed all columns, so that each column is a block, or if `height`
        is None
    height : (n,) the height of each block, stored at its leader; None: the whole matrix is one
        block
    """

    leader: Any
    height: Any


def find_square(problem: DeviceProblem, parts: Parts, stage: Callable[[str], None]) -> Square:
    """The blocks of the square part and their heights. `stage` is called with the name of each step
    after the step."""
    import cupy

    n, width = problem.n, problem.width
    graph = whole(problem, parts.of_col, parts.square[1])
    stage("contract")
    height = cupy.zeros(n, dtype=width)
    gave_up = peel(graph, height).gave_up
    stage("peel")
    if graph.count == 0:
        return Square(None, height)
    left, own, floor, number = graph, None, height, NULL
    if gave_up or 2 * graph.count < n or problem.nnz <= _MAX_CPU_EDGES:
        left, own = part_of(graph)
        floor = height[own]
    if gave_up or left.pred.size <= _MAX_CPU_EDGES:
        name, blocks = (cupy.asarray(array) for array in on_host(left, floor))
        stage("rest on the CPU")
    else:
        name = components(left)
        stage("components")
        if name is None and parts.of_col is None and own is None:
            return Square(None, None)
        name = cupy.zeros(left.n, dtype=width) if name is None else name
        number, blocks = heights_of_blocks(left, name, floor)
        stage("levels")
    run = problem.kernels("dulmage_mendelsohn/canonical_order.cu")
    leader, smallest = cupy.empty(n, dtype=width), cupy.empty(left.n, dtype=width)
    named = name, NULL if own is None else own, number, blocks
    outputs = smallest, leader, height, cupy.zeros(1, dtype=np.uint64)
    run.launch_together("lead_blocks", BLOCK, n, left.n, *named, *outputs)
    stage("block list")
    return Square(leader, height)


def components(graph: Digraph) -> Any:
    """The name of the component of each vertex, which is a member of the component; -1 for removed
    vertices. None if no vertex is removed and all vertices are one component."""
    name = minus_ones(graph.n, graph.width)
    found = None if two_cycles_gpu.share(graph) > _SYMMETRIC else find_giant(graph, name)
    if found is None:
        rest, own = (graph, None) if graph.count == graph.n else part_of(graph)
        small = _by_contraction(rest)
        if own is None:
            return small
        name[own] = own[0 if small is None else small]
        return name
    mark, size = found
    if size == graph.n:
        return None
    if size < graph.count:
        rest, own = part_of(graph, mark, BOTH)
        name[own] = own[_of_small(rest)]
    return name


def _by_contraction(graph: Digraph) -> Any:
    """As `components`, by the contraction of 2-cycles; the lists have no holes."""
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _MAX_CPU_EDGES)
    if smaller.n == 1:
        return None
    if smaller.pred.size == 0:
        return roots[vertex]
    return roots[_of_small(smaller)][vertex]


def _of_small(graph: Digraph) -> Any:
    """The name of the component of each vertex, which is a member of the component. In `graph`, a
    search for a giant component is not useful; its lists must have no holes."""
    import cupy

    width = graph.width
    name = cupy.arange(graph.n, dtype=width)
    if graph.pred.size <= _MAX_CPU_EDGES:
        return _by_tarjan(graph)
    gave_up = peel(graph, cupy.zeros(graph.n, dtype=width)).gave_up
    if graph.count == 0:
        return name
    rest, own = (graph, None) if graph.count == graph.n else part_of(graph)
    small = _by_tarjan(rest) if gave_up else _by_names(rest)
    if own is None:
        return small
    name[own] = own[small]
    return name


def _by_tarjan(graph: Digraph) -> Any:
    import cupy

    return cupy.asarray(on_host(graph)[0])


def _by_names(graph: Digraph) -> Any:
    """The name of the component of each vertex, by the propagation of numbers. If at least the
    share `_SHORTER` of the edges is in 2-cycles, these are contracted before."""
    if two_cycles_gpu.share(graph) < _SHORTER:
        return name_components(graph)
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _MAX_CPU_EDGES)
    return roots[name_components(smaller)][vertex]


def heights_of_blocks(graph: Digraph, name: Any, floor: Any) -> tuple[Any, Any]:
    """Numbers the blocks and computes their heights. ``name[v]`` names the block of vertex v, and
    ``floor[v]`` is a lower bound on its height; None: 0. Returns the number of each block, stored
    at the vertex that names the block, and the heights by these numbers."""
    blocks = contracted(graph, name, floor=floor)
    return blocks.number, heights_above(blocks.graph, blocks.height)


def heights_above(graph: Digraph, floor: Any) -> Any:
    """The height of each vertex of a graph without cycles, where `floor` gives a lower bound on the
    height of each vertex."""
    import cupy

    if graph.pred.size == 0:
        return floor
    if graph.pred.size > _MAX_CPU_EDGES:
        height = floor.copy()
        if not peel(graph, height, raising=True, window=_BLOCK_WINDOW).gave_up:
            return height
    return cupy.asarray(on_host(graph, floor)[1])
