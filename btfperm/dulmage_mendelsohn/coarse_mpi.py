# SPDX-License-Identifier: BSD-3-Clause
"""The coarse parts over ranks: alternating searches from the unmatched columns, and from the
unmatched rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Digraph
from btfperm.errors import DefectError

__all__ = ["HORIZONTAL", "SQUARE", "VERTICAL", "coarse_parts", "part_of_rows", "to_rows"]

HORIZONTAL, SQUARE, VERTICAL = 0, 1, 2

Bytes = npt.NDArray[np.uint8]


def coarse_parts(graph: Digraph, in_unmatched_row: Bytes, match: tuple[Any, Any]) -> Bytes:
    """The part of each column of this rank. `graph` is the digraph of the matching.
    `in_unmatched_row` states for each column of this rank whether it has an entry in an unmatched
    row. `match` holds the mates of the rows and of the columns of this rank. Collective.

    Raises
    ------
    DefectError : the matching is not maximum
    """
    part = np.full(graph.slices.size, SQUARE, dtype=np.uint8)
    row_match, col_match = match
    unmatched = np.flatnonzero(col_match < 0)
    n_rows, n_cols = graph.exchange.sums(int(np.count_nonzero(row_match < 0)), unmatched.size)
    everywhere = np.ones(graph.slices.size, dtype=np.uint8)
    if n_cols:
        reached = graph.spread(graph.predecessors, everywhere, unmatched, np.ones_like(unmatched))
        part[reached > 0] = HORIZONTAL
        del reached
    del unmatched
    if n_rows:
        graph.keep_successors()
        seeds = np.flatnonzero(in_unmatched_row)
        reached = graph.spread(graph.successors, everywhere, seeds, np.ones_like(seeds))
        both = int(np.count_nonzero((reached > 0) & (part == HORIZONTAL)))
        if graph.exchange.sums(both)[0]:
            raise DefectError(
                "the decomposition went wrong: the matching is not maximum; this is a defect of "
                "btfperm, please report it with the matrix"
            )
        part[reached > 0] = VERTICAL
    return part


def part_of_rows(
    pattern: Any, part: Bytes, match: tuple[npt.NDArray[Any], npt.NDArray[Any]]
) -> Bytes:
    """The part of each row of this rank: the part of its mate, or the vertical part if it is
    unmatched. Collective."""
    row_match, col_match = match
    return to_rows(pattern, col_match, part, np.full(row_match.size, VERTICAL, dtype=np.uint8))


def to_rows(
    pattern: Any, col_match: npt.NDArray[Any], values: npt.NDArray[Any], found: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Writes the value of each matched column of the ranks to the element of `found` for its mate,
    and returns `found`. Collective."""
    matched = np.flatnonzero(col_match >= 0)
    slices = pattern.row_slices
    got = pattern.exchange.route(
        slices, col_match[matched], values[matched], kind=pattern.width
    ).items
    found[got[:, 0] - slices.first] = got[:, 1]
    return found
