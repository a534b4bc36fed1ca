# SPDX-License-Identifier: BSD-3-Clause
"""Files of names, of `btfperm diagnose --row-names`: one name a line, packed or not."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.fuzz.draw import Case, Draw, Mutation, token
from tests.fuzz.packed import pack

__all__ = ["COUNT", "make"]

COUNT = 4  # names that the check asks for
_NAMES = (
    *("mass", "energy balance", "T[1]", "Größe", "温度", "x" * 300, "1", "-", "%", "#", "🜂", "é"),
    *("\x1b[2Jx", "a\x00b", "\u202eabc", "a\tb", "a\x85b", "a\u2028b", "nan", "'", '"', "{", "PK"),
)
_BAD_LINES = (
    *(
        b"",
        b" ",
        b"\xa0",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xf8\x88\x80\x80\x80",
        b"\0",
        b"\x85",
    ),
    *("\u2003".encode(), "\ufeff".encode(), b"\xc0\x80", b"\x1c", b"\r", b"x" * 70_000),
)
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1")
_SUFFIX = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz"}


@dataclass
class _Lines:
    """The lines, and how they are written."""

    lines: list[bytes]
    end: bytes = b"\n"
    has_last_end: bool = True
    start: bytes = b""
    tail: bytes = b""
    encoding: str = "utf-8"
    packing: list[str] = field(default_factory=list)

    def bytes(self) -> bytes:
        text = self.end.join(self.lines) + self.end * self.has_last_end
        if self.encoding != "utf-8":
            text = text.decode("utf-8", "replace").encode(self.encoding, "replace")
        data = self.start + text + self.tail
        for kind in self.packing:
            data = pack(data, kind)
        return data


def _lines(rng: random.Random) -> _Lines:
    count = COUNT if rng.random() < 0.9 else rng.choice((0, 1, COUNT - 1, COUNT + 1, 50))
    return _Lines([rng.choice(_NAMES).encode() for _ in range(count)])


def _line(model: _Lines, rng: random.Random) -> str:
    at = rng.randrange(len(model.lines))
    model.lines[at] = rng.choice(_BAD_LINES)
    if rng.random() < 0.3:
        model.lines[at] = token(rng).encode("utf-8", "surrogatepass")
    elif rng.random() < 0.3:
        model.lines[at] = b"a" + model.lines[at] + b"b"
    return f"{at} = {model.lines[at][:20]!r}"


def _count(model: _Lines, rng: random.Random) -> str:
    if model.lines and rng.random() < 0.5:
        del model.lines[rng.randrange(len(model.lines))]
    else:
        model.lines.insert(rng.randrange(len(model.lines) + 1), rng.choice((b"", b"x", b"\xff")))
    return str(len(model.lines))


def _ends(model: _Lines, rng: random.Random) -> str:
    model.end = rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\0\n", b"\x0b", b"\xe2\x80\xa8"))
    model.has_last_end = rng.random() < 0.5
    return repr(model.end)


def _around(model: _Lines, rng: random.Random) -> str:
    model.has_last_end = rng.random() < 0.5
    model.start = rng.choice((b"", b"\xef\xbb\xbf", b"\n", b" ", b"\xff\xfe", b"\x1f\x8b", b"BZh9"))
    model.tail = rng.choice((b"", b"\n", b" ", b"\xe6\xb8", b"\n\n", b"\0" * 512, b"\xef\xbb\xbf"))
    return f"{model.start!r}, {model.tail[:10]!r}"


def _encoding(model: _Lines, rng: random.Random) -> str:
    model.encoding = rng.choice(_ENCODINGS)
    return model.encoding


def _packing(model: _Lines, rng: random.Random) -> str:
    model.packing.append(rng.choice([*_SUFFIX]))
    return " ".join(model.packing)


_MUTATIONS: tuple[Mutation, ...] = (_line, _line, _count, _ends, _around, _encoding, _packing)


def _large(rng: random.Random) -> tuple[bytes, str]:
    """Many names, or a long one, packed or not."""
    count = rng.choice((20_000, 400_000, 4_000_000))
    kind = rng.choice(("names", "blank", "one line", "wide line", "no text"))
    piece = {"names": b"ab\n", "blank": b"\n", "one line": b"a", "no text": b"\xff\n"}
    text = piece.get(kind, b"a") * count
    if kind == "wide line":  # Python then stores every character in four bytes
        text += "🜂\n".encode()
    packing = rng.choice(("", "", "gzip", "bzip2", "xz"))
    return pack(text, packing) if packing else text, f"large {kind}: {count} {packing}"


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        data, what = _large(rng)
        return Case("", data, "names.txt", rng.random() < 0.3, None, [what])
    model = _lines(rng)
    if rng.random() < 0.15:
        model.packing.append(rng.choice([*_SUFFIX]))
    draw.mutate(model, _MUTATIONS)
    data = draw.bytes_mutated(model.bytes(), 0.15, lambda: _lines(rng).bytes())
    return Case("", data, "names.txt", rng.random() < 0.2, None, draw.log)
