# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of one row only: a permuted triangular matrix, solved without a solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder.klu_libraries import find as find_klu
from btfperm.preorder.singles import SingleFactors

SOLVERS = ("superlu", *(("klu",) if find_klu() else ()))


def triangular(rng, n: int, dtype: type, density: float = 0.1) -> sp.csc_array:
    """Upper triangular behind permutations of rows and columns."""
    U = sp.triu(sp.random_array((n, n), density=density, rng=rng), 1) + sp.eye_array(n)
    A = sp.csc_array(sp.csr_array(U)[rng.permutation(n)])[:, rng.permutation(n)].astype(dtype)
    A.data = rng.normal(size=A.nnz) + (1j * rng.normal(size=A.nnz) if dtype is complex else 0)
    A.data[np.abs(A.data) < 0.1] = 1
    A.sort_indices()
    return A


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("k", [None, 3])
def test_solutions(solver, dtype, trans, k):
    rng = np.random.default_rng(len(trans) + (k or 0))
    for n in (1, 2, 30, 600):
        A = triangular(rng, n, dtype, density=min(0.1, 2 / n))
        p = btfperm.preorder(A, solver=solver)
        F = p.factor(A)
        assert p.n_blocks == F.blocks == F.fill == n
        assert isinstance(F.factors, SingleFactors)
        assert F.backend == solver
        assert F.nnz == A.nnz
        assert F.off_diagonal_pivots == 0
        x = rng.normal(size=n if k is None else (n, k)).astype(dtype)
        op = {"N": A, "T": A.T, "H": A.conj().T}[trans]
        for refine in (0, 1):
            found = F.solve(op @ x, trans, refine=refine)
            np.testing.assert_allclose(op @ found, op @ x, rtol=1e-9, atol=1e-9)
        pivots = np.abs(A.toarray()[p.row_perm, p.col_perm])
        assert F.rcond == pivots.min() / pivots.max()


@pytest.mark.parametrize("solver", SOLVERS)
def test_new_values_and_entries_below(solver):
    A = sp.csc_array(np.array([[2.0, 1.0, 0.0], [0.0, 4.0, 1.0], [0.0, 0.0, 8.0]]))
    p = btfperm.preorder(A, solver=solver)
    F = p.factor(A)
    assert F.refactor(3 * A.data)
    np.testing.assert_allclose(3 * A @ F.solve(np.ones(3)), np.ones(3))
    with pytest.raises(btfperm.NumericallySingularError, match=r"row 1, column 1 "):
        F.refactor(np.array([2.0, 1, 0, 1, 8]))
    with pytest.raises(btfperm.NumericallySingularError, match="no factors"):
        F.solve(np.ones(3))
    full = sp.csc_array(np.array([[2.0, 1.0, 0.0], [0.0, 4.0, 1.0], [5.0, 0.0, 8.0]]))
    with pytest.raises(btfperm.InvalidArgumentError, match="row 2, column 0 lies below"):
        p.factor(full)
    full.data[full.data == 5] = 0
    F = p.factor(full)
    for trans, op in (("N", A), ("T", A.T)):
        np.testing.assert_allclose(op @ F.solve(np.ones(3), trans), np.ones(3))
    with pytest.raises(btfperm.InvalidArgumentError, match="row 2, column 0 lies below"):
        F.refactor(full.data + 1)
    missing = sp.csc_array(np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 8.0]]))
    with pytest.raises(btfperm.NumericallySingularError, match=r"row 1, column 1 "):
        p.factor(missing)
