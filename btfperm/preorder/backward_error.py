# SPDX-License-Identifier: BSD-3-Clause
"""Backward errors of a solution: the smallest relative changes of the matrix and of the right-hand
side for which the solution is exact.

Paper       W. Oettli, W. Prager, Numerische Mathematik 6, 1964 (componentwise); J. L. Rigal,
            J. Gaches, Journal of the ACM 14, 1967 (normwise)
Cost        O(nnz) for each right-hand side
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.preorder.values import LONG, Columns

__all__ = ["BackwardError", "has_long_sums", "residual_of"]

_OPERATIONS = {"N": 0, "T": 1, "H": 2}
_Numbers = npt.NDArray[Any]


class BackwardError(NamedTuple):
    """The largest backward errors of all right-hand sides; infinite if a number of a residual is
    not finite.

    Attributes
    ----------
    normwise : ``|r| / (|A| |x| + |b|)`` for the residual ``r = b - A x``, with the maximum norm of
        vectors and the largest sum of moduli in a row as ``|A|``
    componentwise : the largest ``|r_i| / (|A| |x| + |b|)_i``, with the moduli of the numbers
    """

    normwise: float
    componentwise: float


def has_long_sums(columns: Columns) -> bool:
    """Whether a row or a column has more than `LONG` entries. Residuals of the matrix and of its
    transpose are then summed with more digits than those of a double."""
    if columns.n <= LONG or len(columns.indices) <= LONG:
        return False
    return columns.longest > LONG


def residual_of(
    columns: Columns, x: _Numbers, b: _Numbers, trans: str = "N"
) -> tuple[_Numbers, BackwardError]:
    """The residual and the backward errors of a solution `x` for the right-hand side `b`, with A,
    A.T or A.conj().T for `trans` "N", "T" or "H". `x` and `b` have the shape (n,) or (n, k).

    >>> columns = Columns(np.array([0, 1, 2]), np.array([0, 1]), np.array([2.0, 4.0]))
    >>> r, error = residual_of(columns, np.array([1.0, 1.0]), np.array([2.0, 5.0]))
    >>> r, error.componentwise
    (array([0., 1.]), 0.1111111111111111)
    """
    n = columns.n
    dtype = np.result_type(columns.values, x, b, np.float64)
    right, solution = (
        np.ascontiguousarray(v.T if v.ndim == 2 else v[None], dtype=dtype) for v in (b, x)
    )
    if not solution.size:
        return np.zeros_like(x), BackwardError(0.0, 0.0)
    values = np.ascontiguousarray(columns.values, dtype=dtype)
    r, sizes = np.empty_like(solution), np.empty(n)
    arrays = columns.indptr, columns.indices, values
    flat = (v.reshape(-1) for v in (solution, right, r))
    wide = has_long_sums(columns)
    componentwise = float(_core.preorder.residual(*arrays, _OPERATIONS[trans], wide, *flat, sizes))
    if not np.isfinite(r).all():
        normwise = componentwise = np.inf
    else:
        of_cols = np.repeat(np.arange(n), np.diff(columns.indptr))
        places = (columns.indices, of_cols) if trans == "N" else (of_cols, columns.indices)
        modulus = np.abs(values)
        normwise = _normwise(np.bincount(places[0], modulus, n), solution, right, r)
        if dtype.kind == "c":  # the core uses |real part| + |imaginary part| instead of the modulus
            componentwise = _componentwise(places, modulus, solution, right, r)
    return np.ascontiguousarray(r.T).reshape(x.shape), BackwardError(normwise, componentwise)


def _normwise(row_sums: _Numbers, x: _Numbers, b: _Numbers, r: _Numbers) -> float:
    wide = np.longdouble  # its range holds the product of two doubles
    x_norm, b_norm, r_norm = (np.abs(v).max(axis=1).astype(wide) for v in (x, b, r))
    scale = wide(row_sums.max()) * x_norm + b_norm
    return float(_quotients(r_norm, scale).max())


def _componentwise(
    places: tuple[_Numbers, _Numbers], modulus: _Numbers, x: _Numbers, b: _Numbers, r: _Numbers
) -> float:
    rows, cols = places
    worst = 0.0
    for solution, right, residual in zip(x, b, r, strict=True):
        sizes = np.bincount(rows, modulus * np.abs(solution)[cols], right.size) + np.abs(right)
        worst = max(worst, float(_quotients(np.abs(residual), sizes).max()))
    return worst


def _quotients(residuals: _Numbers, sizes: _Numbers) -> _Numbers:
    """The quotients, where 0 / 0 is 0, because such an equation holds exactly."""
    return np.divide(residuals, sizes, out=np.zeros_like(sizes), where=residuals != 0)
