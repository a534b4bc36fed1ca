# SPDX-License-Identifier: BSD-3-Clause
"""The square part on the device: the order of the searches.

The peel runs first. If most edges of the rest are in 2-cycles, or if the search for the giant
component takes too many levels, 2-cycles are contracted; otherwise the giant component is removed.
The remaining graph is peeled again, and names are propagated in the part that the peel leaves. Then
the graph of the blocks is peeled, which gives the heights. Before most of these steps, one core of
the CPU continues if the rest has few edges; it also continues after a step that exceeds its
limits."""

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
# Shares of 2-cycles among the edges from which on they are contracted before any search, and before
# the propagation of names.
_SYMMETRIC, _SHORTER = 0.5, 0.05
# Successive narrow levels of the block graph (see ``peel_gpu.py``) after which the CPU continues:
# the time of the CPU depends on the entries, that of the device on the levels.
_BLOCK_WINDOW = 40


class Square(NamedTuple):
    """Blocks of the square part, for the columns in it.

    Attributes
    ----------
    leader : (n,) smallest column of the block of each column; None if the peel removed all columns,
        each of which is then a block, or if `height` is None
    height : (n,) height of each block, at its leader; None: the whole matrix is one block
    """

    leader: Any
    height: Any


def find_square(problem: DeviceProblem, parts: Parts, stage: Callable[[str], None]) -> Square:
    """The blocks of the square part and their heights."""
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
        name, blocks = (cupy.asarray(found) for found in on_host(left, floor))
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
    found = smallest, leader, height, cupy.zeros(1, dtype=np.uint64)
    run.launch_together("lead_blocks", BLOCK, n, left.n, *named, *found)
    stage("block list")
    return Square(leader, height)


def components(graph: Digraph) -> Any:
    """The name of the component of each vertex, which is a member; -1 for removed vertices. None:
    all vertices are one component, and none is removed."""
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
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _MAX_CPU_EDGES)
    if smaller.n == 1:
        return None
    if smaller.pred.size == 0:
        return roots[vertex]
    return roots[_of_small(smaller)][vertex]


def _of_small(graph: Digraph) -> Any:
    """The name of the component of each vertex, in a graph in which no component is known to be
    large; the lists have no holes."""
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
    """Propagation of names; first 2-cycles are contracted if `_SHORTER` of the edges are in one."""
    if two_cycles_gpu.share(graph) < _SHORTER:
        return name_components(graph)
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _MAX_CPU_EDGES)
    return roots[name_components(smaller)][vertex]


def heights_of_blocks(graph: Digraph, name: Any, floor: Any) -> tuple[Any, Any]:
    """A number for each name, and the heights of the blocks by these numbers, for a lower bound of
    each vertex."""
    blocks = contracted(graph, name, floor=floor)
    return blocks.number, heights_above(blocks.graph, blocks.height)


def heights_above(graph: Digraph, floor: Any) -> Any:
    """The height of each vertex of a graph without cycles, for a lower bound of each vertex."""
    import cupy

    if graph.pred.size == 0:
        return floor
    if graph.pred.size > _MAX_CPU_EDGES:
        height = floor.copy()
        if not peel(graph, height, raising=True, window=_BLOCK_WINDOW).gave_up:
            return height
    return cupy.asarray(on_host(graph, floor)[1])
