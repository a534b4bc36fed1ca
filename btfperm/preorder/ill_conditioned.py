# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about inaccurate and overflowing solutions, which name a row and a column.

Idea        One step of inverse iteration amplifies vectors that the matrix maps nearly to zero. Its
            largest numbers show the row and the column. If a solution overflows, the transposed
            system is solved for the unit vector of a number that is not finite. Its largest number
            shows which equation has the largest effect on this number.
Cost        two solutions by the factors, if there is a warning
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import IllConditionedWarning
from btfperm.preorder.factors import Factors
from btfperm.preorder.values import Columns
from btfperm.warn import warn

__all__ = ["overflowing", "random_numbers", "rounding_errors", "warn_if_wrong", "warn_of_overflow"]

# A change of a solution above this share of its largest number causes a warning. The change by
# rounded entries and the change by the first step of refinement are both compared.
_LARGE_CHANGE = 1e-3
_SMALL = 100  # matrices with fewer rows are tested with two vectors of rounding errors
# 1 / r and 1 / r**2 for the real root r of r**3 = r + 1.
_STEPS = 0.7548776662466927, 0.5698402909980532
_TRANSPOSED = {"N": "T", "T": "N", "H": "N"}
_Numbers = npt.NDArray[Any]


@cache
def random_numbers() -> _Numbers:
    """4,093 random numbers between -1 and 1. They are cached, because starting a generator takes
    longer than solving a small system.

    Their moduli differ: equal changes of two nearly equal rows cancel, and if all numbers were 1 or
    -1, those of half of all pairs of rows would be equal."""
    return np.random.default_rng(1).uniform(-1.0, 1.0, 4_093)


@lru_cache(16)
def rounding_errors(n: int) -> _Numbers:
    """One row of n relative rounding errors, n <= 4,093; for a matrix of fewer than _SMALL rows,
    two rows. In the second case, changes of two nearly equal or opposite rows of the matrix do not
    cancel in both rows of the result: in one of these, the numbers of any two places differ by at
    least 0.13 of the largest rounding error, and in one, their sum is at least 0.09 of it.
    Multiples of the two steps modulo 1 are evenly distributed in the unit square (M. Roberts,
    2018)."""
    if n < _SMALL:
        numbers = 2 * (np.outer(_STEPS, np.arange(1, n + 1)) % 1) - 1
    else:
        numbers = random_numbers()[None, :n]
    return np.finfo(np.float64).eps / 2 * numbers


def overflowing(given: _Numbers, x: _Numbers) -> npt.NDArray[np.bool_]:
    """For each right-hand side, whether its row of `x` is not finite although `given` is finite."""
    return np.asarray(np.isfinite(given).all(axis=1) & ~np.isfinite(x).all(axis=1))


def warn_if_wrong(share: float, cause: str, columns: Columns, factors: Factors) -> bool:
    """Warns if `share`, the relative change of a solution, exceeds _LARGE_CHANGE. Returns whether
    it warned."""
    if share <= _LARGE_CHANGE:
        return False
    row, col = _dependent(columns, factors)
    warn(
        IllConditionedWarning(
            f"the matrix is nearly singular: {cause} the solution by {share:.1g} of its "
            "size, so the solution is inaccurate; check the entries of column "
            f"{col} and row {row}, which are nearly linear combinations of others"
        )
    )
    return True


def warn_of_overflow(what: str, x: _Numbers, trans: str, factors: Factors) -> None:
    """Warns that the solutions `x`, some of whose numbers are not finite, overflow. `what` is the
    beginning of the message."""
    place = int(np.argmin(np.isfinite(x).all(axis=0)))
    unit = np.zeros_like(x[:1])
    unit[0, place] = 1
    factors.solve(unit, _TRANSPOSED[trans])
    other = _largest(unit[0])
    row, col = (other, place) if trans == "N" else (place, other)
    warn(
        IllConditionedWarning(
            f"{what}; check the entries of column {col} and row {row}, which are very small or "
            "nearly linear combinations of others"
        )
    )


def _dependent(columns: Columns, factors: Factors) -> tuple[int, int]:
    """The row and the column with the largest coefficients in linear combinations of rows and of
    columns that are nearly zero.

    The coefficients are the result of one step of inverse iteration, with the matrix divided by the
    largest entries of its rows and columns. The result is nearly in the null space.
    """
    n = columns.n
    modulus = np.abs(columns.values)
    of_rows, of_cols = np.zeros(n), np.zeros(n)
    cols = np.repeat(np.arange(n), np.diff(columns.indptr))
    np.maximum.at(of_rows, columns.indices, modulus)
    np.maximum.at(of_cols, cols, modulus)
    start = np.resize(random_numbers(), n)
    largest = []
    for trans, first, last in (("T", of_cols, of_rows), ("N", of_rows, of_cols)):
        x = (start * first).astype(columns.values.dtype)[None]
        factors.solve(x, trans)
        with np.errstate(over="ignore", invalid="ignore"):
            largest.append(_largest(x[0] * last))
    return largest[0], largest[1]


def _largest(x: _Numbers) -> int:
    """The place of the first number that is not finite, or else of the largest modulus."""
    with np.errstate(over="ignore", invalid="ignore"):
        modulus = np.abs(x)
    return int(np.where(np.isnan(modulus), np.inf, modulus).argmax())
