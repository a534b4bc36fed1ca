# SPDX-License-Identifier: BSD-3-Clause
"""Permutations: applied to matrices, and inverted."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern.arrays import IndexArray, is_device_array, matrix_on_device
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.host_matrix import checked_matrix, compressed, is_scipy, recognised
from btfperm.pattern.input import as_pattern
from btfperm.pattern.pattern import Pattern

__all__ = ["inverse", "permute"]


def inverse(perm: IndexArray) -> IndexArray:
    """The inverse permutation: ``inverse(perm)[perm[k]]`` is k. O(n).

    >>> import numpy as np
    >>> inverse(np.array([2, 0, 1]))
    array([1, 2, 0])
    """
    position = np.empty_like(perm)
    position[perm] = np.arange(perm.size, dtype=perm.dtype)
    return position


def permute(A: Any, row_perm: IndexArray, col_perm: IndexArray) -> Any:
    """``A[row_perm, :][:, col_perm]``. The result is a `Pattern` for a `Pattern` and for a (data,
    indices, indptr) triple without data, a dense array for a dense array, and a SciPy matrix of the
    same kind in compressed columns for a SciPy matrix. For a path, a `ValuedPattern`, or a triple
    with data, it is a ``csc_array``. A matrix on a device stays there: a sparse CuPy matrix, or a
    triple with data, gives CuPy's ``csc_matrix``.

    Raises
    ------
    InvalidArgumentError : the permutations do not fit the matrix
    InvalidMatrixError, UnreadableInputError : a triple, or a file, is no matrix
    """
    if isinstance(A, str | os.PathLike):
        from btfperm.io import read_matrix

        A = read_matrix(A)
    elif isinstance(A, tuple):
        A = _matrix_of_triple(A, (row_perm.size, col_perm.size))
    elif not matrix_on_device(A):
        A = recognised(A)
    shape = tuple(A.shape)
    if shape != (row_perm.size, col_perm.size):
        raise InvalidArgumentError(
            f"permutations of {row_perm.size} rows and {col_perm.size} columns do not fit a matrix "
            f"of shape {shape}"
        )
    if isinstance(A, DevicePattern) or is_device_array(A) or is_device_array(_values(A)):
        from btfperm.pattern.permute_gpu import permute_on_device

        return permute_on_device(A, row_perm, col_perm)
    row_perm, col_perm = _here(row_perm), _here(col_perm)
    if isinstance(A, Pattern):
        rows, cols = inverse(row_perm)[A.indices], inverse(col_perm)[A.cols()]
        return Pattern.from_coo(rows, cols, A.shape, name=A.name, owned=True)
    if is_scipy(A):
        return checked_matrix(A).tocsr()[row_perm, :].tocsc()[:, col_perm]
    return A[np.ix_(row_perm, col_perm)]


def _values(A: Any) -> Any:
    return getattr(A, "data", None) if hasattr(A, "tocsc") else None


def _here(perm: Any) -> IndexArray:
    on_host: IndexArray = perm.get() if is_device_array(perm) else perm
    return on_host


def _matrix_of_triple(A: tuple[Any, ...], shape: tuple[int, int]) -> Any:
    """Compressed columns as a matrix, or as a `Pattern` if there are no data."""
    if len(A) != 3:
        raise InvalidMatrixError("a tuple must be (data, indices, indptr) of compressed columns")
    data, indices, indptr = A
    if data is None:
        return as_pattern(A, shape=shape)
    if any(map(is_device_array, A)):
        from btfperm.pattern.permute_gpu import matrix_of_triple

        return matrix_of_triple(A, shape)
    name = "the (data, indices, indptr) triple"
    return compressed("csc", data, indices, indptr, shape, name)
