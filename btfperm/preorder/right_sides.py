# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the arguments of `Factorization.solve`: right-hand sides, and number of steps of
refinement."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from btfperm.arguments import whole_number
from btfperm.errors import InvalidArgumentError
from btfperm.pattern.arrays import is_device_array, is_masked
from btfperm.pattern.host_matrix import checked_matrix, is_scipy

__all__ = ["Refine", "checked_right_side", "checked_steps"]

Refine = int | Literal["auto"]


def checked_right_side(b: Any, n: int) -> npt.NDArray[Any]:
    """`b` as a dense array of numbers with n rows and one or two dimensions.

    Raises
    ------
    InvalidArgumentError : `b` is no such array, or is on a GPU
    InvalidMatrixError : the arrays of a sparse matrix are damaged
    """
    if type(b) is np.ndarray and b.dtype == np.float64 and b.shape == (n,):
        return b  # the checks below take longer than a small solution
    if is_device_array(b):
        raise InvalidArgumentError(
            "this right-hand side is on a GPU, and solve works on the host: give it b.get()"
        )
    # A sparse matrix of another shape is refused below. It is not made dense, because the dense
    # array could be very large.
    if is_scipy(b) and b.shape[0] == n:
        is_vector = len(b.shape) == 1
        b = checked_matrix(b.reshape(n, 1) if is_vector else b, "the right-hand side").toarray()
        b = b.ravel() if is_vector else b
    if is_masked(b):
        raise InvalidArgumentError(
            "the right-hand side is a masked array, which does not define its masked numbers; give "
            "b.filled(0) if these are zero"
        )
    try:
        given = np.asarray(b)
    except (TypeError, ValueError):  # lists of unequal lengths
        given = np.empty((), dtype=object)
    if given.ndim not in (1, 2) or given.shape[0] != n or given.dtype.kind not in "biufc":
        raise InvalidArgumentError(
            f"the right-hand side must be an array of numbers with {n:,} rows and one or two "
            f"dimensions, not {given.dtype} of shape {given.shape}"
        )
    double = np.dtype(np.complex128 if given.dtype.kind == "c" else np.float64)
    if given.dtype.kind in "fc" and given.dtype.itemsize > double.itemsize:
        with np.errstate(over="ignore"):  # numbers that are too large for double become infinite
            given = given.astype(double)
    return given


def checked_steps(refine: Any) -> Refine:
    """Returns `refine`. Raises InvalidArgumentError if `Factorization.solve` does not accept it."""
    if isinstance(refine, str) and refine == "auto":
        return "auto"
    return whole_number("refine", refine, 0, 100)
