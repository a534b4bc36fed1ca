# SPDX-License-Identifier: BSD-3-Clause
"""The C program of the pages: compiled against KLU, it solves in the order of a file."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from btfperm_cli.main import main
from click.testing import CliRunner

import btfperm
from tests.known_answers import MATRICES, read
from tests.oracles import suitesparse

SOURCE = MATRICES.parent / "docs" / "examples" / "solve_with_klu.c"

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if not any(Path(p, "klu.h").is_file() for p in ("/usr/include", "/usr/include/suitesparse")):
        pytest.skip("libklu is not installed with its header")
    path = tmp_path_factory.mktemp("program") / "solve_with_klu"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
    subprocess.run(["cc", *flags, str(SOURCE), "-lklu", "-lm", "-o", str(path)], check=True)
    return str(path)


def files(folder, A):
    """A Matrix Market file, and the order that the command writes for it."""
    matrix, order = folder / "a.mtx", folder / "perm.txt"
    scipy.io.mmwrite(matrix, sp.coo_array(A), symmetry="general")
    found = CliRunner().invoke(main, [str(matrix), "-o", str(order), "--solver", "klu"])
    assert found.exit_code == 0, found.output
    return str(matrix), str(order)


@pytest.mark.parametrize("name", ["west0479", "impcol_a", "plskz362", "pfjac_case_ACTIVSg2000"])
def test_it_solves(program, tmp_path, name):
    A = sp.csc_array(read(name)).astype(float)
    A.eliminate_zeros()
    run = subprocess.run(
        [program, *files(tmp_path, A)], check=True, capture_output=True, text=True, timeout=60
    )
    blocks, fill, off, error = re.fullmatch(
        r"(\d+) blocks, (\d+) entries in L \+ U, (\d+) pivots off the diagonal, "
        r"largest error (\S+)\n",
        run.stdout,
    ).groups()
    p = btfperm.preorder(A, solver="klu")
    assert int(blocks) == p.n_blocks
    assert int(fill) == suitesparse.klu_fill(A, *p.klu[:2]) - A.shape[0]
    assert int(off) <= 60 and float(error) < 1e-4


def test_it_refuses_other_files(program, tmp_path):
    matrix, order = files(tmp_path, np.array([[4.0, 1.0], [1.0, 3.0]]))
    other = str(tmp_path / "other.txt")
    btfperm.preorder(np.eye(3), solver="klu").save(other)
    superlu = str(tmp_path / "superlu.txt")
    btfperm.preorder(np.eye(2)).save(superlu)
    for arguments, message in (
        ((matrix, other), "another matrix"),
        ((matrix, superlu), "convention klu"),
        ((order, order), "Matrix Market"),
        ((matrix, matrix), "file of btfperm|convention klu"),
        ((matrix,), "usage"),
    ):
        run = subprocess.run(
            [program, *arguments], check=False, capture_output=True, text=True, timeout=60
        )
        assert run.returncode == 1 and re.search(message, run.stderr)


def test_the_pages_name_it():
    for page in ("conventions.md", "solvers.md"):
        text = (MATRICES.parent / "docs" / page).read_text(encoding="utf-8")
        assert "examples/solve_with_klu.c" in text
