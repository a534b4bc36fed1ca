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


@pytest.mark.parametrize("block", [2, 6, 7])
def test_a_block_that_is_singular_is_named_by_its_place(monkeypatch, block):
    """Each larger block is a segment of its own."""
    monkeypatch.setattr(blockwise, "LARGE", 2)
    A, row_of, col_of = blocks_of_sizes()
    begin, end = STARTS[block], STARTS[block + 1]
    B = A.copy()
    for i in range(begin, end):
        for j in range(begin, end):
            B[row_of[i], col_of[j]] = 1.0
    p = btfperm.preorder(A, solver="superlu", block_ordering="natural")
    first = int(p.blocks[block])
    with pytest.raises(NumericallySingularError) as error:
        p.factor(B)
    assert first == begin and str(error.value).endswith(
        f"a pivot is zero in rows {begin} to {end - 1} of the permuted matrix, at a place that "
        f"SuperLU does not report (their diagonal block begins with row {p.row_perm[first]} and "
        f"column {p.col_perm[first]} of the original)"
    )


def test_small_blocks_that_are_factored_together_are_counted():
    """All blocks of fewer than 64 rows are one segment."""
    A, row_of, col_of = blocks_of_sizes()
    B = A.copy()
    for i in range(STARTS[6], STARTS[7]):
        for j in range(STARTS[6], STARTS[7]):
            B[row_of[i], col_of[j]] = 1.0
    p = btfperm.preorder(A, solver="superlu", block_ordering="natural")
    begin = int(p.factor(A).factors.segments[-1].begin)
    count = int((p.blocks[:-1] >= begin).sum())
    with pytest.raises(NumericallySingularError) as error:
        p.factor(B)
    assert str(error.value).endswith(
        f"in rows {begin} to {STARTS[-1] - 1} of the permuted matrix, at a place that SuperLU "
        f"does not report (the first of their {count} diagonal blocks begins with row "
        f"{p.row_perm[begin]} and column {p.col_perm[begin]} of the original)"
    )


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
