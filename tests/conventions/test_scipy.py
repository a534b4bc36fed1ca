# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's matchings for both values of `perm_type`, and its structural rank."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from scipy.sparse.csgraph import maximum_bipartite_matching, structural_rank

import btfperm
from btfperm.conventions import as_scipy
from tests import strategies
from tests.conventions.permuted import positions

ORIENTATION = {"row": "col_match", "column": "row_match"}


def ones(A):
    """The pattern as SciPy takes it: compressed rows without duplicates, no stored zeros."""
    return sp.csr_array(positions(A).astype(float))


@pytest.mark.parametrize("perm_type", ["row", "column"])
@given(A=strategies.any_matrix())
def test_shape_and_size_are_those_of_scipy(perm_type, A):
    assume(min(A.shape) > 0)
    order = as_scipy(btfperm.dulmage_mendelsohn(A))
    theirs = maximum_bipartite_matching(ones(A), perm_type=perm_type)
    ours = getattr(order, perm_type)
    assert ours.shape == theirs.shape
    assert (ours >= 0).sum() == (theirs >= 0).sum() == order.structural_rank
    assert order.structural_rank == structural_rank(ones(A))
    places = np.flatnonzero(ours >= 0)
    rows, cols = (ours[places], places) if perm_type == "row" else (places, ours[places])
    assert positions(A)[rows, cols].all()


@pytest.mark.parametrize("perm_type", ["row", "column"])
@given(A=strategies.any_matrix())
def test_with_the_matching_of_scipy_the_arrays_are_equal(perm_type, A):
    assume(min(A.shape) > 0)
    theirs = maximum_bipartite_matching(ones(A), perm_type=perm_type)
    # A given matching that is maximum is returned unchanged.
    options = {"initial": theirs, "orientation": ORIENTATION[perm_type]}
    t = btfperm.maximum_transversal(A, algorithm="pothen-fan", **options)
    order = as_scipy(btfperm.dulmage_mendelsohn(A, transversal=t))
    np.testing.assert_array_equal(getattr(order, perm_type), theirs)


@given(A=strategies.nonsingular())
def test_both_bring_the_matching_to_the_diagonal(A):
    order = as_scipy(btfperm.block_triangular_form(A))
    assert positions(A)[order.row, :].diagonal().all()
    assert positions(A)[:, order.column].diagonal().all()


@given(A=strategies.singular())
def test_a_completed_form_gives_the_matching_without_the_added_pairs(A):
    f = btfperm.block_triangular_form(A)
    order = as_scipy(f)
    assert (order.row == -1).sum() == (order.column == -1).sum() == f.completed


def test_a_preordering_is_refused():
    with pytest.raises(btfperm.InvalidArgumentError, match="not from Preordering"):
        as_scipy(btfperm.preorder(np.eye(2)))
