# SPDX-License-Identifier: BSD-3-Clause
"""MC64's search for the largest product, in the copies of MUMPS and of SuperLU, called through
ctypes. btfperm is compared with MC64, but does not use it, because MC64's licence does not permit
this.

The copy of MUMPS is in Debian's libmumps-seq-5.5. The copy of SuperLU 6 is in the static library of
the wheel ug4py-plugins-superlu, and is linked here to a shared library. Debian's libsuperlu5, and
SciPy, have only a function of this name that ends the process.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.timing import NotApplicableError

_MUMPS = ("libdmumps-5.5.so", "libdmumps_seq-5.5.so")  # other versions may use other array types
_SUPERLU = Path("lib64", "libsuperlu.a")  # in the folder of the installed wheel
_PRODUCT = 5  # MC64's job: the largest product, and scalings
_Numbers = npt.NDArray[Any]


@cache
def mumps() -> Any:
    """The library MUMPS 5.5, or None if it is not installed."""
    for name in _MUMPS:
        try:
            found = ctypes.CDLL(name)
            found.dmumps_mtransw_  # noqa: B018  raises AttributeError
        except (OSError, AttributeError):
            continue
        return found
    return None


@cache
def superlu() -> Any:
    """MC64 of SuperLU, or None if the wheel is not installed or there is no C compiler."""
    for entry in sys.path:
        archive = Path(entry) / _SUPERLU
        if archive.is_file():
            try:
                return _linked(archive)
            except (OSError, subprocess.CalledProcessError, AttributeError):
                return None
    return None


def _linked(archive: Path) -> Any:
    """The objects of the archive that MC64 needs, as a shared library."""
    names = "mc64ad_", "mc64id_"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "libmc64.so"
        wanted = [f"-Wl,-u,{name}" for name in names]
        command = ["cc", "-shared", "-o", str(path), *wanted, str(archive), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        found = ctypes.CDLL(str(path))
    found.mc64ad_, found.mc64id_  # noqa: B018  raises AttributeError
    return found


class _Mc64:
    """The arrays of one matrix, with indices from 1."""

    def __init__(self, A: sp.csc_array, index_type: Any) -> None:
        self._A, self._n = A, A.shape[0]
        self._cols = np.repeat(np.arange(self._n), np.diff(A.indptr))
        self._ends = (A.indptr + 1).astype(index_type)
        self._rows = (A.indices + 1).astype(np.int32)
        self._matched = np.zeros(self._n, np.int32)  # the column of each row

    def _require_all(self, count: int) -> None:
        if count < self._n:
            raise NotApplicableError(f"MC64 matched {count} of {self._n} rows")

    def objective(self) -> float:
        """The sum of the logarithms of the moduli of the entries that the last call matched. The
        sum is rounded only once (`math.fsum`)."""
        chosen = self._matched[self._A.indices] == self._cols + 1
        return math.fsum(np.log(np.abs(self._A.data[chosen])))


class Mumps(_Mc64):
    """The search of MUMPS on one matrix. Each call computes the costs and fills the arrays
    again."""

    def __init__(self, A: sp.csc_array) -> None:
        super().__init__(A, np.int64)
        n = self._n
        self._small = [np.zeros(n, np.int32) for _ in range(2)]
        self._wide = [np.zeros(n, np.int64) for _ in range(4)]
        self._duals = [np.zeros(n) for _ in range(2)]

    def __call__(self) -> None:
        """Matches each row, or raises NotApplicableError."""
        n = self._n
        logs = np.log(np.abs(self._A.data))
        costs = np.maximum.reduceat(logs, self._A.indptr[:-1])[self._cols] - logs
        entry_of_col, out, previous, queue = self._wide
        heap, place = self._small
        u, d = self._duals
        entry_of_col[0], u[0], u[1] = 0, 0.0, costs.max()
        count = ctypes.c_int32(0)
        order, entries = (ctypes.byref(ctypes.c_int32(n)) for _ in range(2)), self._A.nnz
        mumps().dmumps_mtransw_(
            *order,
            ctypes.byref(ctypes.c_int64(entries)),
            *map(_pointer, (self._ends, self._rows, costs, self._matched)),
            ctypes.byref(count),
            *map(_pointer, (entry_of_col, heap, out, previous, place, queue, u, d)),
            ctypes.byref(ctypes.c_double(1e300)),
        )
        self._require_all(count.value)


class SuperLu(_Mc64):
    """The search of SuperLU on one matrix. It computes the costs itself; for a complex matrix, each
    call computes the moduli before."""

    def __init__(self, A: sp.csc_array) -> None:
        super().__init__(A, np.int32)
        n, entries = self._n, A.nnz
        self._work = np.zeros(5 * n, np.int32)
        self._costs = np.zeros(3 * n + entries)
        self._settings, self._facts = np.zeros(10, np.int32), np.zeros(10, np.int32)
        superlu().mc64id_(_pointer(self._settings))

    def __call__(self) -> None:
        """Matches each row, or raises NotApplicableError."""
        values = self._A.data
        if values.dtype != np.float64:
            values = np.abs(values).astype(np.float64)
        count = ctypes.c_int32(0)
        superlu().mc64ad_(
            *map(_number, (_PRODUCT, self._n, self._A.nnz)),
            *map(_pointer, (self._ends, self._rows, values)),
            ctypes.byref(count),
            _pointer(self._matched),
            *(_number(self._work.size), _pointer(self._work)),
            *(_number(self._costs.size), _pointer(self._costs)),
            *map(_pointer, (self._settings, self._facts)),
        )
        if self._facts[0] < 0:
            raise NotApplicableError(f"MC64 ended with the code {self._facts[0]}")
        self._require_all(count.value)


def _pointer(array: _Numbers) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _number(value: int) -> Any:
    return ctypes.byref(ctypes.c_int32(value))
