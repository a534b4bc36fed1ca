# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides of a solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError
from btfperm.pattern.arrays import is_device_array, is_masked
from btfperm.pattern.host_matrix import checked_matrix, is_scipy

__all__ = ["checked_right_side"]


def checked_right_side(b: Any, n: int) -> npt.NDArray[Any]:
    """`b` as a dense array of numbers with n rows and one or two dimensions.

    Raises
    ------
    InvalidArgumentError : it is no such array, or is on a GPU
    InvalidMatrixError : the arrays of a sparse matrix are damaged
    """
    if is_device_array(b):
        raise InvalidArgumentError(
            "this right-hand side is on a GPU, and solve works on the host: give it b.get()"
        )
    # A matrix of another shape is refused below. As a dense array, it could be very large.
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
    return given
