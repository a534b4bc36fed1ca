# SPDX-License-Identifier: BSD-3-Clause
"""Permutation files with wrong scalings: `check` reports them, and `load` refuses them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.io

import btfperm
from tests.cli.test_weights import SCALES, WEST, content, written


def edited(path, change):
    """Applies `change` to the arrays of a `.npz` file, or to those of a `.json` or `.mat` file."""
    fields = content(path)
    change(fields)
    if path.suffix == ".npz":
        np.savez(path, **fields)
    elif path.suffix == ".json":
        path.write_text(json.dumps(fields))
    else:
        texts = {name: str(fields[name][0]) for name in ("convention", "meta")}
        scipy.io.savemat(path, {**fields, **texts}, oned_as="row")


def moved(name, by, place=7):
    def change(fields):
        fields[name] = np.array(fields[name], dtype=float)
        fields[name][place] += by
        fields[name] = fields[name].tolist()

    return change


def replaced(name, value):
    def change(fields):
        fields[name] = value(np.asarray(fields[name]).tolist())

    return change


WRONG = {
    "a row too large": (moved("log_row_scale", 0.01), "scaled entries are larger than 1"),
    "a row too small": (moved("log_row_scale", -0.01), "matched entries are smaller than 1"),
    "a column too large": (moved("log_col_scale", 1e-4), "by a factor of up to e^0.0001"),
    "a column too small": (moved("log_col_scale", -5), "matched entries are smaller than 1"),
    "exchanged": (
        lambda f: f.update({SCALES[0]: f[SCALES[1]], SCALES[1]: f[SCALES[0]]}),
        "scaled entries are larger than 1",
    ),
    "without rows": (lambda f: f.pop(SCALES[0]), "log_row_scale is missing"),
    "without columns": (lambda f: f.pop(SCALES[1]), "log_col_scale is missing"),
    "too short": (replaced(SCALES[0], lambda v: v[:-1]), "log_row_scale has 478 elements instead"),
    "not a number": (moved(SCALES[1], math.nan), "log_col_scale is not finite at column 7"),
    "infinite": (moved(SCALES[0], math.inf), "log_row_scale is not finite at row 7"),
    "text": (replaced(SCALES[0], lambda v: ["x"] * 479), "log_row_scale holds"),
    "two dimensions": (replaced(SCALES[0], lambda v: [v, v]), "log_row_scale has the shape"),
    "so large that they cancel": (
        lambda f: f.update({SCALES[0]: [1e300] * 479, SCALES[1]: [-1e300] * 479}),
        "log_row_scale is beyond 1e+10, where rounding errors hide faults",
    ),
    "scalings of nothing": (replaced(SCALES[0], lambda v: [0] * 479), "scaled entries are larger"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("format", ["npz", "json"])
def test_check_refuses_wrong_scalings(cli, tmp_path, name, format):
    perm = tmp_path / f"perm.{format}"
    assert cli(WEST, "--weights", "product", "-o", perm).code == 0
    change, message = WRONG[name]
    edited(perm, change)
    ended = cli("check", WEST, perm)
    assert ended.code == 1 and message in ended.out, ended
    found = cli("check", WEST, perm, "--json").json
    assert {violation["check"] for violation in found["violations"]} == {"scalings"}


@pytest.mark.parametrize("solver", ["klu", "superlu"])
@pytest.mark.parametrize("name", ["a row too large", "a column too small", "without rows"])
@pytest.mark.parametrize("format", ["npz", "mat"])
def test_check_refuses_wrong_scalings_for_a_solver(cli, tmp_path, name, format, solver):
    perm = tmp_path / f"perm.{format}"
    assert cli(WEST, "--weights", "product", "-o", perm, "--solver", solver).code == 0
    change, message = WRONG[name]
    edited(perm, change)
    ended = cli("check", WEST, perm)
    assert ended.code == 1 and message in ended.out, ended


def test_check_refuses_scalings_of_other_values(cli, tmp_path):
    A = np.array([[1.0, 10.0], [4.0, 2.0]])
    path, perm = written(tmp_path, A), tmp_path / "p.npz"
    assert cli(path, "--weights", "product", "-o", perm).code == 0
    assert cli("check", path, perm).code == 0
    other = written(tmp_path, A * [[1.0], [1.001]], "B.mtx")
    assert "scaled entries are larger than 1" in cli("check", other, perm).out
    other = written(tmp_path, A * [[1.0], [0.999]], "B.mtx")
    assert "matched entries are smaller than 1" in cli("check", other, perm).out
    other.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n")
    cli("check", other, perm).failed(3, "holds no values", "only be checked with values")


def test_check_refuses_the_worse_of_two_maximum_transversals(cli, tmp_path):
    """Feasible scalings that are tight at the matched entries prove nothing if an unmatched column
    would give more."""
    path, perm = written(tmp_path, np.array([[1.0, 2.0]])), tmp_path / "p.npz"
    assert cli(path, "--weights", "product", "-o", perm).code == 0

    def change(fields):
        fields["row_match"], fields["col_match"] = [0], [0, -1]
        fields["log_row_scale"], fields["log_col_scale"] = [0.0], [0.0, -math.log(2)]

    edited(perm, change)
    ended = cli("check", path, perm)
    assert ended.code == 1
    assert "unmatched: unmatched, but log_col_scale is not the largest of the block: column 1" in (
        ended.out
    )


LOADED = {
    "without rows": "holds no log_row_scale, but the other scaling",
    "too short": "log_row_scale is not a list of 479 real numbers",
    "text": "log_row_scale is not a list of",
    "two dimensions": "log_row_scale is not a list of",
}


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("format", ["npz", "json"])
def test_load_refuses_wrong_scalings(cli, tmp_path, name, format):
    perm = tmp_path / f"perm.{format}"
    assert cli(WEST, "--weights", "product", "-o", perm).code == 0
    edited(perm, WRONG[name][0])
    with pytest.raises(btfperm.UnreadableInputError, match=LOADED[name]):
        btfperm.load(perm)


def test_load_refuses_scalings_that_are_not_finite(cli, tmp_path):
    perm = tmp_path / "perm.npz"
    assert cli(WEST, "--weights", "product", "-o", perm).code == 0
    edited(perm, moved(SCALES[1], math.nan))
    with pytest.raises(btfperm.UnreadableInputError, match="log_col_scale is not finite at 7"):
        btfperm.load(perm)


def test_check_reports_the_gap_that_a_file_admits(cli, tmp_path):
    perm = tmp_path / "perm.json"
    assert cli(WEST, "--weights", "product", "-o", perm).code == 0
    assert "a gap" not in cli("check", WEST, perm).out
    edited(perm, moved("log_row_scale", -0.01))
    edited(perm, lambda fields: fields["meta"]["weights"].update(gap=0.011))
    ended = cli("check", WEST, perm)
    assert ended.code == 0 and "the largest product may be e^0.011 times its product" in ended.out


@pytest.mark.parametrize("gap", ["x", None, math.nan, math.inf, True, [1]])
def test_a_gap_that_is_no_number_admits_nothing(cli, tmp_path, gap):
    perm = tmp_path / "perm.json"
    assert cli(WEST, "--weights", "product", "-o", perm).code == 0
    edited(perm, moved("log_row_scale", -0.01))
    edited(perm, lambda fields: fields["meta"]["weights"].update(gap=gap))
    ended = cli("check", WEST, perm)
    assert ended.code == 1 and "matched entries are smaller than 1" in ended.out
