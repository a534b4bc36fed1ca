# SPDX-License-Identifier: BSD-3-Clause
"""`solve` and `compare_solvers`: small backward errors, the solutions of SciPy, the definition of
the backward error, refused input."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import splu, spsolve

import btfperm
from btfperm.errors import (
    IllConditionedWarning,
    InvalidArgumentError,
    InvalidMatrixError,
    NumericallySingularError,
    ResourceMissingError,
    StructurallySingularError,
    UnreadableInputError,
)
from btfperm.preorder import compare, klu_libraries, klu_shared, klu_wheel, routes, system
from btfperm.preorder.backward_error import residual_of
from btfperm.preorder.small import small_preordering
from btfperm.preorder.values import columns_of
from tests.known_answers import MATRICES, known_answers, parametrized, read
from tests.oracles import suitesparse

NONSINGULAR = [
    k for k in known_answers() if k.shape == (k.rank_without_zeros, k.rank_without_zeros)
]
FILE = MATRICES / "west0067.mtx.gz"


def random_system(seed, *, is_complex=False, n=30):
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=0.1, rng=rng, format="csc") + sp.eye_array(n)
    b = rng.uniform(-1, 1, (n, 2))
    if is_complex:
        A, b = A + 1j * sp.random_array((n, n), density=0.1, rng=rng), b * (1 + 2j)
    return sp.csc_array(A), b


@pytest.mark.filterwarnings("ignore::btfperm.IllConditionedWarning")
@pytest.mark.filterwarnings("ignore::btfperm.StoredZerosWarning")
@parametrized(NONSINGULAR)
def test_every_matrix_with_a_known_solution(known):
    A = sp.csc_array(read(known.name)) * 1.0
    A.eliminate_zeros()
    b = A @ np.ones(A.shape[0])
    for solver in ("auto", "superlu"):
        try:
            s = btfperm.solve(A, b, solver=solver)
        except NumericallySingularError:
            with pytest.raises(RuntimeError, match="singular"):
                splu(A)
            continue
        assert s.backward_error.normwise < 1e-15, solver


@given(st.integers(0, 10**6), st.sampled_from("NTH"), st.booleans())
def test_the_solution_is_that_of_scipy(seed, trans, is_complex):
    A, b = random_system(seed, is_complex=is_complex)
    M = {"N": A, "T": A.T, "H": A.conj().T}[trans]
    if np.linalg.cond(A.toarray()) < 1e6:
        s = btfperm.solve(A, b, trans=trans)
        np.testing.assert_allclose(s.x, spsolve(sp.csc_array(M), b), rtol=1e-6, atol=1e-9)
        assert s.backward_error.componentwise < 1e-13


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from("NTH"), st.booleans(), st.booleans())
def test_backward_errors_follow_their_definition(seed, trans, is_complex, vector):
    A, b = random_system(seed, is_complex=is_complex)
    x = np.random.default_rng(seed + 1).uniform(-1, 1, b.shape).astype(b.dtype)
    b, x = (b[:, 0], x[:, 0]) if vector else (b, x)
    M = {"N": A, "T": A.T, "H": A.conj().T}[trans].toarray()
    r, error = residual_of(columns_of(A, A.shape), x, b, trans)
    np.testing.assert_allclose(r, b - M @ x, atol=1e-13)
    parts = np.abs(b - M @ x) / (np.abs(M) @ np.abs(x) + np.abs(b))
    assert math.isclose(error.componentwise, parts.max(), rel_tol=1e-9)
    norms = np.abs(M).sum(axis=1).max() * np.abs(x).max(axis=0) + np.abs(b).max(axis=0)
    assert math.isclose(error.normwise, (np.abs(b - M @ x).max(axis=0) / norms).max(), rel_tol=1e-9)


def test_backward_errors_at_the_ends_of_the_range():
    columns = columns_of(sp.csc_array([[1e300, 0], [0, 1e-300]]), (2, 2))
    _, error = residual_of(columns, np.array([1e-300, 1e300]), np.ones(2))
    assert error.normwise < 1e-15 and error.componentwise < 1e-15
    _, error = residual_of(columns, np.array([np.nan, 1]), np.ones(2))
    assert error == (np.inf, np.inf)
    _, error = residual_of(columns, np.zeros(2), np.zeros(2))
    assert error == (0, 0)
    _, error = residual_of(columns, np.array([1e300, 1]), np.ones(2))  # the product overflows
    assert error == (np.inf, np.inf)


def test_small_matrices_are_ordered_in_one_call(monkeypatch):
    """If no option is given, `solve` orders a small matrix in one call of the core, as `preorder`
    does. The test has every type of matrix."""
    A = sp.csc_array(read("west0067")).astype(float)
    calls = []

    def counted(matrix, solver):
        calls.append(solver)
        return small_preordering(matrix, solver)

    monkeypatch.setattr(system, "small_preordering", counted)
    for matrix in (A, A.toarray(), A.tocsr(), btfperm.as_valued(A)):
        s = btfperm.solve(matrix, np.ones(67), solver="superlu")
        assert calls == ["superlu"]
        assert s.preordering == btfperm.preorder(A, solver="superlu")
        calls.clear()
    btfperm.solve(A, np.ones(67), solver="superlu", block_ordering="rcm")
    assert not calls


def test_the_result_can_be_used_again(tmp_path):
    A, b = random_system(3)
    s = btfperm.solve(A, b)
    np.testing.assert_allclose(A @ s.factors.solve(b[:, 0]), b[:, 0], atol=1e-12)
    assert s.preordering == btfperm.preorder(A, solver=s.preordering.solver)
    s.save(tmp_path / "x.mtx")
    assert np.array_equal(scipy.io.mmread(tmp_path / "x.mtx"), s.x)
    with pytest.raises(ResourceMissingError, match="exists already"):
        s.save(tmp_path / "x.mtx", replace=False)
    with pytest.raises(InvalidArgumentError, match="suffixes"):
        s.save(tmp_path / "x.csv")
    assert "30 x 30 system with 2 right-hand sides" in repr(s)


def test_every_type_of_matrix_and_right_hand_side(tmp_path):
    A, b = random_system(4)
    file, side = tmp_path / "A.mtx", tmp_path / "b.npy"
    btfperm.write_matrix(file, A)
    np.save(side, b)
    x = btfperm.solve(A, b).x
    for other in (A.tocsr(), A.toarray(), btfperm.as_valued(A), file, str(file)):
        for right in (b, sp.csc_array(b), b.tolist(), side):
            np.testing.assert_allclose(btfperm.solve(other, right).x, x, rtol=1e-9)
    empty = btfperm.solve(np.zeros((0, 0)), np.zeros(0))
    assert empty.x.shape == (0,) and empty.backward_error == (0, 0)
    none = btfperm.solve(A, np.zeros((30, 0)))
    assert none.x.shape == (30, 0)


def test_refused_arguments(tmp_path):
    A, b = random_system(5)
    for match, arguments, options in (
        ("solver must be one of auto, klu, superlu", (A, b), {"solver": "umfpack"}),
        ("trans must be one of", (A, b), {"trans": "C"}),
        ("refine", (A, b), {"refine": -1}),
        ("the matrix is 30 x 2: only", (b, b), {}),
        ("30 rows and one or two dimensions, not float64 of shape", (A, b[1:]), {}),
        ("block ordering 'metis' is unknown", (A, b), {"block_ordering": "metis"}),
        ("weights 'sum' is unknown", (A, b), {"weights": "sum"}),
    ):
        with pytest.raises(InvalidArgumentError, match=match):
            btfperm.solve(*arguments, **options)
    with pytest.raises(InvalidMatrixError, match="a Pattern has no values"):
        btfperm.solve(btfperm.as_pattern(A), b)
    b[3, 1] = np.inf
    for call in (btfperm.solve, btfperm.compare_solvers):
        with pytest.raises(InvalidMatrixError, match=r"row 3, column 1 .* is inf"):
            call(A, b)
    with pytest.raises(UnreadableInputError, match="there is no such file"):
        btfperm.solve(A, tmp_path / "b.mtx")
    for budget in (0, -1, math.inf, math.nan, "1"):
        with pytest.raises(InvalidArgumentError, match="budget must be a positive number"):
            btfperm.compare_solvers(A, budget=budget)
    with pytest.raises(InvalidArgumentError, match="repeats"):
        btfperm.compare_solvers(A, repeats=0)
    with pytest.raises(InvalidArgumentError, match="no rows"):
        btfperm.compare_solvers(np.zeros((0, 0)))


@pytest.mark.parametrize("layout", ["csc", "csr", "bsr", "lil", "coo", "dok", "dia"])
def test_sparse_right_hand_sides_of_every_layout(layout):
    A, b = np.diag([1.0, 2.0, 4.0]), np.array([[1.0, 0], [2, 2], [0, 8]])
    assert np.array_equal(
        btfperm.solve(A, sp.csc_array(b).asformat(layout)).x, np.linalg.solve(A, b)
    )
    assert btfperm.solve(A, sp.coo_array(b[:, 0])).x.tolist() == [1, 1, 0]


def test_damaged_right_hand_sides_are_refused_before_scipy_reads_them():
    """SciPy writes outside its buffer where `indptr` decreases."""
    F = btfperm.preorder(np.eye(2)).factor(np.eye(2))
    lists, blocks = sp.lil_array(np.eye(2)), sp.bsr_array(np.eye(2))
    lists.rows[0] = [100]
    blocks.indices = blocks.indices + 7
    damaged = [lists, blocks]
    for kind in (sp.csc_array, sp.csr_array):
        damaged.append(kind((2, 2)))
        damaged[-1].indptr = np.array([0, 10**7, 0], np.int32)
    for b in damaged:
        with pytest.raises(InvalidMatrixError, match="the right-hand side: "):
            btfperm.solve(np.eye(2), b)
        with pytest.raises(InvalidMatrixError, match="the right-hand side: "):
            F.solve(b)


def test_the_table_for_notebooks():
    table = btfperm.solve(np.diag([2.0, 4.0]), np.ones((2, 3)), solver="superlu")._repr_html_()
    assert "<caption>Solution</caption>" in table and "<td>3</td>" in table
    assert "superlu" in table and "2 x 2" in table


def test_singular_matrices_are_named():
    with pytest.raises(StructurallySingularError, match="rank 1 of 2"):
        btfperm.solve(np.array([[1.0, 1], [0, 0]]), np.ones(2))
    with pytest.raises(NumericallySingularError, match="row"):
        btfperm.solve(np.array([[1.0, 2], [2, 4]]), np.ones(2))
    hilbert = 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0)
    with pytest.warns(IllConditionedWarning, match="nearly singular"):
        btfperm.solve(hilbert, np.ones(12))


# -- the comparison ----------------------------------------------------------------------------


@pytest.mark.parametrize("is_complex", [False, True])
def test_each_solver_solves(is_complex):
    A, b = random_system(6, is_complex=is_complex)
    for rows in (btfperm.compare_solvers(A, repeats=2), btfperm.compare_solvers(A, b, repeats=1)):
        solvers = (*("klu",) * max(1, len(klu_libraries.libraries())), "superlu")
        assert [(row.solver, row.ordering) for row in rows] == [
            (solver, order) for solver in solvers for order in ("own", "btfperm")
        ]
        for row in rows:
            assert row.error is None or "not installed" in row.error
            if row.error is None:
                assert row.refined_error.componentwise < 1e-14
                assert row.nnz >= row.fill >= 30 and row.runs in (1, 2)
                assert row.total_seconds >= row.factor_seconds > 0
                assert (row.refactor_seconds is None) == (row.solver == "superlu")
                assert (row.order_seconds is None) == (row.library[:5] + row.ordering == "scipyown")
    assert {row.forward_error for row in rows} == {None}


def test_real_matrices_with_complex_right_hand_sides():
    A, b = random_system(7)
    for row in btfperm.compare_solvers(A, b + 1j, repeats=1):
        assert row.error is not None or row.refined_error.componentwise < 1e-14


def test_the_error_of_a_comparison_names_the_file(tmp_path):
    path = tmp_path / "none.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n0 0 0\n")
    with pytest.raises(btfperm.InvalidArgumentError, match=r"none.mtx has no rows"):
        btfperm.compare_solvers(path)


def test_the_counts_of_btfperm_are_those_of_its_factors():
    A = sp.csc_array(read("west0479")).astype(float)
    for row in btfperm.compare_solvers(A, repeats=1):
        if row.error is None:  # the first solutions have errors between 1e-14 and 1e-11
            assert row.refined_error.componentwise < 1e-15 < row.backward_error.componentwise
        if row.error is None and row.ordering == "btfperm":
            F = btfperm.preorder(A, solver=row.solver).factor(A)
            assert (row.fill, row.nnz) == (F.fill, F.nnz)
            assert row.off_diagonal_pivots == F.off_diagonal_pivots
        elif row.error is None and row.solver == "superlu":
            lu = splu(A)
            assert row.fill == row.nnz == lu.nnz - A.shape[0]


@pytest.mark.parametrize("make", [klu_wheel.Wheel, klu_shared.Shared])
def test_klu_with_its_own_order(monkeypatch, make):
    """The fill is that which KLU reports for its own analysis."""
    try:
        library = make()
    except (ImportError, OSError):
        pytest.skip(f"{make.name} is not installed, or not for a sanitizer")
    monkeypatch.setattr(routes, "libraries", lambda: (library,))
    A = sp.csc_array(read("west0479")).astype(float)
    row = btfperm.compare_solvers(A, repeats=1)[0]
    assert row.library.startswith(make.name) and row.error is None
    assert row.fill + A.shape[0] == suitesparse.klu_fill(A)
    singular = btfperm.compare_solvers(np.array([[1.0, 2], [2, 4]]), repeats=1)[0]
    assert "singular" in singular.error
    structurally = btfperm.compare_solvers(np.array([[1.0, 1], [0, 0]]), repeats=1)[0]
    assert "singular" in structurally.error


def test_each_library_of_klu_is_measured(monkeypatch):
    """Each library analyses and factors the matrix by itself, with its own order and with that of
    btfperm."""
    installed = klu_libraries.find()
    if installed is None:
        pytest.skip("libklu is not installed, or not for a sanitizer")
    calls = []

    class Recorded:
        def __init__(self, name):
            self.name, self.version, self.location = name, "1", ""

        def analyze(self, indptr, indices, P, Q, *args, **how):
            calls.append((self.name, P is None))
            return installed.analyze(indptr, indices, P, Q, *args, **how)

    monkeypatch.setattr(routes, "libraries", lambda: (Recorded("one"), Recorded("two")))
    A = sp.csc_array(read("west0479")).astype(float)
    rows = btfperm.compare_solvers(A, repeats=1)
    assert [(row.library, row.ordering) for row in rows if row.solver == "klu"] == [
        (library, order) for library in ("one 1", "two 1") for order in ("own", "btfperm")
    ]
    assert calls == [("one", True), ("one", False), ("two", True), ("two", False)]
    assert all(row.error is None and row.fill for row in rows)


def test_the_budget_ends_the_runs():
    A, _ = random_system(8)
    rows = btfperm.compare_solvers(A, repeats=10**6, budget=1e-9)
    assert {row.runs for row in rows if row.error is None} == {1}


def test_a_comparison_warns_of_nothing():
    hilbert = 1 / (np.arange(12)[:, None] + np.arange(12) + 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = btfperm.compare_solvers(hilbert, repeats=2)
    assert all(row.forward_error > 1e-6 for row in rows if row.error is None)


def test_klu_is_the_choice_of_auto(monkeypatch):
    A, b = random_system(9)
    expected = "klu" if klu_libraries.find() else "superlu"
    assert btfperm.solve(A, b).factors.backend == expected
    monkeypatch.setattr(system, "find_klu", lambda: None)
    assert btfperm.solve(A, b).factors.backend == "superlu"


@pytest.mark.parametrize("b", [
    sp.coo_array((3, 10**10)), sp.csr_array((3, 2)), sp.csc_array((1, 2)), sp.coo_array((10**10,)),
    sp.coo_array((10**10, 10**10)),
])  # fmt: skip
def test_sparse_right_hand_sides_of_another_shape(b):
    """Such right-hand sides are refused before they become dense arrays, which may be too large."""
    with pytest.raises(InvalidArgumentError, match="must be an array of numbers with 2 rows"):
        btfperm.solve(np.eye(2), b)
    with pytest.raises(InvalidArgumentError, match="must be an array of numbers with 2 rows"):
        btfperm.preorder(np.eye(2)).factor(np.eye(2)).solve(b)


@pytest.mark.parametrize(("b", "what"), [
    ([[1, 2], [3]], "must be an array of numbers with 2 rows"),
    (np.ma.masked_array([1.0, 2.0], [True, False]), "is a masked array"),
])  # fmt: skip
def test_right_hand_sides_without_numbers_in_each_place(b, what):
    for solve in (
        lambda: btfperm.solve(np.eye(2), b),
        lambda: btfperm.preorder(np.eye(2)).factor(np.eye(2)).solve(b),
    ):
        with pytest.raises(InvalidArgumentError, match=what):
            solve()


@pytest.mark.parametrize("part", ["indptr", "indices", "data"])
@pytest.mark.parametrize("solver", ["superlu", "klu"])
def test_arrays_of_a_matrix_with_two_dimensions(part, solver):
    A = sp.csc_array(np.eye(2))
    setattr(A, part, getattr(A, part).reshape(-1, 1))
    p = btfperm.preorder(np.eye(2), solver=solver)
    for use in (lambda: btfperm.preorder(A), lambda: p.factor(A), lambda: btfperm.solve(A, [1, 2])):
        with pytest.raises(btfperm.InvalidMatrixError):
            use()


def test_the_seconds_of_a_comparison_are_medians(monkeypatch):
    """The total is the median of the sums, not the sum of the medians."""
    seconds = {"order": [1, 9, 5], "factor": [70, 20, 10], "solve": [100, 300, 500]}
    times = itertools.cycle(zip(*seconds.values(), [4, 2, 3], strict=True))
    steps = itertools.chain.from_iterable(times)

    def timed(measured, step):
        measured.append(next(steps))
        return step()

    monkeypatch.setattr(compare, "_timed", timed)
    rows = [r for r in btfperm.compare_solvers(random_system(8)[0], repeats=3) if r.error is None]
    assert rows
    for row in rows:
        assert row.order_seconds in (None, 5) and row.refactor_seconds in (None, 3)
        assert (row.factor_seconds, row.solve_seconds, row.total_seconds) == (20, 300, 329)
