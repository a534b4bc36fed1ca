# SPDX-License-Identifier: BSD-3-Clause
"""The digraph of a matching over ranks, and propagation in it.

A vertex is a column; the owner of the column owns it. There is an edge u -> v where the row matched
to u has an entry in column v: the entries of v are its predecessors. So the columns that the
alternating search from unmatched columns reaches are closed under predecessors, and those of the
search from unmatched rows under successors.

`spread` and `peel` process all vertices of one rank before they send anything (``spread.hpp``): the
number of exchanges depends on how often a path continues on another rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.slices import Slices
from btfperm.pattern.owned_lists import OwnedLists, owned_lists

__all__ = ["Digraph", "digraph_of_matching", "largest_by_key", "mates_of_entries", "reversed_lists"]

Indices = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


class Digraph:
    """The vertices of this rank, with their predecessors and their successors.

    Attributes
    ----------
    exchange, slices : the ranks, and the range of vertices of each
    predecessors, successors : lists of numbers of the whole digraph, without loops
    """

    def __init__(
        self, exchange: Exchange, slices: Slices, predecessors: OwnedLists, successors: OwnedLists
    ) -> None:
        self.exchange, self.slices = exchange, slices
        self.predecessors, self.successors = predecessors, successors
        self.width: Any = predecessors.items.dtype.type

    @property
    def numbers(self) -> Indices:
        """The vertices of this rank, by their numbers in the whole digraph."""
        return np.arange(self.slices.first, self.slices.last, dtype=self.width)

    def spread(
        self,
        lists: OwnedLists,
        active: Bytes,
        seeds: Indices,
        values: Indices,
        within: Indices | None = None,
    ) -> Indices:
        """The largest label that reaches each active vertex of this rank along `lists` from the
        seeds (numbers of the whole digraph, of this rank), or -1. With `within`, a vertex accepts
        only the label ``within[v]``."""
        label = np.full(self.slices.size, -1, dtype=self.width)
        own = np.empty(0, dtype=self.width) if within is None else within
        while True:
            targets, values = _core.dulmage_mendelsohn.spread(
                self.slices.first, lists.indptr, lists.items, active, own, label, seeds, values
            )
            if not self.exchange.sums(targets.size)[0]:
                return label
            if within is None:
                targets, values = largest_by_key(targets, values)
            else:  # a vertex may accept any of the labels that reach it
                targets, values = np.unique(np.stack((targets, values)), axis=1)
            got = self.exchange.route(self.slices, targets, values, kind=self.width)
            seeds, values = got.field(0), got.field(1)

    def peel(
        self,
        lists: OwnedLists,
        active: Bytes,
        degree: Indices,
        height: Indices,
        most: int | None = None,
    ) -> bool:
        """Peels the active vertices of degree 0, and those whose degree becomes 0. `lists` holds
        the neighbours whose degree decreases and whose height is at least one more. A peeled vertex
        has the degree -1 afterwards. Returns False after `most` exchanges (None: no limit) if some
        are not yet peeled."""
        exchanges = 0
        ready = np.flatnonzero((degree == 0) & (active != 0)).astype(self.width)
        while True:
            targets, heights = _core.dulmage_mendelsohn.peel_owned(
                self.slices.first, lists.indptr, lists.items, active, degree, height, ready
            )
            if not self.exchange.sums(targets.size)[0]:
                return True
            distinct, place = np.unique(targets, return_inverse=True)
            counts = np.bincount(place, minlength=distinct.size)
            largest = np.zeros(distinct.size, dtype=self.width)
            np.maximum.at(largest, place, heights)
            got = self.exchange.route(self.slices, distinct, counts, largest, kind=self.width)
            at = got.items[:, 0] - self.slices.first
            np.subtract.at(degree, at, got.items[:, 1])
            np.maximum.at(height, at, got.items[:, 2])
            at = np.unique(at)
            ready = at[(degree[at] == 0) & (active[at] != 0)].astype(self.width)
            exchanges += 1
            if exchanges == most:
                return False

    def ask(self, vertices: Indices, values: Indices) -> Indices:
        """For each vertex (a number of the whole digraph), its element of `values` on the rank that
        owns the vertex. Collective."""
        distinct, place = np.unique(vertices, return_inverse=True)
        got = self.exchange.route(self.slices, distinct, kind=self.width)
        return self.exchange.reply(got, values[got.items[:, 0] - self.slices.first])[0][place]


def largest_by_key(keys: Indices, values: Indices) -> tuple[Indices, Indices]:
    """Distinct keys, ascending, and the largest value of each.

    >>> largest_by_key(np.array([3, 1, 3]), np.array([5, 2, 7]))
    (array([1, 3]), array([2, 7]))
    """
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    last = np.append(keys[1:] != keys[:-1], True)[: keys.size]
    return keys[last], values[last]


def mates_of_entries(pattern: Any, row_match: Indices) -> Indices:
    """The column matched to the row of each entry of this rank, or -1."""
    exchange, slices = pattern.exchange, pattern.row_slices
    rows, place = np.unique(pattern.indices, return_inverse=True)
    got = exchange.route(slices, rows, kind=pattern.width)
    mates = exchange.reply(got, row_match[got.items[:, 0] - slices.first])[0]
    found: Indices = mates[place]
    return found


def reversed_lists(exchange: Exchange, slices: Slices, lists: OwnedLists) -> OwnedLists:
    """The lists of a digraph with all edges reversed."""
    width: Any = lists.items.dtype.type
    ends = lists.list_of_each(width) + width(slices.first)
    got = exchange.route(slices, lists.items, ends, kind=width)
    return owned_lists(slices.first, slices.size, got.field(0), got.field(1))


def digraph_of_matching(pattern: Any, mates: Indices) -> Digraph:
    """The digraph by the result of `mates_of_entries`; unmatched rows have no vertex."""
    slices, width = pattern.col_slices, pattern.width
    ends = pattern.columns.list_of_each(width) + width(slices.first)
    edges = (mates >= 0) & (mates != ends)
    predecessors = owned_lists(slices.first, slices.size, ends[edges], mates[edges])
    successors = reversed_lists(pattern.exchange, slices, predecessors)
    return Digraph(pattern.exchange, slices, predecessors, successors)
