# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of any wrong type cause an error of btfperm's own class."""

from __future__ import annotations

import decimal
import fractions

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.arguments import path_text, truth
from btfperm.errors import BtfpermError, InvalidArgumentError
from btfperm.testing import assert_blocks_at_most
from tests.loops import looped


class Odd:
    """An object that raises if it is compared, or if its truth or length is used."""

    def __repr__(self):
        return "Odd()"

    def __eq__(self, other):
        raise RuntimeError("compared")

    __hash__ = None

    def __bool__(self):
        raise RuntimeError("asked for its truth")

    def __len__(self):
        return -1


WRONG = [
    [],
    {},
    {1, 2},
    (1, 2),
    3.5,
    np.nan,
    -1,
    2**70,
    b"x",
    "x",
    "a\0b",
    "\ud800",
    np.array([1, 2]),
    np.array(["a", "b"]),
    np.datetime64("2020"),
    decimal.Decimal(3),
    fractions.Fraction(1, 2),
    object(),
    Odd(),
    type,
]
A = np.eye(3)
D, P = btfperm.dulmage_mendelsohn(A), btfperm.preorder(A)
NAMES = (
    *("algorithm", "initializer", "backend", "threads", "seed", "options", "device"),
    *("initial", "time_limit", "max_work", "deterministic", "drop_zeros", "shape"),
)
ZERO = {"values": [0.0]}

# Calls that refuse every value of `WRONG`.
REFUSING = {
    "save format": lambda v: btfperm.save(D, "x", format=v),
    "save convention": lambda v: btfperm.save(D, "x.npz", convention=v),
    "save result": lambda v: btfperm.save(v, "x.npz"),
    "write format": lambda v: btfperm.write_matrix("x", A, format=v),
    "write matrix": lambda v: btfperm.write_matrix("x.mtx", v),
    "write path": lambda v: btfperm.write_matrix(v, A),
    "read threads": lambda v: btfperm.read("x.mtx", threads=v),
    "read drop_zeros": lambda v: btfperm.read("x.mtx", drop_zeros=v),
    "solver": lambda v: btfperm.preorder(A, solver=v),
    "block ordering": lambda v: btfperm.preorder(A, block_ordering=v),
    "transversal": lambda v: btfperm.dulmage_mendelsohn(A, transversal=v),
    "apply": D.apply,
    "factor": P.factor,
    "solve": P.factor(A).solve,
    "trans": lambda v: P.factor(A).solve(np.ones(3), trans=v),
    "as_pattern": btfperm.as_pattern,
    "owned": lambda v: btfperm.as_pattern(sp.csc_array(A), owned=v),
    "shape": lambda v: btfperm.as_pattern((None, [0], [0, 1]), shape=v),
    "indices": lambda v: btfperm.as_pattern((None, v, [0, 3]), shape=(9, 1)),
    "indptr": lambda v: btfperm.as_pattern((None, [0], v), shape=(9, 1)),
    "values": lambda v: btfperm.Pattern.from_coo([0], [0], (9, 1), values=v),
    "mask": lambda v: btfperm.Pattern.from_coo([0], [0], (9, 1), zero_mask=v),
    "drop_zeros": lambda v: btfperm.Pattern.from_csc([0, 1], [0], (9, 1), drop_zeros=v, **ZERO),
    "symmetric": lambda v: btfperm.Pattern.from_coo([0], [0], (9, 9), symmetric=v),
    "without": btfperm.as_pattern(A).without,
    "read": btfperm.read,
    "load": btfperm.load,
    "peek": btfperm.peek,
}
# Calls that accept some values of `WRONG`.
OTHERS = {
    **{name: lambda v, name=name: btfperm.dulmage_mendelsohn(A, **{name: v}) for name in NAMES},
    "diag_pivot_thresh": lambda v: P.factor(A, diag_pivot_thresh=v),
    "size": lambda v: assert_blocks_at_most(A, v),
    "family": btfperm.algorithms,
    "name": lambda v: btfperm.Pattern.from_coo([0], [0], (1, 1), name=v),
    "source": lambda v: btfperm.Pattern.from_csr([0, 1], [0], (1, 1), source=v),
    "block_graph": D.block_graph,
}


@looped("name", REFUSING)
def test_wrong_types(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in WRONG:
        with pytest.raises(BtfpermError):
            REFUSING[name](value)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:.*pairs of initial=")
@looped("name", OTHERS)
def test_wrong_types_among_right_ones(name):
    refused = 0
    for value in WRONG:
        try:
            OTHERS[name](value)
        except BtfpermError:
            refused += 1
    assert refused >= 12


@pytest.mark.parametrize("name", ["algorithm", "initializer", "backend"])
def test_a_list_is_no_name(name):
    with pytest.raises(InvalidArgumentError, match=rf"{name} must be a string, not \[\]"):
        btfperm.maximum_transversal(A, **{name: []})


@pytest.mark.parametrize("path", ["a\0b.mtx", b"a\0b.mtx", "\ud800.mtx"])
def test_paths_that_no_system_has(path):
    for call in (btfperm.read, btfperm.load, btfperm.read_matrix, path_text):
        with pytest.raises(InvalidArgumentError, match="is no file name"):
            call(path)
    with pytest.raises(InvalidArgumentError, match="is no file name"):
        btfperm.write_matrix(path, A)
    with pytest.raises(InvalidArgumentError, match="is no file name"):
        D.save(path, format="npz")


def test_truth_takes_numbers_and_numpy_values():
    assert truth("x", np.True_) is truth("x", 1) is True
    assert truth("x", np.False_) is truth("x", 0) is False
    assert btfperm.as_pattern(np.eye(2), drop_zeros=np.True_).nnz == 2
