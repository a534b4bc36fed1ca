# SPDX-License-Identifier: BSD-3-Clause
"""Solutions are refined, the default threshold keeps the fill small, and a matrix that is nearly
singular is reported."""

from __future__ import annotations

import importlib
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import splu

import btfperm
from tests.known_answers import known_answers, parametrized, read
from tests.preorder.test_preorder import SOLVERS

BACKWARD_ERROR = importlib.import_module("btfperm.preorder.backward_error")
FULL = [k for k in known_answers() if k.shape == (k.structural_rank, k.structural_rank)]


def backward_error(A, x, b):
    """The relative residual in the infinity norm."""
    norm = abs(A).sum(axis=1).max()
    return np.abs(A @ x - b).max() / (norm * np.abs(x).max() + np.abs(b).max())


@pytest.mark.parametrize("solver", SOLVERS)
@parametrized(FULL)
def test_backward_errors_of_real_matrices(known, solver):
    A = sp.csc_array(read(known.name))
    A = A.astype(complex if A.dtype.kind == "c" else float)
    p = btfperm.preorder(A, solver=solver)
    b = A @ np.ones(A.shape[0])
    try:
        factors = p.factor(A)
    except btfperm.NumericallySingularError:
        with pytest.raises(RuntimeError, match="singular"):
            splu(A)
        return
    assert backward_error(A, factors.solve(b), b) <= 1e-15
    assert backward_error(A.T, factors.solve(b, "T"), b) <= 1e-15
    assert backward_error(A.conj().T, factors.solve(1j * b, "H"), 1j * b) <= 1e-15


def test_refinement_makes_the_error_smaller():
    """A small threshold permits small pivots, which cost digits."""
    rng = np.random.default_rng(5)
    A = sp.random(300, 300, 0.05, random_state=rng, format="csc") + sp.eye_array(300) * 1e-4
    p = btfperm.preorder(A, block_ordering="natural")
    factors, b = p.factor(A, diag_pivot_thresh=1e-6), np.ones(300)
    errors = [backward_error(A, factors.solve(b, refine=k), b) for k in (0, 1, 5)]
    assert errors[0] > 100 * errors[1]
    assert max(errors[1:]) <= 1e-15


def test_every_step_begins_with_the_residual_of_the_last_solution(monkeypatch):
    """Factors with an error of a tenth: each step then makes the error ten times smaller."""
    A, b = sp.diags_array([1.0, 2.0, 4.0], format="csc"), np.array([1.0, 2.0, 4.0])
    F = btfperm.preorder(A, solver="superlu").factor(A)
    exact = F.factors.solve

    def inexact(x, trans):
        exact(x, trans)
        x *= 0.9

    monkeypatch.setattr(F.factors, "solve", inexact)
    with pytest.warns(btfperm.IllConditionedWarning):
        errors = [float(np.abs(F.solve(b, refine=k) - 1).max()) for k in range(4)]
    np.testing.assert_allclose(errors, [1e-1, 1e-2, 1e-3, 1e-4], rtol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("trans", ["N", "T", "H"])
@pytest.mark.parametrize(("first", "expected"), [(1e-5, 1), (1e-10, 2)])
def test_more_steps_follow_while_the_error_is_large(solver, trans, first, expected, monkeypatch):
    """The smaller the first pivot, the larger is the error of the factors."""
    A = np.random.default_rng(1).normal(size=(30, 30)) * (1j if trans == "H" else 1)
    A[0, 0] = first
    p = btfperm.preorder(
        A, solver=solver, weights="none", block_ordering="natural", initial=np.arange(30)
    )
    F, b = p.factor(A, diag_pivot_thresh=1e-15), np.ones(30)
    assert F.off_diagonal_pivots == 0 or first < 1e-5

    def error(refine):
        x = F.solve(b, trans, refine=refine)
        op = {"N": A, "T": A.T, "H": A.conj().T}[trans]
        return np.max(np.abs(op @ x - b) / (abs(op) @ abs(x) + b))

    F.solve(b)  # estimates the effect of rounding
    exact, calls = F.factors.solve, []

    def counted(x, trans):
        calls.append(len(x))
        exact(x, trans)

    monkeypatch.setattr(F.factors, "solve", counted)
    assert error("auto") <= 1e-15
    assert calls == [1] * (1 + expected)
    if expected > 1:
        assert error(expected - 1) > 1e-15


@pytest.mark.parametrize(
    ("part", "expected", "steps"), [(0.9, 1e-6, 5), (0.4, 0.36, 1), (2.2, 1.2, 1)]
)
def test_steps_end_when_the_error_no_longer_halves(part, expected, steps, monkeypatch):
    """Each step removes a part of the error; a step that makes it larger is undone."""
    A, b = sp.diags_array([1.0, 2.0, 4.0], format="csc"), np.array([1.0, 2.0, 4.0])
    F = btfperm.preorder(A, solver="superlu").factor(A)
    exact, calls = F.factors.solve, []

    def inexact(x, trans):
        calls.append(len(x))
        exact(x, trans)
        x *= part

    monkeypatch.setattr(F.factors, "solve", inexact)
    with pytest.warns(btfperm.IllConditionedWarning):
        x = F.solve(b)
    np.testing.assert_allclose(np.abs(x - 1), expected, rtol=1e-6)
    assert len(calls) == 1 + steps + 2  # the warning needs two


def test_a_last_step_that_makes_the_error_larger_is_undone(monkeypatch):
    """Each of four steps makes the error ten times smaller, and the fifth doubles it. A given
    number of steps is always carried out."""
    A, b = sp.diags_array([1.0, 2.0, 4.0], format="csc"), np.array([1.0, 2.0, 4.0])
    F = btfperm.preorder(A, solver="superlu").factor(A)
    F.solve(b)  # estimates the effect of rounding
    exact, parts = F.factors.solve, []

    def inexact(x, trans):
        exact(x, trans)
        x *= parts.pop(0)

    monkeypatch.setattr(F.factors, "solve", inexact)
    for refine, expected in (("auto", 1e-5), (5, 2e-5)):
        # the first solution, and the first change; the warning needs two more calls
        parts[:] = [0.9, 0.9, 1.0, 1.0, 0.9, 0.9, 0.9, 3.0]
        with pytest.warns(btfperm.IllConditionedWarning):
            x = F.solve(b, refine=refine)
        np.testing.assert_allclose(np.abs(x - 1), expected, rtol=1e-6)
        assert not parts


def test_the_largest_error_of_several_right_hand_sides_decides_for_all(monkeypatch):
    """The error of the second one does not halve in the first step, so that the first one has no
    second step; alone, it has five."""
    A, b = sp.diags_array([1.0, 2.0, 4.0], format="csc"), np.array([1.0, 2.0, 4.0])
    F = btfperm.preorder(A, solver="superlu").factor(A)
    exact, parts = F.factors.solve, np.array([[0.9], [0.4]])

    def inexact(x, trans):
        exact(x, trans)
        x *= parts[: len(x)] if len(x) < 3 else 1

    F.solve(b)  # estimates the effect of rounding
    monkeypatch.setattr(F.factors, "solve", inexact)
    with pytest.warns(btfperm.IllConditionedWarning):
        X = F.solve(np.stack((b, b), 1))
    np.testing.assert_allclose(np.abs(X - 1), np.tile([0.01, 0.36], (3, 1)), rtol=1e-6)
    with pytest.warns(btfperm.IllConditionedWarning):
        np.testing.assert_allclose(np.abs(F.solve(b) - 1), 1e-6, rtol=1e-6)


def test_a_solution_as_exact_as_rounding_is_not_refined(monkeypatch):
    """Substitution in a triangular matrix with two entries in each row has a componentwise backward
    error of at most 4.5e-16. After `refactor`, a step of refinement is also a test for a matrix
    that is nearly singular."""
    n = 200
    A = sp.diags_array([np.full(n, 3.0), np.ones(n - 1)], offsets=[0, 1], format="csc")
    F = btfperm.preorder(A, solver="superlu").factor(A)
    exact, calls = F.factors.solve, []

    def counted(x, trans):
        calls.append(len(x))
        exact(x, trans)

    monkeypatch.setattr(F.factors, "solve", counted)
    b = np.random.default_rng(3).uniform(1, 2, n)
    for expected in ([1, 1], [1]):  # the first call also estimates the effect of rounding
        x = F.solve(b)
        assert calls == expected
        assert np.max(np.abs(b - A @ x) / (abs(A) @ abs(x) + b)) <= 4.5e-16
        calls.clear()
    F.refactor(2 * A.data)
    F.solve(b)
    assert calls == [1, 1]


def test_rounding_errors_of_every_size_of_matrix():
    """The effect of rounding is measured with two rows of numbers if the matrix has fewer than 100
    rows, otherwise with one. These numbers are at most a rounding error, and half of it in the
    mean."""
    for n in (1, 7, 99, 100, 4093, 10_000):
        F = btfperm.preorder(sp.eye_array(n, format="csc")).factor(sp.eye_array(n, format="csc"))
        sizes = np.arange(1.0, n + 1)
        effect = F._measured(np.zeros((1, n)), sizes[None], "N")[2] * 2**53 / sizes
        assert effect.shape == (2 if n < 100 else 1, n)
        assert np.abs(effect).max() <= 1
        if n >= 99:
            assert np.abs(np.abs(effect).mean(axis=1) - 0.5).max() < 0.05
            assert np.abs(effect.mean(axis=1)).max() < 0.05
        if n == 99:
            i, j = np.triu_indices(n, 1)
            assert np.abs(effect[:, i] - effect[:, j]).max(axis=0).min() > 0.13
            assert np.abs(effect[:, i] + effect[:, j]).max(axis=0).min() > 0.09


@pytest.mark.parametrize("solver", ["klu", "superlu"])
@pytest.mark.parametrize("n", [8, 60])
@pytest.mark.parametrize("factor", [1, 2, -1])
@pytest.mark.parametrize("by", ["rows", "columns"])
def test_any_two_rows_that_are_nearly_equal_are_named(solver, n, factor, by):
    """Changes of two nearly equal rows cancel if they are equal, so not each vector of rounding
    errors shows that the matrix is nearly singular."""
    rng = np.random.default_rng(n)
    given = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.7) + 3 * np.eye(n)
    for i, j in rng.permutation(np.argwhere(np.tri(n, k=-1)))[:40]:
        A = given.copy()
        A[i] = factor * A[j]
        A[i, np.argmax(np.abs(A[i]))] *= 1 + 5e-15
        if by == "columns":
            A = A.T.copy()
        try:
            F = btfperm.preorder(A, solver=solver).factor(A)
        except btfperm.NumericallySingularError:
            continue
        with pytest.warns(btfperm.IllConditionedWarning) as warned:
            F.solve(rng.normal(size=n))
        name = "row" if by == "rows" else "column"
        (found,) = re.findall(rf"{name} (\d+)", str(warned[0].message))
        assert int(found) in (i, j)


@pytest.mark.parametrize("refine", [-1, 1.5, "1", None, "AUTO"])
def test_numbers_of_steps(refine):
    factors = btfperm.preorder(np.eye(2)).factor(np.eye(2))
    with pytest.raises(btfperm.InvalidArgumentError, match="refine must be a whole number"):
        factors.solve(np.ones(2), refine=refine)


def test_the_default_threshold_keeps_the_fill_of_amd_small():
    A = sp.csc_array(read("dwg961b"))
    p = btfperm.preorder(A)
    assert p.block_ordering == "amd"
    own, partial = p.factor(A), p.factor(A, diag_pivot_thresh=1.0)
    assert own.nnz < splu(A).nnz < partial.nnz


@pytest.mark.parametrize(("last", "leaves"), [("mirrored", False), ("alone", True)])
def test_the_default_threshold_is_small_for_nearly_symmetric_blocks(last, leaves):
    """Each diagonal entry is a hundredth of the largest entry of its column."""
    n = 60
    shifts = (1, 7, 19) if last == "alone" else (1, -1, 7, -7)
    parts = (sp.eye_array(n, k=k) + sp.eye_array(n, k=k - n * np.sign(k)) for k in shifts)
    A = sp.csc_array(sum(parts) + 0.01 * sp.eye_array(n))
    p = btfperm.preorder(A, weights="none", block_ordering="amd", initial=np.arange(n))
    F = p.factor(A)
    assert (F.off_diagonal_pivots > 0) == leaves
    np.testing.assert_allclose(F.solve(A @ np.ones(n)), 1, rtol=1e-8)


@pytest.mark.parametrize(
    ("orderings", "weights", "default", "other"),
    [
        (("colamd", "rcm", "natural"), "none", 1, 0.1),
        (("colamd", "rcm", "natural"), "product", 0.1, 1),
        (("amd", "minimum-fill"), "none", 0.1, 0.001),
        (("amd", "minimum-fill"), "product", 0.001, 0.1),
    ],
)
def test_the_default_threshold_of_each_order(orderings, weights, default, other):
    """The blocks are not nearly symmetric."""
    rng = np.random.default_rng(4)
    A = sp.random_array((150, 150), density=0.03, rng=rng) + sp.diags_array(rng.normal(size=150))
    for ordering in orderings:
        p = btfperm.preorder(A.tocsc(), weights=weights, block_ordering=ordering)
        given = (None, default, other)
        numbers = [p.factor(A, diag_pivot_thresh=thresh).off_diagonal_pivots for thresh in given]
        assert numbers[0] == numbers[1] != numbers[2], (ordering, numbers)


@pytest.mark.parametrize("trans", ["N", "T"])
def test_a_matrix_that_is_nearly_singular(trans):
    rng = np.random.default_rng(3)
    A = np.zeros((6, 6))
    A[:5, :5] = rng.normal(size=(5, 5))
    A[4, :5] = rng.normal(size=4) @ A[:4, :5]  # dependent up to rounding errors
    A[5, 5] = 1e-30  # small, but a block by itself
    factors = btfperm.preorder(A).factor(A)
    b = np.append(rng.normal(size=5), 1e-30)
    with pytest.warns(btfperm.IllConditionedWarning, match="column [0-4] and row [0-4], which"):
        factors.solve(b, trans)


def test_no_warning_for_scaled_matrices():
    rng = np.random.default_rng(0)
    A = sp.random(200, 200, 0.05, random_state=rng, format="csc") + sp.eye_array(200)
    scales = 10.0 ** rng.integers(-100, 100, 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S = sp.csc_array(A @ sp.diags_array(scales))
        x = btfperm.preorder(S).factor(S).solve(A @ np.ones(200))
    np.testing.assert_allclose(x * scales, np.ones(200), rtol=1e-8)


def test_several_right_hand_sides():
    A = sp.csc_array(read("west0479"))
    factors = btfperm.preorder(A).factor(A)
    B = np.random.default_rng(1).normal(size=(479, 5))
    X = factors.solve(B)
    for k in range(5):
        np.testing.assert_allclose(X[:, k], factors.solve(B[:, k]), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_row_and_the_column_that_are_dependent(solver):
    rng = np.random.default_rng(4)
    A = rng.normal(size=(5, 5))
    A[1] = 0.37 * A[0]  # dependent up to rounding errors
    A[:, 3] = 0.61 * A[:, 2]
    factors = btfperm.preorder(A, solver=solver).factor(A)
    with pytest.warns(btfperm.IllConditionedWarning, match="column [23] and row [01], which"):
        factors.solve(rng.normal(size=5))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("refine", [0, 1])
@pytest.mark.parametrize("trans", ["N", "T", "H"])
def test_nearly_equal_rows_whose_residual_is_zero(solver, refine, trans):
    """Refinement does not notice them, because the residual of the wrong solution is zero."""
    for last in (1 + 4e-16, 1 - 4e-16, 1 + 1e-14):
        for unit in (1.0, 1j):
            A = unit * np.array([[1, 1, 0], [1, last, 0], [3, 0, 1]])
            F = btfperm.preorder(A, solver=solver).factor(A)
            with pytest.warns(btfperm.IllConditionedWarning, match="column [0-2] and row [01], w"):
                F.solve(np.array([2.0, 2.0, 0]), trans, refine=refine)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                F.solve(np.array([2.0, 2.0, 0]), trans, refine=0)  # once for each factorization
            assert not F.refactor(2 * A) or F.backend == "klu"


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_warning_for_rows_and_columns_of_different_sizes(solver):
    # SuperLU compares entries of rows of such sizes. With one seed in six, it chooses pivots with
    # which the solution is wrong, so that the warning is right. This seed is none of them.
    rng = np.random.default_rng(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for A in (np.diag([1, 1e-15]), np.diag([1e-300, 1e300]), 1e-200 * np.eye(3)):
            x = btfperm.preorder(A, solver=solver).factor(A).solve(A @ np.ones(A.shape[0]))
            np.testing.assert_allclose(x, 1)
        B = sp.random(300, 300, 0.03, random_state=rng, format="csc") + sp.eye_array(300)
        rows, cols = 10.0 ** rng.integers(-50, 50, (2, 300))
        S = sp.csc_array(sp.diags_array(rows) @ B @ sp.diags_array(cols))
        x = btfperm.preorder(S, solver=solver).factor(S).solve(rows * (B @ np.ones(300)))
    np.testing.assert_allclose(x * cols, np.ones(300), rtol=1e-7)


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps == np.finfo(float).eps, reason="long double is double here"
)
@pytest.mark.parametrize("trans", ["N", "T"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_refinement_adds_no_errors_of_long_sums(solver, trans, monkeypatch):
    """The first row has 4,000 entries. The sum of its residual in double precision is too wrong to
    improve a solution."""
    rng = np.random.default_rng(1)
    A = sp.diags_array(rng.uniform(1, 2, 4_000)).tolil()
    A[0, :] = rng.uniform(1, 2, 4_000)
    A = sp.csc_array(A)
    b = A @ np.ones(4_000)

    def error():
        """As `backward_error`, with more digits."""
        given = A if trans == "N" else sp.csc_array(A.T)
        x = btfperm.preorder(given, solver=solver).factor(given).solve(b, trans)
        rows, wide = A.tocoo(), b.astype(np.longdouble)
        np.subtract.at(wide, rows.row, rows.data.astype(np.longdouble) * x[rows.col])
        size = abs(A).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
        return np.abs(wide).max() / size

    assert error() <= 3e-16
    monkeypatch.setattr(BACKWARD_ERROR, "LONG", 4_000)
    assert error() > 1e-15
