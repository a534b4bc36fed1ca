# SPDX-License-Identifier: BSD-3-Clause
"""SuperLU: scatter permutations, as SciPy's manual defines them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from scipy.sparse.linalg import splu

import btfperm
from btfperm.conventions import as_superlu
from tests import strategies
from tests.conventions.permuted import dominant


def matrices(order):
    """Pr and Pc as the manual of `scipy.sparse.linalg.SuperLU` computes them."""
    n = order.perm_r.size
    Pr = sp.csc_array((np.ones(n), (order.perm_r, np.arange(n))), shape=(n, n))
    Pc = sp.csc_array((np.ones(n), (np.arange(n), order.perm_c)), shape=(n, n))
    return Pr, Pc


@given(A=strategies.nonsingular())
def test_pr_a_pc_is_the_permuted_matrix(A):
    p = btfperm.preorder(A, weights="none")
    assert as_superlu(btfperm.block_triangular_form(A)) == as_superlu(p)
    Pr, Pc = matrices(as_superlu(p))
    permuted = A.toarray()[np.ix_(p.row_perm, p.col_perm)]
    np.testing.assert_array_equal((Pr @ sp.csc_array(A) @ Pc).toarray(), permuted)


@given(A=strategies.nonsingular())
def test_scipy_factors_and_solves_in_this_order(A):
    f = btfperm.block_triangular_form(A)
    n = A.shape[0]
    if not n:
        return
    order, C, x = as_superlu(f), dominant(A, f.col_match), np.arange(1.0, n + 1)
    Pr, Pc = matrices(order)
    lu = splu((Pr @ C @ Pc).tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
    b = C @ x
    scattered = np.empty(n)
    scattered[order.perm_r] = b
    np.testing.assert_allclose(lu.solve(scattered)[order.perm_c], x, rtol=1e-10)


def test_it_scatters():
    """The permutations are rows 1, 2, 0 and columns 2, 0, 1, which differ from their inverses."""
    A = strategies.coo([(1, 2), (2, 0), (0, 1), (1, 0), (2, 1)], (3, 3))
    f = btfperm.block_triangular_form(A)
    order = as_superlu(f)
    assert (f.row_perm.tolist(), f.col_perm.tolist()) == ([1, 2, 0], [2, 0, 1])
    assert (order.perm_r.tolist(), order.perm_c.tolist()) == ([2, 0, 1], [1, 2, 0])
