# SPDX-License-Identifier: BSD-3-Clause
"""The smallest and the median diagonal entry, before and after permutation and scaling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.pattern import Pattern
from btfperm.results.weighted import WeightedTransversal

__all__ = ["Diagonals", "Moduli", "diagonals_of"]

Reals = npt.NDArray[np.float64]


class Moduli(NamedTuple):
    """Two numbers about the moduli of diagonal entries; None if there is no diagonal entry."""

    smallest: float | None
    median: float | None


class Diagonals(NamedTuple):
    """The diagonal before and after permutation and scaling.

    Attributes
    ----------
    before : moduli at the places (k, k) of the matrix; 0 where the matrix has no entry
    after : moduli of the matched entries, which are the diagonal of the permuted matrix
    scaled : moduli of the matched entries after scaling; None if there are no scalings
    """

    before: Moduli
    after: Moduli
    scaled: Moduli | None


def diagonals_of(pattern: Pattern, modulus: Reals, w: WeightedTransversal) -> Diagonals:
    """The diagonals of a matrix before and after the transversal `w`. `pattern` and `modulus` are
    the results of `btfperm.weighted.moduli`. O(nnz)."""
    rows, cols = pattern.indices, pattern.cols()
    stored = np.zeros(min(pattern.shape))
    own = rows == cols
    stored[rows[own]] = modulus[own]
    matched = w.row_match[rows] == cols
    after = modulus[matched]
    scaled = None
    if w.log_row_scale is not None and w.log_col_scale is not None:
        logs = np.log(after) + w.log_row_scale[rows[matched]] + w.log_col_scale[cols[matched]]
        scaled = _moduli(np.exp(logs))
    return Diagonals(_moduli(stored), _moduli(after), scaled)


def _moduli(values: Reals) -> Moduli:
    """The smallest and the median of the values. For an even number of values, the median is the
    mean of the two middle ones. Their sum may overflow, so their difference is used."""
    if not values.size:
        return Moduli(None, None)
    middle = (values.size - 1) // 2, values.size // 2
    ordered = np.partition(values, middle)
    low, high = (float(ordered[k]) for k in middle)
    return Moduli(float(values.min()), low + (high - low) / 2)
