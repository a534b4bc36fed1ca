# SPDX-License-Identifier: BSD-3-Clause
"""The reader needs about 8 bytes for each entry. It allocates nothing for an unproven header: for
entries that the header declares but the file does not hold."""

from __future__ import annotations

import gzip
import lzma
import random
import tracemalloc

import numpy as np
import pytest

from btfperm.errors import UnreadableInputError
from btfperm.io import matrix_market, matrix_market_body, read, read_matrix
from btfperm.io.source import open_source


def peak_of(action) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("field", ["real", "pattern"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("packed", [False, True])
def test_bytes_an_entry(tmp_path, run_seed, field, symmetry, packed):
    rng = np.random.default_rng(run_seed)
    n, count = 3000, 200_000
    rows, cols = rng.integers(1, n + 1, count), rng.integers(1, n + 1, count)
    value = " 1.25" if field == "real" else ""
    lines = "".join(f"{i} {j}{value}\n" for i, j in zip(rows.tolist(), cols.tolist(), strict=True))
    text = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{n} {n} {count}\n{lines}".encode()
    file = tmp_path / "a.mtx"
    file.write_bytes(gzip.compress(text, 1) if packed else text)
    del lines, text
    entries = count if symmetry == "general" else count + int(np.count_nonzero(rows != cols))

    def body():
        with open_source(file) as source:
            header, line = matrix_market.read_header(source)
            assert matrix_market_body.read_body(source, header, line).rows.size == entries

    body()  # the first call imports modules
    assert peak_of(body) <= 8 * entries + 8 * count // 2 + (1 << 20)


@pytest.mark.parametrize(
    "header",
    [
        "%%MatrixMarket matrix coordinate real general\n9 9 1000000000000000\n",
        "%%MatrixMarket matrix coordinate real symmetric\n9 9 1000000000000000\n",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_an_unproven_header_allocates_nothing(tmp_path, header, packed):
    text = (header + ("1\n" if "array" in header else "1 1 1\n")).encode()
    file = tmp_path / "a.mtx"
    file.write_bytes(gzip.compress(text) if packed else text)

    def refused():
        with pytest.raises(UnreadableInputError, match="ends after 1 of the 1000000000000"):
            read(file)

    matrix_market_body.BLOCK = 1 << 16
    try:
        refused()
        assert peak_of(refused) < 5 << 20
    finally:
        matrix_market_body.BLOCK = None


def test_an_unproven_header_in_an_xz_file_allocates_nothing(tmp_path):
    """In such a file, a packed byte may stand for 16,384 bytes of text."""
    text = "%%MatrixMarket matrix coordinate complex symmetric\n9 9 2147483647\n1 1 1 1\n"
    rest = random.Random(1).randbytes(3000).hex()  # compresses to about half its size
    file = tmp_path / "a.mtx.xz"
    file.write_bytes(lzma.compress((text + "%" + rest + "\n").encode()))

    def refused():
        with pytest.raises(UnreadableInputError, match="ends after 1 of the 2147483647"):
            read_matrix(file)

    refused()  # the first call imports modules
    assert peak_of(refused) < 80 << 20  # blocks of text and the dictionary of xz
