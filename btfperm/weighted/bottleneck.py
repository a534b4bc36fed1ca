# SPDX-License-Identifier: BSD-3-Clause
"""The largest smallest entry: bisection over the moduli.

A matrix has a maximum transversal whose entries are all at least t if and only if the structural
rank stays the same when all entries below t are left out. The bisection finds the largest such t.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.pattern import Pattern
from btfperm.results import Transversal
from btfperm.transversal import maximum_transversal

__all__ = ["largest_smallest", "part_of"]

_SHORTEST = 1e-9  # time limit in seconds when no time is left, because 0 is refused


def largest_smallest(
    pattern: Pattern,
    modulus: npt.NDArray[np.float64],
    transversal: Transversal,
    time_limit: float | None,
    **how: Any,
) -> tuple[Transversal, float, int]:
    """(transversal, its smallest modulus, number of searches).

    There are O(log nnz) searches, which together have `time_limit` seconds; `how` are the other
    arguments of each search. If a limit ends a search, its transversal is returned, which is not
    maximum, and the modulus is only a lower bound of the largest smallest modulus."""
    end = None if time_limit is None else time.perf_counter() + time_limit
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
        left = None if end is None else max(end - time.perf_counter(), _SHORTEST)
        found = maximum_transversal(above, backend="cpu", drop_zeros=False, time_limit=left, **how)
        if not found.maximum:
            return found, float(values[lower]), searches
        if found.structural_rank == rank:
            lower, transversal = middle, found
        else:
            upper = middle - 1
    return transversal, float(values[lower]), searches


def part_of(pattern: Pattern, stays: npt.NDArray[np.bool_]) -> Pattern:
    """The pattern with only those entries for which `stays` is true."""
    places = np.concatenate([[0], np.cumsum(stays)])[pattern.indptr]
    indptr = places.astype(pattern.indptr.dtype)
    return Pattern(pattern.shape, indptr, pattern.indices[stays], pattern.name, pattern.source)
