# SPDX-License-Identifier: BSD-3-Clause
"""``btfperm check``: right files pass, in every format; each kind of corruption is detected."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from tests.loops import looped
from tests.reports.answers import KEYS, MIXED

ARRAYS = (*KEYS, "structural_rank")


@pytest.fixture
def mixed(tmp_path):
    """(matrix, perm.npz) with all three parts and several blocks in each."""
    import scipy.io

    path, perm = tmp_path / "mixed.mtx", tmp_path / "perm.npz"
    scipy.io.mmwrite(path, MIXED.tocoo(), field="pattern")
    btfperm.dulmage_mendelsohn(btfperm.read(path)).save(perm)
    return path, perm


def edited(perm, **changes):
    """Replaces some arrays of the file; None removes an array."""
    with np.load(perm) as file:
        arrays = {key: file[key] for key in file.files}
    arrays |= changes
    np.savez(perm, **{key: array for key, array in arrays.items() if array is not None})


@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
@pytest.mark.parametrize("name", ["blocks", "singular", "wide", "tall", "empty", "no_entries"])
def test_right_files_pass(cli, matrix, tmp_path, name, suffix):
    perm = tmp_path / f"perm.{suffix}"
    cli(matrix(name), "-q", "-o", perm)
    ended = cli("check", matrix(name), perm)
    assert ended.code == 0 and "is right for" in ended.out and ended.err == "", ended


@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
def test_files_of_csparse_pass(cli, mixed, tmp_path, suffix):
    perm = tmp_path / f"cs.{suffix}"
    btfperm.dulmage_mendelsohn(btfperm.read(mixed[0])).save(perm, convention="csparse")
    assert cli("check", mixed[0], perm, "--json").json["convention"] == "csparse"


@pytest.mark.parametrize("name", ["blocks", "singular", "empty"])
def test_block_triangular_form_passes(cli, matrix, tmp_path, name):
    perm = tmp_path / "perm.npz"
    btfperm.block_triangular_form(btfperm.read(matrix(name))).save(perm)
    assert cli("check", matrix(name), perm).code == 0


@looped("suffix", ["npz", "json", "txt", "mat"])
@looped("convention", ["btf", "klu", "superlu", "csparse", "btfperm"])
@looped("name", ["blocks", "empty"])
def test_files_in_every_convention_pass(cli, matrix, tmp_path, name, convention, suffix):
    perm = tmp_path / f"perm.{suffix}"
    assert cli(matrix(name), "-q", "-o", perm, "--convention", convention).code == 0
    found = cli("check", matrix(name), perm, "--json").json
    assert found["ok"] is True and found["convention"] == convention, found


@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
@pytest.mark.parametrize("convention", ["btf", "klu", "petsc", "superlu", "umfpack"])
def test_completed_files_of_solvers_pass(cli, matrix, tmp_path, convention, suffix):
    perm = tmp_path / f"perm.{suffix}"
    form = btfperm.block_triangular_form(btfperm.read(matrix("singular")))
    form.save(perm, convention=convention)
    assert form.completed and cli("check", matrix("singular"), perm).code == 0


def test_a_file_of_btf_needs_no_number_of_pairs(cli, matrix, tmp_path):
    """The flipped (negative) numbers of Q mark the pairs that are not matched."""
    perm = tmp_path / "perm.npz"
    form = btfperm.block_triangular_form(btfperm.read(matrix("singular")))
    fields = btfperm.as_btf(form)._asdict()
    np.savez(perm, **{key: value for key, value in fields.items() if key != "nmatch"})
    assert cli("check", matrix("singular"), perm, "--json").json["ok"]
    fields["nmatch"] = np.array(form.structural_rank + 1)
    np.savez(perm, **fields)
    assert cli("check", matrix("singular"), perm).code == 1


@pytest.mark.parametrize("convention", ["btf", "klu", "superlu"])
def test_a_wrong_file_of_a_solver(cli, matrix, tmp_path, convention):
    perm = tmp_path / "perm.npz"
    cli(matrix("blocks"), "-q", "-o", perm, "--convention", convention)
    key = "perm_r" if convention == "superlu" else "P"
    with np.load(perm) as file:
        edited(perm, **{key: np.roll(file[key], 1)})
    ended = cli("check", matrix("blocks"), perm)
    assert ended.code == 1 and "matching: " in ended.out, ended


def test_files_that_do_not_name_their_convention(cli, matrix, tmp_path):
    perm, A = tmp_path / "perm.npz", btfperm.read(matrix("blocks"))
    for name, adapter in (("superlu", btfperm.as_superlu), ("btf", btfperm.as_btf)):
        np.savez(perm, **adapter(btfperm.block_triangular_form(A))._asdict())
        found = cli("check", matrix("blocks"), perm, "--json").json
        assert found["ok"] and found["convention"] == name


def test_an_unknown_convention(cli, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    cli(matrix("blocks"), "-q", "-o", perm)
    edited(perm, convention=np.array("pardiso"))
    cli("check", matrix("blocks"), perm).failed(3, "'pardiso'", "superlu")


@pytest.mark.parametrize("key", ARRAYS)
@pytest.mark.parametrize("how", ["one more", "two swapped", "missing", "short", "floats", "huge"])
def test_each_corruption_is_caught(cli, mixed, key, how):
    matrix, perm = mixed
    with np.load(perm) as file:
        array = np.atleast_1d(file[key])
    if how == "two swapped":
        if array.size < 2:
            pytest.skip("a single number cannot be swapped")
        k = int(np.flatnonzero(np.diff(array))[0])
        array[[k, k + 1]] = array[[k + 1, k]]
    changed = {
        "one more": array + (np.arange(array.size) == array.size // 2),
        "two swapped": array,
        "missing": None,
        "short": array[:-1],
        "floats": array + 0.25,
        "huge": array + 2**40,
    }[how]
    if changed is not None and key == "structural_rank" and how != "short":
        changed = changed.reshape(())
    edited(perm, **{key: changed})
    ended = cli("check", matrix, perm)
    assert ended.code == 1, ended
    assert ended.err == "" and f"{perm} is wrong for {matrix}" in ended.out
    found = cli("check", matrix, perm, "--json").json
    assert found["ok"] is False and found["violations"] and found["exit_code"] == 1


def test_an_edited_text_file_is_caught(cli, mixed, tmp_path):
    perm = tmp_path / "perm.txt"
    btfperm.dulmage_mendelsohn(btfperm.read(mixed[0])).save(perm)
    lines = perm.read_text().splitlines()
    at = lines.index("row_perm 11") + 1
    numbers = lines[at].split()
    numbers[0], numbers[-1] = numbers[-1], numbers[0]
    lines[at] = " ".join(numbers)
    perm.write_text("\n".join(lines) + "\n")
    assert cli("check", mixed[0], perm).code == 1


def test_rows_and_columns_are_named(cli, mixed):
    matrix, perm = mixed
    with np.load(perm) as file:
        row_match = file["row_match"]
    row_match[4] = -1
    edited(perm, row_match=row_match)
    out = cli("check", matrix, perm).out
    assert "col_match pairs (4, " in out and "not checked" in out


@pytest.mark.parametrize("gone", ["shape", "meta", "format_version", "kind"])
def test_required_metadata(cli, mixed, tmp_path, gone):
    """A file that `load` refuses does not pass `check`."""
    fields, perm = dict(np.load(mixed[1])), tmp_path / "other.npz"
    if gone in fields:
        del fields[gone]
    else:
        meta = json.loads(str(fields["meta"]))
        del meta[gone]
        fields["meta"] = json.dumps(meta)
    np.savez(perm, **fields)
    ended = cli("check", mixed[0], perm)
    assert ended.code == 1 and f"arrays: {gone}" in ended.out and "is missing" in ended.out


def test_a_format_version_that_is_no_number(cli, mixed, tmp_path):
    perm = tmp_path / "other.npz"
    np.savez(perm, **{**np.load(mixed[1]), "meta": json.dumps({"format_version": "1"})})
    cli("check", mixed[0], perm).failed(3, "format_version '1' is no whole number")


def test_another_matrix(cli, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    cli(matrix("blocks"), "-q", "-o", perm)
    ended = cli("check", matrix("wide"), perm)
    assert ended.code == 1 and "shape [4, 4], not [2, 3]" in ended.out
    assert ended.err.startswith("warning: ") and "sha256" in ended.err


def test_other_bytes_of_the_same_pattern_are_a_warning(cli, matrix, tmp_path):
    perm, path = tmp_path / "perm.npz", matrix("blocks")
    cli(path, "-q", "-o", perm)
    path.write_text(path.read_text().replace("\n", "\n% a comment\n", 1))
    ended = cli("check", path, perm)
    assert ended.code == 0 and "sha256 differs" in ended.err and ended.err.count("\n") == 1
    assert "sha256" in cli("check", path, perm, "--json").json["warnings"][0]


def test_dropped_zeros_are_remembered(cli, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    cli(matrix("zeros"), "-q", "--drop-zeros", "-o", perm)
    assert cli("check", matrix("zeros"), perm).code == 0


def test_zeros_of_the_matrix_can_be_dropped_for_the_check(cli, matrix, tmp_path):
    """The matching of the permutation file uses the stored zero as an entry. With --drop-zeros, the
    matrix lacks this entry, and `check` refuses the file."""
    perm = tmp_path / "perm.npz"
    cli(matrix("zeros"), "-q", "-o", perm)
    assert cli("check", matrix("zeros"), perm).code == 0
    assert cli("check", matrix("zeros"), perm, "--drop-zeros").code == 1


def test_quiet_silences_the_report_not_the_failure(cli, mixed):
    matrix, perm = mixed
    assert cli("check", "-q", matrix, perm) == (0, "", "")
    edited(perm, structural_rank=np.array(1))
    ended = cli("check", "-q", matrix, perm)
    assert (ended.code, ended.out) == (1, "")
    assert re.fullmatch(rf"btfperm: {perm} is wrong for {matrix}: \d violations?\n", ended.err)
    assert not cli("check", matrix, perm).err
    assert json.loads(cli("check", "-q", "--json", matrix, perm).out)["violations"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.npz", b""),
        ("noise.npz", b"PK\x03\x04" + bytes(range(256))),
        ("text.json", b"{]"),
        ("list.json", b"[1, 2]"),
        ("deep.json", b'{"row_perm": ' + b"[" * 100_000),
        ("meta.json", b'{"meta": [1]}'),
        ("new.json", b'{"meta": {"format_version": 99}}'),
        ("kind.json", b'{"meta": {"kind": "soup"}}'),
        ("head.txt", b"btfperm-permutation 1 btfperm 3\nshape 2\n1"),
        ("word.txt", b"btfperm-permutation one btfperm 3\nmeta {}"),
        ("noise.txt", b"\xff\xfe\x00hello"),
        ("noise.mat", b"MATLAB 5.0 MAT-file" + bytes(300)),
        ("matrix.mtx", b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"),
    ],
)
def test_files_that_are_no_permutation(cli, matrix, tmp_path, name, content):
    perm = tmp_path / name
    perm.write_bytes(content)
    cli("check", matrix("blocks"), perm).failed(3, str(perm))
    assert cli("check", matrix("blocks"), perm, "--json").json["exit_code"] == 3


def test_a_pickle_is_not_loaded(cli, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    np.savez(perm, row_perm=np.array([{"a": 1}], dtype=object))
    cli("check", matrix("blocks"), perm).failed(3, str(perm))


def test_a_missing_file_and_a_directory(cli, matrix, tmp_path):
    cli("check", matrix("blocks"), tmp_path / "no.npz").failed(3, "no.npz")
    cli("check", matrix("blocks"), tmp_path).failed(3, str(tmp_path))


def test_json_of_a_right_file(cli, mixed):
    found = cli("check", *mixed, "--json").json
    assert found["ok"] is True and found["violations"] == [] and found["skipped"] == []
    assert found["passed"][0] == "arrays" and found["passed"][-1] == "order"
    assert json.dumps(found)


@given(data=st.data())
@pytest.mark.parametrize("suffix", ["npz", "json", "txt", "mat"])
def test_damaged_bytes(cli, matrix, tmp_path, suffix, data):
    """With any bytes changed, removed or inserted, the file is right, wrong or unreadable, but
    there is no internal error."""
    perm = tmp_path / f"perm.{suffix}"
    cli(matrix("singular"), "-q", "-o", perm)
    content = bytearray(perm.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        # the length of the file varies with its meta data
        at = data.draw(st.integers(0, 99_999)) % (len(content) + 1)
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    perm.write_bytes(content)
    ended = cli("check", matrix("singular"), perm)
    assert ended.code in {0, 1, 3}, ended


def test_from_a_pipe(cli, shell, matrix, tmp_path):
    perm = tmp_path / "perm.npz"
    assert cli(matrix("singular"), "-q", "-o", perm).code == 0
    for name in ("/dev/stdin", "-"):
        assert shell("check", matrix("singular"), name, stdin=perm.read_bytes()).code == 0
    ended = shell("check", "-", perm, stdin=matrix("singular").read_bytes())
    assert ended.code == 0 and f"{perm} is right for standard input" in ended.out
    cli("check", matrix("singular"), "-", stdin=b"").failed(3, "standard input: the file is empty")
    cli("check", "-", "-", stdin=perm.read_bytes()).failed(2, "not both")
