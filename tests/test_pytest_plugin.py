# SPDX-License-Identifier: BSD-3-Clause
"""The pytest plugin, in the pytest of a user: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

TESTS = """
import numpy as np
import pytest
from btfperm.testing import assert_structurally_nonsingular as plain

A = np.array([[1, 1, 1], [0, 0, 1], [0, 0, 1]])

def test_fixture(assert_structurally_nonsingular):
    assert_structurally_nonsingular(A, row_names=["mass", "energy", "setpoint"])

@pytest.mark.parametrize("name", ["a/b", "../c"])
def test_plain(name):
    plain(A)

def test_blocks(assert_blocks_at_most):
    assert_blocks_at_most(np.ones((3, 3)), 2)

def test_other():
    assert 1 == 2

def test_own(structural_diagnosis):
    structural_diagnosis(np.eye(4))
    assert structural_diagnosis(A, row_names=["mass", "energy", "setpoint"]).is_nonsingular

def test_passes(structural_diagnosis, assert_structurally_nonsingular):
    assert_structurally_nonsingular(np.eye(2))
    assert structural_diagnosis(A).structural_rank == 2
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs pytest with the plugin on `text` in an empty folder, and returns the
    exit code, the output and the files."""

    def in_a_process(text, *options):
        (tmp_path / "test_user.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesis"]
        plugin = ["-p", "btfperm.pytest_plugin"]  # as the entry point loads it
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [*command, *plugin, *options], cwd=tmp_path, env=env, capture_output=True, timeout=120
        )
        files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
        return done.returncode, done.stdout.decode(), [f for f in files if f != "test_user.py"]

    return in_a_process


def test_the_diagnosis_is_printed_and_nothing_is_written(run):
    code, out, files = run(TESTS)
    assert code == 1 and "6 failed, 1 passed" in out and files == []
    assert "rows energy, setpoint have entries only in column 2" in out
    assert "1 fine block has more than 2 rows or columns:" in out
    assert "diagnoses of failing matrices" not in out


def test_the_reports_are_kept_on_request(run, tmp_path):
    code, out, files = run(TESTS, "--btfperm-reports", "kept/here")
    assert code == 1
    assert len(files) == 10 and all(name.startswith("kept/here/test_user") for name in files)
    assert {name.rsplit(".")[-1] for name in files} == {"json", "txt"}
    (text,) = (tmp_path / "kept" / "here").glob("*test_fixture*.txt")
    assert "rows energy, setpoint have entries only in column 2" in text.read_text()
    whole = json.loads(text.with_suffix(".json").read_text())
    assert whole["test"] == "test_user.py::test_fixture" and whole["structural_rank"] == 2
    listed = out[out.index("diagnoses of failing matrices") :]
    assert str(text) in listed and listed.count(".txt") == 5
    (text,) = (tmp_path / "kept" / "here").glob("*test_blocks*.txt")
    assert "1 fine block has more than 2 rows or columns:" in text.read_text()
    assert "3 x 3, 9 entries, structural rank 3 of 3" in text.read_text()
    (text,) = (tmp_path / "kept" / "here").glob("*test_own*.txt")
    assert "rows energy, setpoint have entries only in column 2" in text.read_text()


def test_pages_are_kept_on_request(run, tmp_path):
    test = "test_user.py::test_fixture"
    code, _, files = run(TESTS, "--btfperm-reports", "kept", "--btfperm-html", test)
    assert code == 1 and sorted(name.rsplit(".")[-1] for name in files) == ["html", "json", "txt"]
    (page,) = (tmp_path / "kept").glob("*.html")
    text = page.read_text()
    assert test in text and "energy" in text and "structural rank" in text


NOT_FAILED = """
import numpy as np
import pytest

A = np.zeros((2, 2))

def test_skipped(structural_diagnosis):
    structural_diagnosis(A)
    pytest.skip("there is nothing to compare")

@pytest.mark.xfail
def test_expected(structural_diagnosis):
    assert structural_diagnosis(A).is_nonsingular

@pytest.mark.xfail(raises=ValueError)
def test_expected_exception(structural_diagnosis):
    structural_diagnosis(A)
    raise ValueError

def test_caught(structural_diagnosis):
    with pytest.raises(AssertionError):
        assert structural_diagnosis(A).is_nonsingular
"""


def test_a_test_that_does_not_fail_has_no_report(run):
    code, out, files = run(NOT_FAILED, "--btfperm-reports", "kept")
    assert code == 0 and "1 passed, 1 skipped, 2 xfailed" in out
    assert files == [] and "diagnoses of failing matrices" not in out


def test_a_folder_that_cannot_be_written_fails_no_other_test(run, tmp_path):
    (tmp_path / "taken").write_text("")
    code, out, files = run(TESTS, "--btfperm-reports", "taken")
    assert code == 1 and "6 failed, 1 passed" in out and files == ["taken"]
    assert "no report was written" in out and "INTERNALERROR" not in out


def test_the_start_of_pytest_loads_nothing(run):
    """A project without sparse matrices must not wait for NumPy."""
    heavy = {"numpy", "scipy", "btfperm.errors"}
    code, out, _ = run(f"import sys\ndef test_light(): assert not {heavy} & set(sys.modules)")
    assert code == 0, out


def test_the_entry_point_is_declared():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"btfperm": "btfperm.pytest_plugin"}
