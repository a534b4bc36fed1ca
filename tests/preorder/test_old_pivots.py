# SPDX-License-Identifier: BSD-3-Clause
"""`refactor` with KLU, through each library that is installed here: when old pivots stay, and how
solutions verify them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.preorder import factorization, klu_factors
from tests.known_answers import read
from tests.preorder.test_klu import backward_error, with_values


def test_new_values_keep_the_pivots(library):
    A = sp.csc_array(read("pfjac_case_ACTIVSg2000"))
    A.eliminate_zeros()
    rng = np.random.default_rng(1)
    F = btfperm.preorder(A, solver="klu").factor(A)
    for _ in range(3):
        B = A.copy()
        B.data *= rng.uniform(0.8, 1.2, A.nnz)
        assert F.refactor(B)
        b = B @ np.ones(A.shape[0])
        assert backward_error(B, F.solve(b), b) < 1e-14
        assert F.refactor(A.data)
    values = A.data.copy()
    for _ in range(50):  # the steps of a Newton iteration, with drift
        values *= rng.uniform(0.7, 1.3, A.nnz)
        F.refactor(values)
        B = sp.csc_array((values, A.indices, A.indptr), shape=A.shape)
        b = B @ np.ones(A.shape[0])
        assert backward_error(B, F.solve(b), b) < 1e-13


def test_unsafe_pivots_are_chosen_anew(library):
    A = np.array([[4.0, 1.0, 0], [1.0, 3.0, 1.0], [0, 1.0, 5.0]])
    F = btfperm.preorder(A, solver="klu").factor(A)
    B = A.copy()
    B[0, 0] = 1e-14
    assert not F.refactor(B)
    b = B @ np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(F.solve(b), [1.0, 2.0, 3.0], rtol=1e-6)
    assert not F.refactor(A * 1j)  # another type
    np.testing.assert_allclose(F.solve(A @ np.ones(3) * 1j), np.ones(3))
    with pytest.raises(InvalidArgumentError, match="other entries"):
        F.refactor(np.ones((3, 3)))
    with pytest.raises(InvalidArgumentError, match="7 entries, and 3 values"):
        F.refactor(np.ones(3))
    with pytest.raises(InvalidMatrixError, match="row 0, column 0 is nan"):
        F.refactor(np.full(7, np.nan))


@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize("refine", [0, 1])
def test_the_first_solution_verifies_old_pivots(library, monkeypatch, trans, refine):
    monkeypatch.setattr(klu_factors, "_SMALLER_PIVOTS", 0.0)
    A = np.array([[4.0, 1.0, 0], [1.0, 3.0, 1.0], [0, 1.0, 5.0]])
    F = btfperm.preorder(A, solver="klu").factor(A)
    B = A.copy()
    B[0, 0], B[1, 1] = 1e-15, 1e-15
    assert F.refactor(B)
    b = {"N": B, "T": B.T, "H": B.T}[trans] @ np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(F.solve(b, trans, refine=refine), [1.0, 2.0, 3.0], rtol=1e-12)
    if trans == "N":  # by luck, the transposed solution by the old pivots is right
        assert F.off_diagonal_pivots > 0


@pytest.mark.parametrize("trans", ["N", "T"])
def test_growth_that_the_smallest_pivot_does_not_show(library, trans):
    """The old pivots make numbers of U large while the smallest pivot, relative to the largest one,
    is no smaller than before. The first right-hand side does not touch them."""
    first = sp.block_diag([[[1.0, 1.0], [1.0, 1.0 + 1e-15]], [[1.0, 1.0], [1.0, 0.5]]])
    later = sp.block_diag([[[1.0, 1.0], [1.0, 2.0]], [[1e-9, 1.0], [1.0, 0.5]]])
    F = btfperm.preorder(first, solver="klu").factor(first)
    assert F.refactor(later)
    if library.name == "nbklu":
        analysis = F.factors._analysis
        arguments = *analysis._columns, F._columns.values, analysis._symbolic.pointer
        analysis._call("rgrowth", *arguments, analysis._numeric)
        assert analysis._common.rgrowth < 1e-8
    x = np.array([1.0, 2.0, 0.0, 0.0])
    A = later.T if trans == "T" else later
    np.testing.assert_allclose(F.solve(A @ x, trans), x, atol=1e-15)
    assert F.off_diagonal_pivots == 0
    x = np.array([1.0, 2.0, 3.0, 4.0]) / 3
    np.testing.assert_allclose(F.solve(A @ x, trans), x, rtol=1e-15)
    assert F.off_diagonal_pivots > 0


@pytest.mark.filterwarnings("ignore::btfperm.IllConditionedWarning")
@pytest.mark.parametrize("seed", range(20))
def test_old_pivots_with_large_growth_are_replaced_or_harmless(library, seed):
    """btfperm does not compute KLU's measure of the growth of numbers in the factors. Whether it
    replaces the old pivots or keeps them, the residual is as small as rounding errors permit."""
    rng = np.random.default_rng(seed)
    A = sp.csc_array(read("west0479"))
    F = btfperm.preorder(A, solver="klu").factor(A)
    values = A.data * np.exp(rng.normal(0, 1 + seed % 4, A.nnz))
    F.refactor(values)
    B = sp.csc_array((values, A.indices, A.indptr), shape=A.shape)
    for b in (B @ np.ones(A.shape[0]), rng.normal(size=A.shape[0])):
        x = F.solve(b)
        residual = np.linalg.norm(b - B @ x, np.inf)
        assert residual <= 1e-15 * (abs(B).sum(1).max() * abs(x).max() + abs(b).max())


@pytest.mark.usefixtures("library")
def test_errors_that_new_pivots_do_not_mend_are_expected_later(monkeypatch):
    """With the limit of this test, the first solution with old pivots has too large an error, and
    so has the solution with new pivots. For the next values, such an error causes no second
    factorization."""
    monkeypatch.setattr(factorization, "_LARGEST_ERROR", 1e-30)
    A = with_values(sp.random_array((40, 40), density=0.1, rng=1), 1)
    F = btfperm.preorder(A, solver="klu").factor(A)
    factored = []
    monkeypatch.setattr(F, "_factor", lambda: (factored.append(1), type(F)._factor(F)))
    b = np.ones(40)
    for k in (1, 2, 3):
        assert F.refactor(A * (1 + 0.1 * k))
        F.solve(b)
        assert len(factored) == 1


@pytest.mark.usefixtures("library")
def test_only_errors_similar_to_the_first_one_are_expected(monkeypatch):
    """A large error of some values does not permit a large one of all later values."""
    A = 4 * np.eye(3) + np.ones((3, 3))
    F = btfperm.preorder(A, solver="klu").factor(A)
    measured, errors, factored = F._measured, [], []

    def scripted(*arguments):
        change, _, *rest = measured(*arguments)
        return change, errors.pop(0), *rest

    monkeypatch.setattr(F, "_measured", scripted)
    monkeypatch.setattr(F, "_factor", lambda: (factored.append(1), type(F)._factor(F)))
    errors[:] = [1e-5]  # an error of new pivots: the values cause it
    F.solve(np.ones(3), refine=1)
    for script, times in (
        ([9e-5], 0),
        ([2e-6], 0),
        ([9e-7, 1e-16], 1),  # old pivots are not good enough for better values
        ([1e-12], 0),
        ([1e-5, 1e-5], 1),
        ([1e-5], 0),
        ([2e-4, np.inf], 1),
        ([np.inf, 1e-16], 1),
    ):
        F.refactor(A)
        errors[:], factored[:] = script, []
        F.solve(np.ones(3), refine=1)
        assert (errors, len(factored)) == ([], times)
