# SPDX-License-Identifier: BSD-3-Clause
"""One file and one row for each format: the functions that every module of `FORMATS` must have and
no other module may have; and the names of files that have the form FILE:NAME."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from btfperm import io
from btfperm.errors import InvalidArgumentError
from btfperm.io import FORMATS, peek, read_matrix, write_matrix
from btfperm.io.formats import matrix_formats

MODULES = {name: importlib.import_module(f"btfperm.io.{name}") for name in FORMATS}
FUNCTIONS = ("head", "read_matrix", "read_pattern", "recognises")
BY_STEM = {row.stem: row for row in matrix_formats.values()}
SUFFIXES = [(row.name, suffix) for row in matrix_formats.values() for suffix in row.writes]
A = scipy.sparse.coo_array(np.array([[0.0, 2.5, 0.0], [1.0, 0.0, -3.0]]))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_one_module(name):
    written = ("write_matrix",) if BY_STEM[name].writes else ()
    in_parts = ("stream_entries",) if hasattr(MODULES[name], "stream_entries") else ()
    assert tuple(MODULES[name].__all__) == FUNCTIONS + in_parts + written, (
        "the module defines these functions, write_matrix if its row has `writes`, and perhaps "
        "stream_entries"
    )


def test_no_other_module_writes_matrices():
    written = {
        path.stem
        for path in Path(io.__file__).parent.glob("*.py")
        if "def write_matrix(" in path.read_text(encoding="utf-8")
    }
    stems = {stem for stem, row in BY_STEM.items() if row.writes}
    assert written == {*stems, "__init__"}, "formats whose rows have `writes`, and only they"


@pytest.mark.parametrize(("name", "suffix"), SUFFIXES, ids=[suffix for _, suffix in SUFFIXES])
def test_each_suffix_is_written_and_read(tmp_path, name, suffix):
    file = tmp_path / f"A{suffix.upper()}"
    values = A if "real" in matrix_formats[name].values else A.astype(bool)
    write_matrix(file, values)
    assert peek(file).format == name
    assert np.array_equal(read_matrix(file).toarray(), values.toarray())


def test_the_message_names_all_suffixes(tmp_path):
    with pytest.raises(InvalidArgumentError) as error:
        write_matrix(tmp_path / "A.xyz", A)
    for _, suffix in SUFFIXES:
        assert suffix in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_file_whose_name_has_a_colon(tmp_path):
    """If a file with the whole name exists, the name is not read as FILE.mat:NAME."""
    (tmp_path / "b.mat:c").mkdir()
    for name in ("a.mat:D", "a:b.mat", "a.mat:E.mat", "b.mat:c/a.mat", "b.mat:c/d:D"):
        scipy.io.savemat(tmp_path / "other.mat", {"D": scipy.sparse.csc_array(np.eye(3))})
        (tmp_path / "other.mat").rename(tmp_path / name)
        assert read_matrix(tmp_path / name).shape == (3, 3), name
    scipy.io.savemat(tmp_path / "a.mat", {"D": np.eye(2), "F": np.eye(4)})
    assert read_matrix(tmp_path / "a.mat:D").shape == (3, 3)  # the file of that name
    assert read_matrix(f"{tmp_path}/a.mat:F").shape == (4, 4)
    assert read_matrix(f"{tmp_path}/b.mat:c/a.mat:D").shape == (3, 3)
