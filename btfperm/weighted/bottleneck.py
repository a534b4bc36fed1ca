# SPDX-License-Identifier: BSD-3-Clause
"""The largest smallest entry: bisection over the moduli.

A matrix has a maximum transversal of entries of at least t if the entries below t can be left out
without changing the structural rank. The cover of the entries above the largest such t proves that
no transversal is better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.pattern import Pattern
from btfperm.results import Transversal
from btfperm.transversal import maximum_transversal

__all__ = ["largest_smallest", "part_of"]


def largest_smallest(
    pattern: Pattern,
    modulus: npt.NDArray[np.float64],
    transversal: Transversal,
    limits: dict[str, Any],
) -> tuple[Transversal, float, int]:
    """(transversal, its smallest modulus, number of searches). O(log nnz) searches."""
    rank = transversal.structural_rank
    if rank == 0:
        return transversal, float("inf"), 0
    values = np.unique(modulus)
    lower, upper, searches = 0, int(values.size) - 1, 0
    while lower < upper:
        middle = (lower + upper + 1) // 2
        searches += 1
        stays = modulus >= values[middle]
        above = part_of(pattern, stays)
        found = maximum_transversal(above, backend="cpu", drop_zeros=False, **limits)
        if found.structural_rank == rank:
            lower, transversal = middle, found
        else:
            upper = middle - 1
    return transversal, float(values[lower]), searches


def part_of(pattern: Pattern, stays: npt.NDArray[np.bool_]) -> Pattern:
    """The pattern with some of its entries."""
    places = np.concatenate([[0], np.cumsum(stays)])[pattern.indptr]
    indptr = places.astype(pattern.indptr.dtype)
    return Pattern(pattern.shape, indptr, pattern.indices[stays], pattern.name, pattern.source)
