# SPDX-License-Identifier: BSD-3-Clause
"""Names of rows and columns from collections and files."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

import btfperm
from btfperm.diagnosis.names import checked_names

A = [[1, 1], [0, 0]]


def text_with(**names):
    return btfperm.diagnose(A, **names).text()


@pytest.mark.parametrize(
    "names",
    [["f", "g"], ("f", "g"), np.array(["f", "g"]), iter("fg"), "f\ng\n", "f\r\ng", "\ufefff\ng\n"],
    ids=["list", "tuple", "array", "iterator", "file", "file with CR", "file with a mark"],
)
def test_names_in_any_form(names, tmp_path):
    if isinstance(names, str):
        path = tmp_path / "names.txt"
        path.write_bytes(names.encode())
        names = path
    found = btfperm.diagnose(A, row_names=names)
    assert found.row_names == ("f", "g") and found.row_name(1) == "g" and found.col_name(1) == "1"
    assert "row g is empty" in str(found) and "columns 0, 1 have entries only in row f" in str(
        found
    )


def test_a_packed_file_and_a_path_as_text(tmp_path):
    path = tmp_path / "names.txt.gz"
    path.write_bytes(gzip.compress(b"T\np\n"))
    assert "columns T, p have entries" in text_with(col_names=str(path))


class Frame:
    """What btfperm uses of a pandas DataFrame."""

    def __init__(self, values, index, columns):
        self.values, self.index, self.columns = np.array(values), index, columns

    def __array__(self, *args, **options):
        return self.values


class RangeIndex(list):
    """The index of a DataFrame whose rows have no names."""


def test_a_data_frame_has_names(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=Frame))
    frame = Frame([[1, 1], [0, 0]], ["mass", "energy"], RangeIndex([0, 1]))
    found = btfperm.diagnose(frame)
    assert (found.row_names, found.col_names) == (("mass", "energy"), None)
    assert btfperm.diagnose(frame, row_names=["f", "g"], col_names=["p", "q"]).row_name(1) == "g"
    with pytest.raises(AssertionError, match="row energy is empty"):
        btfperm.testing.assert_structurally_nonsingular(frame)


def test_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    index = pandas.Index(["f", "g"])
    assert "row g is empty" in text_with(row_names=index)
    pairs = pandas.MultiIndex.from_tuples([("f", 1), ("g", 2)])
    assert "row ('g', 2) is empty" in text_with(row_names=pairs)
    assert "row g is empty" in text_with(row_names=pandas.Series(["f", "g"]))
    found = btfperm.diagnose(pandas.DataFrame(A, index=["mass", "energy"]))
    assert (found.row_names, found.col_names) == (("mass", "energy"), None)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["f"], "row_names has 1 name, but the matrix has 2 rows"),
        ({"f", "g"}, "must be a list of names or the path of a file .*, not set"),
        ({"f": 0, "g": 1}, "not dict"),
        (b"fg", "not bytes"),
        (5, "not int"),
    ],
)
def test_names_that_are_refused(names, message):
    with pytest.raises(btfperm.InvalidArgumentError, match=message):
        btfperm.diagnose(A, row_names=names)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (b"f\n", btfperm.InvalidArgumentError, "n.txt has 1 name, but the matrix has 2 columns"),
        (b"f\n\ng\n", btfperm.UnreadableInputError, "n.txt, line 2: the line is empty"),
        (b"f\n\xff\n", btfperm.UnreadableInputError, "n.txt, line 2: it is no UTF-8 text"),
        (b"f\ng\n\xff\n", btfperm.UnreadableInputError, "n.txt, line 3: it is no UTF-8 text"),
        (b"f\ng\n\n", btfperm.UnreadableInputError, "n.txt, line 3: the line is empty"),
        (
            b"f\n" + b"g" * 65_537,
            btfperm.UnreadableInputError,
            r"n.txt, line 2: the name 'g{37}\.\.\.' has more than 65536 bytes$",
        ),
        (
            gzip.compress(b"g" * 10_000_000),
            btfperm.UnreadableInputError,
            "n.txt, line 1: the name 'g",
        ),
        (None, btfperm.UnreadableInputError, "n.txt"),
    ],
    ids=["short", "empty line", "no text", "surplus", "last", "long", "packed", "missing"],
)
def test_files_that_are_refused(text, kind, message, tmp_path):
    path = tmp_path / "n.txt"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(kind, match=message):
        btfperm.diagnose(A, col_names=path)


@pytest.mark.parametrize("packed", [False, True])
def test_the_memory_for_surplus_names_is_bounded(tmp_path, packed):
    text = b"ab\n" * 200_000  # which take 10 MB as strings
    path = tmp_path / "n.txt"
    path.write_bytes(gzip.compress(text) if packed else text)
    tracemalloc.start()
    try:
        with pytest.raises(btfperm.InvalidArgumentError, match="has 200,000 names, but"):
            checked_names(path, 2, "row")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_the_longest_name(tmp_path):
    path = tmp_path / "n.txt"
    path.write_bytes(b"f\n" + b"g" * 65_535 + b"\n")
    assert checked_names(path, 2, "row") == ("f", "g" * 65_535)


def test_no_names_are_needed():
    assert checked_names(None, 5, "row") is None
    assert checked_names([], 0, "column") == ()
    assert btfperm.diagnose(A).row_names is None


def test_names_are_in_the_dictionary():
    found = btfperm.diagnose(A, row_names=["f", "g"], col_names=["x", "y"]).to_dict()
    assert found["overdetermined"][0]["row_names"] == ["g"]
    assert found["underdetermined"][0]["column_names"] == ["x", "y"]
