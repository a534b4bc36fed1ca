# SPDX-License-Identifier: BSD-3-Clause
"""Zeros, duplicates, thresholds, and refactor with SuperLU; test_old_pivots.py has KLU's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError, NumericallySingularError
from btfperm.preorder import klu_libraries, preordering, values
from tests.known_answers import read
from tests.preorder.test_factor import example


def test_refactor_with_superlu():
    A = sp.csc_array(example().astype(float))
    F = btfperm.preorder(A).factor(A)
    x = np.arange(1.0, 5)
    assert not F.refactor(2 * A.data)
    np.testing.assert_allclose(F.solve(A @ x), x / 2)
    assert not F.refactor(A.tocsr() * 3j)
    np.testing.assert_allclose(F.solve(A @ x), x / 3j)
    np.testing.assert_allclose(F.as_linear_operator().matvec(A @ x), x / 3j)
    operator = F.as_linear_operator()
    np.testing.assert_allclose(operator.rmatvec(A.T @ x), x / -3j)
    X = np.array([x, x[::-1] + 1j, 2j * x]).T
    B = sp.csc_array(3j * A)
    np.testing.assert_allclose(operator.matmat(B @ X), X)
    np.testing.assert_allclose(operator.rmatmat(B.conj().T @ X), X)
    np.testing.assert_allclose(operator.H @ (B.conj().T @ X), X)


def test_refactor_refuses_values_below_the_blocks():
    """Zeros that are stored there are no part of the factors."""
    A = sp.csc_array(np.array([[1.0, 2.0], [5.0, 3.0]]))
    p = btfperm.preorder(np.array([[1.0, 2.0], [0.0, 3.0]]))
    zero = A.copy()
    zero.data[1] = 0
    F = p.factor(zero)
    np.testing.assert_allclose(F.solve([3.0, 3.0]), 1)
    with pytest.raises(InvalidArgumentError, match="row 1, column 0 lies below"):
        F.refactor(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_refactor_refuses_values_that_are_not_finite(bad):
    A = sp.csc_array(example().astype(float))
    F = btfperm.preorder(A).factor(A)
    B = A.copy()
    B.data[2] = bad
    for wrong in (B, B.data, B.tocsr()):
        with pytest.raises(InvalidMatrixError, match="row 1, column 1 is"):
            F.refactor(wrong)
    np.testing.assert_allclose(F.solve(A @ np.ones(4)), 1)  # the old factors stay


def test_refactor_refuses_a_matrix_with_too_few_values():
    A = sp.csc_array(example().astype(float))
    F = btfperm.preorder(A).factor(A)
    short = A.copy()
    short.data = short.data[:-1]
    with pytest.raises(InvalidMatrixError):
        F.refactor(short)


def test_a_zero_among_blocks_of_one_row():
    p = btfperm.preorder(np.eye(3))
    with pytest.raises(NumericallySingularError, match="row 1, column 1 is a diagonal block"):
        p.factor(np.diag([1.0, 0.0, 2.0]))
    stored = sp.csc_array((np.array([1.0, 0.0, 2.0]), np.arange(3), np.arange(4)), shape=(3, 3))
    with pytest.raises(NumericallySingularError, match="row 1, column 1 is a diagonal block"):
        p.factor(stored)


@pytest.mark.parametrize("solver", ["superlu", "klu"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([2, 0, 0, 1, 1, 2, 0], id="neither sorted nor unique"),
        pytest.param([0, 0, 2, 1, 0, 1, 2], id="duplicates in sorted columns"),
        pytest.param([2, 1, 0, 1, 2, 1, 0], id="unsorted without duplicates"),
    ],
)
@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
def test_duplicates_and_unsorted_columns(solver, rows):
    cols = [0, 0, 0, 1, 2, 2, 2]
    values = [1.0, 2.0, 3.0, 4.0, 1.0, 6.0, -2.0]
    starts = np.array([0, 3, 4, 7])
    A = sp.csc_array((np.array(values), np.array(rows), starts), shape=(3, 3))
    dense = np.zeros((3, 3))
    np.add.at(dense, (rows, cols), values)
    F = btfperm.preorder(A, solver=solver).factor(A)
    np.testing.assert_allclose(F.solve(dense @ [1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])
    assert not A.has_canonical_format, "the caller's matrix stays as it is"


@pytest.mark.parametrize("library", [None, *klu_libraries.libraries()])
def test_a_matrix_without_entries_is_singular(library, monkeypatch):
    """Blocks of one row, one larger block, and both; with SuperLU and each library of KLU."""
    monkeypatch.setattr(preordering, "find_klu", lambda: library)
    solver = "klu" if library else "superlu"
    one = "row [01], column [01] is a diagonal block by itself"
    larger = r"pivot of column [0-2] is zero|columns 0 and 1 are linearly dependent"
    block = np.array([[2.0, 1.0], [1.0, 3.0]])
    both = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 1.0]])
    for A, message in ((np.eye(2), one), (block, larger), (both, f"row 2, column 2 is|{larger}")):
        p, empty = btfperm.preorder(A, solver=solver), sp.csc_array(A.shape)
        for B in (empty, np.zeros(A.shape), empty.astype(complex)):
            with pytest.raises(NumericallySingularError, match=message):
                p.factor(B)
        F = p.factor(A)
        with pytest.raises(InvalidArgumentError, match="other entries"):
            F.refactor(empty)
        np.testing.assert_allclose(F.solve(A @ np.ones(len(A))), 1)  # the old factors stay
        with pytest.raises(NumericallySingularError, match=message):
            F.refactor(0 * sp.csc_array(A).data)


def test_large_diagonal_entries_stay_pivots():
    A = sp.csc_array(read("west0479"))
    p = btfperm.preorder(A, weights="product", block_ordering="colamd")
    default, partial = p.factor(A), p.factor(A, diag_pivot_thresh=1.0)
    assert default.off_diagonal_pivots == p.factor(A, diag_pivot_thresh=0.1).off_diagonal_pivots
    assert default.off_diagonal_pivots < partial.off_diagonal_pivots


@pytest.mark.parametrize("solver", ["klu", "superlu"])
def test_an_array_of_values_is_in_the_order_of_the_matrix_that_was_factored(solver):
    """The first matrix is stored by rows, by columns, densely, as coordinates, or in an order that
    btfperm does not know."""
    rng = np.random.default_rng(7)
    dense = np.where(rng.random((30, 30)) < 0.2, rng.uniform(1, 2, (30, 30)), 0) + 9 * np.eye(30)
    b = dense @ np.ones(30)
    by_rows, by_columns = sp.coo_array(sp.csr_array(dense)), sp.coo_array(sp.csc_array(dense))
    for A in (sp.csc_array(dense), sp.csr_array(dense), sp.csr_matrix(dense), by_rows, by_columns):
        F = btfperm.preorder(A, solver=solver).factor(A)
        F.refactor(3 * A.data)
        np.testing.assert_allclose(F.solve(b), 1 / 3)
    columns = sp.csc_array(dense)
    F = btfperm.preorder(dense, solver=solver).factor(dense)
    F.refactor(3 * columns.data)
    np.testing.assert_allclose(F.solve(b), 1 / 3)
    unsorted = columns.copy()
    unsorted.indices[:2], unsorted.data[:2] = columns.indices[1::-1], columns.data[1::-1]
    unsorted.has_sorted_indices = False
    shuffled = by_rows.copy()
    for part in (shuffled.row, shuffled.col, shuffled.data):
        part[:] = part[::-1].copy()
    for A in (unsorted, shuffled):
        F = btfperm.preorder(A, solver=solver).factor(A)
        with pytest.raises(InvalidArgumentError, match="the order of an array of values is not"):
            F.refactor(3 * A.data)
        F.refactor(3 * A)
        np.testing.assert_allclose(F.solve(b), 1 / 3)


def test_new_values_by_rows_need_no_conversion(monkeypatch):
    """The order of the rows is computed once, whichever layout the first matrix had."""
    rng = np.random.default_rng(8)
    A = sp.csr_array(sp.random_array((40, 40), density=0.1, rng=rng) + 5 * sp.eye_array(40))
    b = A @ np.ones(40)
    for first in (A, A.tocsc()):
        F = btfperm.preorder(first).factor(first)
        with monkeypatch.context() as patched:
            patched.setattr(values, "columns_of", None)
            for factor in (2.0, 4.0):
                F.refactor(factor * A)
                np.testing.assert_allclose(F.solve(b), 1 / factor)
                F.refactor(2 * factor * first.data)
                np.testing.assert_allclose(F.solve(b), 0.5 / factor)
            F.refactor(1j * A)
            np.testing.assert_allclose(F.solve(b), -1j * np.ones(40))
            for other in (np.float32, np.complex64, np.float64, np.complex128):
                F.refactor((4 * A).astype(other))
                np.testing.assert_allclose(F.solve(b), 0.25, rtol=1e-5)
                F.refactor((8 * first.data).astype(np.dtype(other).newbyteorder(">")))
                np.testing.assert_allclose(F.solve(b), 0.125, rtol=1e-5)
            wrong = A.copy()
            wrong[3, 3] = np.nan
            with pytest.raises(InvalidMatrixError, match="row 3, column 3 is nan"):
                F.refactor(wrong)
        moved = A.copy()
        moved.indices[:2] = moved.indices[1::-1]  # the same entries, in another order
        moved.data[:2] = moved.data[1::-1]
        moved.has_sorted_indices = False
        F.refactor(moved)
        np.testing.assert_allclose(F.solve(b), 1)
        with pytest.raises(InvalidArgumentError, match="other entries"):
            F.refactor(sp.csr_array(A[::-1]))


def test_values_of_duplicates_are_no_values_of_entries():
    A = sp.csr_array((np.ones(4), [0, 0, 1, 0], [0, 2, 4]), shape=(2, 2))
    F = btfperm.preorder(A).factor(A)
    with pytest.raises(InvalidArgumentError, match="there are 3 entries, and 4 values"):
        F.refactor(A.data)
    with pytest.raises(InvalidArgumentError, match="contained duplicates"):
        F.refactor(np.ones(3))
    F.refactor(2 * A)
    np.testing.assert_allclose(F.solve(A @ np.ones(2)), 0.5)
