# SPDX-License-Identifier: BSD-3-Clause
"""Rows and columns of a singular matrix that are linearly dependent.

Idea        SuperLU reports that a pivot is zero, but not where. Let S be the matrix divided by the
            largest entries of its rows and columns, and E a diagonal matrix of small numbers, so
            that S + E is nonsingular. Inverse iteration with factors of S + E finds vectors x and y
            with S x = 0 and S^H y = 0, nearly. The columns where x is not zero, and the rows where
            y is not zero, are linearly dependent.
Errors      x and y are vectors of S + E, not of S. Each correction solves with the residual S x as
            the right-hand side, and reduces the errors by a factor of about the size of E.
Size of E   If no row of y has its diagonal entry in a column of x, the pivot that was zero has
            about the square of the size of E. With the first of two sizes, this square may be lost
            among rounding errors; with the second one, it is not.
Proof       the residuals S x and y^H S are at most `_ZERO`, where the largest numbers of x, y and
            S are 1
Cost        at most two factorizations, twenty solutions and O(nnz) operations
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Dependent", "dependent"]

_SIZES = 2.0**-36, 2.0**-20  # sizes of E: one for each attempt
_STEPS, _CORRECTIONS = 2, 3  # of the inverse iteration, and afterwards
_ZERO = 1e-10  # numbers up to this size count as rounding errors, where the largest number is 1
_Numbers = npt.NDArray[Any]


class Dependent(NamedTuple):
    """Places of rows and of columns, each in the order of decreasing coefficients."""

    rows: npt.NDArray[np.int64]
    cols: npt.NDArray[np.int64]


def dependent(square: Any, factors_of: Callable[[Any], Any]) -> Dependent | None:
    """The rows and the columns of a singular ``csc_array`` that are linearly dependent. None if no
    vectors with small residuals are found, for instance because the matrix is not singular.

    `factors_of` returns factors with SciPy's method ``solve(b, trans)``, or None.
    """
    from scipy.sparse import diags_array

    n = square.shape[0]
    S = _scaled(square)
    for size in _SIZES:
        random = np.random.default_rng(1)
        E = diags_array(size * random.uniform(1, 2, n))
        factors = factors_of((S + E).tocsc().astype(S.dtype))
        if factors is None:
            continue
        x = random.uniform(1, 2, n).astype(S.dtype)
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                y = _unit(factors.solve(x, "H"))
                x = _unit(factors.solve(y, "N"))
            T = S.conj().T
            for _ in range(_CORRECTIONS):
                x = _corrected(x, factors.solve(S @ x, "N"))
                y = _corrected(y, factors.solve(T @ y, "H"))
            residuals = np.abs(S @ x).max(), np.abs(T @ y).max()
        if max(residuals) <= _ZERO:  # false for NaN
            return Dependent(_places(y), _places(x))
    return None


def _scaled(square: Any) -> Any:
    """A copy whose rows and columns have the largest modulus 1, if they have a nonzero."""
    S = square.copy()
    cols = np.repeat(np.arange(S.shape[1]), np.diff(S.indptr))
    for places in (S.indices, cols):
        largest = np.zeros(S.shape[0])
        np.maximum.at(largest, places, np.abs(S.data))
        largest[largest == 0] = 1
        S.data = S.data / largest[places]
    return S


def _unit(x: _Numbers) -> _Numbers:
    """`x` divided by the largest modulus of its entries."""
    unit: _Numbers = x / np.abs(x).max()
    return unit


def _corrected(x: _Numbers, change: _Numbers) -> _Numbers:
    """`x` minus the part of `change` that is orthogonal to `x`, as a vector of maximum norm 1. The
    part of `change` along `x` may be very large: it is divided by a singular value of S + E that
    may be as small as rounding errors."""
    return _unit(x - change + (np.vdot(x, change) / np.vdot(x, x)) * x)


def _places(x: _Numbers) -> npt.NDArray[np.int64]:
    """Where `x` is not zero, the largest numbers first."""
    modulus = np.abs(x)
    order = np.argsort(-modulus, kind="stable")
    return order[modulus[order] > _ZERO]
