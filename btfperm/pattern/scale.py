# SPDX-License-Identifier: BSD-3-Clause
"""Scalings, given by their logarithms, applied to the rows and columns of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import matrix_on_device, prefix
from btfperm.pattern.host_matrix import is_scipy
from btfperm.pattern.pattern import Pattern

__all__ = ["scaled"]

Reals = npt.NDArray[np.float64]


def scaled(B: Any, log_rows: Reals, log_cols: Reals) -> Any:
    """``exp(log_rows[i]) * B[i, j] * exp(log_cols[j])`` for a SciPy matrix in compressed columns or
    a dense array, in double precision; a new matrix of the same kind.

    Each value is multiplied twice by ``exp((log_rows[i] + log_cols[j]) / 2)``. If the result is at
    most 1 in modulus, no intermediate number overflows, even if one of the scalings alone would.
    A scaled value below the smallest positive double becomes 0.

    Raises
    ------
    InvalidArgumentError : a scaled value is too large for double precision, or the matrix is on a
        GPU
    InvalidMatrixError : the matrix has no values
    """
    if matrix_on_device(B):
        raise InvalidArgumentError("scale=True works on the host: give it A.get()")
    if isinstance(B, Pattern):
        raise InvalidMatrixError(
            f"{prefix(B.name)}a Pattern has no values that could be scaled; give the matrix itself"
        )
    if is_scipy(B):
        values = B.data
        exponent = log_rows[B.indices] + np.repeat(log_cols, np.diff(B.indptr))
    else:
        values = np.asarray(B)
        exponent = log_rows[:, None] + log_cols
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        root = np.exp(exponent / 2)
        result = np.where(values == 0, values, values * root * root)
    overflown = np.isfinite(values) & ~np.isfinite(result)
    if overflown.any():
        raise InvalidArgumentError(
            f"{int(overflown.sum()):,} scaled values are too large for double precision, so the "
            "scalings belong to another matrix or must be used as logarithms: log_row_scale and "
            "log_col_scale"
        )
    if not is_scipy(B):
        return result
    other = B.copy()
    other.data = result
    return other
