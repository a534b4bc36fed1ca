# SPDX-License-Identifier: BSD-3-Clause
"""Models of Pyomo and CasADi: the names of the model, and for Pyomo the sets that Pyomo finds."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import btfperm
from btfperm.diagnosis import casadi_system, pyomo_system

needs_pyomo = pytest.mark.skipif(find_spec("pyomo") is None, reason="pyomo is not installed")
needs_casadi = pytest.mark.skipif(find_spec("casadi") is None, reason="casadi is not installed")

# The packages are imported by the tests that need them: Pyomo's import takes longer than its tests.


def models():
    from pyomo.contrib.incidence_analysis.tests import models_for_testing

    return models_for_testing


def gas_expansion():
    return models().make_gas_expansion_model()


def gas_expansion_with_fixed_pressures():
    model = models().make_gas_expansion_model()
    model.P.fix()
    return model


def gas_expansion_without_a_balance():
    model = models().make_gas_expansion_model()
    model.ebal.deactivate()
    model.F[0].fix(1)
    return model


def dynamic():
    return models().make_dynamic_model()


def solid_phase():
    return models().make_degenerate_solid_phase_model()


MODELS = (
    gas_expansion,
    gas_expansion_with_fixed_pressures,
    gas_expansion_without_a_balance,
    dynamic,
    solid_phase,
)


def names(components):
    return sorted(component.name for component in components)


def test_the_report_of_a_model_has_its_names(tmp_path):
    model = btfperm.diagnosis.System(
        btfperm.as_pattern([[1, 1], [0, 0]]), ("mass", "leak"), ("p", "q")
    )
    btfperm.report(model, tmp_path / "own.html")
    btfperm.report(model, tmp_path / "given.html", row_names=["f", "balance"])
    assert "row leak is empty" in (tmp_path / "own.html").read_text()
    assert "row balance is empty" in (tmp_path / "given.html").read_text()


@needs_pyomo
@pytest.mark.parametrize("make", MODELS)
def test_pyomo_finds_the_same_sets_with_the_same_names(make):
    from pyomo.contrib.incidence_analysis import IncidenceGraphInterface

    model = make()
    variables, constraints = IncidenceGraphInterface(
        model, include_inequality=False
    ).dulmage_mendelsohn()
    found = btfperm.diagnose(model)
    over, under = found.overdetermined, found.underdetermined

    def named(lists, name):
        return sorted(name(int(k)) for k in lists.members)

    assert named(over.rows, found.row_name) == names(
        [*constraints.overconstrained, *constraints.unmatched]
    )
    assert named(over.cols, found.col_name) == names(variables.overconstrained)
    assert named(under.cols, found.col_name) == names(
        [*variables.underconstrained, *variables.unmatched]
    )
    assert named(under.rows, found.row_name) == names(constraints.underconstrained)
    assert found.repair.remove_rows.size == len(constraints.unmatched)
    assert found.repair.fix_cols.size == len(variables.unmatched)


@needs_pyomo
def test_a_degenerate_model_of_pyomo_in_words():
    """The model of Pyomo's tutorial on structural singularity."""
    found = btfperm.diagnose(solid_phase())
    text = str(found)
    assert "overdetermined: 1 row too many" in text and "density_eqn" in text
    assert {found.row_name(i) for i in found.overdetermined[0].rows} >= {"density_eqn", "sum_eqn"}


@needs_pyomo
def test_parts_of_pyomo_models():
    import pyomo.environ as pyo
    from pyomo.contrib.incidence_analysis import IncidenceGraphInterface

    model = pyo.ConcreteModel(name="plant")
    model.x = pyo.Var([1, 2])
    model.eq = pyo.Constraint([1, 2], rule=lambda m, i: m.x[1] == i)
    model.ineq = pyo.Constraint(expr=model.x[2] >= 0)
    system = pyomo_system(model)
    assert system.row_names == ("eq[1]", "eq[2]") and system.col_names == ("x[1]",)
    assert pyomo_system(model, include_inequality=True).pattern.shape == (3, 2)
    graph = IncidenceGraphInterface(model, include_inequality=False)
    assert btfperm.diagnose(graph).to_dict() == btfperm.diagnose(model).to_dict()
    assert btfperm.diagnose(system).name == "plant"
    model.eq.deactivate()
    assert btfperm.diagnose(model).shape == (0, 0)
    with pytest.raises(btfperm.InvalidArgumentError, match=r"a Pyomo model, .* not ndarray"):
        pyomo_system(np.eye(2))


@needs_pyomo
def test_assertions_take_models():
    with pytest.raises(AssertionError, match=r"rows .*density_eqn"):
        btfperm.testing.assert_structurally_nonsingular(solid_phase())


@needs_casadi
def test_casadi_functions():
    import casadi

    x, p = casadi.SX.sym("x", 3), casadi.SX.sym("p")
    residual = casadi.vertcat(x[0] + p, x[0] ** 2 - p, x[1] * x[2])
    f = casadi.Function("plant", [x, p], [residual], ["x", "p"], ["r"])
    found = btfperm.diagnose(f)
    assert found.name == "plant" and found.shape == (3, 3) and found.structural_rank == 2
    assert "rows r[0], r[1] have entries only in column x[0]" in str(found)
    assert "columns x[1], x[2] have entries only in row r[2]" in str(found)
    system = casadi_system(f, unknowns=["x", "p"])
    assert system.col_names == ("x[0]", "x[1]", "x[2]", "p")
    assert btfperm.diagnose(system).structural_rank == 3
    for wrong in ("y", 5, -1):
        with pytest.raises(btfperm.InvalidArgumentError, match=f"no input {wrong!r}; it has x, p"):
            casadi_system(f, unknowns=[wrong])


class PlainFunction:
    """The part of a ``casadi.Function`` that is read: two inputs and two outputs, and the row and
    column of each entry of the four Jacobians."""

    sizes: ClassVar = {"in": {"x": (3, 1), "p": (2, 1)}, "out": {"f": (2, 1), "g": (3, 1)}}
    entries: ClassVar = {
        (0, 0): ([0, 1], [0, 2]),
        (0, 1): ([1], [1]),
        (1, 0): ([2, 0], [0, 1]),
        (1, 1): ([1], [0]),
    }

    def name(self):
        return "plant"

    def n_in(self):
        return 2

    n_out = n_in

    def name_in(self, k):
        return list(self.sizes["in"])[k]

    def name_out(self, k):
        return list(self.sizes["out"])[k]

    def size_in(self, k):
        return self.sizes["in"][self.name_in(k)]

    def size_out(self, k):
        return self.sizes["out"][self.name_out(k)]

    def jac_sparsity(self, out, each):
        rows, cols = self.entries[out, each]
        return SimpleNamespace(row=lambda: rows, get_col=lambda: cols)


def test_each_jacobian_has_its_place():
    """Rows of all residuals, one below the other, columns of all unknowns side by side."""
    system = casadi_system(PlainFunction(), unknowns=["x", "p"], residuals=["f", "g"])
    assert system.row_names == ("f[0]", "f[1]", "g[0]", "g[1]", "g[2]")
    assert system.col_names == ("x[0]", "x[1]", "x[2]", "p[0]", "p[1]")
    A = np.zeros((5, 5), int)
    A[system.pattern.indices, system.pattern.cols()] = 1
    assert np.argwhere(A).tolist() == [[0, 0], [1, 2], [1, 4], [2, 1], [3, 3], [4, 0]]


@needs_casadi
def test_elements_of_casadi_matrices_have_two_numbers():
    import casadi

    x = casadi.MX.sym("x", 2, 2)
    f = casadi.Function("f", [x], [x.T], ["x"], ["y"])
    system = casadi_system(f)
    assert system.row_names == ("y[0,0]", "y[1,0]", "y[0,1]", "y[1,1]")
    rows, cols = system.pattern.indices.tolist(), system.pattern.cols().tolist()
    pairs = {(system.row_names[i], system.col_names[j]) for i, j in zip(rows, cols, strict=True)}
    assert pairs == {
        ("y[0,0]", "x[0,0]"),
        ("y[1,0]", "x[0,1]"),
        ("y[0,1]", "x[1,0]"),
        ("y[1,1]", "x[1,1]"),
    }


def test_the_packages_are_not_imported_for_a_matrix():
    code = (
        "import sys, btfperm; btfperm.diagnose([[1]]); "
        "assert not {'pyomo', 'casadi', 'pandas', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
