# SPDX-License-Identifier: BSD-3-Clause
"""The digraph of a matching over ranks, and propagation in it.

A vertex is a column; the owner of the column owns it. There is an edge u -> v if the row matched to
u has an entry in column v: the predecessors of v are the columns matched to the rows of the entries
of column v. So if an alternating search from unmatched columns reaches a column, it also reaches
the predecessors of the column; a search from unmatched rows also reaches its successors.

In `spread` and `peel`, each rank processes all of its vertices that it can before it sends anything
(``spread.hpp``). So the number of exchanges depends on how often the vertices of a path change
their owner. Lists hold local numbers: the vertices of other ranks are ghosts
(``backends/mpi/halo.py``).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.halo import Halo, Waiting, distinct
from btfperm.backends.mpi.slices import Slices
from btfperm.pattern.owned_lists import OwnedLists, piece_of

__all__ = ["Digraph", "LocalLists", "digraph_of_matching", "largest_by_key"]

Indices = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

_PIECE = 1 << 16  # number of vertices that are processed at once, to limit temporary arrays


class LocalLists:
    """Lists of the vertices of this rank.

    Attributes
    ----------
    indptr, items : list k holds the local numbers ``items[indptr[k]:indptr[k + 1]]``
    halo : the ghosts in these lists
    """

    def __init__(self, exchange: Exchange, slices: Slices, lists: OwnedLists) -> None:
        """`lists` hold vertices by their numbers in the whole digraph; they are overwritten by
        local numbers."""
        self.halo = Halo(exchange, slices, lists.items)
        self.indptr, self.items = lists.indptr, lists.items

    def lengths(self, part: slice) -> npt.NDArray[np.int64]:
        """The lengths of the lists of a piece of the vertices, see `pieces`."""
        return np.diff(self.indptr[part.start : part.stop + 1])

    def pieces(self) -> Iterator[slice]:
        """The vertices of this rank in pieces, so that temporary arrays are small."""
        for begin in range(0, self.halo.own, _PIECE):
            yield slice(begin, min(begin + _PIECE, self.halo.own))

    def edges_of(self, active: Bytes) -> int:
        """Number of edges in the lists of the active vertices of this rank."""
        return sum(int(self.lengths(part)[active[part] != 0].sum()) for part in self.pieces())

    def degrees(self, active: Bytes) -> Indices:
        """For each vertex of this rank, the number of active vertices in whose list it is.
        Collective."""
        halo = self.halo
        counts = np.zeros(halo.size, dtype=self.items.dtype)
        _core.dulmage_mendelsohn.count_in_lists(self.indptr, self.items, active, counts)
        degree, of_ghosts = counts[: halo.own].copy(), counts[halo.own :]
        waiting = Waiting(halo)
        waiting.put_all(of_ghosts != 0)
        left = 1
        while left:
            ghosts = waiting.take()
            lines, _, left = halo.step(ghosts, of_ghosts[ghosts], waiting=waiting.count)
            np.add.at(degree, lines[:, 0], lines[:, 1])
        return degree

    def reversed(self) -> OwnedLists:
        """The lists of the digraph with all edges reversed, by numbers in the whole digraph. Each
        rank sends its edges in pieces, and the received edges are put into the lists after each
        piece, so that the buffers stay small. Collective."""
        halo, exchange, core = self.halo, self.halo.exchange, _core.dulmage_mendelsohn
        _core.backends.return_free_memory()  # of the earlier searches
        indptr = np.zeros(halo.own + 1, dtype=np.int64)
        np.cumsum(self.degrees(np.ones(halo.own, dtype=np.uint8)), out=indptr[1:])
        _core.backends.return_free_memory()
        items = np.empty(int(indptr[-1]), dtype=self.items.dtype)
        next_place = indptr[:-1]  # a view; in the end, each element is the end of its list
        bounds = np.searchsorted(self.indptr, np.arange(0, self.items.size, piece_of(self.items)))
        pieces = exchange.largest(bounds.size)[0]
        bounds = np.append(bounds, np.full(pieces + 1 - bounds.size, halo.own))
        for begin, end in itertools.pairwise(bounds.tolist()):
            ghosts, numbers = core.reverse_edges(
                halo.slices.first, begin, end, self.indptr, self.items, next_place, items
            )
            got = halo.to_owners(ghosts, numbers)
            core.put_in_lists(got.field(0), got.field(1), next_place, items)
            del ghosts, numbers, got
        indptr[1:] = next_place
        indptr[0] = 0
        _core.backends.return_free_memory(True)
        return OwnedLists(indptr, items)


class Digraph:
    """The vertices of this rank, with their predecessors and their successors.

    Attributes
    ----------
    exchange, slices : the ranks, and the range of vertices of each rank
    predecessors, successors : the lists, without loops. Their first use is collective, and so is
        the first use after they were forgotten
    """

    def __init__(
        self, exchange: Exchange, slices: Slices, width: Any, make: Callable[[], OwnedLists]
    ) -> None:
        """`make` returns the predecessors by their numbers in the whole digraph; they are
        overwritten by local numbers. `width` is the integer type of these numbers."""
        self.exchange, self.slices, self.width, self._make = exchange, slices, width, make

    @cached_property
    def predecessors(self) -> LocalLists:
        return LocalLists(self.exchange, self.slices, self._make())

    @cached_property
    def successors(self) -> LocalLists:
        return LocalLists(self.exchange, self.slices, self.predecessors.reversed())

    @property
    def has_predecessors(self) -> bool:
        """Whether the predecessors are in memory."""
        return "predecessors" in vars(self)

    def keep_successors(self) -> None:
        """Makes the successors and forgets the predecessors, in an order that needs less memory
        than both. Collective."""
        lists = self.predecessors.reversed()
        self.forget_predecessors()
        vars(self)["successors"] = LocalLists(self.exchange, self.slices, lists)

    def forget_successors(self) -> None:
        """Releases the memory of the successors."""
        vars(self).pop("successors", None)
        _core.backends.return_free_memory(True)

    def forget_predecessors(self) -> None:
        """Releases the memory of the predecessors."""
        vars(self).pop("predecessors", None)
        _core.backends.return_free_memory(True)

    @property
    def numbers(self) -> Indices:
        """The vertices of this rank, by their numbers in the whole digraph."""
        return self.slices.numbers(self.width)

    def spread(
        self,
        lists: LocalLists,
        active: Bytes,
        seeds: Indices,
        values: Indices,
        within: Indices | None = None,
    ) -> Indices:
        """Returns, for each active vertex of this rank, the largest label that reaches it, or -1.

        Labels are propagated along `lists`: from a vertex to the vertices in its list. Each rank
        gives the labels `values` to its vertices `seeds`, which are local numbers. If `within` is
        given, a vertex v accepts only the label ``within[v]``. Collective.
        """
        halo = lists.halo
        label = np.full(halo.size, -1, dtype=self.width)
        accepted = np.empty(0, dtype=self.width) if within is None else halo.extended(within)
        seeds, values = seeds.astype(self.width), values.astype(self.width)
        waiting = Waiting(halo)
        while True:
            waiting.put(
                _core.dulmage_mendelsohn.spread(
                    lists.indptr, lists.items, active, accepted, label, seeds, values
                )
            )
            del seeds, values
            ghosts = waiting.take()
            sent = label[halo.own :][ghosts]
            lines, total, left = halo.step(ghosts, sent, waiting=waiting.count)
            if not total + left:
                return label[: halo.own].copy()
            seeds, values = lines[:, 0].copy(), lines[:, 1].copy()
            del lines

    def peel(
        self,
        lists: LocalLists,
        active: Bytes,
        degree: Indices,
        height: Indices,
        most: int | None = None,
    ) -> bool:
        """Peels the active vertices of degree 0, and those whose degree becomes 0.

        `lists` holds, for each vertex, the neighbours whose degree decreases by one when the vertex
        is peeled; their height becomes at least its height plus one. A peeled vertex gets the
        degree -1. `degree` and `height` are changed in place.

        Returns True when no rank has anything to send: the active vertices that remain are on
        cycles or can be reached from cycles along `lists`. Returns False after `most` exchanges,
        without a check whether another vertex could be peeled.
        """
        exchanges, halo, waiting = 0, lists.halo, Waiting(lists.halo)
        degrees, heights = np.zeros((2, halo.size), dtype=self.width)
        degrees[: halo.own], heights[: halo.own] = degree, height
        ready = np.flatnonzero((degree == 0) & (active != 0)).astype(self.width)
        while True:
            if exchanges != most:  # otherwise, only the lines that wait are still sent
                waiting.put(
                    _core.dulmage_mendelsohn.peel_owned(
                        lists.indptr, lists.items, active, degrees, heights, ready
                    )
                )
                exchanges += 1
            ghosts = waiting.take()
            at = halo.own + ghosts
            lines, total, left = halo.step(ghosts, -degrees[at], heights[at], waiting=waiting.count)
            degrees[at] = 0
            at = lines[:, 0]
            np.subtract.at(degrees, at, lines[:, 1])
            np.maximum.at(heights, at, lines[:, 2])
            is_done = not total + left
            if is_done or (exchanges == most and not left):
                degree[:], height[:] = degrees[: halo.own], heights[: halo.own]
                return is_done
            at = np.unique(at)
            ready = at[(degrees[at] == 0) & (active[at] != 0)]


def largest_by_key(keys: Indices, values: Indices) -> tuple[Indices, Indices]:
    """Returns the distinct keys, ascending, and the largest value of each key. No value may be
    negative.

    >>> [found.tolist() for found in largest_by_key(np.array([3, 1, 3]), np.array([5, 2, 7]))]
    [[1, 3], [2, 7]]
    """
    found, places = distinct(keys)
    largest = np.full(found.size, -1, dtype=values.dtype)
    np.maximum.at(largest, places, values)
    return found, largest


def digraph_of_matching(pattern: Any, row_match: Indices) -> tuple[Digraph, Bytes]:
    """Returns the digraph of a matching, and for each column of this rank whether it has an entry
    in an unmatched row. Such an entry is no edge of the digraph. Collective."""
    slices = pattern.col_slices
    marks: list[Bytes] = []

    def predecessors() -> OwnedLists:
        halo = pattern.halo()
        indptr, items, in_unmatched_row = _core.dulmage_mendelsohn.list_predecessors(
            slices.first, pattern.indptr, halo.items, halo.extended(row_match)
        )
        halo.forget_shared()
        marks[:] = [in_unmatched_row]
        return OwnedLists(indptr, items)

    graph = Digraph(pattern.exchange, slices, pattern.width, predecessors)
    graph.predecessors  # noqa: B018  # makes `marks`
    return graph, marks[0]
