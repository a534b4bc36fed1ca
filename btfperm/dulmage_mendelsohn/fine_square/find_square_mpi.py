# SPDX-License-Identifier: BSD-3-Clause
"""Strongly connected components over ranks, with the heights of the canonical order.

Idea        Vertices without successors are peeled; this gives their heights. Vertices without
            predecessors are peeled, too. In the remaining graph, the component of a vertex with
            many neighbours is the intersection of a forward and a backward search from it. The
            other components are found in rounds, in which the color of a vertex is the largest
            number of a vertex that reaches it. The component of a vertex whose color is its own
            number consists of the vertices that a backward search inside the color reaches. If at
            most `GATHERED` vertices and edges are left before a peel or a round, one rank finds
            the remaining components and heights. Otherwise a peel of the graph whose vertices are
            the blocks gives the heights in the end.
Paper       Slota, Rajamanickam, Madduri, IPDPS 2014 (Multistep): trimming, one forward-backward
            search, coloring, and a serial algorithm for the remaining graph. The heights are ours.
Cost        O(edges) for a peel and for a search from one vertex. In a round of coloring, the color
            of a vertex may change often, and long paths with vertices in random order take many
            exchanges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import (
    Bytes,
    Digraph,
    Indices,
    largest_by_key,
)
from btfperm.pattern.owned_lists import owned_lists

__all__ = ["find_square"]

GATHERED = 1 << 22
"""Largest sum of the numbers of vertices and of edges of a graph that is sent to one rank, which
finds its components. This number does not depend on the matrix, so that the memory is bounded."""

_EXCHANGES = 64  # exchanges of the peel before the remaining edges are counted again


def find_square(graph: Digraph, is_square: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Returns the block of each column of this rank and the heights. A block is named by one of its
    columns; columns outside the square part have the name -1. The height of a block is stored at
    the column that names it; other heights have no meaning. Collective."""
    name = np.where(is_square, graph.numbers, graph.width(-1))
    height = np.zeros(graph.slices.size, dtype=graph.width)
    active = is_square.astype(np.uint8)
    open_blocks = active.copy()  # 1: the height of the block of this vertex is not known
    if not graph.has_predecessors:  # they are made again, if possible without the successors
        edges = graph.successors.edges_of(active)
        if sum(graph.exchange.sums(int(np.count_nonzero(active)), edges)) <= GATHERED:
            graph.forget_successors()
    if _finish_on_one_rank(graph, open_blocks, name, height, has_blocks=False):
        return name, height
    degree = graph.predecessors.degrees(active)
    is_peeled = False
    while not is_peeled:
        is_peeled = graph.peel(graph.predecessors, active, degree, height, most=_EXCHANGES)
        open_blocks = active * (degree >= 0)
        if not is_peeled and _finish_on_one_rank(
            graph, open_blocks, name, height, has_blocks=False
        ):
            return name, height
    rest = open_blocks.copy()  # 1: the component of this vertex is not known
    _trim_sources(graph, rest)
    _search_from_hub(graph, rest, name)
    while True:
        if _finish_on_one_rank(graph, open_blocks, name, height, has_blocks=True):
            return name, height
        if not graph.exchange.sums(int(np.count_nonzero(rest)))[0]:
            break
        _trim(graph, rest)
        _color(graph, rest, name)
    _heights(graph, open_blocks, name, height)
    return name, height


def _trim_sources(graph: Digraph, rest: Bytes) -> None:
    """Repeatedly removes vertices without predecessors from `rest`. Each of them is a block."""
    degree = graph.successors.degrees(rest)
    graph.peel(graph.successors, rest, degree, np.zeros_like(degree))
    rest &= degree >= 0


def _trim(graph: Digraph, rest: Bytes) -> None:
    """Repeatedly removes vertices without successors, then those without predecessors, from `rest`.
    Each of them is a block."""
    degree = graph.predecessors.degrees(rest)
    graph.peel(graph.predecessors, rest, degree, np.zeros_like(degree))
    rest &= degree >= 0
    _trim_sources(graph, rest)


def _search_from_hub(graph: Digraph, rest: Bytes, name: Indices) -> None:
    """Finds the component of one vertex, the hub, and removes it from `rest`. Of all vertices of
    `rest`, the hub has the largest product of its numbers of predecessors and of successors, each
    plus one."""
    best, place = 0, -1
    for part in graph.predecessors.pieces():
        before, behind = graph.predecessors.lengths(part), graph.successors.lengths(part)
        product = (before + 1) * (behind + 1) * rest[part]
        if int(product.max()) > best:
            best, place = int(product.max()), part.start + int(product.argmax())
    largest = graph.exchange.largest(best)[0]
    if largest == 0:
        return
    own = graph.slices.first + place if best == largest else -1
    hub = graph.exchange.largest(own)[0]
    seeds = np.array([hub - graph.slices.first] if own == hub else [], dtype=graph.width)
    hubs = np.full_like(seeds, hub)
    before = graph.spread(graph.predecessors, rest, seeds, hubs)
    behind = graph.spread(graph.successors, rest, seeds, hubs)
    in_both = (before == hub) & (behind == hub)
    name[in_both] = hub
    rest[in_both] = 0


def _color(graph: Digraph, rest: Bytes, name: Indices) -> None:
    """One round of coloring: finds components and removes them from `rest`. If `rest` is not empty,
    the round finds at least one component: that of the vertex with the largest number."""
    numbers = graph.numbers
    chosen = np.flatnonzero(rest)
    color = graph.spread(graph.successors, rest, chosen, numbers[chosen])
    roots = np.flatnonzero((rest != 0) & (color == numbers))
    member = graph.spread(graph.predecessors, rest, roots, numbers[roots], within=color)
    done = (rest != 0) & (member >= 0)
    name[done] = member[done]
    rest[done] = 0


def _finish_on_one_rank(
    graph: Digraph, open_blocks: Bytes, name: Indices, height: Indices, *, has_blocks: bool
) -> bool:
    """Finds all blocks of unknown height, and their heights, on the first rank, if the graph is
    small enough. Returns whether it did.

    The vertices of this graph are the names, and its edges are those between different names. The
    vertices of a known block have the same name. The graph is small enough if the numbers of names
    and of edges, counted on each rank, are at most `GATHERED` together. `has_blocks`: blocks of
    several vertices may be known.
    """
    exchange, lists = graph.exchange, graph.predecessors
    if not has_blocks:
        count, edges = int(np.count_nonzero(open_blocks)), lists.edges_of(open_blocks)
        if sum(exchange.sums(count, edges)) > GATHERED:
            return False
        graph.forget_successors()  # not needed: the counts below are at most as large as these
    core = _core.dulmage_mendelsohn
    names, own = np.full(lists.halo.size, -1, dtype=graph.width), lists.halo.own
    np.copyto(names[:own], name, where=open_blocks != 0)
    lists.halo.update(names[:own], names[own:])
    if not has_blocks:  # with blocks, each round makes this copy
        lists.halo.forget_shared()
    edges = core.count_edges_between(lists.indptr, lists.items, names)
    here = np.flatnonzero(open_blocks)
    blocks, least = largest_by_key(name[here], height[here])  # may be on several ranks
    if sum(exchange.sums(blocks.size, edges)) > GATHERED:
        return False
    graph.forget_successors()
    pairs = core.edges_between(lists.indptr, lists.items, names).reshape(-1, 2)
    del names, lists
    graph.forget_predecessors()
    vertices = exchange.gather_to(0, np.stack((blocks, least), axis=1))
    edges_of_all = exchange.gather_to(0, pairs)
    found = np.empty((0, 3), dtype=graph.width)
    if vertices is not None and edges_of_all is not None:
        names, least = largest_by_key(vertices[:, 0], vertices[:, 1])
        found = _blocks(np.stack((names, least), axis=1), edges_of_all)
    got = exchange.route(graph.slices, *found.T, kind=graph.width)
    at = got.items[:, 0] - graph.slices.first
    name[at], height[at] = got.items[:, 1], got.items[:, 2]
    open_blocks[here] = 0
    return True


def _blocks(vertices: Indices, edges: Indices) -> Indices:
    """Returns a row for each vertex: the vertex, a member of its block, and the height of the
    block. A row of `vertices` is a vertex and a lower bound on its height; the vertices are
    ascending. A row of `edges` is a vertex and one of its predecessors."""
    width: Any = vertices.dtype.type
    numbers, height = vertices[:, 0].copy(), vertices[:, 1].copy()
    places = np.concatenate((numbers, edges[:, 0], edges[:, 1]))
    _core.ranks.number_ghosts(0, 0, int(places.max(initial=-1)) + 1, places)
    ends, begins = np.split(places[numbers.size :], 2)
    lists = owned_lists(0, numbers.size, ends, begins)
    name = np.zeros(numbers.size, dtype=width)
    _core.dulmage_mendelsohn.blocks_of_digraph(
        lists.indptr.astype(width), lists.items, height, name
    )
    return np.stack((numbers, numbers[name], height), axis=1)


def _heights(graph: Digraph, open_blocks: Bytes, name: Indices, height: Indices) -> None:
    """Computes the heights of the blocks in `open_blocks`. Before the call, `height` holds at each
    of their members a lower bound from the peeled vertices. Collective."""
    exchange, slices = graph.exchange, graph.slices
    here = np.flatnonzero(open_blocks)
    if not exchange.sums(here.size)[0]:
        return
    blocks, least = largest_by_key(name[here], height[here])
    got = exchange.route(slices, blocks, least, kind=graph.width)
    height[here] = 0
    np.maximum.at(height, got.items[:, 0] - slices.first, got.items[:, 1])
    is_block = np.zeros(slices.size, dtype=np.uint8)
    is_block[got.items[:, 0] - slices.first] = 1

    names = graph.predecessors.halo.extended(np.where(open_blocks != 0, name, graph.width(-1)))
    found = _core.dulmage_mendelsohn.edges_between(
        graph.predecessors.indptr, graph.predecessors.items, names
    )
    pairs = np.unique(found.reshape(-1, 2), axis=0)
    got = exchange.route(slices, pairs[:, 0], pairs[:, 1], kind=graph.width)
    lists = owned_lists(slices.first, slices.size, got.field(0), got.field(1))
    quotient = Digraph(exchange, slices, graph.width, lambda: lists)
    everywhere = np.ones(slices.size, dtype=np.uint8)
    degree = quotient.predecessors.degrees(everywhere)
    quotient.peel(quotient.predecessors, is_block, degree, height)
