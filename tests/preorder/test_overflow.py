# SPDX-License-Identifier: BSD-3-Clause
"""Solutions that overflow, and libraries of KLU that do not load."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.preorder import klu_libraries, klu_shared

SOLVERS = ["superlu", *(["klu"] if klu_libraries.find() else [])]

OVERFLOWING = {
    "diagonal": (np.diag([5e-324, 1.0]), "column 0 and row 0"),
    "one block": (np.array([[5e-324, 5e-324], [5e-324, 1.0]]), "column 0 and row 0"),
    "bidiagonal": (np.eye(1100) - 2 * np.eye(1100, k=1), "column 0 and row 10[2-9][0-9]"),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("refine", [0, "auto"])
@pytest.mark.parametrize(("A", "places"), OVERFLOWING.values(), ids=OVERFLOWING)
def test_a_solution_that_overflows(solver, refine, A, places):
    F, b = btfperm.preorder(A, solver=solver).factor(A), np.ones(len(A))
    for _ in range(2):  # in each call, not only in that which verifies the pivots
        with pytest.warns(btfperm.IllConditionedWarning) as caught:
            assert not np.isfinite(F.solve(b, refine=refine)).all()
        assert len(caught) == 1
        expected = f"the solution overflows; check the entries of {places}, which"
        assert re.match(expected, str(caught[0].message))


@pytest.mark.parametrize("unit", [1, 1j])
def test_a_transposed_solution_that_overflows(unit):
    A = unit * (np.eye(1100) - 2 * np.eye(1100, k=1))
    F = btfperm.preorder(A).factor(A)
    B = np.zeros((1100, 2))
    B[-1, 0], B[0, 1] = 1, 1  # the first solution is finite
    for trans in ("T", "H"):
        with pytest.warns(btfperm.IllConditionedWarning, match="overflows") as caught:
            X = F.solve(B, trans)
        assert np.isfinite(X[:, 0]).all() and not np.isfinite(X[:, 1]).all()
        assert re.search("entries of column 0 and row 10[2-9][0-9], which", str(caught[0].message))


def test_a_correction_that_overflows(monkeypatch):
    A, b = sp.diags_array([1.0, 2.0, 4.0], format="csc"), np.array([1.0, 2.0, 4.0])
    F = btfperm.preorder(A, solver="superlu").factor(A)
    F.solve(b)  # estimates the effect of rounding
    exact, parts = F.factors.solve, [0.9, np.inf, 1.0]

    def inexact(x, trans):
        exact(x, trans)
        x *= parts.pop(0)

    monkeypatch.setattr(F.factors, "solve", inexact)
    with pytest.warns(btfperm.IllConditionedWarning, match="correction of the solution overflows"):
        np.testing.assert_allclose(F.solve(b), 0.9)


def test_no_warning_if_the_right_hand_side_is_not_finite():
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    F = btfperm.preorder(A).factor(A)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in (np.inf, np.nan):
            assert not np.isfinite(F.solve(np.array([1.0, number]))).all()


NEARLY_SINGULAR = np.eye(6)
NEARLY_SINGULAR[:2, :2] = [[1, 1], [1, 1 + 1e-14]]
NEARLY_SINGULAR[2, 3] = 0.5
SIDES = {"nan alone": ["nan"], "nan first": ["nan", "b"], "nan last": ["b", "nan"]}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("refine", [0, "auto"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_a_side_that_is_not_finite_hides_no_nearly_singular_matrix(solver, refine, number, sides):
    A, b = NEARLY_SINGULAR, np.arange(6) + 1.0
    bad = np.where(np.arange(6) == 5, number, b)
    F = btfperm.preorder(A, solver=solver).factor(A)
    with pytest.warns(btfperm.IllConditionedWarning, match="rounding its entries") as caught:
        F.solve(np.array([{"b": b, "nan": bad}[side] for side in sides]).T, refine=refine)
        n_first = len(caught)
        F.solve(b, refine=refine)
        F.solve(b, refine=refine)
    assert len(caught) == 1
    assert n_first == 1 or sides[-1] == "nan"  # the last side is the one that is checked


def test_a_side_that_overflows_postpones_the_check():
    A, b = sp.block_diag([NEARLY_SINGULAR, 1e-300]), np.append(np.arange(6) + 1.0, 1e-300)
    F = btfperm.preorder(A, solver="superlu").factor(A)
    large = np.where(np.arange(7) == 6, 1e300, b)
    for side, message in ((large, "overflows"), (b, "nearly singular")):
        with pytest.warns(btfperm.IllConditionedWarning, match=message) as caught:
            F.solve(side)
        assert len(caught) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_complex_side_that_overflows_with_real_factors(solver):
    A = np.diag([5e-324, 1.0])
    F = btfperm.preorder(A, solver=solver).factor(A)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = F.solve(np.array([2 + 1j, 3 + 4j]))
    assert [one.category for one in caught] == [btfperm.IllConditionedWarning]
    assert x[0].real == x[0].imag == np.inf and x[1] == 3 + 4j


@pytest.mark.parametrize("broken", ["no library", "another library"])
def test_a_library_that_does_not_load_is_skipped(monkeypatch, tmp_path, broken):
    system = {one.name: one for one in klu_libraries.libraries()}.get("libklu")
    if system is None:
        pytest.skip("libklu is not installed")
    first = tmp_path / "libklu.so"
    first.write_bytes(b"not a library")
    paths = {"no library": str(first), "another library": np.linalg._umath_linalg.__file__}
    candidates = [paths[broken], system.location]
    monkeypatch.setattr(klu_shared, "_candidates", lambda: iter(candidates))
    assert klu_shared.Shared().location == system.location
    del candidates[1]
    with pytest.raises(OSError, match=r"libklu\.so|klu_analyze"):
        klu_shared.Shared()
