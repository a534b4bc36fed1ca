# SPDX-License-Identifier: BSD-3-Clause
"""Connected components of the horizontal and the vertical part, over ranks.

Each rank finds the components of its own entries, ghost rows included. The name of a component is
its smallest column. Then the names travel along those rows of the two parts that several ranks
have: each rank sends its name to the owner of the row, which returns the smallest one, until no
name changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm import _core
from btfperm.dulmage_mendelsohn.coarse_mpi import SQUARE, Bytes
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Indices

__all__ = ["connected_parts"]


def connected_parts(pattern: Any, part: Bytes, row_part: Bytes) -> tuple[Indices, Indices]:
    """The component of each column and row of this rank, named by its smallest column; -1 in the
    square part, and for rows without entries. Collective."""
    exchange, slices, width = pattern.exchange, pattern.col_slices, pattern.width
    names = np.full(part.size, -1, dtype=width), np.full(row_part.size, -1, dtype=width)
    outside = int(np.count_nonzero(part != SQUARE) + np.count_nonzero(row_part != SQUARE))
    if not exchange.sums(outside)[0]:
        return names
    halo = pattern.halo()
    part_of_ghosts = halo.update(row_part)
    component = _core.dulmage_mendelsohn.connect_entries(
        pattern.indptr, halo.items, part, np.concatenate((row_part, part_of_ghosts)), SQUARE
    )
    of_cols, of_rows, of_ghosts = np.split(component, [part.size, part.size + halo.own])
    none = np.iinfo(width).max
    label = np.full(component.size, none, dtype=width)  # at the member that names the component
    np.minimum.at(label, of_cols, slices.numbers(width))
    shared = halo.only(row_part != SQUARE, part_of_ghosts != SQUARE)
    here, there = of_rows[shared.positions], of_ghosts[shared.ghosts]
    del part_of_ghosts, of_ghosts
    while True:
        names_there = shared.returned(label[there])
        n_lower = int(np.count_nonzero(names_there < label[here]))
        np.minimum.at(label, here, names_there)
        known = shared.update(label[here])
        n_lower += int(np.count_nonzero(known < label[there]))
        np.minimum.at(label, there, known)
        if not exchange.sums(n_lower)[0]:
            break
    for name, members, parts in zip(names, (of_cols, of_rows), (part, row_part), strict=True):
        found = label[members]
        named = (parts != SQUARE) & (found != none)
        name[named] = found[named]
    return names
