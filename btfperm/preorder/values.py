# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of a factorization: its values, checked and permuted."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern import Pattern, inverse
from btfperm.pattern.arrays import matrix_on_device, refuse_masked
from btfperm.pattern.host_matrix import checked_matrix, compressed, is_scipy, recognised
from btfperm.results import IndexArray

__all__ = ["permuted", "refuse_below", "refuse_changed", "with_values"]

_MOST_ENTRIES = 2**31 - 1  # SciPy's SuperLU has 32-bit indices


def refuse_changed(n: int, row_perm: IndexArray, col_perm: IndexArray, blocks: IndexArray) -> None:
    """Raise unless these are two permutations and boundaries; SuperLU does not check them."""
    places = np.arange(n)
    ends = blocks[[0, -1]].tolist() if blocks.size else []
    if (
        not all(np.array_equal(np.sort(perm), places) for perm in (row_perm, col_perm))
        or ends != [0, n]
        or (np.diff(blocks) < 0).any()
    ):
        raise InvalidArgumentError(
            "the arrays of this Preordering are no permutations and blocks; call preorder again"
        )


def with_values(A: Any, shape: tuple[int, int]) -> Any:
    """`A` as a csc_array of float64 or complex128; may share memory with `A`."""
    if matrix_on_device(A):
        raise InvalidArgumentError(
            "this matrix is on a GPU, and factor works on the host: give it A.get()"
        )
    refuse_masked(A)
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read_matrix

        A = read_matrix(A)
    try:
        C = _columns_of(A, shape)
    except InvalidMatrixError as error:
        raise InvalidMatrixError(f"{type(A).__name__} is no matrix to factor: {error}") from None
    if C.shape != shape:
        raise InvalidArgumentError(
            f"the order is for a matrix of shape {shape}, this one has shape {C.shape}"
        )
    if C.nnz > _MOST_ENTRIES:
        raise InvalidArgumentError(
            f"SciPy's SuperLU takes at most {_MOST_ENTRIES:,} entries, this matrix has {C.nnz:,}; "
            "give .klu or .apply(A) to another solver"
        )
    return C.astype(np.complex128 if C.dtype.kind == "c" else np.float64, copy=False)


def _columns_of(A: Any, shape: tuple[int, int]) -> Any:
    """`A`, checked, as a csc_array."""
    from scipy.sparse import csc_array

    if isinstance(A, tuple):
        if len(A) != 3:
            raise InvalidMatrixError("a tuple must be (data, indices, indptr)")
        data, indices, indptr = A
        return compressed("csc", data, indices, indptr, shape)
    found = recognised(A)
    if isinstance(found, Pattern):
        raise InvalidArgumentError("a Pattern has no values to factor; give the matrix itself")
    if is_scipy(found):
        return csc_array(checked_matrix(found).tocsc())
    if found.ndim != 2 or found.dtype.kind not in "biufc":
        raise InvalidMatrixError(f"it has {found.ndim} dimensions and holds {found.dtype}")
    return csc_array(found)


def permuted(C: Any, row_perm: IndexArray, col_perm: IndexArray) -> Any:
    """``C[row_perm, :][:, col_perm]``, sorted, without duplicates; int32 as `splu` wants it."""
    from scipy.sparse import csc_array

    taken = C[:, col_perm]  # a copy, so that the input stays as it is
    rows = inverse(row_perm)[taken.indices].astype(np.int32)
    B = csc_array((taken.data, rows, taken.indptr.astype(np.int32)), shape=C.shape)
    B.sum_duplicates()
    if not np.isfinite(B.data).all():
        p = int(np.flatnonzero(~np.isfinite(B.data))[0])
        i, j = B.indices[p], np.searchsorted(B.indptr, p, side="right") - 1
        raise InvalidMatrixError(
            f"the entry in row {row_perm[i]}, column {col_perm[j]} is {B.data[p]}; "
            "every value must be finite"
        )
    return B


def refuse_below(
    B: Any, below: npt.NDArray[np.bool_], cols: Any, row_perm: IndexArray, col_perm: IndexArray
) -> None:
    """Raise for nonzeros below the diagonal blocks; zeros stored there do no harm."""
    wrong = np.flatnonzero(below & (B.data != 0))
    if wrong.size:
        i, j = row_perm[B.indices[wrong[0]]], col_perm[cols[wrong[0]]]
        raise InvalidArgumentError(
            f"the entry in row {i}, column {j} lies below the diagonal blocks (and "
            f"{wrong.size - 1:,} others do): this is not the pattern that was preordered; call "
            "preorder with this matrix"
        )
