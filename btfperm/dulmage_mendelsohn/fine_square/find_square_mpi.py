# SPDX-License-Identifier: BSD-3-Clause
"""Strongly connected components over ranks, with the heights of the canonical order.

Idea        Vertices without successors, whose heights are then known, and vertices without
            predecessors are peeled. In the rest, the component of a vertex with many neighbours
            is the intersection of its forward and its backward search. Then, in rounds, the color
            of a vertex is the largest number of a vertex that reaches it. The component of a
            vertex whose color is its own number consists of the vertices that a backward search
            inside the color reaches. If at most `GATHERED` vertices and edges are left before a
            peel or a round, one rank finds the remaining components and heights. Otherwise a peel
            of the graph of the blocks gives the heights in the end.
Paper       Slota, Rajamanickam, Madduri, IPDPS 2014 (Multistep): trimming, one forward-backward
            search, coloring, and a serial algorithm for the rest. The heights are ours.
Cost        O(edges) for a peel and for a search from one vertex. In a round of coloring, the color
            of a vertex may change often, and long paths whose numbers are in random order cost many
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
"""Largest number of vertices and edges together in which one rank finds the components; a rank may
always hold that many."""

_EXCHANGES = 64  # exchanges of the peel, before the remaining edges are counted again


def find_square(graph: Digraph, is_square: npt.NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """The block of each square column of this rank, named by one of the columns of the block, or -1
    for other columns; and, at the column that names a block, its height. Other heights have no
    meaning."""
    name = np.where(is_square, graph.numbers, graph.width(-1))
    height = np.zeros(graph.slices.size, dtype=graph.width)
    active = is_square.astype(np.uint8)
    degree = graph.predecessors.degrees(active)
    open_blocks = active.copy()  # members of blocks of unknown height
    is_peeled = False
    while not is_peeled:
        if _finish_on_one_rank(graph, open_blocks, name, height, has_blocks=False):
            return name, height
        is_peeled = graph.peel(graph.predecessors, active, degree, height, most=_EXCHANGES)
        open_blocks = active * (degree >= 0)
    rest = open_blocks.copy()  # members of unknown components
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
    """Removes vertices without predecessors, again and again: each is a block."""
    degree = graph.successors.degrees(rest)
    graph.peel(graph.successors, rest, degree, np.zeros_like(degree))
    rest &= degree >= 0


def _trim(graph: Digraph, rest: Bytes) -> None:
    """Removes vertices without predecessors or without successors, again and again."""
    degree = graph.predecessors.degrees(rest)
    graph.peel(graph.predecessors, rest, degree, np.zeros_like(degree))
    rest &= degree >= 0
    _trim_sources(graph, rest)


def _search_from_hub(graph: Digraph, rest: Bytes, name: Indices) -> None:
    """Finds the component of one vertex, the hub. Of all vertices of `rest`, it has the largest
    product of its numbers of predecessors and of successors, each plus one."""
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
    """One round of coloring. If vertices are left, at least one component is finished: that of the
    vertex with the largest number."""
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
    """Finds all blocks of unknown height, and their heights, on the first rank, unless the names
    and the edges between different names may be more than `GATHERED` together. The vertices of a
    known block have one name, and count as one vertex on each rank. `has_blocks`: there may be
    known blocks. Returns whether the first rank found them."""
    exchange, lists = graph.exchange, graph.predecessors
    if not has_blocks:
        count, edges = int(np.count_nonzero(open_blocks)), lists.edges_of(open_blocks)
        if sum(exchange.sums(count, edges)) > GATHERED:
            return False
        graph.forget_successors()  # the counts below are at most as large
    core = _core.dulmage_mendelsohn
    names = lists.halo.extended(np.where(open_blocks != 0, name, graph.width(-1)))
    edges = core.count_edges_between(lists.indptr, lists.items, names)
    here = np.flatnonzero(open_blocks)
    own, least = largest_by_key(name[here], height[here])  # a block may be on several ranks
    if sum(exchange.sums(own.size, edges)) > GATHERED:
        return False
    graph.forget_successors()
    pairs = core.edges_between(lists.indptr, lists.items, names).reshape(-1, 2)
    del names, lists
    graph.forget_predecessors()
    vertices = exchange.gather_to(0, np.stack((own, least), axis=1))
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
    """Returns each vertex, a member of its block, and the height of the block. `vertices` holds the
    vertices, ascending, and a lower bound on the height of each; a row of `edges` is a vertex and
    one of its predecessors."""
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
    """Computes the heights of the blocks that were not peeled from the sinks. Before the call,
    `height` holds at each of their members its height above the peeled vertices."""
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
    quotient = Digraph(exchange, slices, lists)
    everywhere = np.ones(slices.size, dtype=np.uint8)
    degree = quotient.predecessors.degrees(everywhere)
    quotient.peel(quotient.predecessors, is_block, degree, height)
