# SPDX-License-Identifier: BSD-3-Clause
"""Several threads of Python that use the same order or the same factors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm

N = 120  # a grid of N x N points
GRID = sp.csc_array(
    sp.kron(sp.eye_array(N), sp.diags_array([-1.0, 4.5, -1.1], offsets=[-1, 0, 1], shape=(N, N)))
    + sp.kron(sp.diags_array([-1.0, -1.2], offsets=[-1, 1], shape=(N, N)), sp.eye_array(N))
)


def check_solutions(F, scale, seed):
    """Solutions by `F`, the factors of `scale` times the grid."""
    x = np.random.default_rng(seed).normal(size=GRID.shape[0])
    b = scale * (GRID @ x)
    for refine in (0, 0, 0, 1):
        np.testing.assert_allclose(F.solve(b, refine=refine), x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(F.solve(scale * (GRID.T @ x), "T"), x, rtol=1e-9, atol=1e-9)


def in_threads(work):
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, k) for k in range(8)]:
            done.result()


@pytest.mark.usefixtures("library")
def test_threads_solve_with_the_same_factors_by_klu():
    """KLU solves in a workspace of the factors, so two threads must not be inside it at once."""
    F = btfperm.preorder(GRID, solver="klu").factor(GRID)
    in_threads(lambda k: check_solutions(F, 1, k))


def test_threads_solve_with_the_same_factors_by_superlu():
    F = btfperm.preorder(GRID, solver="superlu").factor(GRID)
    in_threads(lambda k: check_solutions(F, 1, k))


def factor_and_solve(p, k):
    F = p.factor((k + 1) * GRID)
    check_solutions(F, k + 1, k)
    F.refactor((k + 2) * GRID)
    check_solutions(F, k + 2, k)
    assert abs(p.apply((k + 1) * GRID).diagonal() - 4.5 * (k + 1)).max() < 1e-12


@pytest.mark.usefixtures("library")
def test_threads_factor_in_the_same_order_by_klu():
    p = btfperm.preorder(GRID, solver="klu")
    in_threads(lambda k: factor_and_solve(p, k))


def test_threads_factor_in_the_same_order_by_superlu():
    p = btfperm.preorder(GRID, solver="superlu")
    in_threads(lambda k: factor_and_solve(p, k))
