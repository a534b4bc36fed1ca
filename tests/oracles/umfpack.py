# SPDX-License-Identifier: BSD-3-Clause
"""UMFPACK, called through ctypes with a given order of the columns. Nothing here imports btfperm.

A call skips the test with a reason if libumfpack (Debian: `libumfpack5`) is not installed.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import byref, c_int, c_void_p
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

__all__ = ["SINGULAR", "Umfpack"]

SINGULAR = 1  # UMFPACK_WARNING_singular_matrix
_STRATEGY, _SYMMETRIC = 5, 3  # UMFPACK_STRATEGY, UMFPACK_STRATEGY_SYMMETRIC
_A = 0  # UMFPACK_A: the system A x = b


@cache
def _library() -> ctypes.CDLL:
    path = ctypes.util.find_library("umfpack")
    if path is None:
        pytest.skip("libumfpack of SuiteSparse is not installed")
    return ctypes.CDLL(path)


def _address(array: Any) -> c_void_p:
    return c_void_p(array.ctypes.data)


class Umfpack:
    """`umfpack_di_qsymbolic` and `umfpack_di_numeric` of a square matrix. The `with` statement
    frees the objects.

    `Qinit`: the order of the columns, or None for UMFPACK's own; `symmetric`: whether to use the
    symmetric strategy, which prefers pivots on the diagonal.

    Attributes
    ----------
    status : of the numeric factorization: 0, or `SINGULAR`
    """

    def __init__(self, B: Any, Qinit: Any = None, *, symmetric: bool = False) -> None:
        self.lib = _library()
        C = sp.csc_array(B, copy=True)
        C.sum_duplicates()
        self.n = C.shape[0]
        self.Ap, self.Ai = C.indptr.astype(np.int32), C.indices.astype(np.int32)
        self.Ax = C.data.astype(np.float64)
        self.control, self.info = np.zeros(20), np.zeros(90)
        self.lib.umfpack_di_defaults(_address(self.control))
        if symmetric:
            self.control[_STRATEGY] = _SYMMETRIC
        self.symbolic, self.numeric = c_void_p(), c_void_p()
        order = None if Qinit is None else np.ascontiguousarray(Qinit, dtype=np.int32)
        matrix = [_address(array) for array in (self.Ap, self.Ai, self.Ax)]
        settings = [_address(self.control), _address(self.info)]
        status = self.lib.umfpack_di_qsymbolic(
            c_int(self.n),
            c_int(self.n),
            *matrix,
            None if order is None else _address(order),
            byref(self.symbolic),
            *settings,
        )
        if status:
            raise ValueError(f"umfpack_di_qsymbolic returned {status}")
        self.status: int = self.lib.umfpack_di_numeric(
            *matrix, self.symbolic, byref(self.numeric), *settings
        )
        if self.status < 0:
            raise ValueError(f"umfpack_di_numeric returned {self.status}")

    def __enter__(self) -> Umfpack:
        return self

    def __exit__(self, *_: object) -> None:
        self.lib.umfpack_di_free_numeric(byref(self.numeric))
        self.lib.umfpack_di_free_symbolic(byref(self.symbolic))

    def fill(self) -> int:
        """Numbers in L and U."""
        numbers = [c_int() for _ in range(5)]  # of L, of U, rows, columns, nonzeros on the diagonal
        self.lib.umfpack_di_get_lunz(*map(byref, numbers), self.numeric)
        return numbers[0].value + numbers[1].value

    def solve(self, b: Any) -> Any:
        """x of ``B x = b``."""
        x, b = np.zeros(self.n), np.ascontiguousarray(b, dtype=np.float64)
        arrays = [_address(array) for array in (self.Ap, self.Ai, self.Ax, x, b)]
        settings = [_address(self.control), _address(self.info)]
        status = self.lib.umfpack_di_solve(c_int(_A), *arrays, self.numeric, *settings)
        assert status == 0
        return x
