# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of matrices and arrays between host and GPU, for tests marked `gpu`."""

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
from btfperm.transversal.given import given_problem

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks")
COARSE = ("coarse_rows", "coarse_cols")


# Set by ``tests/emulated_gpu``, on which everything is slow.
EMULATED = "BTFPERM_EMULATED" in os.environ


def needs_a_device(why):
    """Skips on an emulated device, which cannot show what the test checks."""
    if EMULATED:
        pytest.skip(f"emulated: {why}")


def pattern_there(A, width=None):
    """The pattern of `A` on the current device. It may have no rows or no columns."""
    import cupy

    P = btfperm.as_pattern(A)
    arrays = (cupy.asarray(part.astype(width or part.dtype)) for part in (P.indptr, P.indices))
    return DevicePattern(P.shape, *arrays)


def matrix_there(A, kind="csc"):
    """`A` with its values as a sparse matrix or a dense array of CuPy."""
    import cupy
    import cupyx.scipy.sparse as cs

    if kind == "dense":
        return cupy.asarray(A.toarray())
    return getattr(cs, f"{kind}_matrix")(getattr(sp, f"{kind}_matrix")(A))


def lives_there(array):
    return hasattr(array, "__cuda_array_interface__")


def here(array):
    """The array on the host, unchanged."""
    return array.get() if lives_there(array) else np.asarray(array)


def assert_same(there, expected):
    """Checks that every array of a decomposition on a device equals that of the host."""
    for name in (*ARRAYS, *COARSE):
        theirs, ours = here(getattr(there, name)), getattr(expected, name)
        np.testing.assert_array_equal(theirs, ours, err_msg=name)


def device_problem(pattern, given=None):
    """A problem on the current device with an empty matching, or with the rows `given` for the
    columns."""
    here = pattern.on_host()
    problem = Problem.empty(here) if given is None else given_problem(here, given)
    return GPU.adopt(Session(pattern), problem, None)
