# SPDX-License-Identifier: BSD-3-Clause
"""UMFPACK's use of Qinit, compared with libumfpack."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given

import btfperm
from btfperm.conventions import as_umfpack
from tests import strategies
from tests.conventions.permuted import check_gathers, dominant, positions
from tests.known_answers import known_answers, parametrized, read
from tests.oracles.umfpack import SINGULAR, Umfpack

FULL = [k for k in known_answers() if k.shape == (k.structural_rank, k.structural_rank)]


@given(A=strategies.nonsingular())
def test_rows_of_the_matching_are_on_the_diagonal(A):
    f = btfperm.block_triangular_form(A)
    order = as_umfpack(f)
    np.testing.assert_array_equal(order.P, f.col_match)
    assert positions(A)[order.P, :].diagonal().all()
    check_gathers(A, order.P[order.Qinit], order.Qinit, f.blocks, f.blocks)


@pytest.mark.parametrize("symmetric", [False, True])
@given(A=strategies.nonsingular())
def test_libumfpack_solves_with_it(symmetric, A):
    assume(A.shape[0] > 0)
    p = btfperm.preorder(A, solver="klu")
    order, C = as_umfpack(p), dominant(A, p.col_match)
    x = np.arange(1.0, A.shape[0] + 1)
    with Umfpack(C[order.P, :], order.Qinit, symmetric=symmetric) as factors:
        np.testing.assert_allclose(factors.solve((C @ x)[order.P]), x, rtol=1e-10)


@given(A=strategies.singular())
def test_a_singular_matrix_is_factored_and_reported(A):
    f = btfperm.block_triangular_form(A)
    order = as_umfpack(f)
    check_gathers(A, order.P[order.Qinit], order.Qinit, f.blocks, f.blocks)
    with Umfpack(sp.csc_array(A)[order.P, :], order.Qinit) as factors:
        assert factors.status == SINGULAR


@parametrized(FULL)
def test_the_fill_is_close_to_that_of_umfpack(known):
    """The factors have at most 1.3 times the numbers that UMFPACK stores with its own order, and 50
    more. Minimum degree needs the symmetric strategy and the matching on the diagonal: otherwise
    the fill of dwg961b is several times as large."""
    A = sp.csc_array(read(known.name))
    A.data = np.random.default_rng(1).uniform(1, 2, A.nnz)
    p = btfperm.preorder(A, weights="none")
    order = as_umfpack(p)
    symmetric = p.block_ordering == "amd"
    with Umfpack(A) as own, Umfpack(A[order.P, :], order.Qinit, symmetric=symmetric) as given_order:
        assert given_order.fill() <= 1.3 * own.fill() + 50


def test_no_permutation_is_refused_by_libumfpack():
    """This tests the oracle: UMFPACK refuses a Qinit that is no permutation."""
    with pytest.raises(ValueError, match="umfpack_di_qsymbolic returned -15"):
        Umfpack(sp.eye_array(2), [0, 0])
