# SPDX-License-Identifier: BSD-3-Clause
"""Every `Pattern` has valid read-only arrays, from a constructor, a pickle or a copy."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.pattern import Pattern, as_pattern
from tests.loops import looped

A = sp.csc_array(np.array([[1.0, 0, 2], [0, 0, 0], [3, 4, 0]]))

COPIES = [
    pytest.param(lambda thing: pickle.loads(pickle.dumps(thing)), id="pickle"),
    pytest.param(lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)), id="protocol 2"),
    pytest.param(copy.copy, id="copy"),
    pytest.param(copy.deepcopy, id="deepcopy"),
]


@looped(
    ("indptr", "indices", "shape", "message"),
    [
        ([0, 10**7, 0], [], (2, 2), "points to entry 10000000"),
        ([0, -(10**7), 0], [], (2, 2), "falls from 0"),
        ([0, 2**62, 0], [], (2, 2), "points to entry"),
        ([1, 1, 1], [0], (2, 2), "starts with 1"),
        ([0, 1], [0], (2, 2), "2 places"),
        ([0, 1, 2], [0, 2**30], (2, 2), "row index 1073741824"),
        ([0, 1, 2], [0, -1], (2, 2), "row index -1"),
        ([0, 1, 2], [0.0, 1.0], (2, 2), "array of integers"),
        ([0, 1, 2], [0, 1, 1], (2, 2), "canonical"),
        ([0, 2, 2], [1, 0], (2, 2), "canonical"),
        ([0, 2, 2], [1, 1], (2, 2), "canonical"),
        ([0, 1, 2], [0, 1], (-2, 2), "cannot have the shape"),
        ([0, 1, 2], [0, 1], None, "two whole numbers"),
    ],
)
@looped("width", [None, np.int32, np.int64])
def test_the_constructor_refuses(indptr, indices, shape, message, width):
    if width is not None and not any(isinstance(i, float) or i > 2**31 for i in indptr + indices):
        indptr, indices = np.array(indptr, width), np.array(indices, width)
    with pytest.raises(InvalidMatrixError, match=message):
        Pattern(shape=shape, indptr=indptr, indices=indices)


@pytest.mark.parametrize(
    "wrong", [{"stored_zeros": 3}, {"stored_zeros": as_pattern(np.eye(2))}, {"name": []}], ids=str
)
def test_the_constructor_refuses_other_fields(wrong):
    with pytest.raises(InvalidArgumentError):
        Pattern(A.shape, A.indptr, A.indices, **wrong)


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_the_constructor_copies(width):
    """The caller may write to the given arrays later."""
    indptr, indices = A.indptr.astype(width), A.indices.astype(width)
    P = Pattern(A.shape, indptr, indices)
    indptr[:], indices[:] = 2**30, 2**30
    assert P.indices.dtype == P.indptr.dtype == width
    assert not P.indices.flags.writeable and not P.indptr.flags.writeable
    assert btfperm.structural_rank(P) == 2
    assert replace(P, name="other").name == "other"
    with pytest.raises(InvalidMatrixError):
        replace(P, indices=indices)


@pytest.mark.parametrize("again", COPIES)
def test_copies_of_a_pattern(again):
    zeros = A.copy()
    zeros.data[1] = 0
    P = again(as_pattern(zeros, drop_zeros=True))
    expected = as_pattern(zeros, drop_zeros=True)
    for Q, right in ((P, expected), (P.stored_zeros, expected.stored_zeros)):
        for name in ("indptr", "indices"):
            array = getattr(Q, name)
            np.testing.assert_array_equal(array, getattr(right, name))
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 2**30
    assert (P.shape, P.zeros_dropped, P.source) == (A.shape, True, {})
    assert btfperm.structural_rank(P) == 2


def test_unpickled_arrays_are_not_shared():
    """An array that is pickled together with its pattern would otherwise be shared with it."""
    P = as_pattern(A)
    Q, indices = pickle.loads(pickle.dumps((P, P.indices)))
    indices[:] = 2**30
    assert btfperm.structural_rank(Q) == 2


def test_a_damaged_state_is_refused():
    P = as_pattern(A)
    state = {field.name: getattr(P, field.name) for field in fields(P)}
    damaged = object.__new__(Pattern)
    with pytest.raises(InvalidMatrixError):
        damaged.__setstate__({**state, "indices": np.full(4, 2**30, np.int32)})
    whole = object.__new__(Pattern)
    whole.__setstate__(state)  # pickles of earlier versions have this form, too
    assert btfperm.structural_rank(whole) == 2


def test_internal_makers_do_not_check_again(monkeypatch):
    """Canonical arrays are checked once; a transposition and a result check nothing again."""
    P = as_pattern(A)

    def refuse(*_, **__):
        raise AssertionError("checked again")

    monkeypatch.setattr("btfperm.pattern.pattern.canonical_columns", refuse)
    monkeypatch.setattr("btfperm.pattern.pattern.checked_columns", refuse)
    assert P.T.T.nnz == P.without(P.T).nnz + 3
    assert btfperm.dulmage_mendelsohn(P).pattern.on_host() is P
