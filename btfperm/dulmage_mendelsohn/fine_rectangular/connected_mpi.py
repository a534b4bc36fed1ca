# SPDX-License-Identifier: BSD-3-Clause
"""Connected components of the horizontal and the vertical part, over ranks.

Each rank finds the components of its own columns with their entries. These entries may lie in rows
of other ranks, the ghosts (``backends/mpi/halo.py``). Such a row joins a component of the rank and
a component of the owner of the row into one. Many rows join the same two components, so each pair
of components is listed once. Along these pairs, each rank sends its names to the owners, which
return the smaller name, until no name changes. The final name of a component is its smallest
column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm import _core
from btfperm.backends.mpi.halo import Shared
from btfperm.dulmage_mendelsohn.coarse_mpi import SQUARE, Bytes
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Indices

__all__ = ["connected_parts"]


def connected_parts(pattern: Any, part: Bytes, row_part: Bytes) -> tuple[Indices, Indices]:
    """Returns two arrays: the component of each column and of each row of this rank, named by its
    smallest column; -1 in the square part, and for rows without entries. `part` and `row_part` are
    the parts of the columns and of the rows. Collective."""
    exchange, slices, width = pattern.exchange, pattern.col_slices, pattern.width
    names = np.full(part.size, -1, dtype=width), np.full(row_part.size, -1, dtype=width)
    outside = int(np.count_nonzero(part != SQUARE) + np.count_nonzero(row_part != SQUARE))
    if not exchange.sums(outside)[0]:
        return names
    _core.backends.return_free_memory()  # of the earlier steps
    halo = pattern.halo()
    part_of_ghosts = halo.update(row_part)
    component = _core.dulmage_mendelsohn.connect_entries(
        pattern.indptr, halo.items, part, np.concatenate((row_part, part_of_ghosts)), SQUARE
    )
    of_cols, of_rows, of_ghosts = np.split(component, [part.size, part.size + halo.own])
    none = np.iinfo(width).max
    shared = halo.only(row_part != SQUARE, part_of_ghosts != SQUARE)
    del part_of_ghosts
    pairs = _pairs(exchange, shared, of_rows, of_ghosts)
    del shared, of_ghosts
    _core.backends.return_free_memory()
    # A local component is named by the number of one member; its label is stored there.
    label = np.full(component.size, none, dtype=width)
    np.minimum.at(label, of_cols, slices.numbers(width))
    here, there = pairs.positions, pairs.ghosts
    while True:
        names_there = pairs.returned(label[there])
        n_lower = int(np.count_nonzero(names_there < label[here]))
        np.minimum.at(label, here, names_there)
        known = pairs.update(label[here])
        n_lower += int(np.count_nonzero(known < label[there]))
        np.minimum.at(label, there, known)
        if not exchange.sums(n_lower)[0]:
            break
    for name, members, parts in zip(names, (of_cols, of_rows), (part, row_part), strict=True):
        found = label[members]
        named = (parts != SQUARE) & (found != none)
        name[named] = found[named]
    return names


def _pairs(exchange: Any, shared: Shared, of_rows: Indices, of_ghosts: Indices) -> Shared:
    """The distinct pairs of components that shared rows join. In the result, `positions` are the
    components of rows of this rank that are ghosts of other ranks, and `ghosts` are the components
    of the ghosts of this rank. Collective."""
    theirs, mine = shared.update(of_rows[shared.positions]), of_ghosts[shared.ghosts]
    ends = np.cumsum(shared.to_here)
    kept = [np.empty(0, dtype=np.int64)]  # for each owner, the positions of distinct pairs
    for begin, end in zip(ends - shared.to_here, ends, strict=True):  # the rows of one owner
        a, b = theirs[begin:end], mine[begin:end]
        is_new = np.ones(a.size, dtype=np.bool_)
        is_new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
        places = np.flatnonzero(is_new)
        keys = a[places].astype(np.int64) * (int(b.max(initial=0)) + 1) + b[places]
        kept.append(begin + places[np.unique(keys, return_index=True)[1]])
    to_here = np.array([part.size for part in kept[1:]], dtype=np.int64)
    places = np.concatenate(kept)
    if exchange.size == 1:
        return Shared(exchange, theirs[places], mine[places], to_here, to_here)
    to_others = exchange.counts_from(to_here)
    positions = exchange.move(theirs[places][:, None], to_here, to_others)[:, 0]
    return Shared(exchange, positions, mine[places], to_others, to_here)
