# SPDX-License-Identifier: BSD-3-Clause
"""The permuted matrix for new values of one pattern, by one pass over the values.

`permute` computes the order of the entries in each call. A `Gather` stores this order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.pattern import permute
from btfperm.pattern.arrays import refuse_masked
from btfperm.pattern.host_matrix import checked_matrix, is_scipy
from btfperm.preorder.values import as_places, gathered
from btfperm.results import IndexArray

__all__ = ["Gather", "is_compressed"]


def is_compressed(A: Any, shape: tuple[int, int]) -> bool:
    """Whether `A` is a SciPy matrix in CSC or CSR format with this shape."""
    return is_scipy(A) and A.format in ("csc", "csr") and A.shape == shape


class Gather:
    """The order of the entries of a csc or csr matrix after its rows and columns are permuted.
    O(nnz)."""

    def __init__(self, A: Any, row_perm: IndexArray, col_perm: IndexArray) -> None:
        from scipy.sparse import csc_array, csr_array

        C = checked_matrix(A)
        self._format = C.format
        self._indptr, self._indices = C.indptr.copy(), C.indices.copy()
        numbers = np.arange(C.indices.size)
        kind = csc_array if C.format == "csc" else csr_array
        numbered = kind((numbers, self._indices, self._indptr), shape=C.shape)
        permuted = permute(numbered, row_perm, col_perm)
        self._places = as_places(permuted.data)
        permuted.data = permuted.data[:0]
        self._permuted = permuted

    def fits(self, A: Any) -> bool:
        """Whether `A` has the same entries in the same format, and a value for each. O(nnz)."""
        return (
            A.format == self._format
            and A.data.shape == self._indices.shape
            and np.array_equal(A.indptr, self._indptr)
            and np.array_equal(A.indices, self._indices)
        )

    def apply(self, A: Any) -> Any:
        """The permuted matrix in CSC format: an array for an array, a matrix for a matrix. The
        caller may modify it, so its indices are copies."""
        from scipy.sparse import csc_array, csc_matrix, sparray

        refuse_masked(A.data)
        B = self._permuted
        arrays = gathered(A.data, self._places)[0], B.indices.copy(), B.indptr.copy()
        if A.format == "csc":
            return type(A)(arrays, shape=B.shape)
        return (csc_array if isinstance(A, sparray) else csc_matrix)(arrays, shape=B.shape)
