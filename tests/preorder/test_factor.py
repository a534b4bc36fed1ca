# SPDX-License-Identifier: BSD-3-Clause
"""factor and solve: residuals, transposed and complex systems, new values, bad input."""

from __future__ import annotations

import copy
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import spsolve

import btfperm
from btfperm.errors import (
    BtfpermError,
    InvalidArgumentError,
    InvalidMatrixError,
    NumericallySingularError,
)
from btfperm.preorder import blockwise, preordering
from btfperm.preorder.singles import SingleFactors
from tests import strategies
from tests.conventions.permuted import dominant
from tests.known_answers import SHARED, parametrized, read, shared_answers

REAL = ("adder_dcop_05", "impcol_a", "west0067", "west0479", "pfjac_case_ACTIVSg2000", "plskz362")
LARGER = ("bayer10", "west1505", "pfjac_case2869pegase", "bips98_606", "lns_3937", "cavity14")


@pytest.fixture(params=[1, 2, 4, blockwise.LARGE])
def large(request, monkeypatch):
    """Sets the size from which blocks count as large, so that small matrices have many segments."""
    monkeypatch.setattr(blockwise, "LARGE", request.param)
    return request.param


def backward_error(A, x, b):
    """The largest component of |b - A x| / (|A| |x| + |b|)."""
    scale = abs(A) @ abs(x) + abs(b)
    residual = abs(b - A @ x)
    return float(np.max(residual[scale > 0] / scale[scale > 0], initial=0))


def check_normwise(A, x, b):
    """Checks |b - A x| <= 1e-12 (|A| |x| + |b|) in the maximum norm."""
    size = abs(A).sum(axis=1).max() * abs(x).max() + abs(b).max()
    assert abs(b - A @ x).max() <= 1e-12 * size


@pytest.mark.parametrize("how", ["auto", "colamd", "amd"])
@pytest.mark.parametrize("name", REAL)
def test_real_matrices(name, how, run_seed):
    A = sp.csc_array(read(name)).astype(float)
    rng = np.random.default_rng(run_seed)
    p = btfperm.preorder(A, block_ordering=how)
    F = p.factor(A)
    for b in (rng.standard_normal(A.shape[0]), A @ np.ones(A.shape[0])):
        check_normwise(A, F.solve(b), b)
        check_normwise(A.T, F.solve(b, "T"), b)


@pytest.mark.slow
@parametrized([k for k in shared_answers() if k.name in LARGER], "no larger set beside the project")
def test_larger_matrices(known, run_seed):
    path = SHARED / f"{known.name}.mtx.gz"
    p = btfperm.preorder(path)
    F = p.factor(path)  # also reads the values
    A = sp.csc_array(btfperm.io.read_matrix(path)).astype(float)
    b = np.random.default_rng(run_seed).standard_normal(A.shape[0])
    check_normwise(A, F.solve(b), b)
    check_normwise(A.T, F.solve(b, "T"), b)


@given(A=strategies.nonsingular(), how=st.sampled_from(("auto", "colamd", "amd", "natural")))
def test_the_same_as_spsolve(large, A, how):
    p = btfperm.preorder(A, block_ordering=how)
    C, n = dominant(A, p.form.col_match), A.shape[0]
    b = np.cos(np.arange(n))
    x = p.factor(C).solve(b)
    assert backward_error(C, x, b) < 1e-13
    if n:
        np.testing.assert_allclose(x, np.atleast_1d(spsolve(C, b)), rtol=1e-9, atol=1e-12)


@given(A=strategies.block_triangular(), complex_values=st.booleans(), complex_b=st.booleans())
def test_every_kind_of_system(large, A, complex_values, complex_b):
    p = btfperm.preorder(A)
    C, n = dominant(A, p.form.col_match), A.shape[0]
    if complex_values:
        C = C * np.exp(0.1j) + 0j * C
        C.data *= np.exp(1j * np.arange(C.nnz))
    x = np.arange(3.0 * n).reshape(n, 3)[:, :2] + (1j * np.ones((n, 2)) if complex_b else 0)
    F = p.factor(C)
    for trans, matrix in (("N", C), ("T", C.T), ("H", C.conj().T)):
        b = matrix @ x
        found = F.solve(b, trans)
        np.testing.assert_allclose(found, x, rtol=1e-9, atol=1e-9)
        assert found.dtype == (complex if complex_values or complex_b else float)
        for k in range(2):
            np.testing.assert_allclose(F.solve(b[:, k], trans), x[:, k], rtol=1e-9, atol=1e-9)


@given(A=strategies.nonsingular())
def test_inputs_are_not_modified(A):
    p = btfperm.preorder(A)
    C = sp.csc_array(A, dtype=float)  # unsorted, with duplicates
    before = C.copy()
    b = np.ones(A.shape[0])
    try:
        F = p.factor(C)
    except NumericallySingularError:
        return
    F.solve(b)
    F.solve(b, "T")
    assert (b == 1).all()
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(C, name), getattr(before, name))


def example():
    return np.array([[0, 2, 0, 0], [1, 4, 5, 0], [0, 1, 6, 3], [0, 0, 1, 2]])


@pytest.mark.parametrize(
    "make",
    [
        lambda A: A,
        sp.csc_array,
        sp.csr_matrix,
        sp.coo_array,
        sp.lil_array,
        lambda A: A.astype(np.float32),
        lambda A: A.astype(np.int8),
        lambda A: sp.csc_array(A.astype(bool)).astype(np.int8).multiply(A).tocsr(),
        lambda A: (sp.csc_array(A).data, sp.csc_array(A).indices, sp.csc_array(A).indptr),
    ],
)
def test_every_kind_of_matrix(make):
    A = example()
    x = btfperm.preorder(A).factor(make(A)).solve(A @ [1, 2, 3, 4])
    np.testing.assert_allclose(x, [1, 2, 3, 4])
    assert x.dtype == np.float64


@pytest.mark.parametrize("dtype", [bool, np.uint8, int, np.float32, np.longdouble, np.complex64])
def test_every_kind_of_right_hand_side(dtype):
    A = example()
    F = btfperm.preorder(A).factor(A)
    for b in (np.array([1, 0, 1, 1], dtype), np.array([[1, 0, 1, 1], [0, 1, 1, 0]], dtype).T):
        x = F.solve(b)
        assert x.shape == b.shape
        np.testing.assert_allclose(A @ x, b.astype(complex), atol=1e-12)
        assert x.dtype == (np.complex128 if dtype is np.complex64 else np.float64)


def test_new_values_need_no_new_order():
    A = sp.csc_array(example().astype(float))
    p = btfperm.preorder(A)
    x = np.arange(4.0)
    for scale in (1.0, -3.0, 1e5):
        B = A.copy()
        B.data *= scale * (1 + np.arange(B.nnz))
        np.testing.assert_allclose(p.factor(B).solve(B @ x), x, rtol=1e-9, atol=1e-9)


def test_entries_above_the_blocks_may_be_new():
    A = np.diag([1.0, 2.0, 3.0])
    A[0, 2] = 4
    p = btfperm.preorder(A)
    first, last = p.row_perm[0], p.col_perm[2]
    B = A.copy()
    B[first, last] = 7
    np.testing.assert_allclose(p.factor(B).solve(B @ [1, 2, 3]), [1, 2, 3])


def test_entries_below_the_blocks_are_refused_unless_zero():
    A = example()
    p = btfperm.preorder(A)
    row, col = p.row_perm[-1], p.col_perm[0]
    B = sp.lil_array(A.astype(float))
    B[row, col] = 1
    with pytest.raises(InvalidArgumentError, match=f"row {row}, column {col} lies below"):
        p.factor(B)
    C = B.tocsc()
    C[row, col] = 0  # still stored
    assert C.nnz == np.count_nonzero(A) + 1
    np.testing.assert_allclose(p.factor(C).solve(A @ [1, 2, 3, 4]), [1, 2, 3, 4])


def test_a_hundred_thousand_blocks_of_one_row_need_no_factors(run_seed):
    rng = np.random.default_rng(run_seed)
    n = 100_000
    i, j = rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n)
    upper = sp.coo_array((rng.random(2 * n), (np.minimum(i, j), np.maximum(i, j))), shape=(n, n))
    A = (upper + 4 * sp.eye_array(n)).tocsr()[rng.permutation(n), :].tocsc()[:, rng.permutation(n)]
    p = btfperm.preorder(A)
    F = p.factor(A)
    assert p.n_blocks == n
    assert isinstance(F.factors, SingleFactors) and F.fill == n
    assert F.nnz == A.nnz, "triangular: no fill"
    x = rng.standard_normal(n)
    assert backward_error(A, F.solve(A @ x), A @ x) < 1e-13


def test_segments(monkeypatch):
    """Each large block is one segment; consecutive small blocks share one."""
    monkeypatch.setattr(blockwise, "LARGE", 3)
    sizes = [1, 1, 3, 3, 2, 1, 5]
    A = sp.block_diag([np.ones((k, k)) + k * np.eye(k) for k in sizes], format="lil")
    for k in range(len(sizes) - 1):
        start = sum(sizes[:k])
        A[start, start + sizes[k]] = 1.0  # a chain makes the order unique
    F = btfperm.preorder(A).factor(A)
    assert [s.end - s.begin for s in F.factors.segments] == [2, 3, 3, 3, 5]
    assert [s.factors is None for s in F.factors.segments] == [True, False, False, False, False]
    assert F.factors.outside == 5
    np.testing.assert_allclose(F.solve(A @ np.arange(16.0)), np.arange(16.0), atol=1e-12)
    assert "7 blocks" in repr(F)


def test_few_rows_are_one_segment():
    """A large block and a block of one row are one segment in a matrix of fewer than 256 rows, and
    two segments in a larger matrix."""
    for n, segments in ((70, 1), (300, 2)):
        A = sp.lil_array(sp.diags_array([4 * np.ones(n), np.ones(n - 1)], offsets=[0, 1]))
        A[n - 2, 0] = 1.0  # a cycle of all rows but the last
        F = btfperm.preorder(A).factor(A)
        assert F.blocks == 2 and len(F.factors.segments) == segments
        x = np.arange(1.0, n + 1)
        for trans, op in (("N", A), ("T", A.T)):
            np.testing.assert_allclose(F.solve(op @ x, trans), x)


def test_superlu_updates_few_columns_together_unless_the_factors_are_dense(monkeypatch):
    """A large block with dense factors needs SuperLU's own panels; the solution is the same."""
    monkeypatch.setattr(preordering, "FEW_ROWS", 40)
    monkeypatch.setattr(blockwise, "FEW_ROWS", 40)
    monkeypatch.setattr(preordering, "_SPARSE_FACTORS", 10)
    monkeypatch.setattr(preordering, "_COUNTED_FACTORS", 10)
    rng = np.random.default_rng(0)
    line = sp.diags_array([np.ones(59), 4 * np.ones(60), np.ones(59)], offsets=[-1, 0, 1])
    dense = rng.normal(size=(60, 60))
    for A, expected in ((line, blockwise.NARROW), (dense, None), (dense[:30, :30], 4)):
        A = sp.csc_array(A)
        p = btfperm.preorder(A, solver="superlu")
        assert p._panel_size == expected
        x = np.arange(1.0, A.shape[0] + 1)
        np.testing.assert_allclose(p.factor(A).solve(A @ x), x, rtol=1e-9)


def test_coupling_between_blocks_causes_no_fill(monkeypatch):
    """The diagonal blocks are two chains. The first row of the first chain also has entries in 20
    columns of the second. A factorization of both blocks together fills these columns in all rows
    of the first chain."""
    k = 200
    chain = sp.diags_array([-np.ones(k - 1), 4 * np.ones(k), -np.ones(k - 1)], offsets=[-1, 0, 1])
    coupling = sp.coo_array((np.ones(20), (np.zeros(20, int), np.arange(0, k, 10))), shape=(k, k))
    A = sp.block_array([[chain, coupling], [None, chain]]).tocsc()
    p = btfperm.preorder(A, block_ordering="natural", initial=np.arange(2 * k))
    F = p.factor(A)
    assert len(F.factors.segments) == 2
    assert F.factors.outside == 20
    monkeypatch.setattr(blockwise, "LARGE", 2 * k)
    in_one_piece = copy.copy(p).factor(A)  # analysed again
    assert len(in_one_piece.factors.segments) == 1
    assert in_one_piece.nnz > F.nnz + 20 * k / 2
    b = np.arange(2.0 * k)
    np.testing.assert_allclose(F.solve(b), in_one_piece.solve(b))


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("columns", [None, 0, 3])
def test_tiny(n, columns):
    A = 2 * np.eye(n)
    b = np.ones(n) if columns is None else np.ones((n, columns))
    F = btfperm.preorder(A).factor(A)
    np.testing.assert_array_equal(F.solve(b), b / 2)
    np.testing.assert_array_equal(F.solve(b, "T"), b / 2)


def test_numerically_singular_names_the_entry():
    A = example().astype(float)
    A[0, 1] = 0
    p = btfperm.preorder(example())
    with pytest.raises(NumericallySingularError, match="row 0, column 1 is a diagonal block"):
        p.factor(sp.csc_array(A))
    stored = sp.csc_array(example().astype(float))
    stored[0, 1] = 0.0
    with pytest.raises(NumericallySingularError, match="row 0, column 1 is a diagonal block"):
        p.factor(stored)


def test_numerically_singular_names_the_rows():
    A = np.array([[1.0, 1, 0], [1, 1, 0], [0, 5, 1]])
    with pytest.raises(
        NumericallySingularError, match="in diagonal block 1, which has 2 rows, columns 0"
    ):
        btfperm.preorder(A).factor(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_must_be_finite(bad):
    A = example().astype(float)
    p = btfperm.preorder(A)
    A[1, 2] = bad
    with pytest.raises(InvalidMatrixError, match="row 1, column 2"):
        p.factor(A)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda A: btfperm.as_pattern(A), "a Pattern has no values"),
        (lambda A: A[:3, :3], r"shape \(3, 3\)"),
        (lambda A: (A, A), "tuple is no matrix"),
        (lambda A: A.astype(object), "object"),
        (lambda A: "no such file.mtx", "no such file"),
        (lambda A: (np.ones(1), np.array([9]), np.array([0, 1, 1, 1, 1])), "tuple is no matrix"),
    ],
)
def test_no_matrix_to_factor(make, message):
    A = example()
    with pytest.raises(BtfpermError, match=message):
        btfperm.preorder(A).factor(make(A))


@pytest.mark.parametrize(
    "b",
    [np.ones(3), np.ones((4, 1, 1)), 1.0, np.array(list("abcd")), sp.csc_array(np.ones((3, 1)))],
)
def test_bad_right_hand_sides(b):
    F = btfperm.preorder(example()).factor(example())
    with pytest.raises(InvalidArgumentError, match="right-hand side"):
        F.solve(b)


def test_sparse_right_hand_sides():
    A = example()
    F = btfperm.preorder(A).factor(A)
    b = sp.csc_array(A @ np.eye(4)[:, [1, 3]])
    np.testing.assert_allclose(F.solve(b), np.eye(4)[:, [1, 3]], atol=1e-14)


def test_bad_options():
    p = btfperm.preorder(example())
    with pytest.raises(InvalidArgumentError, match="trans"):
        p.factor(example()).solve(np.ones(4), "C")
    with pytest.raises(InvalidArgumentError, match="diag_pivot_thresh"):
        p.factor(example(), diag_pivot_thresh=2)


def test_diag_pivot_thresh_keeps_the_order():
    """With threshold 0 the tiny diagonal entry is the pivot, and no row is exchanged."""
    A = np.array([[1e-3, 1.0, 0.5], [1.0, 1e-3, 0.25], [0.5, 1.0, 1e-3]])
    p = btfperm.preorder(A, block_ordering="natural")
    F = p.factor(A, diag_pivot_thresh=0.0)
    np.testing.assert_array_equal(F.factors.segments[0].factors.perm_r, np.arange(3))
    pivoted = p.factor(A, diag_pivot_thresh=1.0).factors.segments[0].factors
    assert abs(pivoted.L.toarray()).max() <= 1
    assert abs(F.factors.segments[0].factors.L.toarray()).max() > 1


def test_scipy_loads_late():
    code = "import btfperm, sys; btfperm.preorder; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(A=strategies.nonsingular())
def test_facts_beside_dense_factors(large, A):
    """The facts about SuperLU's factors, from their L, U and permutations."""
    p = btfperm.preorder(A)
    C = dominant(A, p.form.col_match)
    F = p.factor(C)
    n = C.shape[0]
    fill, moved, pivots = 0, 0, [] if n else [1.0]
    B = p.apply(C).toarray()
    # Where all blocks have one row, no solver factors them, and there is one segment.
    for begin, end, factors in getattr(F.factors, "segments", [(0, n, None)]):
        square = B[begin:end, begin:end]
        if factors is None:
            np.testing.assert_array_equal(np.tril(square, -1), 0)
            fill += end - begin
            pivots.extend(abs(square.diagonal()))
            continue
        L, U = factors.L.toarray(), factors.U.toarray()
        rows, cols = np.argsort(factors.perm_r), np.argsort(factors.perm_c)
        np.testing.assert_allclose(L @ U, square[rows][:, cols], rtol=1e-12, atol=1e-12)
        fill += factors.L.nnz + factors.U.nnz - (end - begin)
        moved += np.count_nonzero(rows != cols)
        pivots.extend(abs(U.diagonal()))
    assert (F.off_diagonal_pivots, F.blocks) == (moved, p.n_blocks)
    assert fill <= F.fill <= n * n  # SuperLU stores some zeros
    assert F.rcond == pytest.approx(min(pivots) / max(pivots))
    assert F.nnz >= F.fill
