# SPDX-License-Identifier: BSD-3-Clause
"""The square part on the device: which search runs when.

Peel; what is left is one graph, small or long and thin: for one core; nearly symmetric: contract
2-cycles; then the giant component, and names that travel for the small ones; then heights by
peeling the graph of the blocks. Each step hands over what is too serial for it, by a measured rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from btfperm.backends.gpu.arrays import BLOCK, grid, minus_ones
from btfperm.dulmage_mendelsohn.coarse_gpu import Parts
from btfperm.dulmage_mendelsohn.fine_square import two_cycles_gpu
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import (
    Digraph,
    edges_between,
    numbered,
    of_pairs,
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
# Levels of the block graph that are looked at before it goes to the CPU: there it costs 15 ns an
# entry, here 4 us a level.
_BLOCK_WINDOW = 200


class Square(NamedTuple):
    """Blocks of the square part, for the columns in it.

    Attributes
    ----------
    leader : (n,) smallest column of each column's block; None where every block is one column
    height : (n,) of the block, at its leader
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
    peeled = peel(graph, height)
    stage("peel")
    if peeled.taken == graph.count:
        return Square(None, height)
    own = cupy.arange(n, dtype=width)
    leader = own.copy()
    left = graph
    if graph.count < n or peeled.taken or peeled.gave_up:
        left, own = part_of(graph)
    floor = height[own]
    if left.pred.size <= _FEW_EDGES or peeled.gave_up:
        name, blocks = on_host(part_of(left)[0] if left is graph else left, floor)
        stage("rest on the CPU")
    else:
        name = components(left)
        stage("components")
        blocks = heights_of_blocks(left, name, floor)
        stage("levels")
    run = problem.kernels("dulmage_mendelsohn/canonical_order.cu")
    count = int(own.size)
    smallest = cupy.full(count, n, dtype=width)
    run.launch("find_leaders", grid(count), BLOCK, count, name, own, smallest)
    run.launch(
        "lend_leaders", grid(count), BLOCK, count, name, own, smallest, blocks, leader, height
    )
    stage("block list")
    return Square(leader, height)


def components(graph: Digraph) -> Any:
    """The name of each vertex's component, a member of it."""
    if two_cycles_gpu.are_most(graph):
        return _by_contraction(graph)
    name = minus_ones(graph.n, graph.width)
    found = find_giant(graph, name)
    if found is None:
        return _by_contraction(graph)
    mark, size = found
    if size < graph.count:
        rest, own = part_of(graph, mark, BOTH)
        name[own] = own[_of_small(rest)]
    return name


def _by_contraction(graph: Digraph) -> Any:
    vertex, smaller, roots = two_cycles_gpu.contract(graph)
    if smaller.pred.size == 0:
        return roots[vertex]
    return roots[_of_small(smaller)][vertex]


def _of_small(graph: Digraph) -> Any:
    """Names where no component is known to be large; the lists have no holes."""
    import cupy

    width = graph.width
    name = cupy.arange(graph.n, dtype=width)
    if graph.pred.size <= _FEW_EDGES:
        return on_host(graph, cupy.zeros(graph.n, dtype=width))[0]
    peeled = peel(graph, cupy.zeros(graph.n, dtype=width))
    if peeled.gave_up:
        rest, own = part_of(graph)
        name[own] = own[on_host(rest, cupy.zeros(rest.n, dtype=width))[0]]
    elif peeled.taken < graph.count:
        rest, own = part_of(graph)
        name[own] = own[name_components(rest)]
    return name


def heights_of_blocks(graph: Digraph, name: Any, floor: Any) -> Any:
    """The height of each vertex's block, given what each vertex must not fall below."""
    import cupy

    n, width = graph.n, graph.width
    number, members = numbered(name)
    block, count = number[name], int(members.size)
    height = cupy.zeros(count, dtype=width)
    graph.kernels("digraph.cu").launch("raise_floor", grid(n), BLOCK, n, block, floor, height)
    if count == 1:
        return height[block]
    return heights_above(of_pairs(*edges_between(graph, block), count, width), height)[block]


def heights_above(graph: Digraph, floor: Any) -> Any:
    """The height of each vertex of a graph without cycles, given what it must not fall below."""
    if graph.pred.size == 0:
        return floor
    if graph.pred.size > _FEW_EDGES:
        height = floor.copy()
        if not peel(graph, height, raising=True, window=_BLOCK_WINDOW).gave_up:
            return height
    return on_host(graph, floor)[1]
