# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm report``: the file, the JSON object, and refused lines."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm


@pytest.fixture
def file(tmp_path):
    target = tmp_path / "A.mtx"
    btfperm.write_matrix(target, np.array([[1.0, 2, 0], [0, 3, 1], [0, 1, 4]]))
    return target


def test_the_page(cli, file, tmp_path):
    target = tmp_path / "report.html"
    ended = cli("report", file, "-o", target)
    assert ended.code == 0 and f"{target}: " in ended.out
    text = target.read_text()
    assert text.startswith("<!DOCTYPE html>") and "SuperLU, btfperm" in text
    found = cli("report", file, "-o", target, "--json", "--solvers-within", "0").json
    assert found["bytes"] == len(target.read_bytes()) and found["replaced"] is True
    assert (found["structural_rank"], found["fine_blocks"]) == (3, 2)
    cli("report", file, "-o", target, "--no-clobber").failed(4, "exists already")


def test_names(cli, file, tmp_path):
    target, names = tmp_path / "report.html", tmp_path / "rows.txt"
    names.write_text("mass\nenergy\nvolume\n")
    words = ("report", file, "-o", target, "--solvers-within", "0", "--row-names", names)
    assert cli(*words).code == 0 and "energy" in target.read_text()
    names.write_text("mass\n")
    cli(*words).failed(2, "1 name")


def test_standard_streams(cli, file):
    ended = cli("report", "-", "-o", "-", stdin=file.read_text())
    assert ended.code == 0 and ended.out.startswith("<!DOCTYPE html>")


def test_refused_lines(cli, file, tmp_path):
    cli("report", file).failed(2, "-o")
    cli("report", file, "-o", file).failed(2, "is an input")
    cli("report", tmp_path / "no.mtx", "-o", tmp_path / "r.html").failed(3, "no.mtx")
    cli("report", file, "-o", tmp_path / "no" / "r.html").failed(4, "no directory")
