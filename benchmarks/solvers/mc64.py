# SPDX-License-Identifier: BSD-3-Clause
"""MC64's search for the largest product in the version of MUMPS, called through ctypes. Debian's
package is libmumps-5.5. btfperm is compared with MC64, but does not use it, because MC64's licence
does not permit this.
"""

from __future__ import annotations

import ctypes
import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.timing import NotApplicableError

_NAMES = ("libdmumps-5.5.so", "libdmumps_seq-5.5.so")
_Numbers = npt.NDArray[Any]


@cache
def library() -> Any:
    """The library MUMPS 5.5, or None if it is not installed. Other versions may use other array
    types."""
    for name in _NAMES:
        try:
            found = ctypes.CDLL(name)
            found.dmumps_mtransw_  # noqa: B018  raises AttributeError
        except (OSError, AttributeError):
            continue
        return found
    return None


class Mc64:
    """The search on one matrix. Each call computes the costs and fills the arrays again."""

    def __init__(self, A: sp.csc_array) -> None:
        n = A.shape[0]
        self._A, self._n = A, n
        self._cols = np.repeat(np.arange(n), np.diff(A.indptr))
        self._ends = (A.indptr + 1).astype(np.int64)
        self._rows = (A.indices + 1).astype(np.int32)
        self._matched = np.zeros(n, np.int32)
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
        library().dmumps_mtransw_(
            *order,
            ctypes.byref(ctypes.c_int64(entries)),
            *map(_pointer, (self._ends, self._rows, costs, self._matched)),
            ctypes.byref(count),
            *map(_pointer, (entry_of_col, heap, out, previous, place, queue, u, d)),
            ctypes.byref(ctypes.c_double(1e300)),
        )
        if count.value < n:
            raise NotApplicableError(f"MC64 matched {count.value} of {n} rows")

    def objective(self) -> float:
        """The sum of the logarithms of the moduli of the entries that the last call matched. The
        sum is rounded only once (`math.fsum`)."""
        chosen = self._matched[self._A.indices] == self._cols + 1
        return math.fsum(np.log(np.abs(self._A.data[chosen])))


def _pointer(array: _Numbers) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
