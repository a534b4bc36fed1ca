# SPDX-License-Identifier: BSD-3-Clause
"""Matrices with one side much longer than the other, and with fewer entries than either, in every
format; what a writer counts in its header; and the line that an error message names."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, UnreadableInputError
from btfperm.io import load, matlab, peek, read, read_matrix, write_matrix
from btfperm.reports.perm_arrays import read_arrays
from tests.loops import looped

LONG = 40_000
SUFFIXES = ("mtx", "mtx.gz", "npz", "mat", "rb", "rua")


@looped("shape", [(LONG, 1), (1, LONG), (LONG, 2), (2, LONG), (3, 0), (0, 3)])
@looped("suffix", SUFFIXES)
def test_one_long_side(tmp_path, suffix, shape):
    m, n = shape
    places = [(m - 1, n - 1), (m // 2, 0)] if m and n else []
    rows, cols = np.array(places, dtype=int).reshape(-1, 2).T
    A = sp.csc_array((np.arange(1.5, 1.5 + rows.size), (rows, cols)), shape=shape)
    file = tmp_path / f"a.{suffix}"
    write_matrix(file, A)
    found = read_matrix(file).tocsc()
    assert found.shape == shape and (found != A).nnz == 0 and found.nnz == A.nnz
    pattern = read(file)
    assert pattern.shape == shape and (pattern.to_scipy() != (A != 0)).nnz == 0
    head = peek(file)
    assert (head.shape, head.entries) == (shape, rows.size)


@pytest.mark.parametrize("dtype", [float, complex, np.int64, bool])
@pytest.mark.parametrize("shape", [(3, 70), (70, 3), (1000, 21), (21, 1000)])
def test_the_header_of_harwell_boeing_counts_its_lines(tmp_path, shape, dtype):
    rng = np.random.default_rng(7)
    A = sp.random_array(shape, density=0.4, rng=rng, format="csc").astype(bool).astype(dtype)
    file = tmp_path / "a.rb"
    write_matrix(file, A)
    lines = file.read_text().splitlines()
    total, *counted = map(int, lines[1].split())
    assert list(map(int, lines[2].split()[1:])) == [*shape, A.nnz, 0]
    assert total == sum(counted) == len(lines) - 4 and counted[3] == 0
    at = 4
    formats = re.findall(r"\((\d+)[IE](\d+)", lines[3])
    wanted = (A.indptr + 1, A.indices + 1)
    for (each, width), count, numbers in zip(formats[:2], counted[:2], wanted, strict=True):
        part, at = lines[at : at + count], at + count
        assert all(len(line) <= int(each) * int(width) for line in part)
        cells = (
            int(line[k : k + int(width)]) for line in part for k in range(0, len(line), int(width))
        )
        assert list(cells) == numbers.tolist()
    assert len(formats) == 2 + (dtype is not bool) and (counted[2] == 0) == (dtype is bool)


HEAD = "a title\n             4             1             2             1             0\n"


def test_harwell_boeing_ignores_what_follows_the_fields_of_a_line(tmp_path):
    """The reader ignores whatever follows the three fields of four characters in a line, as Fortran
    does."""
    file = tmp_path / "a.rua"
    file.write_text(
        f"{HEAD}RUA                        3             2             3             0\n"
        "(3I4)           (2I4)           (3E8.1)\n"
        "   1   3   4xyz\n   1   37\n   2\n     1.0     2.0     3.09 and more\n"
    )
    assert read_matrix(file).toarray().tolist() == [[1, 0], [0, 3], [2, 0]]
    assert read(file).indices.tolist() == [0, 2, 1]


@pytest.mark.parametrize("letter", "RCI")
def test_an_empty_harwell_boeing_file_keeps_its_field(tmp_path, letter):
    file = tmp_path / "a.rb"
    head = f"a title\n{1:14d}{1:14d}{0:14d}{0:14d}\n{letter}UA{'':11}{3:14d}{2:14d}{0:14d}{0:14d}\n"
    file.write_text(head + f"{'(3I4)':16}{'(2I4)':16}\n   1   1   1\n")
    found = read_matrix(file)
    assert found.shape == (3, 2) and found.dtype.kind == {"R": "f", "C": "c", "I": "i"}[letter]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [("3 -2 1", "cannot be 3 x -2"), ("-3 2 1", "cannot be -3 x 2"), ("3 2 -1", "with -1 entries")],
)
def test_negative_sizes_of_harwell_boeing(tmp_path, sizes, message):
    file = tmp_path / "a.pua"
    file.write_text(f"a title\n 2 1 1 0\nPUA {sizes} 0\n(3I4) (2I4)\n   1   2   2\n   1\n")
    with pytest.raises(UnreadableInputError, match=message):
        read(file)


@pytest.mark.parametrize(("dtype", "most"), [(bool, 24), (float, 10), (complex, 6)])
def test_the_largest_matlab_file(tmp_path, monkeypatch, dtype, most):
    """A variable has fewer than 2^32 bytes, here 224. It has 40 bytes of heads, 8 + 24 of column
    pointers, and for each entry 4 of the index and 1, 8 or 8 + 8 of the value. The real and the
    imaginary parts are two elements. Each element has a tag of 8 bytes and ends at a multiple of
    8."""
    monkeypatch.setattr(matlab, "_LARGEST_VARIABLE", 224)
    values = np.arange(1, 41).astype(dtype).reshape(8, 5)
    A = sp.csc_array(values * 1j if dtype is complex else values)
    for count, fits in ((most, True), (most + 1, False)):
        B = A.tocoo()
        B = sp.csc_array((B.data[:count], (B.row[:count], B.col[:count])), shape=A.shape)
        if fits:
            write_matrix(tmp_path / "a.mat", B)
            assert (read_matrix(tmp_path / "a.mat") != B).nnz == 0
        else:
            with pytest.raises(InvalidArgumentError, match=f"with {count} entries is too large"):
                write_matrix(tmp_path / "a.mat", B)


@pytest.mark.parametrize("dtype", [bool, float, complex])
@pytest.mark.parametrize("shape", [(4, 0), (3, 1), (8, 5), (1, 12)])
def test_the_bytes_of_a_variable_of_matlab_are_known_before_it_is_written(tmp_path, dtype, shape):
    for nnz in range(min(9, shape[0] * shape[1]) + 1):
        cells = np.divmod(np.arange(nnz), max(shape[1], 1))
        A = sp.csc_array((np.ones(nnz, dtype), cells), shape=shape)
        write_matrix(tmp_path / "a.mat", A)
        size = matlab._bytes_of_variable(shape[1], nnz, A.dtype.kind)
        assert (tmp_path / "a.mat").stat().st_size == 128 + 8 + size  # the header and the tag


def test_a_matlab_file_of_many_entries_is_refused_before_it_is_written():
    """The values alone, of 3 GB, do not exceed the limit."""
    nnz = 380_000_000
    A = SimpleNamespace(shape=(nnz, 1), nnz=nnz, dtype=np.dtype(float))
    with pytest.raises(InvalidArgumentError, match="too large for a MATLAB file"):
        matlab.write_matrix(None, A)


def test_the_longest_sides_of_a_matlab_file(tmp_path, monkeypatch):
    monkeypatch.setattr(matlab, "_LARGEST_SIZE", 100)
    for shape, fits in (((99, 1), True), ((1, 99), True), ((100, 1), False), ((1, 100), False)):
        if fits:
            write_matrix(tmp_path / "a.mat", sp.csc_array(shape))
        else:
            with pytest.raises(InvalidArgumentError, match="too large"):
                write_matrix(tmp_path / "a.mat", sp.csc_array(shape))


@pytest.mark.parametrize(
    ("data", "offsets"),
    [((2, 3), (1,)), ((2, 3), (3,)), ((2, 3), (2, 2)), ((2, 3, 1), (2,)), ((3,), (2,)), ((), (1,))],
)
def test_diagonals_that_do_not_go_with_their_offsets(tmp_path, data, offsets):
    file = tmp_path / "a.npz"
    arrays = {"data": np.ones(data), "offsets": np.arange(np.prod(offsets)).reshape(offsets)}
    np.savez(file, format=b"dia", shape=[3, 3], **arrays)
    with pytest.raises(UnreadableInputError, match="are no diagonals"):
        read(file)
    with pytest.raises(UnreadableInputError, match="are no diagonals"):
        read_matrix(file)


# -- the line that a message names --------------------------------------------------------------

RESULT = btfperm.dulmage_mendelsohn(np.triu(np.ones((70, 70))))
SCALED = btfperm.dulmage_mendelsohn(
    np.eye(3) * 5, transversal=btfperm.weighted_transversal(np.eye(3) * 5).transversal
)


def lines_of(tmp_path, result, suffix) -> list[str]:
    file = tmp_path / f"p.{suffix}"
    btfperm.save(result, file)
    return file.read_text().splitlines()


def refused(tmp_path, lines, suffix, message):
    file = tmp_path / f"q.{suffix}"
    file.write_text("\n".join(lines) + "\n")
    for reader in (read_arrays, load):
        with pytest.raises(UnreadableInputError, match=message):
            reader(file)


def test_each_damaged_line_of_a_text_file_is_named(tmp_path):
    lines = lines_of(tmp_path, RESULT, "txt")
    tested = 0
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[0] == "meta" or number == 1:
            continue
        damaged = list(lines)
        if words[0].isidentifier():
            wrong = (
                [words[0], "-1"],
                [words[0]],
                [*words, "7"],
                [words[0], "x"],
                [f"{words[0]}-", words[1]],
            )
            message = f"line {number}: a name and a length are expected, not '{{}}'"
        else:
            wrong = ([*words[:-1], "x"], [*words, "1.5"])
            message = f"line {number}: .* holds something else than whole numbers"
        for other in wrong:
            damaged[number - 1] = " ".join(other)
            refused(tmp_path, damaged, "txt", message.format(re.escape(damaged[number - 1])))
            tested += 1
    assert tested > 40


def test_each_damaged_line_of_real_numbers_is_named(tmp_path):
    lines = lines_of(tmp_path, SCALED, "txt")
    (start,) = (number for number, line in enumerate(lines) if line.startswith("reals "))
    assert lines[start] == "reals 2" and len(lines) == start + 5
    for words, number, message in (
        ("reals 2 2", start, "a number of arrays is expected"),
        ("reals -1", start, "a number of arrays is expected"),
        ("reals x", start, "a number of arrays is expected"),
        ("reals 1", start + 3, "more arrays follow"),
        ("log_row_scale -3", start + 1, "a name and a length are expected, not 'log_row_scale -3'"),
        ("log_row_scale 2", start + 2, "log_row_scale has 3 numbers, not 2"),
        ("log_row_scale 4", start + 2, "log_row_scale has 3 numbers, not 4"),
        ("1.5 x 2", start + 2, "log_row_scale holds something else than real numbers"),
        ("1.5 2", start + 4, "log_col_scale has 2 numbers, not 3"),
        ("1.5 . 2", start + 4, "log_col_scale holds something else than real numbers"),
    ):
        at = start + 1 if words.startswith("log_row") else start if words[0] == "r" else number
        damaged = [*lines[:at], words, *lines[at + 1 :]]
        refused(tmp_path, damaged, "txt", f"line {number + 1}: {message}")


def test_the_damaged_line_of_a_list_in_json_is_named(tmp_path):
    btfperm.save(RESULT, tmp_path / "p.json")
    fields = json.loads((tmp_path / "p.json").read_text())
    names = [name for name, value in fields.items() if isinstance(value, list)]
    for number, name in enumerate(names):
        parts = [f'"{key}": {json.dumps(fields[key])}' for key in fields]
        at = list(fields).index(name)
        numbers = "0, " * 3000  # only long lists are read apart from the rest
        parts[at] = f'"{name}":\n[{numbers}\n--1]'
        file = tmp_path / "q.json"
        file.write_text("{" + ",\n".join(parts) + "}")
        with pytest.raises(UnreadableInputError, match=f"line {at + 3}: .*a list is damaged"):
            load(file)
        assert number < 20


def test_line_numbers_behind_many_blank_lines(tmp_path):
    path = tmp_path / "a.mtx"
    head = b"%%MatrixMarket matrix coordinate pattern general\n9 9 3\n1 1\n"
    path.write_bytes(head + b"\n" * 2000 + b"2 x\n3 3\n")
    with pytest.raises(UnreadableInputError, match="line 2004"):
        read(path)


@pytest.mark.parametrize("length", [65_534, 65_535, 65_536, 65_537, 131_072])
@pytest.mark.parametrize(
    ("name", "head", "body"),
    [
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n", "2 2 1\n1 1\n"),
        ("a.graph", "", "2 1\n2\n1\n"),
        ("b.graph", "% x\n", "2 1\n2\n1\n"),
    ],
)
def test_no_line_behind_a_long_comment_is_lost(tmp_path, name, head, body, length):
    """The comment has `length` bytes, its line end included: about as many as are read at once."""
    file = tmp_path / name
    file.write_text(head + "%" * (length - 1) + "\n" + body)
    assert read(file).shape == (2, 2)
    lines = (head + "%\n" + body).count("\n")
    file.write_text(head + "%" * (length - 1) + "\n" + body + "x\n")
    with pytest.raises(UnreadableInputError, match=rf"line {lines + 1}: "):
        read(file)
