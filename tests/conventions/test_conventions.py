# SPDX-License-Identifier: BSD-3-Clause
"""The table of conventions, and the matrices that each convention refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm import conventions
from btfperm.conventions import CONVENTIONS
from btfperm.errors import InvalidArgumentError
from tests import strategies

SQUARE_ONLY = ("btf", "klu", "superlu", "petsc", "umfpack")
SINGULAR = strategies.coo([(0, 0), (1, 0), (2, 1), (2, 2)], (3, 3))


def test_every_adapter_is_in_the_table():
    adapters = {name.removeprefix("as_") for name in conventions.__all__ if name.startswith("as_")}
    assert adapters == set(CONVENTIONS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_arrays_only_and_inputs_untouched(name):
    A = strategies.coo([(0, 1), (1, 2), (2, 0), (0, 2)], (3, 3))
    d = btfperm.dulmage_mendelsohn(A)
    before = {
        key: np.copy(value) for key, value in vars(d).items() if isinstance(value, np.ndarray)
    }
    order = CONVENTIONS[name](d)
    assert all(isinstance(value, np.ndarray | int) for value in order)
    for key, value in before.items():
        np.testing.assert_array_equal(getattr(d, key), value, err_msg=key)


@given(A=strategies.any_matrix())
def test_btfperm_takes_everything(A):
    d = btfperm.dulmage_mendelsohn(A)
    for name, array in CONVENTIONS["btfperm"](d)._asdict().items():
        np.testing.assert_array_equal(array, getattr(d, name))


@pytest.mark.parametrize(
    ("name", "solver"),
    [(name, "superlu" if name in ("superlu", "umfpack") else "klu") for name in SQUARE_ONLY],
)
def test_a_decomposition_is_ordered_for_the_solver_of_the_convention(name, solver):
    """The order is the one that `preorder` computes without values. The orders for KLU and for
    SuperLU differ."""
    rng = np.random.default_rng(0)
    A = sp.random_array((40, 40), density=0.1, rng=rng) + sp.eye_array(40)
    convert = CONVENTIONS[name]
    found = convert(btfperm.dulmage_mendelsohn(A))
    same = {
        each: found == convert(btfperm.preorder(A, solver=each, weights="none"))
        for each in ("klu", "superlu")
    }
    assert same == {"klu": solver == "klu", "superlu": solver == "superlu"}


@pytest.mark.parametrize("name", SQUARE_ONLY)
def test_rectangular_is_refused(name):
    d = btfperm.dulmage_mendelsohn([[1, 1, 0], [0, 1, 1]])
    with pytest.raises(InvalidArgumentError, match=r"2 x 3.*as_csparse"):
        CONVENTIONS[name](d)


@pytest.mark.parametrize("name", ["btf", "klu", "petsc", "superlu", "umfpack"])
def test_singular_is_refused_unless_completed(name):
    with pytest.raises(InvalidArgumentError, match=r"rank 2 of 3; call block_triangular_form"):
        CONVENTIONS[name](btfperm.dulmage_mendelsohn(SINGULAR))
    CONVENTIONS[name](btfperm.block_triangular_form(SINGULAR))


@pytest.mark.parametrize("name", ["matlab", "csparse", "casadi"])
def test_completed_blocks_are_not_those_of_dmperm(name):
    with pytest.raises(InvalidArgumentError, match="call dulmage_mendelsohn"):
        CONVENTIONS[name](btfperm.block_triangular_form(SINGULAR))
    CONVENTIONS[name](btfperm.dulmage_mendelsohn(SINGULAR))


@pytest.mark.parametrize("name", CONVENTIONS)
@pytest.mark.parametrize("make", [np.asarray, btfperm.maximum_transversal])
def test_only_decompositions_are_converted(name, make):
    with pytest.raises(btfperm.InvalidArgumentError, match=r"dulmage_mendelsohn\(A\)"):
        CONVENTIONS[name](make(np.eye(2)))
