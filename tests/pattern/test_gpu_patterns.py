# SPDX-License-Identifier: BSD-3-Clause
"""Patterns on a GPU are checked when they are made, unpickled, or copied to the host."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidMatrixError
from btfperm.pattern import DevicePattern
from tests.on_device import matrix_there, pattern_there

pytestmark = pytest.mark.gpu

A = sp.csc_array(np.array([[1.0, 0, 2], [0, 0, 0], [3, 4, 0]]))


@pytest.mark.parametrize(
    "again",
    [lambda P: pickle.loads(pickle.dumps(P)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
def test_copies(again):
    P = again(pattern_there(A))
    assert type(P) is DevicePattern and P.on_host().indices.tolist() == A.indices.tolist()


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 10**7, 0, 0], []),
        ([0, 2, 3, 4], [0, 2, 2, 2**30]),
        ([0, 2, 3, 4], [2, 0, 2, 0]),
        ([0, 2, 3, 4], [0, 0, 2, 0]),
        ([0, 4], [0, 2, 2, 0]),
        ([0, 2, 3, 3], [0, 2, 2, 0]),
    ],
)
def test_the_constructor_checks(indptr, indices):
    import cupy

    arrays = [cupy.asarray(np.array(part, dtype=np.int32)) for part in (indptr, indices)]
    with pytest.raises(InvalidMatrixError):
        DevicePattern((3, 3), *arrays)
    right = [cupy.asarray(part) for part in (A.indptr, A.indices)]
    assert DevicePattern((3, 3), *right).nnz == A.nnz


def test_the_constructor_takes_arrays_on_a_device():
    with pytest.raises(InvalidMatrixError, match="arrays on a GPU"):
        DevicePattern((3, 3), A.indptr, A.indices)


@pytest.mark.parametrize("wrong", [2**30, -1, 0])
def test_changed_arrays_do_not_come_to_the_host(wrong):
    """CuPy has no read-only arrays, so the copy must check them again."""
    P = pattern_there(A)
    P.indices[:] = wrong
    with pytest.raises(InvalidMatrixError):
        P.on_host()


@pytest.mark.parametrize("kind", ["csc", "csr", "coo"])
def test_apply_checks_the_matrix(kind):
    there = matrix_there(A, kind)
    (there.row if kind == "coo" else there.indices)[:] = 2**30
    with pytest.raises(InvalidMatrixError):
        btfperm.dulmage_mendelsohn(A).apply(there)
