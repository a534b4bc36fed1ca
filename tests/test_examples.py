# SPDX-License-Identifier: BSD-3-Clause
"""The examples of the documentation run; each asserts its own result."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"


@pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")
@pytest.mark.parametrize("name", ["circuit", "power_flow", "dae_jacobian"])
def test_an_example_runs(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](200)
    assert "block" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["circuit", "power_flow", "dae_jacobian"])
def test_an_example_is_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 60
