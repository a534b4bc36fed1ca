# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition over ranks: coarse parts, fine blocks, canonical order.

The permutations and the boundaries of the fine blocks in the `Form` are distributed: each rank
holds an even slice of each array. Each rank holds all coarse boundaries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm import _core, backends
from btfperm.backends.mpi.slices import even_slices
from btfperm.backends.protocol import Session
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
from btfperm.errors import BackendUnavailableError
from btfperm.path.failure import warn_of_failed_backend
from btfperm.path.fallback import Action, Event, State, after
from btfperm.transversal.augmenting.first_rank_mpi import (
    Gathered,
    beside_hash,
    memory_of_one_process,
)

__all__ = ["decompose", "on_first_rank", "sliced"]


def decompose(pattern: Any, row_match: Indices, col_match: Indices, threads: int = 1) -> Form:
    """The blocks of a distributed pattern that a maximum matching defines. Collective.

    Raises
    ------
    DefectError : the matching is not maximum
    """
    match = row_match, col_match
    _core.backends.return_free_memory(True)  # the memory of the search
    graph, in_unmatched_row = digraph_of_matching(pattern, row_match)
    _core.backends.return_free_memory(True)
    part = coarse_parts(graph, in_unmatched_row, match)
    _core.backends.return_free_memory(True)
    name, height = find_square(graph, part == SQUARE)
    del graph, in_unmatched_row
    _core.backends.return_free_memory(True)
    row_part = part_of_rows(pattern, part, match)
    other_name, row_name = connected_parts(pattern, part, row_part)
    np.copyto(name, other_name, where=part != SQUARE)
    del other_name
    # Each unmatched row without entries is a block. Its name follows the names of all columns, so
    # names are below m + n; `index_type` chooses an integer type that can represent m + n.
    empty = np.flatnonzero((row_name < 0) & (row_match < 0))
    row_name[empty] = pattern.n + pattern.row_slices.first + empty
    row_name = to_rows(pattern, col_match, name, row_name)
    _core.backends.return_free_memory(True)
    found = [name, row_name, part, row_part, height]
    del name, row_name, part, row_part, height, empty
    return _ordered(pattern, found, match)


@memory_of_one_process()
def on_first_rank(
    pattern: Any, gathered: Gathered, row_match: Indices, col_match: Indices, threads: int
) -> Form:
    """The blocks of a pattern. On the first rank, `gathered` has the whole pattern, on the host or
    a GPU. The first rank computes the blocks on its threads or on its GPU, while the other ranks
    sleep. Collective."""
    exchange, width, whole = pattern.exchange, pattern.width, gathered.whole
    matches: Any = gathered.mates
    if not gathered.has_mates:
        matches = [exchange.gather_to(0, match) for match in (row_match, col_match)]
    form: Form | None = None
    described: dict[str, list[int]] = {}
    if whole is not None:
        row_match, col_match = (np.asarray(match) for match in matches)
        form = _blocks(whole, row_match, col_match, beside_hash(pattern, threads) or threads)
        described = {
            "coarse_rows": form.coarse_rows.tolist(),
            "coarse_cols": form.coarse_cols.tolist(),
            "boundaries": [form.row_blocks.size],
        }
    exchange.rest()
    described = exchange.broadcast(described)
    count = described["boundaries"][0]

    def own(name: str, size: int) -> Indices:
        slices = even_slices(size, exchange.size, exchange.rank)
        found: Indices = exchange.scatter(
            None if form is None else getattr(form, name), slices, width
        )
        return found

    return Form(
        own("row_perm", pattern.m),
        own("col_perm", pattern.n),
        own("row_blocks", count),
        own("col_blocks", count),
        np.array(described["coarse_rows"], dtype=width),
        np.array(described["coarse_cols"], dtype=width),
    )


def _blocks(whole: Any, row_match: Any, col_match: Any, threads: int) -> Form:
    """The blocks, on the host. If a GPU fails, the CPU computes them, with a warning."""
    home, width = backends.get(whole.backend), whole.indices.dtype
    rows, cols = row_match.astype(width, copy=False), col_match.astype(width, copy=False)
    try:
        matches = home.uploaded(whole, (rows, cols, None, None))[:2]
        form = home.decompose(Session(whole), *matches, threads)
    except BackendUnavailableError as failure:
        if after(Event.BACKEND_FAILED, State("decompose", home.name)) is Action.RAISE:
            raise
        warn_of_failed_backend(failure, once=False)
        return _blocks(whole.on_host(), row_match, col_match, threads)
    return Form(*map(backends.host_array, form))


def sliced(pattern: Any, form: Form) -> Form:
    """The part of a form that this rank holds: even slices of its arrays, and all coarse
    boundaries. Each rank has the whole `form`."""
    exchange = pattern.exchange

    def own(array: Indices) -> Indices:
        slices = even_slices(array.size, exchange.size, exchange.rank)
        return array[slices.first : slices.last].copy()

    rows, cols = own(form.row_perm), own(form.col_perm)
    blocks = own(form.row_blocks), own(form.col_blocks)
    return Form(rows, cols, *blocks, form.coarse_rows, form.coarse_cols)


def _ordered(pattern: Any, found: list[Indices], match: tuple[Indices, Indices]) -> Form:
    """Makes the form. `found` is a list of arrays: the names of the blocks of the columns and of
    the rows, the parts of the columns and of the rows, and the heights of the blocks. The list is
    emptied, so that the memory of these arrays can be released before the permutations are made."""
    exchange, width, n = pattern.exchange, pattern.width, pattern.n
    cols, rows = pattern.col_slices, pattern.row_slices
    name, row_name, part, row_part, height = found
    found.clear()
    positions = np.empty(cols.size, dtype=width), np.empty(rows.size, dtype=width)
    base, bases, blocks = Base(), [Base()], []
    for which in (HORIZONTAL, SQUARE, VERTICAL):
        own_cols = np.flatnonzero(part == which).astype(width)
        own_rows = np.flatnonzero(row_part == which).astype(width)

        chosen = Part(
            own_cols + width(cols.first),
            own_rows + width(rows.first),
            name[own_cols],
            row_name[own_rows],
            height if which == SQUARE else None,
            by_rows=which == VERTICAL,
        )
        placed = place(exchange, chosen, cols, rows, base)
        positions[0][own_cols], positions[1][own_rows] = placed.cols, placed.rows
        base = placed.after
        bases.append(base)
        blocks.append(placed.blocks)
        del chosen, placed, own_cols, own_rows
    del name, row_name, part, row_part, height
    _core.backends.return_free_memory(True)
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
