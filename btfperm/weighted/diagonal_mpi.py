# SPDX-License-Identifier: BSD-3-Clause
"""The smallest and the median diagonal entry of a matrix over ranks, before and after permutation
and scaling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.weighted.diagonal import Diagonals, Moduli

if TYPE_CHECKING:
    from btfperm.pattern.distributed import DistributedPattern
    from btfperm.results.distributed import DistributedWeightedTransversal

__all__ = ["diagonals_over_ranks", "order_statistics", "with_diagonals"]

Reals = npt.NDArray[np.float64]


def with_diagonals(
    pattern: DistributedPattern, modulus: None, d: Any, objective: str, *, backend: str, **how: Any
) -> tuple[DistributedWeightedTransversal, Diagonals]:
    """The step `diagonals` over ranks: the pattern holds the moduli. Collective."""
    from btfperm.weighted.weigh_mpi import weigh_over_ranks

    weighted = weigh_over_ranks(pattern, d, objective, **how)
    return weighted, diagonals_over_ranks(pattern, weighted)


def diagonals_over_ranks(
    pattern: DistributedPattern, w: DistributedWeightedTransversal
) -> Diagonals:
    """The same as `diagonals_of` for a pattern that `moduli_over_ranks` returned. Collective."""
    exchange, halo, cols = pattern.exchange, pattern.halo(), pattern.col_slices
    assert pattern.values is not None
    lists = pattern.columns.list_of_each(np.int64)
    rows = halo.numbers()[halo.items]
    stored = np.zeros(max(min(cols.last, *pattern.shape) - cols.first, 0))
    own = rows == lists + cols.first
    stored[lists[own]] = pattern.values[own]
    matched = rows == w.col_match[lists]
    after = pattern.values[matched]
    parts = [stored, after]
    if w.log_row_scale is not None and w.log_col_scale is not None:
        of_rows = halo.extended(w.log_row_scale)[halo.items[matched]]
        parts.append(np.exp(np.log(after) + of_rows + w.log_col_scale[lists[matched]]))
    before, after_it, *scaled = (_moduli(exchange, part) for part in parts)
    return Diagonals(before, after_it, scaled[0] if scaled else None)


def _moduli(exchange: Any, values: Reals) -> Moduli:
    count = exchange.sums(values.size)[0]
    if not count:
        return Moduli(None, None)
    smallest, low, high = order_statistics(exchange, values, (0, (count - 1) // 2, count // 2))
    return Moduli(smallest, low + (high - low) / 2)


def order_statistics(exchange: Any, values: Reals, places: tuple[int, ...]) -> list[float]:
    """The values at the positions `places` of the sorted list of the values of all ranks. No value
    is negative, so a bisection over the 63 bits of a value finds each. Collective.

    >>> import types
    >>> alone = types.SimpleNamespace(sum_arrays=lambda values: values)
    >>> order_statistics(alone, np.array([3.0, 0.0, 1.5, 8.0]), (0, 1, 3))
    [0.0, 1.5, 8.0]
    """
    # Values that are not negative have the same order as their bits. The sum turns -0.0 into 0.0.
    ordered = np.sort(values + 0.0).view(np.int64)
    wanted = np.array(places, dtype=np.int64)
    low, high = np.zeros_like(wanted), np.full_like(wanted, np.array(np.inf).view(np.int64))
    for _ in range(63):
        middle = low + (high - low) // 2
        until = exchange.sum_arrays(np.searchsorted(ordered, middle, side="right"))
        is_low = until > wanted
        low, high = np.where(is_low, low, middle + 1), np.where(is_low, middle, high)
        low = np.minimum(low, high)
    found: list[float] = high.view(np.float64).tolist()
    return found
