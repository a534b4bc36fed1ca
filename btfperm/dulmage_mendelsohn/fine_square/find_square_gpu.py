# SPDX-License-Identifier: BSD-3-Clause
"""The square part on the device: which search runs when.

Peel; what is left is one graph, small or long and thin: for one core; nearly symmetric: contract
2-cycles; then the giant component, and names that travel for the small ones; then heights by
peeling the graph of the blocks. Each step hands over what is too serial for it, by a measured rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, minus_ones
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
from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Square", "find_square", "heights_above"]

# Edges of a graph that one core is done with sooner than the device.
_FEW_EDGES = 10_000
# Shares of 2-cycles among the edges: from the first on, contracting them comes before any search;
# from the second on, before names that travel.
_SYMMETRIC, _SHORTER = 0.5, 0.05
# Levels of the block graph after which the CPU may continue: the CPU's time grows with the entries,
# the device's with the levels.
_BLOCK_WINDOW = 40


class Square(NamedTuple):
    """Blocks of the square part, for the columns in it.

    Attributes
    ----------
    leader : (n,) smallest column of each column's block; None where every block is one column
    height : (n,) of the block, at its leader; None where the whole matrix is one block
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
    if gave_up or 2 * graph.count < n or problem.nnz <= _FEW_EDGES:
        left, own = part_of(graph)
        floor = height[own]
    if gave_up or left.pred.size <= _FEW_EDGES:
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
    """The name of each vertex's component, a member of it; -1 of what is taken out. None where all
    vertices are one."""
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
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _FEW_EDGES)
    if smaller.n == 1:
        return None
    if smaller.pred.size == 0:
        return roots[vertex]
    return roots[_of_small(smaller)][vertex]


def _of_small(graph: Digraph) -> Any:
    """Names where no component is known to be large; the lists have no holes."""
    import cupy

    width = graph.width
    name = cupy.arange(graph.n, dtype=width)
    if graph.pred.size <= _FEW_EDGES:
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
    """Names that travel; first 2-cycles are contracted where that makes the way shorter."""
    if two_cycles_gpu.share(graph) < _SHORTER:
        return name_components(graph)
    vertex, smaller, roots = two_cycles_gpu.contract(graph, _FEW_EDGES)
    return roots[name_components(smaller)][vertex]


def heights_of_blocks(graph: Digraph, name: Any, floor: Any) -> tuple[Any, Any]:
    """A number for each name, and the heights of the blocks by these numbers, given what each
    vertex must not fall below."""
    blocks = contracted(graph, name, floor=floor)
    return blocks.number, heights_above(blocks.graph, blocks.height)


def heights_above(graph: Digraph, floor: Any) -> Any:
    """The height of each vertex of a graph without cycles, given what it must not fall below."""
    import cupy

    if graph.pred.size == 0:
        return floor
    if graph.pred.size > _FEW_EDGES:
        height = floor.copy()
        if not peel(graph, height, raising=True, window=_BLOCK_WINDOW).gave_up:
            return height
    return cupy.asarray(on_host(graph, floor)[1])
