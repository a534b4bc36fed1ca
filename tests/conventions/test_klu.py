# SPDX-License-Identifier: BSD-3-Clause
"""KLU's use of P and Q, compared with libklu."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

import btfperm
from btfperm.conventions import as_klu
from tests import strategies
from tests.conventions.permuted import blocks, check_gathers, dominant, positions
from tests.oracles import suitesparse


@given(A=strategies.nonsingular())
def test_libklu_finds_the_same_blocks_and_keeps_the_diagonal(A):
    assume(A.shape[0] > 0)  # KLU refuses an empty matrix
    order = as_klu(btfperm.block_triangular_form(A))
    check_gathers(A, order.P, order.Q, order.R, order.R)
    assert positions(A)[order.P, order.Q].all()
    P, Q, R = suitesparse.klu_analyze_given(A, order.P, order.Q)
    assert set(blocks(P, Q, R, R)) == set(blocks(*order[:2], order.R, order.R))
    assert dict(zip(P.tolist(), Q.tolist(), strict=True)) == dict(
        zip(order.P.tolist(), order.Q.tolist(), strict=True)
    )


@pytest.mark.parametrize("btf", [True, False])
@given(A=strategies.nonsingular())
def test_libklu_solves_with_it(btf, A):
    assume(A.shape[0] > 0)
    f = btfperm.block_triangular_form(A)
    C = dominant(A, f.col_match)
    x = np.arange(1.0, 2 * A.shape[0] + 1).reshape(-1, 2)
    order = as_klu(f)
    found = suitesparse.klu_solve_given(C, order.P, order.Q, C @ x, btf=btf)
    np.testing.assert_allclose(found, x, rtol=1e-10)


@given(A=strategies.singular())
def test_a_singular_matrix_is_analysed_and_refused_by_the_factorization(A):
    f = btfperm.block_triangular_form(A)
    order = as_klu(f)
    assert (order.Q >= 0).all()
    check_gathers(A, order.P, order.Q, order.R, order.R)
    _, _, R = suitesparse.klu_analyze_given(A, order.P, order.Q)
    assert len(R) == len(order.R)
    with pytest.raises(ValueError, match="singular"):
        suitesparse.klu_solve_given(A, order.P, order.Q, np.ones(A.shape[0]))


def test_rows_and_columns_exchanged_would_be_noticed():
    """The matrix is a cycle. If P and Q are exchanged, or one is inverted, the diagonal is zero."""
    A = strategies.coo([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], (4, 4))
    P, Q, _ = as_klu(btfperm.block_triangular_form(A))
    dense = positions(A)
    assert dense[P, Q].all()
    assert not dense[Q, P].all()
    assert not dense[np.argsort(P), Q].all()
