# SPDX-License-Identifier: BSD-3-Clause
"""A zero pivot anywhere in a matrix with blocks of several sizes is found and named by its own row
and column, by every solver; and each cause is reported once."""

from __future__ import annotations

import importlib
import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import NumericallySingularError
from btfperm.preorder import blockwise

PREORDERING = importlib.import_module("btfperm.preorder.preordering")
SIZES = [1, 1, 3, 1, 1, 1, 4, 2, 1, 1]
STARTS = np.cumsum([0, *SIZES])
SINGLE = [int(start) for start, size in zip(STARTS, SIZES, strict=False) if size == 1]


@pytest.fixture(params=[2, 3, 64])
def large(request, monkeypatch):
    monkeypatch.setattr(blockwise, "LARGE", request.param)


def blocks_of_sizes() -> tuple[sp.csc_array, np.ndarray, np.ndarray]:
    """Blocks in a chain, which makes their order unique, with mixed rows and columns."""
    A = sp.block_diag([np.ones((k, k)) + k * np.eye(k) for k in SIZES], format="lil")
    for start, end in itertools.pairwise(STARTS[:-1]):
        A[start, end] = 5.0
    rng = np.random.default_rng(3)
    rows, cols = rng.permutation(STARTS[-1]), rng.permutation(STARTS[-1])
    return sp.csc_array(A.tocsc()[rows][:, cols]), np.argsort(rows), np.argsort(cols)


@pytest.mark.parametrize("solver", ["superlu", "klu"])
@pytest.mark.parametrize("way", ["factor", "refactor"])
@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
def test_each_single_zero_is_named(large, solver, way):
    A, row_of, col_of = blocks_of_sizes()
    p = btfperm.preorder(A, solver=solver)
    assert p.n_blocks == len(SIZES)
    for place in SINGLE:
        B = A.copy()
        row, col = row_of[place], col_of[place]
        B[row, col] = 0.0
        assert B.nnz == A.nnz  # the zero is stored
        text = f"row {row}, column {col} is a diagonal block"
        if solver == "klu" and PREORDERING.find_klu() is not None:
            text = f"the pivot of column {col} is zero; that column is matched to row {row}"
        with pytest.raises(NumericallySingularError, match=text):
            if way == "factor":
                p.factor(B)
            else:
                p.factor(A).refactor(B)


@pytest.mark.parametrize("large", [2, 64])  # the block is a segment, or a part of one
@pytest.mark.parametrize("block", [2, 6, 7])
def test_a_block_of_ones_is_named_with_its_rows_and_columns(monkeypatch, block, large):
    monkeypatch.setattr(blockwise, "LARGE", large)
    A, row_of, col_of = blocks_of_sizes()
    inside = slice(STARTS[block], STARTS[block + 1])
    B = A.copy()
    for i, j in itertools.product(row_of[inside], col_of[inside]):
        B[i, j] = 1.0
    p = btfperm.preorder(A, solver="superlu", block_ordering="natural")
    with pytest.raises(NumericallySingularError) as error:
        p.factor(B)
    rows, cols = listed(row_of[inside]), listed(col_of[inside])
    assert str(error.value) == (
        f"the matrix is numerically singular: in diagonal block {block}, which has {SIZES[block]} "
        f"rows, columns {cols} are linearly dependent, and rows {rows} are linearly dependent"
    )


def listed(numbers):
    *first, last = map(str, sorted(numbers.tolist()))
    return f"{', '.join(first)} and {last}"


@pytest.mark.parametrize("refine", [0, 1, 2, 4])
def test_a_nearly_singular_matrix_is_reported_once(refine):
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6))
    A[4] = rng.normal(size=4) @ A[:4]
    factors = btfperm.preorder(A, solver="superlu").factor(A)
    with pytest.warns(btfperm.IllConditionedWarning) as caught:
        factors.solve(A @ np.ones(6), refine=refine)
    assert len(caught) == 1


@pytest.mark.parametrize("solver", ["superlu", "klu"])
def test_nothing_is_reported_about_a_good_system(solver, monkeypatch):
    A = blocks_of_sizes()[0]
    if solver == "klu":
        pytest.importorskip("nbklu", reason="nbklu is not installed, or not for a sanitizer")
    else:
        monkeypatch.setattr(PREORDERING, "find_klu", lambda: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F = btfperm.preorder(A, solver=solver).factor(A)
        np.testing.assert_allclose(F.solve(A @ np.ones(STARTS[-1]), refine=2), 1, rtol=1e-12)


def test_a_missing_klu_is_reported(monkeypatch):
    monkeypatch.setattr(PREORDERING, "find_klu", lambda: None)
    A = blocks_of_sizes()[0]
    with pytest.warns(btfperm.SolverMissingWarning, match="SuperLU factors instead"):
        F = btfperm.preorder(A, solver="klu").factor(A)
    assert F.backend == "superlu"


def test_only_klu_refactors_in_a_comparison():
    A = blocks_of_sizes()[0]
    for run in btfperm.compare_solvers(A, repeats=1):
        assert run.error is None or "not installed" in run.error
        if run.error is None:
            assert (run.refactor_seconds is not None) == (run.solver == "klu")
