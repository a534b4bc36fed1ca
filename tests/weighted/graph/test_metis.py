# SPDX-License-Identifier: BSD-3-Clause
"""METIS graph files as graphs."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import UnreadableInputError
from btfperm.io import comments, metis
from tests.loops import looped
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


@looped("fmt", ["0", "1", "10", "11", "100", "101", "110", "111"])
@looped("suffix", [".graph", ".metis", ".graph.gz"])
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


@pytest.mark.parametrize("piece", [1, 3, 7, 64, 1000])
@pytest.mark.parametrize("fmt", ["0", "1", "111"])
def test_pieces_of_every_length_give_the_same_graph(tmp_path, monkeypatch, piece, fmt):
    G = random_graph(30, 60, 1, "few")
    file = tmp_path / "g.graph"
    text = metis_text(G, fmt).replace("% a comment", "% 5 " + "x" * 40).replace("7 3 4", "7\t3 4")
    file.write_text(text)
    expected = btfperm.read_matrix(file).toarray()
    monkeypatch.setattr(metis, "_PIECE", piece)
    assert np.array_equal(btfperm.read_matrix(file).toarray(), expected)
    file.write_text(text.rstrip("\n").removesuffix("% 5 " + "x" * 40).rstrip("\n"))
    assert np.array_equal(btfperm.read_matrix(file).toarray(), expected), "no line end at the end"


@looped("piece", [1, 2, 5, 1 << 18])
@looped(
    ("lines", "line", "what"),
    [
        (["2 1", "%", "2", "%%", "x"], 5, "whole numbers are expected, not 'x'"),
        (["%", "% 2", "2 1", "2", "3"], 5, "the neighbour 3 is not between 1 and 2"),
        (["2 1 1", "% " + "1 " * 9, "2 1", "%", "1 0"], 5, "the weight 0 of an edge"),
        (["2 1 1", "2 1", "1"], 3, "a weight is expected after each neighbour"),
        (["2 1 100", "1 2", "%", ""], 4, "1 number of the vertex must come first"),
        (["2 1", "2", "1", "%", "", "1"], 6, "there are lines after the 2 vertices"),
        (["3 1", "2", "%", "1"], 4, "it ends after 2 of 3 vertices"),
        (["2 1", "2", "1" * 5000], 3, "whole numbers are expected, not '111"),
        (["2 1", "%" * 5000, "2", "9" * 40], 4, "whole numbers are expected, not '999"),
    ],
)
def test_errors_name_the_line(tmp_path, monkeypatch, piece, lines, line, what):
    monkeypatch.setattr(metis, "_PIECE", piece)
    file = tmp_path / "g.graph"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(UnreadableInputError, match=f"g.graph, line {line}: {what}"):
        btfperm.read(file)


def test_numbers_beyond_32_bits_are_read_in_any_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(metis, "_PIECE", 8)
    file = tmp_path / "g.graph"
    file.write_text(f"3 2 1\n2 7\n1 7 3 {2**40}\n2 {2**40}\n")
    expected = [[0, 7, 0], [7, 0, 2**40], [0, 2**40, 0]]
    assert btfperm.read_matrix(file).toarray().tolist() == expected


@pytest.mark.parametrize("where", ["before", "between"])
def test_no_comment_is_read_by_itself(tmp_path, monkeypatch, where):
    """A packed file of some kilobytes may hold millions of comments."""
    many = b"%\n" * 500_000
    text = many + b"2 1\n2\n1\n" if where == "before" else b"2 1\n" + many + b"2\n1\n"
    file = tmp_path / "g.graph.gz"
    file.write_bytes(gzip.compress(text))
    steps = []
    for module, name in ((comments, "_skip_whole_lines"), (metis._Body, "_take")):
        honest = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, f=honest: steps.append(0) or f(*given))
    assert btfperm.read(file).nnz == 2
    assert len(steps) < 100


@pytest.mark.parametrize("tail", ["\n", "\n\n\n", "% the end\n", "\n% the end"])
def test_empty_lines_after_the_last_vertex_are_no_vertices(tmp_path, tail):
    file = tmp_path / "g.graph"
    file.write_text("3 2 1\n2 7\n1 7 3 8\n2 8\n" + tail)
    parts = []
    header, _ = btfperm.io.stream_entries(file, lambda *part: parts.append(part), 4)
    rows, cols, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    assert header.entries == 4 and btfperm.read(file).nnz == 4
    assert list(zip(rows, cols, weights, strict=True)) == [
        (1, 0, 7),
        (0, 1, 7),
        (2, 1, 8),
        (1, 2, 8),
    ]


@pytest.mark.parametrize("most", [1, 4, 50])
def test_parts_end_between_lines(tmp_path, monkeypatch, most):
    """Pieces of seven bytes end inside lines, whose number of entries is known at their end."""
    G = random_graph(40, 90, 1, weights="few")
    file = tmp_path / "g.graph"
    file.write_text(metis_text(G, "001"))
    monkeypatch.setattr(metis, "_PIECE", 7)
    parts = []
    header, _ = btfperm.io.stream_entries(file, lambda *part: parts.append(part), most)
    rows, cols, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    assert header.entries == G.nnz and len(parts) > 1
    assert (sp.csr_array((weights, (rows, cols)), G.shape) != G.astype(int)).nnz == 0
