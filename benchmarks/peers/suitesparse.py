# SPDX-License-Identifier: BSD-3-Clause
"""SuiteSparse's BTF, CXSparse, AMD and COLAMD through ctypes, from the system's shared libraries.

Debian's package is libsuitesparse-dev.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int, c_size_t, c_void_p
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.timing import Answer, Call, NotApplicableError


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("nzmax", c_int),
        ("m", c_int),
        ("n", c_int),
        ("p", c_void_p),
        ("i", c_void_p),
        ("x", c_void_p),
        ("nz", c_int),
    )


class _Dmperm(ctypes.Structure):
    _fields_ = (
        ("p", c_void_p),
        ("q", c_void_p),
        ("r", POINTER(c_int)),
        ("s", POINTER(c_int)),
        ("nb", c_int),
        ("rr", c_int * 5),
        ("cc", c_int * 5),
    )


class _Owned:
    """A result that CXSparse allocated; it is freed together with this object."""

    def __init__(self, pointer: Any, release: Any) -> None:
        if not pointer:
            raise MemoryError("CXSparse ran out of memory")
        self.pointer, self._release = pointer, release

    def __del__(self) -> None:
        self._release(self.pointer)


def _load(*names: str) -> ctypes.CDLL:
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError(f"no {names[0]} on this machine (Debian: apt-get install libsuitesparse-dev)")


@cache
def btf() -> ctypes.CDLL:
    """The library BTF. Arrays are passed as addresses, because converting them would take longer
    than the call for a small matrix."""
    library = _load("libbtf.so.1", "libbtf.so.2")
    array = c_void_p
    library.btf_maxtrans.argtypes = [
        *(c_int, c_int, array, array, c_double, POINTER(c_double), array, array)
    ]
    library.btf_order.argtypes = [
        *(c_int, array, array, c_double, POINTER(c_double), array, array, array),
        *(POINTER(c_int), array),
    ]
    return library


@cache
def cxsparse() -> ctypes.CDLL:
    library = _load("libcxsparse.so.3", "libcxsparse.so.4")
    library.cs_di_maxtrans.argtypes = [POINTER(_Matrix), c_int]
    library.cs_di_maxtrans.restype = POINTER(c_int)
    library.cs_di_free.argtypes = [c_void_p]
    library.cs_di_free.restype = c_void_p
    library.cs_di_dmperm.argtypes = [POINTER(_Matrix), c_int]
    library.cs_di_dmperm.restype = POINTER(_Dmperm)
    library.cs_di_dfree.argtypes = [POINTER(_Dmperm)]
    library.cs_di_dfree.restype = c_void_p
    return library


@cache
def amd() -> ctypes.CDLL:
    return _load("libamd.so.2", "libamd.so.3")


@cache
def colamd() -> ctypes.CDLL:
    library = _load("libcolamd.so.2", "libcolamd.so.3")
    library.colamd_recommended.restype = c_size_t
    return library


def amd_order(A: sp.csc_array) -> Any:
    """AMD's order of a square matrix with sorted columns, with its defaults. Gather."""
    indptr, indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    order = np.empty(A.shape[0], np.int32)
    arrays = (c_void_p(array.ctypes.data) for array in (indptr, indices, order))
    if amd().amd_order(A.shape[0], *arrays, None, None) < 0:
        raise NotApplicableError("AMD refuses this matrix")
    return order


def colamd_order(A: sp.csc_array) -> Any:
    """COLAMD's order of the columns, with its defaults. Gather."""
    (m, n), nnz = A.shape, A.indices.size
    size = colamd().colamd_recommended(nnz, m, n)
    memory, order = np.zeros(size, np.int32), A.indptr.astype(np.int32)
    memory[:nnz] = A.indices
    arrays = (c_void_p(array.ctypes.data) for array in (memory, order))
    if not colamd().colamd(m, n, size, *arrays, None, c_void_p(np.zeros(20, np.int32).ctypes.data)):
        raise NotApplicableError("COLAMD refuses this matrix")
    return order[:n]


def btf_maxtrans(A: sp.csc_array) -> Call:
    """BTF's matching. The array Match and the workspace of 5 n integers are allocated inside the
    timed call."""
    m, n = A.shape
    matrix, library = _cs(A), btf()

    def call() -> Any:
        work = c_double()
        memory = np.empty(m + 5 * n, np.int32)
        match = memory.ctypes.data
        workspace = match + 4 * m
        return library.btf_maxtrans(m, n, matrix.p, matrix.i, 0.0, work, match, workspace)

    return call


def btf_order(A: sp.csc_array) -> Call:
    """BTF's block triangular form of a square matrix. P, Q, R and the workspace of 5 n integers are
    allocated inside the timed call."""
    m, n = A.shape
    if m != n:
        raise NotApplicableError("square only")
    matrix, library = _cs(A), btf()

    def call() -> Any:
        work, matched = c_double(), c_int()
        memory = np.empty(8 * n + 1, np.int32)
        P = memory.ctypes.data
        Q, R, workspace = P + 4 * n, P + 8 * n, P + 4 * (3 * n + 1)
        blocks = library.btf_order(n, matrix.p, matrix.i, 0.0, work, P, Q, R, matched, workspace)
        return n, matched.value, blocks

    return call


def btf_order_answer(result: tuple[int, int, int]) -> Answer:
    """The rank and the blocks. The blocks of a singular matrix are left out, because they depend on
    how BTF completed the matching."""
    n, rank, blocks = result
    return {"rank": rank, "blocks": blocks} if rank == n else {"rank": rank}


def cs_maxtrans(A: sp.csc_array) -> Call:
    m = A.shape[0]
    matrix, library = _cs(A), cxsparse()

    def call() -> Any:
        return m, _Owned(library.cs_di_maxtrans(matrix, 0), library.cs_di_free)

    return call


def cs_maxtrans_answer(result: tuple[int, _Owned]) -> Answer:
    m, match = result
    col_of_row = np.ctypeslib.as_array(match.pointer, (m,)) if m else np.empty(0)
    return {"rank": int((col_of_row >= 0).sum())}


def cs_dmperm(A: sp.csc_array) -> Call:
    matrix, library = _cs(A), cxsparse()
    return lambda: _Owned(library.cs_di_dmperm(matrix, 0), library.cs_di_dfree)


def cs_dmperm_answer(result: _Owned) -> Answer:
    """Fine blocks of the square part, and the rank: rr[3] rows are matched."""
    d = result.pointer.contents
    r = np.ctypeslib.as_array(d.r, (d.nb + 1,))
    square = (r[:-1] >= d.rr[1]) & (r[:-1] < d.rr[2]) & (r[1:] > r[:-1])
    return {"rank": int(d.rr[3]), "blocks": int(square.sum())}


def _cs(A: sp.csc_array) -> _Matrix:
    indptr, indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    matrix = _Matrix(len(indices), *A.shape, indptr.ctypes.data, indices.ctypes.data, None, -1)
    matrix.arrays = (
        indptr,
        indices,
    )  # referenced here, so that they exist as long as the structure
    return matrix
