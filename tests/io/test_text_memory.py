# SPDX-License-Identifier: BSD-3-Clause
"""Hostile text files: the peak of memory is bounded by the bytes read, whatever a file declares."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc

import numpy as np
import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import load, matrix_market_dense, read, read_matrix

PERM = b"btfperm-permutation 1 btfperm 1\n"
PATTERN = b"%%MatrixMarket matrix coordinate pattern general\n"


def cards(m: int, n: int, nnz: int, formats: str = "(8I8)           (8I8)") -> bytes:
    return f"title\n{3:14}{1:14}{1:14}{0:14}{0:14}\nPUA {m} {n} {nnz} 0\n{formats}\n".encode()


def one_long_token() -> bytes:
    return PERM + b"row_perm 20000\n" + b"1" * 50_000 + b" 1" * 19_999 + b"\nmeta {}"


PERMS = {
    "one long token": one_long_token,
    "many short numbers": lambda: PERM + b"row_perm 3000000\n" + b"1 " * 3_000_000 + b"\nmeta {}",
    "a length that is declared": lambda: PERM + b"row_perm 9000000000000000000\n1 2\nmeta {}",
    "a length beyond 64 bits": lambda: PERM + b"row_perm 18446744073709551615\n1 2\nmeta {}",
    "a long name": lambda: PERM + b"x" * 3_000_000 + b" 1\n1\nmeta {}",
    "a long meta": lambda: PERM + b"a 0\nmeta [" + b"[]," * 2_000_000 + b"1]",
    "one long string": lambda: b'{"a": ["' + b"x" * 20_000 + b'"' + b',"y"' * 20_000 + b"]}",
    "lists of nothing": lambda: b'{"a": [' + b"[]," * 2_000_000 + b"[]]}",
    "many keys": lambda: b"{" + b",".join(b'"%d":1' % key for key in range(600_000)) + b"}",
    "short numbers in JSON": lambda: b'{"a": [' + b"1," * 3_000_000 + b"1]}",
    "larger numbers in JSON": lambda: b'{"a": [' + b"300," * 2_000_000 + b"1]}",
    "floating point numbers": lambda: b'{"a": [' + b".5," * 2_000_000 + b"1]}",
    "long lists inside others": lambda: b'{"meta": {"a": [' + b"1," * 2_000_000 + b"1]}}",
    "nested": lambda: b'{"a": ' + b"[" * 3_000_000,
}
MATRICES = {
    "blank lines.mtx": lambda: PATTERN + b"2 2 1\n" + b"\n" * 4_000_000,
    "a long line.mtx": lambda: PATTERN + b"2 2 1\n" + b"1" * 4_000_000,
    "many entries declared.mtx": lambda: PATTERN + b"9 9 9000000000000000000\n1 1\n",
    "values declared.mtx": lambda: (
        b"%%MatrixMarket matrix array real general\n3000000000 3000000000\n1\n"
    ),
    "short values.mtx": lambda: (
        b"%%MatrixMarket matrix array real general\n3000000 1\n" + b"0\n" * 2_999_999
    ),
    "wide fields.rb": lambda: (
        cards(2, 9_000_000, 1, "(4096I1)        (4096I1)") + b"1\n" * 9_000_000
    ),
    "fields of one character.rb": lambda: (
        cards(2, 4_000_000, 3, "(4096I1)        (4I1)") + (b"1" * 4096 + b"\n") * 977 + b"1\n"
    ),
}


def peak_of(action) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check_refused(action, size: int) -> None:
    def refused():
        with pytest.raises(UnreadableInputError):
            action()

    assert peak_of(refused) <= 4 * size + (64 << 20)


@pytest.mark.parametrize("name", PERMS)
def test_permutation_file(tmp_path, name):
    file = tmp_path / "perm"
    text = PERMS[name]()
    file.write_bytes(text)
    check_refused(lambda: load(file), len(text))


@pytest.mark.parametrize("reader", [read, read_matrix])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", MATRICES)
def test_matrix_file(tmp_path, name, packed, reader):
    file, text = tmp_path / name, MATRICES[name]()
    file.write_bytes(gzip.compress(text, 1) if packed else text)
    check_refused(lambda: reader(file), len(text))


@pytest.mark.parametrize("reader", [read, read_matrix])
@pytest.mark.parametrize(
    ("n", "nnz", "what"),
    [
        (2**62, 1, "column pointers"),
        (2**63 - 1, 1, "column pointers"),
        (1, 2**62, "do not rise"),
        (0, 2**62, "do not rise"),
    ],
)
def test_harwell_boeing_from_a_pipe(monkeypatch, reader, n, nnz, what):
    """The size of the file is unknown, so the arrays grow with the numbers found."""

    class Standard:
        buffer = io.BytesIO(cards(2, n, nnz) + b"       1       2\n       1\n")

    monkeypatch.setattr(sys, "stdin", Standard)
    with pytest.raises(UnreadableInputError, match=f"standard input, line .*{what}"):
        reader("-")


def test_harwell_boeing_rows_from_a_pipe(monkeypatch):
    class Standard:
        buffer = io.BytesIO(cards(2, 1, 2**40) + f"{1:8}{2**40 + 1:8}\n{1:8}{2:8}\n".encode())

    monkeypatch.setattr(sys, "stdin", Standard)
    with pytest.raises(UnreadableInputError):
        read("-")


def test_a_long_pipe_of_fields(monkeypatch):
    """There are more numbers than the initial length of the arrays."""
    n = 150_000
    numbers = np.arange(1, n + 2)
    lines = ["".join(f"{k:8}" for k in part) for part in np.split(numbers, range(8, n + 1, 8))]
    rows = ["".join(f"{k:8}" for k in part) for part in np.split(numbers[:-1], range(8, n, 8))]

    class Standard:
        buffer = io.BytesIO(cards(n, n, n) + "\n".join((*lines, *rows, "")).encode())

    monkeypatch.setattr(sys, "stdin", Standard)
    pattern = read("-")
    assert np.array_equal(pattern.indices, np.arange(n))
    assert np.array_equal(pattern.indptr, np.arange(n + 1))


def test_the_columns_of_a_row_are_not_appended_one_by_one(tmp_path, monkeypatch):
    calls = []
    real = matrix_market_dense.ArrayPosition._put

    def counted(*args):
        calls.append(1)
        real(*args)

    monkeypatch.setattr(matrix_market_dense.ArrayPosition, "_put", staticmethod(counted))
    file = tmp_path / "a.mtx"
    for m, n in ((1, 5000), (2, 2500), (5000, 1)):
        values = np.arange(m * n) % 3
        text = "\n".join(map(str, values))
        file.write_text(f"%%MatrixMarket matrix array integer general\n{m} {n}\n{text}\n")
        calls.clear()
        assert np.array_equal(read_matrix(file).toarray(), values.reshape(n, m).T)
        assert np.array_equal(read(file).to_scipy().toarray() != 0, values.reshape(n, m).T != 0)
        assert len(calls) == 2  # one call for each block


class _CountedReads(io.RawIOBase):
    """A pipe that counts its reads."""

    def __init__(self, text):
        super().__init__()
        self.rest, self.reads = io.BytesIO(text), 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.reads += 1
        return self.rest.readinto(buffer)


def test_the_end_of_a_pipe_is_read_once(monkeypatch):
    """The reader stops at the end of the pipe. It does not try to read each column that the header
    declares."""
    lines = [
        "title",
        "3 1 1 1 0",
        "RRA 4294967299 4294967299 4 0",
        "(1I1) (10I5) (3E12.4)",
        "1",
        "2",
    ]
    raw = _CountedReads("\n".join(lines).encode())

    class Standard:
        buffer = io.BufferedReader(raw)

    monkeypatch.setattr(sys, "stdin", Standard)
    with pytest.raises(UnreadableInputError, match="line 6: the file ends among the column"):
        read("-")
    assert raw.reads < 20
