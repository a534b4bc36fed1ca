# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm convert``: formats and permuted matrices."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from scipy.sparse import csc_array

import btfperm
from btfperm.io import read_matrix, write_matrix

SUFFIXES = ("mtx", "mtx.gz", "npz", "mat")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["blocks", "singular", "wide", "zeros"])
def test_round_trip(cli, matrix, tmp_path, name, suffix):
    there, back = tmp_path / f"there.{suffix}", tmp_path / "back.mtx"
    assert cli("convert", matrix(name), there).code == 0
    assert cli("convert", there, back, "-q") == (0, "", "")
    before, after = read_matrix(matrix(name)), read_matrix(back)
    assert before.shape == after.shape
    assert (before.toarray() == after.toarray()).all()


@pytest.mark.parametrize("words", [("-o", "B.mtx"), ("-oB.mtx",), ("--output", "B.mtx")])
def test_an_output_behind_an_option(cli, matrix, words):
    option = words[0][:2] if len(words) == 1 else words[0]
    second = f"No such option '{option}'; OUT is the second argument"
    cli("convert", matrix("blocks"), *words).failed(2, second, "btfperm convert --help")
    assert "second" not in cli("convert", matrix("blocks"), "-z", "B.mtx").failed(2, "'-z'").err


@pytest.mark.parametrize("name", ["csc_pointers_without_entries.npz", "pointers_fall.mat"])
def test_damaged_arrays(cli, tmp_path, name):
    """SciPy would write outside its buffers with these arrays."""
    source = Path(__file__).parents[1] / "io" / "rejected" / name
    ended = cli("convert", source, tmp_path / "a.mtx")
    assert ended.code == 3 and "indptr" in ended.err and name in ended.err
    assert not list(tmp_path.iterdir())


def test_permuted(cli, matrix, tmp_path):
    perm, target = tmp_path / "perm.npz", tmp_path / "B.mtx"
    A = read_matrix(matrix("blocks")).toarray()
    cli(matrix("blocks"), "-q", "-o", perm)
    ended = cli("convert", matrix("blocks"), target, "--permute", perm)
    assert ended.code == 0 and "permuted" in ended.out
    d = btfperm.load(perm)
    B = read_matrix(target).toarray()
    assert (A[d.row_perm, :][:, d.col_perm] == B).all()
    for k in range(d.n_blocks):
        assert not B[d.row_blocks[k + 1] :, d.col_blocks[k] : d.col_blocks[k + 1]].any()


@pytest.mark.parametrize("given", [(), ("--drop-zeros",)])
@pytest.mark.parametrize("recorded", [(), ("--drop-zeros",)])
def test_zeros_are_dropped_if_the_order_or_the_user_says_so(cli, tmp_path, given, recorded):
    path, perm, target = (tmp_path / name for name in ("A.mtx", "perm.npz", "B.mtx"))
    text = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 2 1\n1 2 0\n2 1 0\n"
    path.write_text(text)
    cli(path, "-q", "-o", perm, *recorded)
    assert cli("convert", path, target, "--permute", perm, *given).code == 0
    assert read_matrix(target).nnz == (2 if given or recorded else 4)


def test_zero_free_diagonal(cli, tmp_path):
    path, perm, target = (tmp_path / name for name in ("A.mtx", "perm.npz", "B.mtx"))
    entries = "1 2 1\n2 3 2\n3 1 3\n1 1 4\n2 2 5\n"
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n3 3 5\n{entries}")
    cli(path, "-q", "-o", perm)
    assert cli("convert", path, target, "--permute", perm, "--diagonal").code == 0
    assert np.diag(read_matrix(target).toarray()).all()


def test_only_with_diagonal_is_the_diagonal_zero_free(cli, tmp_path):
    """The matrix is one block. With its rows in ascending order, its diagonal is zero."""
    path, perm, target = (tmp_path / name for name in ("A.mtx", "perm.npz", "B.mtx"))
    A = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    write_matrix(path, csc_array(A))
    cli(path, "-q", "-o", perm)
    assert cli("convert", path, target, "--permute", perm).code == 0
    assert (read_matrix(target).toarray() == A).all()
    assert cli("convert", path, target, "--permute", perm, "--diagonal").code == 0
    matched = btfperm.load(perm).matched_row_perm
    assert (read_matrix(target).toarray() == A[matched]).all()
    assert np.diag(A[matched]).all()


def test_an_edited_permutation_file(cli, matrix, tmp_path):
    """Each array of the file is valid by itself, but the arrays contradict each other."""
    perm = tmp_path / "perm.json"
    cli(matrix("tall"), "-q", "-o", perm)
    fields = json.loads(perm.read_text())
    fields["coarse_rows"][2] += 1
    perm.write_text(json.dumps(fields))
    words = ("convert", matrix("tall"), tmp_path / "B.mtx", "--permute", perm, "--diagonal")
    cli(*words).failed(3, str(perm), "boundary")
    assert not (tmp_path / "B.mtx").exists()


@pytest.mark.parametrize("content", [None, "{damaged"])
def test_an_error_of_the_permutation_names_only_its_file(cli, matrix, tmp_path, content):
    perm = tmp_path / "perm.json"
    if content is not None:
        perm.write_text(content)
    ended = cli("convert", matrix("tall"), tmp_path / "B.mtx", "--permute", perm)
    ended.failed(3, f"btfperm: {perm}: ")


def test_the_permutation_from_standard_input(shell, matrix, tmp_path):
    perm, target = tmp_path / "perm.npz", tmp_path / "B.mtx"
    shell(matrix("blocks"), "-q", "-o", perm)
    words = ("--permute", "-")
    assert shell("convert", matrix("blocks"), target, *words, stdin=perm.read_bytes()).code == 0
    shell("convert", "-", target, *words, stdin=perm.read_bytes()).failed(2, "not both")


def test_json(cli, matrix, tmp_path):
    target = tmp_path / "A.npz"
    found = cli("convert", matrix("wide"), target, "--json").json
    assert found == {
        "exit_code": 0,
        "error": None,
        "in": str(matrix("wide")),
        "out": str(target),
        "rows": 2,
        "cols": 3,
        "entries": 4,
        "permuted": False,
        "replaced": False,
        "warnings": [],
    }


def test_to_standard_output(helper, matrix, tmp_path):
    A = read_matrix(matrix("zeros")).toarray()
    for words in ((), ("--format", "npz")):
        done = helper.run(["convert", matrix("zeros"), "-", *words])
        assert done.returncode == 0 and b"2 x 2" in done.stderr
        (tmp_path / "A").write_bytes(done.stdout)
        assert (read_matrix(tmp_path / "A").toarray() == A).all()
    again = helper.run(["convert", "-", "-", "-q"], done.stdout)
    assert again.returncode == 0
    assert (scipy.io.mmread(io.BytesIO(again.stdout)).toarray() == A).all()


def test_the_json_goes_to_stderr_if_stdout_holds_a_matrix(cli, shell, matrix):
    ended = shell("convert", matrix("blocks"), "-", "--json")
    assert ended.out.startswith("%%MatrixMarket") and json.loads(ended.err)["out"] == "-"
    ended = cli("convert", matrix("blocks").parent / "no.mtx", "-", "--json")
    assert ended.out == "" and json.loads(ended.err)["exit_code"] == 3


def test_a_given_format(cli, matrix, tmp_path):
    target = tmp_path / "A.data"
    assert cli("convert", matrix("wide"), target, "--format", "mat").code == 0
    assert target.read_bytes().startswith(b"MATLAB 5")


@pytest.mark.parametrize("words", [(), ("--drop-zeros",)])
def test_zeros_that_the_permutation_ignores(cli, tmp_path, words):
    """The permutation was computed without the stored zeros, so `convert --permute` must drop them,
    too: in the permuted matrix they could be below the diagonal blocks."""
    path, perm, target = (tmp_path / name for name in ("A.mtx", "perm.npz", "B.mtx"))
    head = "%%MatrixMarket matrix coordinate real general\n"
    path.write_text(head + "2 2 4\n1 1 1\n1 2 5\n2 1 0\n2 2 1\n")
    assert cli(path, "-q", "--drop-zeros", "-o", perm).code == 0
    assert cli("convert", path, target, "--permute", perm, *words).code == 0
    B = btfperm.read(target)
    assert B.nnz == 3 and B.stored_zeros is None
    assert cli("convert", path, target).code == 0 and btfperm.read(target).nnz == 4
    assert cli("convert", path, target, "--drop-zeros").code == 0 and btfperm.read(target).nnz == 3


def test_from_standard_input(shell, matrix, tmp_path):
    ended = shell("convert", "-", tmp_path / "A.npz", stdin=matrix("tall").read_bytes())
    assert ended.code == 0 and btfperm.structural_rank(tmp_path / "A.npz") == 2


def test_the_permutation_of_another_matrix(cli, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    cli(matrix("blocks"), "-q", "-o", perm)
    ended = cli("convert", matrix("wide"), tmp_path / "B.mtx", "--permute", perm)
    ended.failed(1, "is for a matrix of 4 x 4", "is 2 x 3")
    assert not (tmp_path / "B.mtx").exists()


def test_inputs_are_not_overwritten(cli, matrix, tmp_path):
    """Neither the file of the matrix nor that of the permutation may be the target."""
    path, perm = matrix("blocks"), tmp_path / "perm.npz"
    cli(path, "-q", "-o", perm)
    before = path.read_bytes(), perm.read_bytes()
    cli("convert", path, path).failed(2, "is an input")
    cli("convert", path, perm, "--permute", perm).failed(2, "is an input")
    assert (path.read_bytes(), perm.read_bytes()) == before


def test_wrong_usage(cli, matrix, tmp_path):
    path = matrix("blocks")
    cli("convert", path, tmp_path / "B.mtx", "--diagonal").failed(2, "--permute")
    assert cli("convert", path, tmp_path / "B.xyz").code == 2
    assert cli("convert", path, tmp_path / "no" / "B.mtx").code == 4
    assert cli("convert", tmp_path / "no.mtx", tmp_path / "B.mtx").code == 3
    assert cli("convert", path, tmp_path / "B.mtx", "--permute", path).code == 3


def test_no_clobber_and_replaced_files(cli, matrix, tmp_path):
    target = tmp_path / "A.npz"
    assert cli("convert", matrix("wide"), target, "--no-clobber").out == (
        f"{target}: 2 x 3, 4 entries\n"
    )
    before = target.read_bytes()
    cli("convert", matrix("tall"), target, "--no-clobber").failed(4, "A.npz exists already")
    assert target.read_bytes() == before
    assert cli("convert", matrix("tall"), target).out.endswith("4 entries (replaced)\n")
    assert cli("convert", matrix("tall"), target, "--json").json["replaced"] is True
    assert cli("convert", matrix("tall"), "-", "--no-clobber").code == 0


@pytest.mark.parametrize("more", [(), ("--format", "mtx"), ("--permute", "no.npz")])
def test_an_error_goes_to_stderr_if_stdout_holds_a_matrix(cli, matrix, more):
    ended = cli("convert", matrix("blocks").parent / "no.mtx", "-", *more, "--json")
    assert ended.out == "" and json.loads(ended.err)["exit_code"] == ended.code == 3


def test_a_damaged_permutation_file_is_the_one_that_is_named(cli, matrix, tmp_path):
    perm = tmp_path / "q.json"
    perm.write_text("{")
    ended = cli("convert", matrix("blocks"), tmp_path / "o.mtx", "--permute", perm)
    assert ended.code == 3 and ended.err.startswith(f"btfperm: {perm}: ")
