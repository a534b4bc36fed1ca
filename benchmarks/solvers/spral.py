# SPDX-License-Identifier: BSD-3-Clause
"""The Hungarian scaling of SPRAL, called through ctypes. It finds a matching with the largest
product and the scalings of the rows and columns. The library is in the wheel cmeel-spral and needs
the wheels cmeel-openblas, cmeel-metis and cmeel-gklib.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.timing import NotApplicableError

_FOLDER = Path("cmeel.prefix", "lib")
_NEEDED = ("libGKlib.so", "libmetis.so", "libopenblas.so.0")  # of SPRAL, to load first
_Numbers = npt.NDArray[Any]


class _Options(ctypes.Structure):
    _fields_ = (
        ("array_base", ctypes.c_int),
        ("scale_if_singular", ctypes.c_bool),
        ("unused", ctypes.c_char * 80),
    )


class _Inform(ctypes.Structure):
    _fields_ = (
        ("flag", ctypes.c_int),
        ("stat", ctypes.c_int),
        ("matched", ctypes.c_int),
        ("unused", ctypes.c_char * 80),
    )


@cache
def library() -> Any:
    """The library SPRAL, or None if its wheels are not installed."""
    for entry in sys.path:
        folder = Path(entry) / _FOLDER
        try:
            for name in _NEEDED:
                ctypes.CDLL(str(folder / name), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(folder / "libspral.so"), os.RTLD_LAZY)
        except OSError:
            continue
    return None


class Spral:
    """The scaling of one matrix. Each call computes the logarithms, the matching and the scalings
    again."""

    def __init__(self, A: sp.csc_array) -> None:
        n = A.shape[0]
        self._n = n
        self._indptr, self._rows = A.indptr.astype(np.int32), A.indices.astype(np.int32)
        self._modulus = np.abs(A.data).astype(np.float64)
        self._scalings = [np.zeros(n) for _ in range(2)]
        self._matched = np.zeros(n, np.int32)  # the column of each row
        self._options, self._inform = _Options(), _Inform()
        library().spral_scaling_hungarian_default_options(ctypes.byref(self._options))

    def __call__(self) -> None:
        """Matches each row, or raises NotApplicableError."""
        n = ctypes.c_int(self._n)
        arrays = (self._indptr, self._rows, self._modulus, *self._scalings, self._matched)
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
        facts = ctypes.byref(self._options), ctypes.byref(self._inform)
        library().spral_scaling_hungarian_unsym(n, n, *pointers, *facts)
        if self._inform.flag < 0 or self._inform.matched < self._n:
            found = f"flag {self._inform.flag}, {self._inform.matched} of {self._n} rows"
            raise NotApplicableError(f"SPRAL: {found}")

    def objective(self) -> float:
        """The sum of the logarithms of the moduli of the entries that the last call matched. The
        sum is rounded only once (`math.fsum`)."""
        cols = np.repeat(np.arange(self._n), np.diff(self._indptr))
        return math.fsum(np.log(self._modulus[self._matched[self._rows] == cols]))
