# SPDX-License-Identifier: BSD-3-Clause
"""Threads, signals and imports of the reader, and both versions of the writer."""

from __future__ import annotations

import builtins
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from btfperm import _core
from btfperm.io import matrix_market_body, matrix_market_core, read, read_matrix, write_matrix


def without_the_package(monkeypatch):
    """Simulates a Python for which fast_matrix_market has no wheel."""
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("fast_matrix_market"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_writing_with_the_core_of_scipy(tmp_path, monkeypatch):
    without_the_package(monkeypatch)
    assert matrix_market_core.core().__name__.startswith("scipy.")
    A = np.array([[0.5, 0, 1], [0, 2, 0]])
    write_matrix(tmp_path / "a.mtx", A)
    assert read(tmp_path / "a.mtx").indptr.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads(tmp_path, threads, run_seed, monkeypatch):
    """The blocks are large enough for several threads of the core."""
    rng = np.random.default_rng(run_seed)
    count = 120_000
    rows, cols = rng.integers(0, 5000, count), rng.integers(0, 7000, count)
    lines = "".join(f"{i + 1} {j + 1} 0.{i}\n" for i, j in zip(rows, cols, strict=True))
    file = tmp_path / "a.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate real general\n5000 7000 {count}\n{lines}")
    monkeypatch.setattr(matrix_market_body, "BLOCK", 1 << 24)
    monkeypatch.setattr(matrix_market_body, "_PER_THREAD", 1 << 17)
    pattern = read(file, threads=threads)
    expected = np.unique(cols * 5000 + rows)
    assert np.array_equal(pattern.cols() * np.int64(5000) + pattern.indices, expected)


@pytest.mark.parametrize("later", [[], [133_334, 250_000, 399_999]])
def test_the_first_bad_line_is_found_by_any_thread(tmp_path, monkeypatch, later):
    monkeypatch.setattr(matrix_market_body, "BLOCK", 1 << 24)  # all lines in one block
    monkeypatch.setattr(matrix_market_body, "_PER_THREAD", 1 << 17)
    lines = ["1 1 1\n"] * 400_000
    for k in (133_333, *later):
        lines[k] = "1 x 1\n"
    file = tmp_path / "a.mtx"
    file.write_text(
        f"%%MatrixMarket matrix coordinate real general\n1 1 {len(lines)}\n{''.join(lines)}"
    )
    with pytest.raises(ValueError, match="line 133336: a row and a column number are expected"):
        read(file, threads=4)


@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(["1", "", "%", " ", "\r", "1 1", "\t2", " % 1"]), st.integers(1, 600)
        ),
        min_size=1,
        max_size=4,
    ),
    parts=st.integers(1, 3),
)
@example(lines=[("1", 256)], parts=1)
@example(lines=[("", 1000)], parts=1)
def test_short_lines_are_counted(lines, parts):
    """Lines of one or two bytes: many line ends lie in the bytes that are counted at a time."""
    text = "".join(f"{line}\n" * count for line, count in lines).encode()
    ends, before = (np.empty(parts + 1, dtype=np.int64) for _ in range(2))
    found = _core.io.divide_text(np.frombuffer(text, dtype=np.uint8), ends, before)
    starts = [line.lstrip(b" \t\r")[:1] for line in text.split(b"\n")[:-1]]
    entries = sum(start not in (b"", b"%") for start in starts)
    assert found == (len(starts), entries, -1)
    assert before[-1] == entries and ends[-1] == len(text)


@pytest.mark.parametrize("size", [11, 12, 16, 17, 40])
def test_an_array_of_one_digit_numbers(tmp_path, size):
    values = np.arange(size * size) % 10
    head = f"%%MatrixMarket matrix array integer general\n{size} {size}\n"
    (tmp_path / "a.mtx").write_text(head + "".join(f"{value}\n" for value in values.tolist()))
    found = read_matrix(tmp_path / "a.mtx").toarray()
    np.testing.assert_array_equal(found, values.reshape(size, size).T)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_stops_the_reader(tmp_path, monkeypatch, threads):
    """The signal arrives while the core runs. The reader stops and does not call the file
    damaged."""
    count = 1_000_000
    file = tmp_path / "a.mtx"
    head = f"%%MatrixMarket matrix coordinate real general\n1 1 {count}\n"
    file.write_text(head + "1 1 1.234567\n" * count)
    monkeypatch.setattr(matrix_market_body, "BLOCK", 1 << 27)
    parsers = []
    real = matrix_market_body.Parser.parse

    def timed(self, text):
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        parsers.append(self)
        real(self, text)

    class AlarmError(Exception):
        pass

    def handler(number, frame):
        raise AlarmError

    monkeypatch.setattr(matrix_market_body.Parser, "parse", timed)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(AlarmError):
            read(file, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert [parser.found for parser in parsers] == [0]


def test_the_reader_imports_few_modules(tmp_path):
    file = tmp_path / "a.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
    program = f"import sys, btfperm.io; btfperm.io.read({str(file)!r}); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"tarfile", "concurrent.futures", "scipy", "fast_matrix_market"}


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        (b"", (0, 0)),
        (b"\n", (1, 1)),
        (b"%", (0, 0)),
        (b"2 2 1\n", (0, 0)),
        (b"\n2 2 1\n\n", (1, 1)),
        (b" \t\r\f\v\n% 1\n%%\n 3\n", (13, 3)),
        (b"\n % a comment that is cut", (1, 1)),
        (b"\n \t", (1, 1)),
    ],
)
def test_lines_without_a_number(text, skipped):
    """The core finds the blank lines and the comments before the sizes."""
    assert _core.io.skip_comments(np.frombuffer(text, dtype=np.uint8)) == skipped
