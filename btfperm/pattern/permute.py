# SPDX-License-Identifier: BSD-3-Clause
"""Permutations: applied, and turned round."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.errors import InvalidArgumentError
from btfperm.pattern.pattern import Pattern
from btfperm.results import IndexArray

__all__ = ["inverse", "permute"]


def inverse(perm: IndexArray) -> IndexArray:
    """The scatter form of a gather permutation, and the other way round. O(n).

    >>> import numpy as np
    >>> inverse(np.array([2, 0, 1]))
    array([1, 2, 0])
    """
    position = np.empty_like(perm)
    position[perm] = np.arange(perm.size, dtype=perm.dtype)
    return position


def permute(A: Any, row_perm: IndexArray, col_perm: IndexArray) -> Any:
    """``A[row_perm, :][:, col_perm]``: a `Pattern` gives a `Pattern`, a SciPy matrix the same kind
    in compressed columns, a dense array a dense array.

    Raises
    ------
    InvalidArgumentError : the permutations do not fit the matrix
    """
    shape = tuple(np.shape(A)) if not hasattr(A, "shape") else tuple(A.shape)
    if shape != (row_perm.size, col_perm.size):
        raise InvalidArgumentError(
            f"permutations of {row_perm.size} rows and {col_perm.size} columns do not fit a matrix "
            f"of shape {shape}"
        )
    if isinstance(A, Pattern):
        rows, cols = inverse(row_perm)[A.indices], inverse(col_perm)[A.cols()]
        return Pattern.from_coo(rows, cols, A.shape, name=A.name, owned=True)
    if hasattr(A, "tocsc"):
        return A.tocsr()[row_perm, :].tocsc()[:, col_perm]
    return np.asarray(A)[np.ix_(row_perm, col_perm)]
