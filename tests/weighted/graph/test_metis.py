# SPDX-License-Identifier: BSD-3-Clause
"""METIS graph files as graphs."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import btfperm
from tests.weighted.graph.graphs import random_graph


def metis_text(G, fmt):
    """The file of a graph with whole weights, with the numbers that `fmt` asks for."""
    G = G.tocsr()
    has_size, has_vertex_weights, has_weights = (digit == "1" for digit in fmt.zfill(3))
    lines = [f"{G.shape[0]} {G.nnz // 2} {fmt}" + (" 2" if has_vertex_weights else "")]
    for v in range(G.shape[0]):
        words = ["7"] * has_size + ["3", "4"] * has_vertex_weights
        for p in range(G.indptr[v], G.indptr[v + 1]):
            words += [str(G.indices[p] + 1)] + [str(int(G.data[p]))] * has_weights
        lines += [" ".join(words), "% a comment"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("fmt", ["0", "1", "10", "11", "100", "101", "110", "111"])
@pytest.mark.parametrize("suffix", [".graph", ".metis", ".graph.gz"])
def test_every_fmt(tmp_path, fmt, suffix):
    G = random_graph(40, 100, 1, "few")
    G.sort_indices()
    text = metis_text(G, fmt).encode()
    file = tmp_path / f"g{suffix}"
    file.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    expected = G if fmt.endswith("1") else (G != 0)
    head = btfperm.peek(file)
    assert (head.format, head.shape, head.entries) == ("metis", (40, 40), G.nnz)
    assert head.field == ("integer" if fmt.endswith("1") else "pattern")
    assert (btfperm.read_matrix(file).tocsc() != expected).nnz == 0
    assert btfperm.read(file) == btfperm.as_pattern(G)
    assert btfperm.match(file) == btfperm.match(expected)


def test_memory_follows_the_bytes_not_the_first_line(tmp_path):
    file = tmp_path / "g.graph"
    file.write_text("4000000000000000000 4000000000000000000\n2\n1\n")
    with pytest.raises(btfperm.UnreadableInputError, match="it ends after 2 of 4000000"):
        btfperm.read(file)
    assert btfperm.peek(file).shape == (4_000_000_000_000_000_000,) * 2


def test_a_hub(tmp_path):
    """One long line."""
    n = 200_001
    leaves = " ".join(map(str, range(2, n + 1)))
    (tmp_path / "g.graph").write_text(f"{n} {n - 1}\n{leaves}\n" + "1\n" * (n - 1))
    m = btfperm.match(tmp_path / "g.graph")
    assert m.size == 1 and m.edges == n - 1 and np.count_nonzero(m.mate >= 0) == 2
