# SPDX-License-Identifier: BSD-3-Clause
"""File formats are defined by their rows. The tests use btfperm's rows and one row that
is added from outside, as CONTRIBUTING.md describes."""

from __future__ import annotations

import dataclasses
import gzip
import io
import tarfile

import numpy as np
import pytest

import btfperm
from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.io import formats
from btfperm.io.formats import MatrixFormat, matrix_formats
from tests.cli.conftest import cli
from tests.guide_rows import A, registered

__all__ = ["cli"]


def has_pattern_of_A(pattern):
    return pattern.shape == A.shape and (pattern.to_scipy() != (A != 0)).nnz == 0


@pytest.fixture
def toy_format(tmp_path):
    with registered("Add a file format", MatrixFormat, "toy_format", tmp_path, formats) as row:
        yield row


@pytest.mark.parametrize("row", matrix_formats.values(), ids=list(matrix_formats))
def test_the_row_describes_the_format(tmp_path, row):
    for suffix in row.writes:
        stem = suffix.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
        assert stem in row.suffixes
    examples = {"real": A, "complex": A * 1j, "pattern": A.astype(bool)}
    assert set(row.values) <= {*examples, "integer"} and set(row.values) & set(examples)
    for field, values in examples.items():
        if field not in row.values or not row.writes:
            continue
        file = tmp_path / f"a{row.writes[0]}"
        btfperm.write_matrix(file, values)
        assert btfperm.peek(file).format == row.name
        assert btfperm.peek(file).field == field
        assert (btfperm.read_matrix(file).tocsc() != values).nnz == 0


def test_the_row_of_the_guide_passes_the_test_of_rows(toy_format, tmp_path):
    test_the_row_describes_the_format(tmp_path, toy_format)


def test_a_format_from_outside_in_python(toy_format, tmp_path):
    file = tmp_path / "a.toy"
    btfperm.write_matrix(file, A)
    assert file.read_text().splitlines()[0] == "toy 4 4 7"
    assert btfperm.peek(file) == btfperm.io.Header("toy", (4, 4), 7, "real")
    assert has_pattern_of_A(btfperm.read(file))
    assert btfperm.dulmage_mendelsohn(file) == btfperm.dulmage_mendelsohn(A)
    assert (btfperm.read_matrix(file).tocsc() != A).nnz == 0
    assert "toy_format" not in btfperm.io.FORMATS and "toy" in btfperm.io.FORMATS
    with pytest.raises(
        InvalidArgumentError, match=r"TOY files hold no complex values: write \.mtx, \.npz"
    ):
        btfperm.write_matrix(file, A * 1j)
    btfperm.write_matrix(tmp_path / "b.xyz", np.eye(2, dtype=int), format="toy")
    assert btfperm.read(tmp_path / "b.xyz").nnz == 2  # btfperm detects the format by the content


def test_a_format_from_outside_in_packed_files_and_archives(toy_format, tmp_path):
    btfperm.write_matrix(tmp_path / "a.toy", A)
    text = (tmp_path / "a.toy").read_bytes()
    (tmp_path / "a.toy.gz").write_bytes(gzip.compress(text))
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("a/a.toy")
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    for name in ("a.toy.gz", "a.tar"):
        assert has_pattern_of_A(btfperm.read(tmp_path / name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("toy 2 2\n", "line 1: 'toy rows columns entries' is expected, not 'toy 2 2'"),
        ("toy -1 2 0\n", "line 1: 'toy rows columns entries' is expected"),
        ("toy 2 2 1\n1 3 1\n", "line 2: a row up to 2, a column up to 2 and a value are expected"),
        ("toy 2 2 9\n1 1 1\n", "it has 1 entries, not 9"),
    ],
)
def test_a_damaged_file_of_a_format_from_outside(toy_format, tmp_path, text, message):
    (tmp_path / "a.toy").write_text(text)
    for read in (btfperm.read, btfperm.read_matrix):
        with pytest.raises(UnreadableInputError, match=message):
            read(tmp_path / "a.toy")


def test_a_format_from_outside_on_the_command_line(toy_format, tmp_path, cli):
    matrix, toy, perm = (tmp_path / name for name in ("a.mtx", "a.toy", "perm.npz"))
    btfperm.write_matrix(matrix, A)
    assert cli("convert", matrix, toy, "-q") == (0, "", "")
    assert cli("convert", matrix, "-", "--format", "toy", "-q").out == toy.read_text()
    assert cli(toy, "-q", "-o", perm) == (0, "", "")
    assert cli("check", toy, perm, "-q") == (0, "", "")
    assert cli("rank", toy, "--json").json["structural_rank"] == 4
    assert "TOY" in cli("--help").out and "toy" in cli("convert", "--help").out
    cli("check", matrix, toy).failed(3, "it is a matrix")


def test_without_its_row_a_format_is_unknown(tmp_path):
    (tmp_path / "a.toy").write_text("toy 1 1 1\n1 1 1\n")
    with pytest.raises(UnreadableInputError, match="no matrix file that is known"):
        btfperm.read(tmp_path / "a.toy")
    with pytest.raises(InvalidArgumentError, match="choose one of these suffixes"):
        btfperm.write_matrix(tmp_path / "a.toy", A)


def test_formats_that_are_refused():
    row = dataclasses.replace(matrix_formats["npz"], name="toy")
    with pytest.raises(InvalidArgumentError, match=r"the suffix \.npz is that of SciPy npz files"):
        formats.register(row)
    second = dataclasses.replace(row, writes=(".toy", ".rb"))
    with pytest.raises(InvalidArgumentError, match=r"the suffix \.rb is that of Harwell-Boeing"):
        formats.register(second)
    assert "toy" not in matrix_formats
    with pytest.raises(InvalidArgumentError, match="registered as a MatrixFormat, not as 'toy'"):
        formats.register("toy")
    with pytest.raises(InvalidArgumentError, match="there is no matrix format 'toy'"):
        formats.unregister("toy")
