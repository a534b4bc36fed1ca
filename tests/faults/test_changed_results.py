# SPDX-License-Identifier: BSD-3-Clause
"""Results that were copied, unpickled or changed: their arrays are read-only, and functions that
use changed arrays raise an error of one sentence."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError

A = sp.csc_array(np.triu(np.ones((5, 5))) + np.diag([0, 3, 0, 3], k=-1))


def results():
    d = btfperm.dulmage_mendelsohn(A)
    _ = d.row_block, d.matched_row_perm  # cached arrays are copied, too
    p = btfperm.preorder(A, block_ordering="colamd")
    return {
        "transversal": btfperm.maximum_transversal(A),
        "dulmage_mendelsohn": d,
        "block_triangular_form": btfperm.block_triangular_form(A),
        "block_graph": d.block_graph(),
        "preorder": p,
    }


@pytest.mark.parametrize("name", results())
@pytest.mark.parametrize(
    "again",
    [
        lambda thing: thing,
        lambda thing: pickle.loads(pickle.dumps(thing)),
        copy.copy,
        copy.deepcopy,
    ],
    ids=["as made", "pickle", "copy", "deepcopy"],
)
def test_arrays_stay_read_only(name, again):
    result = again(results()[name])
    arrays = {key: value for key, value in vars(result).items() if isinstance(value, np.ndarray)}
    assert len(arrays) >= 3
    for key, array in arrays.items():
        assert not array.flags.writeable, key
    for inner in (getattr(result, "pattern", None), getattr(result, "transversal", None)):
        for key, array in vars(inner).items() if inner is not None else ():
            assert not isinstance(array, np.ndarray) or not array.flags.writeable, key


def test_an_unpickled_result_works_like_the_first_one():
    d = pickle.loads(pickle.dumps(btfperm.dulmage_mendelsohn(A)))
    assert d.meta["kind"] == "dulmage_mendelsohn" and d.block_graph().n_blocks == d.n_blocks
    assert btfperm.dulmage_mendelsohn(A, transversal=d.transversal).n_blocks == d.n_blocks
    p = pickle.loads(pickle.dumps(btfperm.preorder(A)))
    np.testing.assert_allclose(A @ p.factor(A).solve(np.ones(5)), np.ones(5))


@pytest.mark.parametrize(
    ("field", "array"),
    [
        ("row_perm", [0, 1, 2, 3, 2**30]),
        ("row_perm", [0, 0, 0, 0, 2**30]),
        ("row_perm", [0, 1, 2]),
        ("col_perm", [0, 1, 2, 3, 2**30]),
        ("col_perm", [0, 1, 2, 3, -(2**30)]),
        ("col_blocks", [0, 2**30, 3, 5]),
        ("col_blocks", [0, -(2**30), 3, 5]),
        ("col_blocks", [1, 2, 3, 5]),
        ("col_blocks", [0, 4, 3, 5]),
        ("col_blocks", []),
        ("row_blocks", [0, 2**30]),
        ("col_perm", ["a", "b", "c", "d", "e"]),
    ],
)
def test_a_block_graph_of_changed_arrays(field, array):
    d = btfperm.dulmage_mendelsohn(A)
    assert d.n_blocks == 3
    changed = replace(d, **{field: np.array(array, dtype=None if "a" in array else np.int32)})
    with pytest.raises(InvalidArgumentError):
        changed.block_graph()


@pytest.mark.parametrize(
    ("field", "array"),
    [
        ("row_perm", [0, 0, 0, 0, 0]),
        ("row_perm", [0, 1, 2, 3, 2**30]),
        ("col_perm", [0, 1, 2, 3, -1]),
        ("blocks", [0, 2**30, 5]),
        ("blocks", [0, 4, 2, 5]),
        ("blocks", []),
    ],
)
def test_factors_by_changed_arrays(field, array):
    p = replace(btfperm.preorder(A), **{field: np.array(array, dtype=np.int32)})
    with pytest.raises(InvalidArgumentError, match="call preorder again"):
        p.factor(A)
