# SPDX-License-Identifier: BSD-3-Clause
"""Factors by KLU, through each library that is installed here: solutions beside dense ones, new
values, singular matrices. KLU's own answers are those of `tests.oracles.suitesparse`."""

from __future__ import annotations

import copy
import pickle
import re
from contextlib import nullcontext
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.errors import (
    IllConditionedWarning,
    InvalidArgumentError,
    InvalidMatrixError,
    NumericallySingularError,
    SolverMissingWarning,
)
from btfperm.preorder import klu_factors, klu_libraries, klu_shared, preordering
from tests import strategies
from tests.known_answers import MATRICES, known_answers, parametrized, read
from tests.oracles import suitesparse

NONSINGULAR = [
    k for k in known_answers() if k.shape == (k.rank_without_zeros, k.rank_without_zeros)
]


def _all():
    return klu_libraries.libraries()


def with_values(pattern, seed, *, dominant=True):
    """A matrix of this pattern with a large transversal."""
    A = sp.csc_array(pattern, dtype=float)
    rng = np.random.default_rng(seed)
    A.data[:] = rng.uniform(0.1, 1, A.nnz) * rng.choice([-1, 1], A.nnz)
    if dominant and A.shape[0]:
        t = btfperm.maximum_transversal(A)
        A = sp.csc_array(A + sp.csc_array((np.full(A.shape[0], 20.0), (
            t.col_match, np.arange(A.shape[0]))), shape=A.shape))  # fmt: skip
    return A


def backward_error(A, x, b):
    return (abs(b - A @ x) / (abs(A) @ abs(x) + abs(b) + 1e-300)).max(initial=0)


@given(A=strategies.nonsingular(max_size=25), seed=st.integers(0, 9), trans=st.sampled_from("NTH"))
def test_solutions_beside_dense_ones(A, seed, trans):
    for found in _all():
        real = with_values(A, seed)
        n = real.shape[0]
        for matrix in (real, sp.csc_array(real * (1 + 0.5j))):
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(preordering, "find_klu", lambda found=found: found)
                F = btfperm.preorder(matrix, solver="klu").factor(matrix)
            assert F.backend == "klu"
            applied = {"N": matrix, "T": matrix.T, "H": matrix.conj().T}[trans]
            x = np.arange(1.0, n + 1)
            for right in (x, np.stack((x, -x), 1), x + 2j * x[::-1]):
                b = applied @ right
                found_x = F.solve(b, trans)
                assert found_x.shape == b.shape
                np.testing.assert_allclose(found_x, right, rtol=1e-9)
            np.testing.assert_allclose(
                F.solve(sp.csc_array((applied @ x)[:, None]), trans)[:, 0], x, rtol=1e-9
            )
            operator = F.as_linear_operator()
            np.testing.assert_allclose(operator.matvec(matrix @ x), x, rtol=1e-9)
            np.testing.assert_allclose(operator.rmatvec(matrix.conj().T @ x), x, rtol=1e-9)


@parametrized(NONSINGULAR)
def test_facts_and_errors_on_real_matrices(library, known):
    A = sp.csc_array(read(known.name))
    if A.dtype.kind not in "fc":
        A = with_values(A, 1)
    if A.dtype.kind == "c":
        A = sp.csc_array(A.real + A.imag)  # the oracle takes real matrices
    A.eliminate_zeros()
    p = btfperm.preorder(A, solver="klu", drop_zeros=True)
    try:
        F = p.factor(A)
    except NumericallySingularError:
        return
    own = suitesparse.klu_fill(A, *p.klu[:2])
    assert F.fill == own - A.shape[0]
    b = A @ np.ones(A.shape[0])
    with pytest.warns(IllConditionedWarning) if F.rcond < 1e-14 else nullcontext():
        x = F.solve(b)
    assert backward_error(A, x, b) <= 1e-14
    assert F.blocks == p.n_blocks and 0 < F.rcond <= 1
    if F.off_diagonal_pivots == 0:
        assert F.fill == p.predicted_fill.total


def test_the_callers_matrix_may_change(library):
    A = sp.csc_array(np.array([[4.0, 1.0], [1.0, 3.0]]))
    b = A @ np.ones(2)
    F = btfperm.preorder(A, solver="klu").factor(A)
    A.data[:] = 7.0
    np.testing.assert_allclose(F.solve(b), 1)


@pytest.mark.parametrize("solver", ["klu", "superlu"])
def test_a_singular_matrix_leaves_no_factors(solver):
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    F = btfperm.preorder(A, solver=solver).factor(A)
    with pytest.raises(NumericallySingularError):
        F.refactor(np.ones((2, 2)))
    facts = ("fill", "nnz", "blocks", "rcond", "off_diagonal_pivots")
    for ask in (lambda: F.solve(np.ones(2)), *(lambda k=k: getattr(F, k) for k in facts)):
        with pytest.raises(NumericallySingularError, match="there are no factors"):
            ask()
    assert "was singular" in repr(F) and "numbers" not in F._repr_html_()
    assert not F.refactor(A)
    np.testing.assert_allclose(F.solve(A @ np.ones(2)), 1)


def test_the_threshold_is_passed_to_klu(library):
    A = np.array([[0.1, 1.0, 0.5], [1.0, 0.1, 0.3], [0.6, 0.7, 0.1]])
    p = btfperm.preorder(A, solver="klu", block_ordering="natural", weights="none")
    assert p.factor(A).off_diagonal_pivots == 0
    partial = p.factor(A, diag_pivot_thresh=1.0)
    assert partial.backend == "klu" and partial.off_diagonal_pivots > 0
    np.testing.assert_allclose(partial.solve(A @ np.ones(3)), 1)


def test_entries_below_the_blocks_are_refused(library):
    A = np.array([[1.0, 2.0], [0.0, 3.0]])
    p = btfperm.preorder(A, solver="klu")
    with pytest.raises(InvalidArgumentError, match="row 1, column 0 lies below"):
        p.factor(np.array([[1.0, 2.0], [1.0, 3.0]]))


def test_64_bit_functions(library, monkeypatch):
    """KLU's 64-bit functions are called if the factors have too many entries for 32 bits."""
    A = sp.csc_array(read("west0479"))
    A.eliminate_zeros()
    p = btfperm.preorder(A, solver="klu", drop_zeros=True)
    narrow = p.factor(A)
    analyze = type(library).analyze

    def overflows(self, indptr, *rest, **options):
        found = analyze(self, indptr, *rest, **options)
        if indptr.dtype == np.int32:
            monkeypatch.setattr(found, "factor", lambda values: klu_factors.checked_status(-4))
        return found

    monkeypatch.setattr(type(library), "analyze", overflows)
    b = A @ np.ones(479)
    for matrix in (A, A * (1 + 1j)):
        wide = copy.copy(p).factor(matrix)  # analysed again
        assert wide.factors._wide
        same = (narrow.fill, narrow.blocks, narrow.nnz, narrow.off_diagonal_pivots)
        assert (wide.fill, wide.blocks, wide.nnz, wide.off_diagonal_pivots) == same
        np.testing.assert_allclose(wide.rcond, narrow.rcond)
        assert wide.refactor(matrix)
        for trans in "NTH":
            right = {"N": matrix, "T": matrix.T, "H": matrix.conj().T}[trans] @ np.ones(479)
            np.testing.assert_allclose(wide.solve(right, trans), 1, rtol=1e-6)
    np.testing.assert_allclose(narrow.solve(b), 1, rtol=1e-6)


@pytest.mark.parametrize(("status", "error"), [(-2, MemoryError), (-4, OverflowError)])
def test_errors_of_klu(status, error):
    with pytest.raises(error):
        klu_factors.checked_status(status)
    with pytest.raises(RuntimeError, match="status -3"):
        klu_factors.checked_status(-3)
    assert klu_factors.checked_status(1) == 1


@pytest.mark.parametrize("step", ["factor", "refactor", "analyze"])
@pytest.mark.parametrize("error", [MemoryError, OverflowError])
def test_too_little_memory_for_klu(library, monkeypatch, step, error):
    A = np.eye(3) + 1
    p = btfperm.preorder(A, solver="klu")
    F = p.factor(A)
    p = copy.copy(p)  # without the analysis of the first call
    owner = library if step == "analyze" else type(F.factors._analysis)
    monkeypatch.setattr(owner, step, Mock(side_effect=error))
    with pytest.raises(btfperm.ResourceMissingError, match="factors of 3 rows"):
        F.refactor(2 * A) if step == "refactor" else p.factor(A)


def test_a_library_elsewhere_is_found(monkeypatch, tmp_path):
    """The library is in a folder that the loader does not search, as in an environment of conda."""
    system = {one.name: one for one in _all()}.get("libklu")
    if system is None:
        pytest.skip("libklu is not installed")
    assert system.version[0].isdigit() and system.location.startswith("/")
    (tmp_path / "lib").mkdir()
    there = tmp_path / "lib" / "libklu.so"
    there.symlink_to(system.location)
    monkeypatch.setattr(klu_shared.ctypes.util, "find_library", lambda name: None)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    assert next(klu_shared._candidates()) == str(there)
    assert klu_shared.Shared().version == system.version


def test_singular_matrices(library):
    A = np.array([[1.0, 2, 0], [2, 4, 0], [0, 1, 1]])
    with pytest.raises(NumericallySingularError, match=r"pivot of column \d is zero.* row \d"):
        btfperm.preorder(A, solver="klu", weights="none").factor(A)
    rng = np.random.default_rng(3)
    nearly = rng.normal(size=(5, 5))
    nearly[4] = rng.normal(size=4) @ nearly[:4]  # dependent up to rounding errors
    F = btfperm.preorder(nearly, solver="klu").factor(nearly)
    with pytest.warns(IllConditionedWarning, match="column [0-4] and row [0-4], which"):
        F.solve(rng.normal(size=5))


@pytest.mark.parametrize("seed", range(4))
def test_a_zero_pivot_is_named_by_its_own_row_and_column(library, seed):
    """The message gives the numbers of the row and the column in the matrix, not their positions in
    the permuted matrix."""
    A = np.kron(np.diag([3.0, 1.0, 2.0]), [[4.0, 1.0], [1.0, 3.0]])
    A[2:4, 2:4] = 1.0
    A[:2, 2:] = 1.0
    rows, cols = np.random.default_rng(seed).permuted(np.tile(np.arange(6), (2, 1)), axis=1)
    p = btfperm.preorder(A[rows][:, cols], solver="klu")
    with pytest.raises(NumericallySingularError) as error:
        p.factor(A[rows][:, cols])
    col, row = map(int, re.search(r"column (\d) is zero.* row (\d)$", str(error.value)).groups())
    assert rows[row] in (2, 3) and cols[col] in (2, 3)
    assert p.row_perm[p.col_perm == col] == [row]


@pytest.mark.parametrize("n", [0, 1, 60_000])
def test_blocks_of_one_row(library, n):
    A = sp.csc_array(sp.diags_array(np.arange(1.0, n + 1))) if n else np.zeros((0, 0))
    F = btfperm.preorder(A, solver="klu").factor(A)
    np.testing.assert_allclose(F.solve(np.ones(n)), 1 / np.arange(1.0, n + 1))
    assert F.fill == n


def test_refusals(library):
    A = np.eye(2)
    F = btfperm.preorder(A, solver="klu").factor(A)
    for wrong in (np.ones(3), np.ones((2, 1, 1)), ["a", "b"]):
        with pytest.raises(InvalidArgumentError, match="2 rows and one or two"):
            F.solve(wrong)
    with pytest.raises(TypeError, match="pickle the Preordering"):
        pickle.dumps(F)
    with pytest.raises(InvalidMatrixError, match="is inf"):
        btfperm.preorder(A, solver="klu").factor(np.diag([np.inf, 1.0]))
    assert "<table>" in F._repr_html_() and "2 x 2" in repr(F)


def test_without_klu_superlu_is_used(monkeypatch):
    monkeypatch.setattr(preordering, "find_klu", lambda: None)
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    with pytest.warns(SolverMissingWarning, match=r"pip install 'btfperm\[klu\]'"):
        F = btfperm.preorder(A, solver="klu").factor(A)
    assert F.backend == "superlu"
    np.testing.assert_allclose(F.solve(A @ np.ones(2)), 1)


def test_solvers_are_reported(monkeypatch):
    rows = btfperm.solvers()
    assert rows[-1].library == "scipy" and rows[-1].name == "superlu"
    monkeypatch.setattr(klu_libraries, "libraries", lambda: ())
    missing = btfperm.solvers()[0]
    assert (missing.name, missing.library) == ("klu", "") and "btfperm[klu]" in missing.hint


def test_another_layout_is_refused(monkeypatch):
    if all(one.name != "libklu" for one in _all()):
        pytest.skip("libklu is not installed")
    wrong = {"": (klu_shared._Layout(klu_shared.ctypes.c_int64, klu_shared.ctypes.c_int),), "l": ()}
    monkeypatch.setattr(klu_shared, "_LAYOUTS", wrong)
    with pytest.raises(OSError, match="another layout"):
        klu_shared.Shared()


@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
def test_the_page_runs():
    page = (MATRICES.parent / "docs" / "solvers.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    names = {}
    exec(code, names)
    assert names["F"].backend in ("klu", "superlu")
