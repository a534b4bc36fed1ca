# SPDX-License-Identifier: BSD-3-Clause
"""METIS graph files: the first line, and one line of words for each vertex."""

from __future__ import annotations

import random

from tests.fuzz.draw import Case, Draw, Mutation, integer, token

__all__ = ["make"]

_PIECES = (None, None, 1, 2, 7, 64)  # bytes that the reader takes at once
_MOST_PIECES = (8, 8, 8, 40)  # each takes the reader some 50 us


class _Graph:
    """A random graph, with the numbers that its `fmt` requires."""

    def __init__(self, rng: random.Random) -> None:
        n = rng.choice((0, 1, 2, 3, 3, 4, 6))
        edges = {(i, j) for i in range(n) for j in range(i) if rng.random() < 0.4}
        self.fmt = rng.choice((None, "0", "1", "10", "11", "100", "101", "110", "111", "001"))
        has_size, has_vertex, has_weight = (digit == "1" for digit in (self.fmt or "").zfill(3))
        ncon = rng.choice((None, 1, 2)) if has_vertex else None
        self.head = [str(n), str(len(edges))]
        self.head += [self.fmt] if self.fmt else []
        self.head += [str(ncon)] if ncon else []
        self.lines: list[list[str]] = []
        for v in range(n):
            words = ["4"] * has_size + ["5"] * (has_vertex * (ncon or 1))
            for w in sorted({i + j - v for i, j in edges if v in (i, j)}):
                weight = str(1 + (v * w) % 4) if rng.random() < 0.9 else str(10**12)
                words += [str(w + 1), weight] if has_weight else [str(w + 1)]
            self.lines.append(words)
        self.share_of_comments = rng.choice((0.0, 0.0, 0.3))
        self.seed = rng.getrandbits(32)  # of the comments, so that mutations change no other draw
        self.before = rng.choice(("", "", "% a comment\n", "%\n%%\n"))
        self.blank, self.end, self.tail = " ", "\n", ""
        self.last_end = True

    def text(self) -> bytes:
        rng = random.Random(self.seed)
        lines = [self.blank.join(self.head)]
        for words in self.lines:
            lines.append(self.blank.join(words))
            if rng.random() < self.share_of_comments:
                lines.append(rng.choice(("%", "% 1 2 3", "%%MatrixMarket", "%\x1b[2J")))
        text = self.before + self.end.join(lines) + self.end * self.last_end + self.tail
        return text.encode("utf-8", "surrogateescape")


def _size(graph: _Graph, rng: random.Random) -> str:
    at = rng.randrange(len(graph.head))
    word = graph.head[at]
    near = int(word) if word.isdecimal() else 1
    graph.head[at] = str(integer(rng, near)) if rng.random() < 0.7 else token(rng, word)
    return f"{at} = {graph.head[at]!r}"


def _fmt(graph: _Graph, rng: random.Random) -> str:
    words = rng.choice((["2"], ["11"], ["111", "3"], ["0001"], ["011", "0"], ["11", str(10**9)]))
    graph.head[2:] = words
    return " ".join(words)


def _word(graph: _Graph, rng: random.Random) -> str:
    words = rng.choice([words for words in graph.lines if words])
    at = rng.randrange(len(words))
    words[at] = str(integer(rng, int(words[at]))) if rng.random() < 0.5 else token(rng, words[at])
    return f"{at} = {words[at]!r}"


def _length(graph: _Graph, rng: random.Random) -> None:
    words = rng.choice(graph.lines)
    if words and rng.random() < 0.5:
        del words[rng.randrange(len(words))]
    else:
        words.insert(rng.randrange(len(words) + 1), rng.choice(("1", "2", "% 1")))


def _lines(graph: _Graph, rng: random.Random) -> None:
    at = rng.randrange(len(graph.lines) + 1)
    if graph.lines[at:] and rng.random() < 0.5:
        del graph.lines[at]
    else:
        graph.lines.insert(at, rng.choice(([], ["1"], ["%"], ["%" * 2000], ["1"] * 200)))


def _text(graph: _Graph, rng: random.Random) -> None:
    graph.blank = rng.choice((" ", "\t", "  ", "\x0b", "\xa0", "\r", ","))
    graph.end = rng.choice(("\n", "\n", "\r\n", "\r", "\n\n"))
    graph.tail = rng.choice(("", "\n\n", "1", "%", "\0", " \n", "%" * 3000))
    graph.last_end = rng.random() < 0.5


_MUTATIONS: tuple[Mutation, ...] = (_size, _fmt, _word, _word, _length, _lines, _text)


def _large(rng: random.Random) -> tuple[str, str]:
    """A file on which a slow reader would take long: one of its parts is repeated many times."""
    count = rng.choice((20_000, 400_000, 4_000_000))
    kind = rng.choice(("lines", "line", "comments", "spaces", "weights", "first comments"))
    hub = "2 " * (count // 2) + "\n"
    text = {
        "lines": f"{count} 0\n" + "\n" * count,
        "line": f"2 {count // 4}\n" + hub + hub.replace("2", "1"),
        "weights": f"2 {count // 8} 1\n" + hub + hub.replace("2", "1"),
        "comments": "2 1\n" + "% 1\n" * (count // 4) + "2\n1\n",
        "first comments": "%\n" * (count // 2) + "2 1\n2\n1\n",
        "spaces": "2 1\n" + " " * count + "2\n1\n",
    }[kind]
    return text, f"large {kind}: {count}"


def make(draw: Draw) -> Case:
    rng = draw.random
    suffix = rng.choice((".graph", ".metis"))
    if draw.is_large:
        text, what = _large(rng)
        return Case("", text.encode(), f"a{suffix}", log=[what])
    graph = _Graph(rng)
    draw.mutate(graph, _MUTATIONS)
    data = draw.bytes_mutated(graph.text(), 0.15, lambda: _Graph(rng).text())
    piece = rng.choice(_PIECES)
    if piece:
        piece = max(piece, len(data) // rng.choice(_MOST_PIECES))
    return Case("", data, f"a{suffix}", False, piece, draw.log)
