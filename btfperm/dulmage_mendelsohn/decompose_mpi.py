# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition over ranks: coarse parts, fine blocks, canonical order.

The arrays of the `Form` are distributed: the permutations and the boundaries of the fine blocks in
even slices of their positions, the coarse boundaries whole on each rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm import _core
from btfperm.backends.mpi.slices import even_slices
from btfperm.dulmage_mendelsohn.canonical_order_mpi import (
    Base,
    Part,
    boundaries,
    permutation,
    place,
)
from btfperm.dulmage_mendelsohn.coarse_mpi import (
    HORIZONTAL,
    SQUARE,
    VERTICAL,
    coarse_parts,
    part_of_rows,
    to_rows,
)
from btfperm.dulmage_mendelsohn.fine_rectangular.connected_mpi import connected_parts
from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Indices, digraph_of_matching
from btfperm.dulmage_mendelsohn.fine_square.find_square_mpi import find_square
from btfperm.dulmage_mendelsohn.form import Form

__all__ = ["decompose", "sliced"]


def decompose(pattern: Any, row_match: Indices, col_match: Indices, threads: int = 1) -> Form:
    """The blocks of a distributed pattern by a maximum matching. Collective.

    Raises
    ------
    DefectError : the matching is not maximum
    """
    match = row_match, col_match
    _core.backends.return_free_memory()  # that of the search
    graph, in_unmatched_row = digraph_of_matching(pattern, row_match)
    part = coarse_parts(graph, in_unmatched_row, match)
    row_part = part_of_rows(pattern, part, match)
    name, row_name = connected_parts(pattern, part, row_part)
    square_name, height = find_square(graph, part == SQUARE)
    del graph
    name = np.where(part == SQUARE, square_name, name)
    # Each unmatched row without entries is a block; its name follows those of all columns.
    empty = np.flatnonzero((row_name < 0) & (row_match < 0))
    row_name[empty] = pattern.n + pattern.row_slices.first + empty
    row_name = to_rows(pattern, col_match, name, row_name)
    _core.backends.return_free_memory()
    return _ordered(pattern, name, row_name, part, row_part, height, match)


def sliced(pattern: Any, form: Form) -> Form:
    """The parts of the arrays of a whole form that belong to this rank."""
    exchange = pattern.exchange

    def own(array: Indices) -> Indices:
        slices = even_slices(array.size, exchange.size, exchange.rank)
        return array[slices.first : slices.last].copy()

    rows, cols = own(form.row_perm), own(form.col_perm)
    blocks = own(form.row_blocks), own(form.col_blocks)
    return Form(rows, cols, *blocks, form.coarse_rows, form.coarse_cols)


def _ordered(
    pattern: Any,
    name: Indices,
    row_name: Indices,
    part: Any,
    row_part: Any,
    height: Indices,
    match: tuple[Indices, Indices],
) -> Form:
    exchange, width, n = pattern.exchange, pattern.width, pattern.n
    cols, rows = pattern.col_slices, pattern.row_slices
    positions = np.empty(cols.size, dtype=np.int64), np.empty(rows.size, dtype=np.int64)

    def owners(names: Indices) -> Indices:
        of_rows = rows.owners(np.maximum(names - n, 0))
        of_cols = cols.owners(np.minimum(names, max(n - 1, 0)))
        return np.asarray(np.where(names < n, of_cols, of_rows))

    base, bases, blocks = Base(), [Base()], []
    for which in (HORIZONTAL, SQUARE, VERTICAL):
        own_cols, own_rows = np.flatnonzero(part == which), np.flatnonzero(row_part == which)

        def heights(names: Indices, which: int = which) -> Indices:
            if which != SQUARE:
                return np.zeros(names.size, dtype=np.int64)
            return np.asarray(height[names - cols.first])

        chosen = Part(
            own_cols + cols.first,
            own_rows + rows.first,
            name[own_cols],
            row_name[own_rows],
            owners,
            heights,
            by_rows=which == VERTICAL,
        )
        placed = place(exchange, chosen, rows if which == VERTICAL else cols, base)
        positions[0][own_cols], positions[1][own_rows] = placed.cols, placed.rows
        base = placed.after
        bases.append(base)
        blocks.append(placed.blocks)
    unmatched_rows, unmatched_cols = exchange.sums(
        *(int(np.count_nonzero(mates < 0)) for mates in match)
    )
    (_, _, h_rows), (_, s_cols, s_rows) = bases[1], bases[2]
    return Form(
        permutation(exchange, pattern.m, positions[1], rows.numbers(width), width),
        permutation(exchange, n, positions[0], cols.numbers(width), width),
        *boundaries(exchange, np.concatenate(blocks), pattern.shape, width),
        np.array([0, h_rows, s_rows, pattern.m - unmatched_rows, pattern.m], dtype=width),
        np.array([0, unmatched_cols, bases[1].cols, s_cols, n], dtype=width),
    )
