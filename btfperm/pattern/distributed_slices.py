# SPDX-License-Identifier: BSD-3-Clause
"""The ranges of rows and columns that each rank owns, and the check of the memory for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.pattern.memory import check_memory_of_ranks

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.slices import Slices

__all__ = ["balanced_slices", "check_own_lines"]


def balanced_slices(
    exchange: Exchange,
    rows: npt.NDArray[Any],
    cols: npt.NDArray[Any],
    shape: tuple[int, int],
    symmetric: bool,
) -> tuple[Slices, Slices]:
    """Ranges of rows and columns with about equal numbers of entries on each rank. Collective."""
    from btfperm.backends.mpi.slices import bucket_width, weighted_slices

    found = []
    for own, other, count in ((rows, cols, shape[0]), (cols, rows, shape[1])):
        width = bucket_width(count, exchange.size)
        buckets = -(-count // width) if count else 0
        weights = np.zeros(buckets, dtype=np.int64)
        for numbers in (own, other) if symmetric else (own,):
            _core.ranks.count_by_bucket(numbers, width, weights)
        sums = exchange.sum_arrays(weights)
        found.append(weighted_slices(count, sums, exchange.size, exchange.rank))
    return found[0], found[1]


def check_own_lines(exchange: Exchange, rows: Slices, cols: Slices, name: str | None) -> None:
    """Raises ResourceMissingError if the ranks of this machine need more than its free memory for
    the rows and columns that they own."""
    own = rows.size * exchange.ranks_here, cols.size * exchange.ranks_here
    check_memory_of_ranks((rows.count, cols.count), own, name)
