# SPDX-License-Identifier: BSD-3-Clause
"""The coarse parts over ranks: alternating search from unmatched columns and unmatched rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.dulmage_mendelsohn.fine_square.digraph_mpi import Digraph
from btfperm.errors import DefectError

__all__ = ["HORIZONTAL", "SQUARE", "VERTICAL", "coarse_parts", "part_of_rows"]

HORIZONTAL, SQUARE, VERTICAL = 0, 1, 2

Bytes = npt.NDArray[np.uint8]


def coarse_parts(
    pattern: Any, graph: Digraph, mates: npt.NDArray[Any], col_match: npt.NDArray[Any]
) -> Bytes:
    """The part of each column of this rank.

    Raises
    ------
    DefectError : the matching is not maximum
    """
    everywhere = np.ones(graph.slices.size, dtype=np.uint8)
    unmatched = graph.numbers[col_match < 0]
    horizontal = graph.spread(graph.predecessors, everywhere, unmatched, np.ones_like(unmatched))
    in_unmatched_row = np.unique(pattern.columns.list_of_each(graph.width)[mates < 0])
    seeds = graph.numbers[in_unmatched_row]
    vertical = graph.spread(graph.successors, everywhere, seeds, np.ones_like(seeds))
    both = int(np.count_nonzero((horizontal > 0) & (vertical > 0)))
    if graph.exchange.sums(both)[0]:
        raise DefectError(
            "the decomposition went wrong: the matching is not maximum; this is a defect of "
            "btfperm, please report it with the matrix"
        )
    part = np.full(graph.slices.size, SQUARE, dtype=np.uint8)
    part[horizontal > 0] = HORIZONTAL
    part[vertical > 0] = VERTICAL
    return part


def part_of_rows(graph: Digraph, part: Bytes, row_match: npt.NDArray[Any]) -> Bytes:
    """The part of each row of this rank: that of its column, or vertical if it is unmatched."""
    found = np.full(row_match.size, VERTICAL, dtype=np.uint8)
    matched = row_match >= 0
    found[matched] = graph.ask(row_match[matched], part)
    return found
