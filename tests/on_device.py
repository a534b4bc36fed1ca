# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of the host on a GPU, and arrays back: for tests marked `gpu`."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.gpu.backend import GPU
from btfperm.backends.protocol import Session
from btfperm.pattern import DevicePattern

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks")
COARSE = ("coarse_rows", "coarse_cols")


# Under ``tests/emulated_gpu``, which says so: all takes its time there.
EMULATED = "BTFPERM_EMULATED" in os.environ


def needs_a_device(why):
    """Skips where a device is only emulated, which cannot show this."""
    if EMULATED:
        pytest.skip(f"emulated: {why}")


def pattern_there(A, width=None):
    """The pattern of `A` on the current device; of any shape, also without rows or columns."""
    import cupy

    P = btfperm.as_pattern(A)
    arrays = (cupy.asarray(part.astype(width or part.dtype)) for part in (P.indptr, P.indices))
    return DevicePattern(P.shape, *arrays)


def matrix_there(A, kind="csc"):
    """`A` with its values, as a matrix of CuPy, or as a dense array of it."""
    import cupy
    import cupyx.scipy.sparse as cs

    if kind == "dense":
        return cupy.asarray(A.toarray())
    return getattr(cs, f"{kind}_matrix")(getattr(sp, f"{kind}_matrix")(A))


def lives_there(array):
    return hasattr(array, "__cuda_array_interface__")


def here(array):
    """On the host, as it is."""
    return array.get() if lives_there(array) else np.asarray(array)


def assert_same(there, expected):
    """Every array of a decomposition on a device is that of the host."""
    for name in (*ARRAYS, *COARSE):
        theirs, ours = here(getattr(there, name)), getattr(expected, name)
        np.testing.assert_array_equal(theirs, ours, err_msg=name)


def device_problem(pattern):
    """A problem on the current device in which nothing is matched."""
    return GPU.adopt(Session(pattern), Problem.empty(pattern.on_host()), None)
