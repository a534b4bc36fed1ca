# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market files: banner, size line and entries as lists of words."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.draw import Case, Draw, integer, token

__all__ = ["make", "text"]

_FIELDS = ("real", "integer", "complex", "pattern", "double", "unsigned-integer")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_VALUES = ("1", "0", "-2.5", "1e-3", "7", "-0", "3", "0.0", "12345678901", "1E+10")


class _Text:
    """Lines of words, and the text between the words."""

    def __init__(self, rng: random.Random) -> None:
        self.layout = "coordinate" if rng.random() < 0.75 else "array"
        fields = _FIELDS if self.layout == "coordinate" else tuple(set(_FIELDS) - {"pattern"})
        self.field = rng.choice(sorted(fields))
        self.symmetry = rng.choice(_SYMMETRIES)
        m = rng.choice((0, 1, 2, 3, 3, 4, 5, 9))
        n = m if self.symmetry != "general" else rng.choice((0, 1, 2, 3, 3, 4, 5, 9))
        self.banner = ["%%MatrixMarket", "matrix", self.layout, self.field, self.symmetry]
        self.comments = rng.choice(([], [], ["% a comment"], ["%", "", "%%x"]))
        self.entries: list[list[str]] = []
        count = self._count(m, n, rng)
        for _ in range(count):
            place = []
            if self.layout == "coordinate":
                i, j = 1 + rng.randrange(m), 1 + rng.randrange(n)
                if self.symmetry != "general":
                    i, j = max(i, j), min(i, j)
                place = [str(i), str(j)]
            self.entries.append(place + self._value(rng))
        self.size = [str(m), str(n)]
        if self.layout == "coordinate":
            self.size.append(str(count))
        self.blank = " "
        self.end = "\n"
        self.start = self.tail = b""
        self.last_end = True

    def _count(self, m: int, n: int, rng: random.Random) -> int:
        if self.layout == "coordinate":
            return rng.randrange(8) if m and n else 0
        if self.symmetry == "general":
            return m * n
        return n * (n - 1) // 2 if self.symmetry == "skew-symmetric" else n * (n + 1) // 2

    def _value(self, rng: random.Random) -> list[str]:
        if self.field == "pattern":
            return []
        if self.field in ("integer", "unsigned-integer"):
            return [rng.choice(("0", "1", "2", "17"))]
        return [rng.choice(_VALUES) for _ in range(1 + (self.field == "complex"))]

    def text(self) -> bytes:
        lines = [" ".join(self.banner), *self.comments, self.blank.join(self.size)]
        lines += [self.blank.join(entry) for entry in self.entries]
        text = self.end.join(lines) + self.end * self.last_end
        return self.start + text.encode("utf-8", "surrogateescape") + self.tail


def _banner_word(text: _Text, rng: random.Random) -> str:
    at = rng.randrange(5)
    words = ("matrix", "vector", "array", "coordinate", *_FIELDS, *_SYMMETRIES, "REAL", "")
    text.banner[at] = rng.choice(words) if rng.random() < 0.7 else token(rng, text.banner[at])
    return f"{at} = {text.banner[at]!r}"


def _size_number(text: _Text, rng: random.Random) -> str:
    at = rng.randrange(len(text.size))
    text.size[at] = str(integer(rng, int(text.size[at])))
    return f"{at} = {text.size[at]}"


def _size_word(text: _Text, rng: random.Random) -> str:
    at = rng.randrange(len(text.size))
    text.size[at] = token(rng, text.size[at])
    return f"{at} = {text.size[at]!r}"


def _both_sizes(text: _Text, rng: random.Random) -> str:
    """Sets both sizes to one number: the readers apply one more check to square matrices."""
    text.size[0] = text.size[1] = str(abs(integer(rng, int(text.size[0]))))
    return text.size[0]


def _entry_word(text: _Text, rng: random.Random) -> str:
    entry = rng.choice(text.entries)
    at = rng.randrange(len(entry))
    entry[at] = token(rng, entry[at])
    return f"{at} = {entry[at]!r}"


def _entry_number(text: _Text, rng: random.Random) -> str:
    entry = rng.choice(text.entries)
    at = rng.randrange(min(2, len(entry)))
    entry[at] = str(integer(rng, int(entry[at])))
    return f"{at} = {entry[at]}"


def _words_of_an_entry(text: _Text, rng: random.Random) -> str:
    entry = rng.choice(text.entries)
    kind = rng.choice(("drop", "add", "insert", "join", "swap", "fraction"))
    at = rng.randrange(len(entry))
    if kind == "drop":
        del entry[at]
    elif kind == "add":
        entry.append(token(rng))
    elif kind == "insert":
        entry.insert(at, token(rng))
    elif kind == "join" and len(entry) > 1:
        at = max(1, at)
        entry[at - 1 : at + 1] = [entry[at - 1] + rng.choice(("", "-", "+", ".", ",")) + entry[at]]
    elif kind == "swap":
        rng.shuffle(entry)
    else:
        entry[at] += rng.choice((".5", ".9", "-2", "+2", "e0", "x", ".0", "."))
    return f"{kind}: {entry}"


def _lines(text: _Text, rng: random.Random) -> str:
    kind = rng.choice(("drop", "repeat", "blank", "comment", "long", "long comment", "many"))
    at = rng.randrange(len(text.entries) + 1)
    if kind == "drop":
        del text.entries[at]
    elif kind == "repeat":
        text.entries.insert(at, list(text.entries[at - 1]))
    elif kind == "blank":
        text.entries.insert(at, [rng.choice(("", " ", "\t", "\r", " \t ", "\x0b"))])
    elif kind == "many":
        text.entries[at:at] = [[rng.choice(("", "%"))]] * rng.choice((10, 1000))
    else:
        start = "%" if kind == "comment" else "x" if rng.random() < 0.5 else "1 1 1"
        if kind == "long comment":
            start = "%"
        length = rng.choice((65534, 65535, 65536, 65537, 70000)) if "long" in kind else 3
        text.entries.insert(at, [start + rng.choice((" ", "x", "1")) * length])
    return f"{kind} at {at}"


def _spaces(text: _Text, rng: random.Random) -> str:
    kind = rng.choice(("blank", "end", "last", "mark", "tail"))
    if kind == "blank":
        text.blank = rng.choice(("  ", "\t", "\r", "\x0b", "\x0c", ",", "\xa0", " \t"))
    elif kind == "end":
        text.end = rng.choice(("\r\n", "\r", "\n\n", " \n", "\x00\n", "\x0b\n"))
    elif kind == "last":
        text.last_end = False
    elif kind == "mark":
        text.start = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\n", b" ", b"%"))
    else:
        text.tail = rng.choice((b"\0", b"1", b"1 ", b"1 1", b"%", b"\r", b" ", b"-", b"1 1 1 1\n"))
    return kind


def _field_and_values(text: _Text, rng: random.Random) -> str:
    """The banner states another field than that of the entries."""
    text.banner[3] = rng.choice(_FIELDS)
    return text.banner[3]


_MUTATIONS = (
    *(_banner_word, _size_number, _size_word, _both_sizes, _entry_word, _entry_number),
    *(_words_of_an_entry, _words_of_an_entry, _lines, _spaces, _field_and_values),
)


def text(draw: Draw, *, mutate: bool = True) -> bytes:
    """The text of a file, with mutations unless `mutate` is false."""
    model = _Text(draw.random)
    if mutate:
        draw.mutate(model, _MUTATIONS)
    return model.text()


def _large(rng: random.Random) -> tuple[bytes, str]:
    """A large file, most of which consists of one kind of text."""
    kind = rng.choice(("blank", "comments", "row", "column", "one line", "entries", "text"))
    count = rng.choice((20_000, 200_000))
    head = b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n"
    if kind in ("row", "column"):
        m, n = (1, count) if kind == "row" else (count, 1)
        head = f"%%MatrixMarket matrix array real general\n{m} {n}\n".encode()
        return head + b"1\n" * count, f"large {kind}: {count}"
    if kind == "entries":
        head = f"%%MatrixMarket matrix coordinate pattern general\n3 3 {count}\n".encode()
    piece = {
        "blank": b"\n",
        "comments": b"%\n",
        "one line": b"1",
        "entries": b"1 1\n",
        "text": b"1 1 x\n",
    }[kind]
    return head + piece * count + b"1 1\n", f"large {kind}: {count}"


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        data, what = _large(rng)
        return Case("", data, "a.mtx", rng.random() < 0.3, None, [what])
    data = text(draw)
    data = draw.bytes_mutated(data, 0.15, lambda: _Text(rng).text())
    block: Any = rng.choice((None, None, 1, 16, 64))
    return Case("", data, "a.mtx", rng.random() < 0.25, block, draw.log)
