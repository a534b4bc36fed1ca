# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of one row only: a permuted triangular matrix, solved without a solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder import factorization
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


@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("refine", ["auto", 0, 2])
def test_a_large_matrix_with_few_entries_in_each_row_needs_no_residual(trans, refine, monkeypatch):
    """The solution and the effect of rounding are those of the general way, which measures the
    residual."""
    rng = np.random.default_rng(7)
    n = 5_000
    U = sp.diags_array([rng.uniform(1, 2, n), rng.normal(size=n - 1)], offsets=[0, 1], format="csr")
    A = sp.csc_array(U[rng.permutation(n)])[:, rng.permutation(n)]
    A.sort_indices()
    b = rng.normal(size=n)
    op = A.T if trans != "N" else A
    p = btfperm.preorder(A)
    shares = []
    monkeypatch.setattr(
        factorization, "warn_if_wrong", lambda share, *_: bool(shares.append(share))
    )
    F, general = p.factor(A), p.factor(A)
    monkeypatch.setattr(general.factors, "exact_solution", lambda *_, **__: None)
    monkeypatch.setattr(F, "_measured", None)
    for F_ in (F, general):
        x = F_.solve(b, trans, refine=refine)
        error = np.abs(b - op @ x) / (abs(op) @ abs(x) + abs(b))
        assert error.max() <= 4.5e-16
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)
    np.testing.assert_array_equal(F.solve(b, trans), general.solve(b, trans, refine=0))
    both = np.column_stack((b, 2 * b))
    np.testing.assert_array_equal(F.solve(both, trans)[:, 0], F.solve(b, trans))
    assert F.refactor(4 * A.data)  # estimates the effect of rounding again
    x = F.solve(b, trans)
    assert len(shares) >= 3
    np.testing.assert_array_equal(4 * x, F.solve(4 * b, trans))


@pytest.mark.parametrize("trans", ["N", "T"])
def test_warnings_of_large_matrices_with_few_entries_in_each_row(trans):
    n = 5_000
    A = sp.diags_array([np.ones(n), np.full(n - 1, -2.0)], offsets=[0, 1], format="csc")
    b = np.zeros(n)
    b[[0, -1]] = 1
    with pytest.warns(btfperm.IllConditionedWarning, match="the solution overflows"):
        btfperm.preorder(A).factor(A).solve(b, trans)
    B = sp.block_diag([A[:60, :60], sp.eye_array(n - 60)], format="csc")
    with pytest.warns(btfperm.IllConditionedWarning, match="rounding its entries changes"):
        btfperm.preorder(B).factor(B).solve((B.T if trans == "T" else B) @ np.ones(n), trans)


def test_a_solution_that_underflows_is_measured(monkeypatch):
    """1e-320 has few digits, so the residual is not negligible."""
    n = 5_000
    A = sp.diags_array([np.full(n, 1e200)], offsets=[0], format="csc")
    F = btfperm.preorder(A).factor(A)
    measured, calls = F._measured, []
    monkeypatch.setattr(F, "_measured", lambda *of: calls.append(1) or measured(*of))
    x = F.solve(np.full(n, 1e-120))
    assert calls
    np.testing.assert_allclose(x, 1e-320, rtol=1e-3)
