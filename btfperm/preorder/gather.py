# SPDX-License-Identifier: BSD-3-Clause
"""The permuted matrix for new values of one pattern: one pass over the values.

`permute` sorts the entries each time. A `Gather` stores the place of each entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.pattern import permute
from btfperm.pattern.arrays import refuse_masked
from btfperm.pattern.host_matrix import checked_matrix, is_scipy
from btfperm.results import IndexArray

__all__ = ["Gather", "has_columns"]


def has_columns(A: Any, shape: tuple[int, int]) -> bool:
    """Whether this is a SciPy matrix of compressed columns and of this shape."""
    return is_scipy(A) and A.format == "csc" and A.shape == shape


class Gather:
    """The order of the entries of a csc matrix after its rows and columns are permuted. O(nnz)."""

    def __init__(self, A: Any, row_perm: IndexArray, col_perm: IndexArray) -> None:
        from scipy.sparse import csc_array

        C = checked_matrix(A)
        self._indptr, self._indices = C.indptr.copy(), C.indices.copy()
        numbers = np.arange(C.indices.size)
        numbered = csc_array((numbers, self._indices, self._indptr), shape=C.shape)
        self._permuted = permute(numbered, row_perm, col_perm)

    def fits(self, A: Any) -> bool:
        """Whether the matrix has the same entries, and a value for each. O(nnz)."""
        return (
            A.data.shape == self._indices.shape
            and np.array_equal(A.indptr, self._indptr)
            and np.array_equal(A.indices, self._indices)
        )

    def apply(self, A: Any) -> Any:
        """The permuted matrix, of the same kind."""
        refuse_masked(A.data)
        B = self._permuted
        arrays = A.data[B.data], B.indices.copy(), B.indptr.copy()
        return type(A)(arrays, shape=B.shape)
