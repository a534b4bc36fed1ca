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

from itertools import pairwise
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.backends.mpi.halo import Shared
from btfperm.dulmage_mendelsohn.coarse_mpi import SQUARE, Bytes
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Indices

__all__ = ["connected_parts"]

_Side = tuple[Indices, Indices]  # components, sorted by the other rank, and their number for each


def connected_parts(pattern: Any, part: Bytes, row_part: Bytes) -> tuple[Indices, Indices]:
    """Returns two arrays: the component of each column and of each row of this rank, named by its
    smallest column; -1 in the square part, and for rows without entries. `part` and `row_part` are
    the parts of the columns and of the rows. Collective."""
    exchange, slices, width = pattern.exchange, pattern.col_slices, pattern.width
    sides = part, row_part
    outside = int(np.count_nonzero(part != SQUARE) + np.count_nonzero(row_part != SQUARE))
    if not exchange.sums(outside)[0]:
        return np.full(part.size, -1, dtype=width), np.full(row_part.size, -1, dtype=width)
    _core.backends.return_free_memory()  # of the earlier steps
    halo = pattern.halo()
    part_of_ghosts = halo.update(row_part)
    parts = np.concatenate((row_part, part_of_ghosts))
    component = _core.dulmage_mendelsohn.connect_entries(
        pattern.indptr, halo.items, part, parts, SQUARE
    )
    n_own = part.size + row_part.size
    del part_of_ghosts
    pairs = _pairs(halo, component[part.size :], n_own, parts)
    component = component[:n_own].copy()  # without the ghosts
    del parts
    halo.forget_shared()
    _core.backends.return_free_memory(True)
    shared = _shared(exchange, *pairs)
    of_cols, of_rows = component[: part.size], component[part.size :]
    # A local component is named by the number of one member; its label is stored there.
    none = np.iinfo(width).max
    label = np.full(n_own, none, dtype=width)
    np.minimum.at(label, of_cols, slices.numbers(width))
    while exchange.sums(_lower(shared, label, halo.rounds))[0]:
        pass
    del shared
    names = []
    for members, parts in zip((of_cols, of_rows), sides, strict=True):
        name = label[members]
        name[(parts == SQUARE) | (name == none)] = -1
        names.append(name)
    return names[0], names[1]


def _pairs(
    halo: Any, of_rows: Indices, n_own: int, parts: Bytes
) -> tuple[list[Indices], list[Indices]]:
    """The distinct pairs of components that the ghosts of this rank join, for each owner of ghosts:
    the component of its row, and that of the ghost. `of_rows` and `parts` hold the component and
    the part of each row and ghost. A component with a number `n_own` or above is a ghost alone, and
    is left out. Collective."""
    own, exchange = halo.own, halo.exchange
    theirs_of, mine_of = [of_rows[:0]] * exchange.size, [of_rows[:0]] * exchange.size
    if exchange.size == 1:
        return theirs_of, mine_of
    is_outside, of_ghosts = parts[own:] != SQUARE, of_rows[own:]
    begins = np.concatenate(([0], np.cumsum(halo.shared()[2])))

    def give(a: int, b: int) -> tuple[Indices, Indices]:
        positions = halo.positions(a, b)
        chosen = np.flatnonzero(parts[positions] != SQUARE)
        ends = np.concatenate(([0], np.cumsum(halo.shared()[1][a:b])))
        counts = np.diff(np.searchsorted(chosen, ends))
        return of_rows[positions[chosen]], counts

    def take(a: int, b: int, theirs: Indices) -> None:
        for rank in range(a, b):
            here = slice(begins[rank], begins[rank + 1])
            mine = of_ghosts[here][is_outside[here]]
            theirs_of[rank], mine_of[rank] = _distinct(theirs[: mine.size], mine, n_own)
            theirs = theirs[mine.size :]

    expected = np.array([np.count_nonzero(is_outside[a:b]) for a, b in pairwise(begins)])
    exchange.swap(halo.rounds, give, expected, take)
    return theirs_of, mine_of


def _shared(exchange: Any, theirs_of: list[Indices], mine_of: list[Indices]) -> Shared:
    """The pairs of `_pairs`, whose lists are emptied. In the result, `positions` are the components
    of rows of this rank that are ghosts of other ranks, and `ghosts` are the components of the
    ghosts of this rank. Collective."""
    to_here = np.array([theirs.size for theirs in theirs_of], dtype=np.int64)
    positions = np.concatenate(theirs_of)
    theirs_of.clear()
    to_others = to_here
    if exchange.size > 1:
        to_others = exchange.counts_from(to_here)
        positions = exchange.move(positions[:, None], to_here, to_others)[:, 0]
    ghosts = np.concatenate(mine_of)
    mine_of.clear()
    return Shared(exchange, positions, ghosts, to_others, to_here)


def _lower(shared: Shared, label: Indices, rounds: int) -> int:
    """Sends the label of each component to the components that form a pair with it, first to the
    owners of shared rows, then back. Each component takes the smallest label. Returns how often a
    received label was smaller. Collective."""
    if shared.exchange.size == 1:
        return 0
    owned, ghosts = (shared.positions, shared.to_others), (shared.ghosts, shared.to_here)
    return sum(
        _send_labels(shared.exchange, label, rounds, *sides)
        for sides in ((ghosts, owned), (owned, ghosts))
    )


def _send_labels(exchange: Any, label: Indices, rounds: int, here: _Side, there: _Side) -> int:
    """The messages of `_lower` in one direction. `here` are the components that send their labels,
    and `there` those that receive labels."""
    begins, ends = (np.concatenate(([0], np.cumsum(counts))) for _, counts in (here, there))
    lower = 0

    def give(a: int, b: int) -> _Side:
        return label[here[0][begins[a] : begins[b]]], here[1][a:b]

    def take(a: int, b: int, labels: Indices) -> None:
        nonlocal lower
        at = there[0][ends[a] : ends[b]]
        lower += int(np.count_nonzero(labels < label[at]))
        np.minimum.at(label, at, labels)

    exchange.swap(rounds, give, there[1], take)
    return lower


def _distinct(theirs: Indices, mine: Indices, n_own: int) -> tuple[Indices, Indices]:
    """The distinct pairs of `theirs` and `mine`, without those in which `mine` is `n_own` or
    above."""
    kind, is_new = theirs.dtype, mine < n_own
    is_new[1:] &= (theirs[1:] != theirs[:-1]) | (mine[1:] != mine[:-1])
    pairs = theirs[is_new].astype(np.int64)
    pairs *= n_own
    pairs += mine[is_new]
    pairs.sort()
    is_new = np.ones(pairs.size, dtype=np.bool_)
    is_new[1:] = pairs[1:] != pairs[:-1]
    pairs = pairs[is_new]
    return (pairs // n_own).astype(kind), (pairs % n_own).astype(kind)
