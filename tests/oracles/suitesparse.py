# SPDX-License-Identifier: BSD-3-Clause
"""SuiteSparse's own BTF, CXSparse and KLU, called through ctypes: independent implementations.

The libraries are those of the system (Debian: `libbtf1`, `libcxsparse3`, `libklu1`). A call of an
oracle whose library is not installed skips the test with a reason; `available(name)` checks for the
library. Every function takes a SciPy sparse matrix or array, works on an int32 CSC copy without
duplicates, and returns new int32 arrays in the tool's own convention. Stored zeros are entries.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import POINTER, Structure, byref, c_char, c_double, c_int, c_void_p
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

Ints = np.ndarray[Any, np.dtype[np.int32]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
_INTS = np.ctypeslib.ndpointer(dtype=np.int32, flags="C_CONTIGUOUS")
_DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


def available(name: str) -> bool:
    """True if the system has lib`name`: "btf", "cxsparse", "klu" or "amd"."""
    return ctypes.util.find_library(name) is not None


@cache
def _library(name: str) -> ctypes.CDLL:
    path = ctypes.util.find_library(name)
    if path is None:
        pytest.skip(f"lib{name} of SuiteSparse is not installed")
    return ctypes.CDLL(path)


def _csc(A: Any) -> tuple[int, int, Ints, Ints, Doubles]:
    """m, n, Ap, Ai, Ax; columns sorted, duplicates summed (a sum of zero stays an entry).

    The arrays never have length 0, because C code may use the address of an empty one.
    """
    C = sp.csc_array(A, copy=True)
    C.sum_duplicates()
    Ap = np.ascontiguousarray(C.indptr, dtype=np.int32)
    Ai = np.zeros(max(C.nnz, 1), dtype=np.int32)
    Ax = np.zeros(max(C.nnz, 1), dtype=np.float64)
    Ai[: C.nnz] = C.indices[: C.nnz]
    Ax[: C.nnz] = np.real(C.data[: C.nnz])
    return int(C.shape[0]), int(C.shape[1]), Ap, Ai, Ax


def _ints(size: int) -> Ints:
    return np.zeros(max(size, 1), dtype=np.int32)


# --- BTF ---------------------------------------------------------------------------------------


def btf_maxtrans(A: Any) -> tuple[Ints, int]:
    """Match (size m) and the number of matched columns.

    ``Match[i] = j``: column j is matched to row i; -1: row i is unmatched. Any shape.
    """
    m, n, Ap, Ai, _ = _csc(A)
    f = _library("btf").btf_maxtrans
    f.restype = c_int
    f.argtypes = [c_int, c_int, _INTS, _INTS, c_double, POINTER(c_double), _INTS, _INTS]
    Match = _ints(m)
    size = f(m, n, Ap, Ai, 0.0, byref(c_double()), Match, _ints(5 * n))
    return Match[:m], int(size)


def btf_strongcomp(A: Any, Q: Any = None) -> tuple[Ints, Ints, Ints]:
    """P, Q, R of a square matrix: ``A[P, :][:, Q]`` is block upper triangular.

    Block b is rows and columns ``R[b]:R[b+1]``. If `Q` is given, column ``Q[i]`` (with its flag
    removed, see `unflip`) is on the diagonal in row i and is permuted together with this row;
    without it the returned ``Q == P``.
    """
    _, n, Ap, Ai, _ = _csc(A)
    f = _library("btf").btf_strongcomp
    f.restype = c_int
    f.argtypes = [c_int, _INTS, _INTS, c_void_p, _INTS, _INTS, _INTS]
    P, R = _ints(n), _ints(n + 1)
    columns = None if Q is None else np.array(Q, dtype=np.int32)
    pointer = None if columns is None else columns.ctypes.data
    blocks = f(n, Ap, Ai, pointer, P, R, _ints(4 * n))
    P = P[:n]
    return P, (P.copy() if columns is None else columns), R[: blocks + 1]


def btf_order(A: Any) -> tuple[Ints, Ints, Ints, int]:
    """P, Q, R, nmatch of a square matrix: ``A[P, :][:, unflip(Q)]`` is block upper triangular.

    ``Q[k] < -1`` flags a structurally zero diagonal; the column is then ``-Q[k] - 2``
    (see `unflip`). Block b is rows and columns ``R[b]:R[b+1]``.
    """
    _, n, Ap, Ai, _ = _csc(A)
    f = _library("btf").btf_order
    f.restype = c_int
    f.argtypes = [c_int, _INTS, _INTS, c_double, POINTER(c_double)]
    f.argtypes += [_INTS, _INTS, _INTS, POINTER(c_int), _INTS]
    P, Q, R, nmatch = _ints(n), _ints(n), _ints(n + 1), c_int()
    blocks = f(n, Ap, Ai, 0.0, byref(c_double()), P, Q, R, byref(nmatch), _ints(5 * n))
    return P[:n], Q[:n], R[: blocks + 1], int(nmatch.value)


def unflip(Q: Any) -> Ints:
    """BTF_UNFLIP: the column indices without the flags of `btf_order`'s Q."""
    Q = np.asarray(Q)
    return np.where(Q < -1, -Q - 2, Q).astype(np.int32)


# --- CXSparse ----------------------------------------------------------------------------------


class _Cs(Structure):
    _fields_ = (
        ("nzmax", c_int),
        ("m", c_int),
        ("n", c_int),
        ("p", c_void_p),
        ("i", c_void_p),
        ("x", c_void_p),
        ("nz", c_int),
    )


class _Csd(Structure):
    _fields_ = (
        ("p", POINTER(c_int)),
        ("q", POINTER(c_int)),
        ("r", POINTER(c_int)),
        ("s", POINTER(c_int)),
        ("nb", c_int),
        ("rr", c_int * 5),
        ("cc", c_int * 5),
    )


def cs_dmperm(A: Any, seed: int = 0) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """p, q, r, s, rr, cc of a matrix of any shape and rank.

    ``A[p, :][:, q]`` is block upper triangular; fine block k is rows ``r[k]:r[k+1]``, columns
    ``s[k]:s[k+1]``; `rr` and `cc` are the five coarse boundaries. `seed`: 0 natural order of the
    columns in the matching, -1 reverse, else random.
    """
    m, n, Ap, Ai, _ = _csc(A)
    lib = _library("cxsparse")
    lib.cs_di_dmperm.restype = POINTER(_Csd)
    lib.cs_di_dmperm.argtypes = [POINTER(_Cs), c_int]
    lib.cs_di_dfree.restype = c_void_p
    lib.cs_di_dfree.argtypes = [POINTER(_Csd)]
    matrix = _Cs(int(Ap[-1]), m, n, Ap.ctypes.data, Ai.ctypes.data, None, -1)
    D = lib.cs_di_dmperm(byref(matrix), seed)
    if not D:
        raise MemoryError("cs_dmperm returned NULL")
    try:
        d = D.contents
        sizes = (m, n, d.nb + 1, d.nb + 1, 5, 5)
        arrays = (d.p, d.q, d.r, d.s, d.rr, d.cc)
        p, q, r, s, rr, cc = (_copy(a, k) for a, k in zip(arrays, sizes, strict=True))
    finally:
        lib.cs_di_dfree(D)
    return p, q, r, s, rr, cc


def _copy(array: Any, size: int) -> Ints:
    return np.array([array[k] for k in range(size)], dtype=np.int32)


# --- KLU ---------------------------------------------------------------------------------------


class _KluSymbolic(Structure):
    _fields_ = (
        ("symmetry", c_double),
        ("est_flops", c_double),
        ("lnz", c_double),
        ("unz", c_double),
        ("Lnz", c_void_p),
        ("n", c_int),
        ("nz", c_int),
        ("P", POINTER(c_int)),
        ("Q", POINTER(c_int)),
        ("R", POINTER(c_int)),
        ("nzoff", c_int),
        ("nblocks", c_int),
        ("maxblock", c_int),
        ("ordering", c_int),
        ("do_btf", c_int),
    )


class _KluCommon(Structure):
    """The first fields of klu_common up to `scale`, then space for those that `klu_defaults`
    sets."""

    _fields_ = (
        *((name, c_double) for name in ("tol", "memgrow", "initmem_amd", "initmem", "maxwork")),
        ("btf", c_int),
        ("ordering", c_int),
        ("scale", c_int),
        ("rest", c_char * 1024),
    )


class _Klu:
    """klu_analyze_given or klu_analyze, then klu_factor. The `with` statement frees the objects."""

    def __init__(self, A: Any, P: Any, Q: Any, btf: bool) -> None:
        lib = self.lib = _library("klu")
        _, self.n, self.Ap, self.Ai, self.Ax = _csc(A)
        for name in ("klu_analyze", "klu_analyze_given"):
            getattr(lib, name).restype = POINTER(_KluSymbolic)
        lib.klu_factor.restype = c_void_p
        lib.klu_solve.argtypes = [c_void_p, c_void_p, c_int, c_int, _DOUBLES, c_void_p]
        self.common = _KluCommon()
        lib.klu_defaults(byref(self.common))
        self.common.btf = int(btf)
        n, Ap, Ai = c_int(self.n), c_void_p(self.Ap.ctypes.data), c_void_p(self.Ai.ctypes.data)
        if P is None:
            self.symbolic = lib.klu_analyze(n, Ap, Ai, byref(self.common))
        else:
            given = [np.ascontiguousarray(x, dtype=np.int32) for x in (P, Q)]
            pointers = [c_void_p(x.ctypes.data) for x in given]
            self.symbolic = lib.klu_analyze_given(n, Ap, Ai, *pointers, byref(self.common))
        if not self.symbolic:
            raise ValueError("klu_analyze refused the matrix or the permutation")
        self.numeric = c_void_p()

    def __enter__(self) -> _Klu:
        return self

    def __exit__(self, *_: object) -> None:
        if self.numeric:
            self.lib.klu_free_numeric(byref(self.numeric), byref(self.common))
        self.lib.klu_free_symbolic(byref(self.symbolic), byref(self.common))

    def orders(self) -> tuple[Ints, Ints, Ints]:
        s = self.symbolic.contents
        return _copy(s.P, self.n), _copy(s.Q, self.n), _copy(s.R, s.nblocks + 1)

    def factor(self) -> None:
        pointers = [c_void_p(x.ctypes.data) for x in (self.Ap, self.Ai, self.Ax)]
        self.numeric = c_void_p(self.lib.klu_factor(*pointers, self.symbolic, byref(self.common)))
        if not self.numeric:
            raise ValueError("klu_factor found the matrix singular")

    def fill(self) -> int:
        """Numbers in L and U: the fields lnz and unz, behind n and nblocks."""
        self.factor()
        n, _, lnz, unz = (c_int * 4).from_address(self.numeric.value or 0)
        assert n == self.n
        return lnz + unz

    def solve(self, b: Any) -> Doubles:
        self.factor()
        x = np.array(b, dtype=np.float64, order="F")
        flat = np.ascontiguousarray(x.ravel(order="F"))
        columns = 1 if x.ndim == 1 else x.shape[1]
        ok = self.lib.klu_solve(
            self.symbolic, self.numeric, self.n, columns, flat, byref(self.common)
        )
        if not ok:
            raise ValueError("klu_solve failed")
        return flat.reshape(x.shape, order="F")


def amd_order(A: Any) -> Ints:
    """An order of the columns of a square matrix by AMD, for the pattern of A + A'."""
    _, n, Ap, Ai, _ = _csc(A)
    f = _library("amd").amd_order
    f.restype = c_int
    f.argtypes = [c_int, _INTS, _INTS, _INTS, c_void_p, c_void_p]
    P = _ints(n)
    assert f(n, Ap, Ai, P, None, None) >= 0
    return P[:n]


def klu_analyze(A: Any, *, btf: bool = True) -> tuple[Ints, Ints, Ints]:
    """P, Q, R of KLU's own analysis: BTF, then AMD in each block. The permutations
    gather; entries of Q may be flagged, see `unflip`."""
    with _Klu(A, None, None, btf) as klu:
        return klu.orders()


def klu_analyze_given(A: Any, P: Any, Q: Any, *, btf: bool = True) -> tuple[Ints, Ints, Ints]:
    """P, Q, R as KLU stores them after `klu_analyze_given`.

    With `btf`, KLU computes the strong components of ``A[P, :][:, Q]`` again and keeps the given
    diagonal; without it, there is one block.
    """
    with _Klu(A, P, Q, btf) as klu:
        return klu.orders()


def klu_fill(A: Any, P: Any = None, Q: Any = None) -> int:
    """Numbers in the factors L and U, in KLU's own order or in the given one."""
    with _Klu(A, P, Q, True) as klu:
        return klu.fill()


def klu_solve_given(A: Any, P: Any, Q: Any, b: Any, *, btf: bool = True) -> Doubles:
    """x of ``A x = b`` by klu_analyze_given, klu_factor and klu_solve; b of shape (n,) or (n, k).

    Raises ValueError if KLU refuses the input: no permutation, or a zero pivot.
    """
    with _Klu(A, P, Q, btf) as klu:
        return klu.solve(b)
