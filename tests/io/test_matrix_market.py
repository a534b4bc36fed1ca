# SPDX-License-Identifier: BSD-3-Clause
"""Round trips with all fields, symmetries, packings and block sizes, with SciPy as the oracle."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from btfperm import Pattern
from btfperm.errors import UnreadableInputError
from btfperm.io import (
    comments,
    matrix_market,
    matrix_market_body,
    peek,
    read,
    read_matrix,
    read_mpi,
    write_matrix,
)
from tests.loops import looped

SHARED = Path(__file__).parents[3] / "shared" / "matrices"
PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
BLOCKS = [1, 7, 64, 4096, None]
FIELDS = {"real": float, "integer": int, "complex": complex, "pattern": float}
SYMMETRIES = ["general", "symmetric", "skew-symmetric", "hermitian"]


def written(A, field, symmetry) -> bytes:
    """A file by SciPy's writer, which shares its core with ours, but not with our reader."""
    file = io.BytesIO()
    scipy.io.mmwrite(file, A, field=field, symmetry=symmetry)
    return file.getvalue()


def random_matrix(rng, field, symmetry):
    """A matrix with this symmetry and some stored zeros."""
    A = scipy.sparse.random_array(
        (9, 9) if symmetry != "general" else (9, 13), density=0.3, rng=rng
    )
    A.data = np.where(rng.random(A.nnz) < 0.2, 0, rng.integers(1, 9, A.nnz)).astype(FIELDS[field])
    if symmetry == "general":
        return A.tocoo()
    low = scipy.sparse.tril(A, -1 if symmetry == "skew-symmetric" else 0).tocoo()
    if field == "complex" and symmetry != "hermitian":
        low.data = low.data * (1 + 2j)
    return low


def expanded(low, symmetry):
    if symmetry == "general":
        return low.toarray()
    other = low.T.toarray()
    sign = -1 if symmetry == "skew-symmetric" else 1
    other = other.conj() if symmetry == "hermitian" else sign * other
    return low.toarray() + other - np.diag(np.diag(other))


@looped("packing", PACKERS)
@looped("symmetry", SYMMETRIES)
@looped("field", FIELDS)
def test_round_trip(tmp_path, monkeypatch, run_seed, field, symmetry, packing):
    rng = np.random.default_rng([run_seed, len(packing)])
    low = random_matrix(rng, field, symmetry)
    text = written(low, field, symmetry)
    file = tmp_path / f"a.mtx{packing}"
    file.write_bytes(PACKERS[packing](text))
    dense = expanded(low, symmetry)
    places = low.copy()
    places.data = np.ones(low.nnz)
    entries = expanded(places, "symmetric" if symmetry != "general" else symmetry) != 0
    for block in BLOCKS:
        monkeypatch.setattr(matrix_market_body, "BLOCK", block)
        pattern = read(file)
        assert np.array_equal(pattern.to_scipy().toarray() != 0, entries)
        A = read_matrix(file)
        if field == "pattern":
            assert A.dtype == bool and np.array_equal(A.toarray(), entries)
            assert pattern.stored_zeros is None
        else:
            assert A.dtype == np.dtype({"integer": np.int64}.get(field, FIELDS[field]))
            assert np.array_equal(A.toarray(), dense)
            assert np.array_equal(read(file, drop_zeros=True).to_scipy().toarray(), dense != 0)
    assert pattern.source == {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    header = peek(file)
    assert (header.field, header.symmetry, header.layout) == (field, symmetry, "coordinate")
    assert (header.shape, header.entries) == (low.shape, low.nnz)


@looped("symmetry", SYMMETRIES)
@looped("field", ["real", "integer", "complex"])
@looped("block", BLOCKS)
def test_dense_file(tmp_path, monkeypatch, run_seed, field, symmetry, block):
    monkeypatch.setattr(matrix_market_body, "BLOCK", block)
    rng = np.random.default_rng(run_seed)
    dense = expanded(random_matrix(rng, field, symmetry), symmetry)
    file = tmp_path / "a.mtx"
    scipy.io.mmwrite(file, dense, field=field, symmetry=symmetry)
    assert np.array_equal(scipy.io.mmread(file), dense)  # otherwise the writer is wrong
    assert np.array_equal(read(file).to_scipy().toarray(), dense != 0)
    assert np.array_equal(read_matrix(file).toarray(), dense)
    assert peek(file).layout == "array"


@given(
    shape=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    data=st.data(),
    block=st.sampled_from([1, 5, 64, None]),
)
def test_written_matrices_are_read_back(tmp_path, shape, data, block):
    m, n = shape
    places = st.lists(st.tuples(st.integers(0, m - 1), st.integers(0, n - 1)), unique=True)
    rows, cols = np.array(data.draw(places), dtype=int).reshape(-1, 2).T
    values = data.draw(st.lists(st.floats(allow_nan=False), min_size=rows.size, max_size=rows.size))
    A = scipy.sparse.coo_array((np.array(values), (rows, cols)), shape=shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matrix_market_body, "BLOCK", block)
        for suffix in (".mtx", ".mtx.gz", ".npz"):
            write_matrix(tmp_path / f"a{suffix}", A)
            B = read_matrix(tmp_path / f"a{suffix}")
            assert B.shape == shape
            assert np.array_equal(B.toarray(), A.toarray())
            pattern = read(tmp_path / f"a{suffix}")
            assert pattern.nnz == A.nnz
            write_matrix(tmp_path / "p.mtx", pattern)
            assert peek(tmp_path / "p.mtx").field == "pattern"
            again = read(tmp_path / "p.mtx")
            assert np.array_equal(again.indices, pattern.indices)
            assert np.array_equal(again.indptr, pattern.indptr)


@pytest.mark.parametrize("delivery", ["file", "pipe"])
def test_standard_input(monkeypatch, tmp_path, delivery):
    text = b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n3 2 1\n"

    class Drop(io.BytesIO):
        """Returns one byte in each call, as a slow pipe may."""

        def readinto(self, buffer):
            return super().readinto(memoryview(buffer)[:1])

        def seek(self, *args):
            raise OSError("a pipe")

    class Standard:
        buffer = Drop(text) if delivery == "pipe" else io.BytesIO(text)

    monkeypatch.setattr(sys, "stdin", Standard)
    pattern = read("-")
    assert (pattern.shape, pattern.nnz) == ((3, 3), 2)
    assert pattern.source == {"file": "-", "sha256": hashlib.sha256(text).hexdigest()}


def test_long_standard_input(monkeypatch, tmp_path):
    """More entries than the initial length of the arrays, from a stream of unknown size."""
    n = 200_000
    body = "".join(f"{i} {i}\n" for i in range(1, n + 1))
    text = f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} {n}\n{body}".encode()

    class Standard:
        buffer = io.BytesIO(text)

    monkeypatch.setattr(sys, "stdin", Standard)
    assert np.array_equal(read("-").indices, np.arange(n))


def test_progress(tmp_path):
    file = tmp_path / "a.mtx"
    write_matrix(file, scipy.sparse.eye_array(50_000))
    calls = []
    read(file, progress=lambda done, total: calls.append((done, total)))
    size = file.stat().st_size
    assert len(calls) > 1
    assert calls == sorted(calls)
    assert all(total == size for _, total in calls)
    assert calls[-1][0] == size


@pytest.mark.parametrize("block", [None, 64])
def test_line_without_an_end(tmp_path, monkeypatch, block):
    monkeypatch.setattr(matrix_market_body, "BLOCK", block)
    head = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n"
    file = tmp_path / "a.mtx"
    file.write_text(head + "1 2 " + "1" * 500_000)
    with pytest.raises(UnreadableInputError, match="line 4: the line is too long for an entry"):
        read(file)


@pytest.mark.parametrize("block", [None, 64, 70_000, 131_072])
@pytest.mark.parametrize("before", [0, 1, 9_000])
def test_long_lines_are_judged_alike_in_blocks_of_any_size(tmp_path, monkeypatch, block, before):
    """A line of more than 65,536 bytes, its line end included, is refused unless it is a comment. A
    comment with a NUL byte is refused, wherever in the comment this byte is."""
    monkeypatch.setattr(matrix_market_body, "BLOCK", block)
    file = tmp_path / "a.mtx"
    entries = "1 2\n" * before

    def read_with(line: str) -> int:
        head = f"%%MatrixMarket matrix coordinate pattern general\n2 2 {before + 1}\n"
        file.write_text(f"{head}{entries}{line}\n2 1\n")
        return read(file).nnz

    expected = 1 + min(before, 1)
    assert read_with("%" + "x" * 100_000) == expected
    assert read_with(" \t %" + "x" * 100_000) == expected
    assert read_with(" " * 65_535) == expected
    for line in (" " * 65_536, "2 2 " + "x" * 100_000, "x" * 65_536):
        at = f"line {before + 3}: the line is too long for an entry"
        with pytest.raises(UnreadableInputError, match=at):
            read_with(line)
    for length in (10, 65_530, 65_600, 131_200, 199_000):
        comment = "%" + "x" * length + "\0" + "x" * (200_000 - length)
        with pytest.raises(UnreadableInputError, match=f"line {before + 3}: there is a NUL byte"):
            read_with(comment)


def test_written_in_many_blocks(tmp_path, monkeypatch, run_seed):
    monkeypatch.setattr(matrix_market, "_BLOCK_ENTRIES", 7)
    rng = np.random.default_rng(run_seed)
    A = scipy.sparse.random_array((9, 13), density=0.5, rng=rng)
    write_matrix(tmp_path / "a.mtx", A)
    assert np.array_equal(scipy.io.mmread(tmp_path / "a.mtx").toarray(), A.toarray())


def test_patterns_stay_patterns(tmp_path):
    empty = Pattern.from_coo([], [], (3, 4))
    write_matrix(tmp_path / "a.mtx", empty)
    assert peek(tmp_path / "a.mtx").field == "pattern"
    write_matrix(tmp_path / "b.mtx", read_matrix(tmp_path / "a.mtx"))
    assert peek(tmp_path / "b.mtx").field == "pattern"
    assert peek(tmp_path / "b.mtx").shape == (3, 4)


def small_shared() -> list[str]:
    """The names of the shared matrices with at most 30,000 entries."""
    if not (SHARED / "index.csv").exists():
        return []
    with (SHARED / "index.csv").open(newline="") as file:
        return [row["file"] for row in csv.DictReader(file) if int(row["nnz"]) <= 30_000]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared matrices are not beside the project")
@pytest.mark.parametrize("name", small_shared())
def test_as_scipy_reads_it(name):
    file = SHARED / name
    expected = scipy.sparse.coo_array(scipy.io.mmread(file))
    A = read_matrix(file)
    assert A.dtype in (expected.dtype, bool)
    difference = A.astype(expected.dtype).tocsc() - expected.tocsc()
    assert not difference.data.any()
    zeros = read(file).stored_zeros
    ones = expected.copy()
    ones.data = np.ones(ones.nnz)
    ones = ones.tocsc()
    ones.sort_indices()
    pattern = read(file)
    assert np.array_equal(pattern.indptr, ones.indptr)
    assert np.array_equal(pattern.indices, ones.indices)
    assert (zeros.nnz if zeros else 0) == np.count_nonzero(expected.tocsc().data == 0)


@pytest.mark.parametrize("length", [1 << 16, (1 << 16) + 1, 5_000_000])
@pytest.mark.parametrize("block", [None, 64])
def test_comments_of_any_length(tmp_path, monkeypatch, length, block):
    monkeypatch.setattr(matrix_market_body, "BLOCK", block)
    file, comment = tmp_path / "a.mtx", b"%" * length + b"\n"
    head = b"%%MatrixMarket matrix coordinate pattern general\n"
    file.write_bytes(head + comment + b"2 2 2\n1 1\n" + comment + b"2 2\n" + comment)
    assert read(file).nnz == 2
    file.write_bytes(head + comment + b"2 2 2\n1 1\n" + comment + b"3 2\n")
    with pytest.raises(UnreadableInputError, match="line 6: the row number"):
        read(file)
    file.write_bytes(head + comment + b"2 x 2\n")
    with pytest.raises(UnreadableInputError, match="line 3: the numbers of rows"):
        read(file)


def test_a_byte_order_mark_is_skipped(tmp_path):
    file = tmp_path / "a.mtx"
    text = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"
    file.write_text(text, encoding="utf-8-sig")
    assert read(file).nnz == 1


@pytest.mark.parametrize("line", [b"%\n", b"\n", b" \t\r\n", b"% " + b"x" * 70_000 + b"\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_lines_before_the_sizes_are_skipped_and_counted(tmp_path, monkeypatch, line, packed):
    """The reader searches the whole buffer at once, not line by line."""
    lines = max(2, 3_000_000 // len(line))
    text = b"%%MatrixMarket matrix coordinate pattern general\n" + line * lines + b"2 2 1\n3 1\n"
    file = tmp_path / "a.mtx"
    file.write_bytes(gzip.compress(text, 1) if packed else text)
    skipped = []
    honest = comments._skip_whole_lines

    def skip(source):
        skipped.append(honest(source))
        return skipped[-1]

    monkeypatch.setattr(comments, "_skip_whole_lines", skip)
    with pytest.raises(UnreadableInputError, match=f"line {lines + 3}:"):
        read(file)
    assert peek(file).shape == (2, 2)
    buffers = 2 * (2 + 2 * len(text) // (1 << 16))  # of the two calls
    assert len(skipped) <= buffers
    assert 2 * lines - sum(skipped) <= buffers, "lines that are read one by one"


@pytest.mark.parametrize("line", [b"%\n", b"\n", b" \t\r\n"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("place", ["before the sizes", "before the entries", "after the entries"])
def test_no_statement_of_python_runs_for_each_line(tmp_path, line, packed, place):
    """The core finds the lines. Python runs for blocks of them only, so that a packed file of some
    kilobytes with millions of lines does not take seconds."""
    lines = 200_000
    head, sizes, entry = b"%%MatrixMarket matrix coordinate pattern general\n", b"2 2 1\n", b"1 1\n"
    many = line * lines
    parts = {
        "before the sizes": (head, many, sizes, entry),
        "before the entries": (head, sizes, many, entry),
        "after the entries": (head, sizes, entry, many),
    }
    text = b"".join(parts[place])
    file = tmp_path / "a.mtx"
    file.write_bytes(gzip.compress(text, 1) if packed else text)
    events = 0

    def statement(*_):
        nonlocal events
        events += 1
        return statement

    def call(_, event, __):
        nonlocal events
        events += event == "c_call"

    assert read(file).nnz == 1  # the first call imports modules
    before = sys.gettrace(), sys.getprofile()
    sys.settrace(statement)
    sys.setprofile(call)
    try:
        assert read(file).nnz == 1
    finally:
        sys.setprofile(before[1])
        sys.settrace(before[0])
    assert 100 < events < lines // 20, events


def test_a_value_that_is_smaller_than_every_double(tmp_path):
    """Such a value is read as zero, and `drop_zeros` drops it."""
    path = tmp_path / "a.mtx"
    head = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 "
    path.write_text(f"{head}0.{'0' * 330}1\n")
    assert read_matrix(path).toarray().tolist() == [[0.0]]
    assert read(path, drop_zeros=True).nnz == 0


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_size_line_without_its_end(tmp_path, end):
    """The ranks of MPI divide the text after the line with the sizes (`at` is its end)."""
    file = tmp_path / "a.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n% x\n3 3 0" + end)
    assert read(file).nnz == 0
    found = read_mpi._opened(file, True)
    assert (found["how"], found["line"], found["at"]) == ("ranges", 3, file.stat().st_size)
    file.write_text("%%MatrixMarket matrix coordinate real general\n% x\n3 x 0" + end)
    with pytest.raises(UnreadableInputError, match="line 3: the numbers of rows"):
        read(file)
