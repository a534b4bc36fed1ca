# SPDX-License-Identifier: BSD-3-Clause
"""Connected components of the horizontal and the vertical part, over ranks.

In these parts two columns are in the same component if they have entries in the same row. If that
row is matched, both have an edge from the column matched to it in the digraph of the matching, so
that the edges connect them. Columns with entries in the same *unmatched* row get edges of their
own: each to the next column in the list of that row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.dulmage_mendelsohn.coarse_mpi import HORIZONTAL, VERTICAL, Bytes
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Digraph, Indices
from btfperm.pattern.owned_lists import OwnedLists, owned_lists

__all__ = ["component_of_unmatched_rows", "connected_columns"]


def connected_columns(
    pattern: Any, graph: Digraph, mates: Indices, part: Bytes
) -> tuple[Indices, OwnedLists]:
    """The component of each horizontal or vertical column of this rank, named by one of its
    columns, or -1; and the columns in each unmatched row of this rank."""
    exchange, rows, width = graph.exchange, pattern.row_slices, graph.width
    of_unmatched = np.flatnonzero(mates < 0)
    cols = pattern.columns.list_of_each(width)[of_unmatched] + width(graph.slices.first)
    got = exchange.route(rows, pattern.indices[of_unmatched], cols, kind=width)
    lists = owned_lists(rows.first, rows.size, got.field(0), got.field(1))

    same_row = lists.list_of_each(width)
    same_row = np.flatnonzero(same_row[1:] == same_row[:-1])
    left, right = lists.items[same_row], lists.items[same_row + 1]
    one = exchange.route(
        graph.slices, np.concatenate((left, right)), np.concatenate((right, left)), kind=width
    )
    ends = [one.field(0)]
    others = [one.field(1)]
    for neighbours in (graph.predecessors, graph.successors):
        ends.append(neighbours.list_of_each(width) + width(graph.slices.first))
        others.append(neighbours.items)
    both_ways = owned_lists(
        graph.slices.first, graph.slices.size, np.concatenate(ends), np.concatenate(others)
    )
    name = np.full(graph.slices.size, -1, dtype=width)
    for which in (HORIZONTAL, VERTICAL):
        active = (part == which).astype(np.uint8)
        seeds = graph.numbers[active != 0]
        label = graph.spread(both_ways, active, seeds, seeds)
        name[active != 0] = label[active != 0]
    return name, lists


def component_of_unmatched_rows(graph: Digraph, lists: OwnedLists, name: Indices) -> Indices:
    """The component of each row that has a list, by its first column; -1 for the others."""
    found = np.full(lists.indptr.size - 1, -1, dtype=graph.width)
    listed = np.flatnonzero(lists.lengths())
    found[listed] = graph.ask(lists.items[lists.indptr[listed]], name)
    return found
