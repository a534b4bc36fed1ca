# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB 5 files: a tree of data elements whose tags, lengths and numbers can be wrong."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass, field

from tests.fuzz.draw import Case, Draw, integer

__all__ = ["MUTATIONS", "File", "characters", "list_of_doubles", "make"]

_CODES = {1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "f", 9: "d", 12: "q", 13: "Q"}
_MATRIX, _COMPRESSED, _INT32 = 14, 15, 5
_CLASSES = {"sparse": 5, "struct": 2, "char": 4, "cell": 1, "double": 6, "int8": 8, "object": 3}


@dataclass
class _Element:
    """Data or elements with a tag; `length` and `padding` override the correct values."""

    kind: int
    data: bytes = b""
    inside: list[_Element] = field(default_factory=list)
    numbers: list[float] | None = None
    length: int | None = None
    padding: int | None = None
    is_small: bool = False
    level: int = 6

    def bytes(self, order: str) -> bytes:
        data = self.data
        if self.numbers is not None:
            data = _packed(self.kind, self.numbers, order)
        elif self.inside:
            data = b"".join(part.bytes(order) for part in self.inside)
        if self.kind == _COMPRESSED:
            data = zlib.compress(data, self.level) + self.data
        length = (len(data) if self.length is None else self.length) & 0xFFFFFFFF
        if self.is_small and len(data) <= 4:
            word = (length & 0xFFFF) << 16 | (self.kind & 0xFFFF)
            return struct.pack(order + "I", word) + data.ljust(4, b"\0")
        padding = -len(data) % 8 if self.kind != _COMPRESSED else 0
        if self.padding is not None:
            padding = self.padding
        return struct.pack(order + "II", self.kind & 0xFFFFFFFF, length) + data + b"\0" * padding

    def all(self) -> list[_Element]:
        found, waiting = [], [self]
        while waiting:
            element = waiting.pop()
            found.append(element)
            waiting += element.inside
        return found


def _packed(kind: int, numbers: list[float], order: str) -> bytes:
    code = _CODES.get(kind, "i")
    if code in "fd":
        size = 3.4e38 if code == "f" else float("inf")
        return struct.pack(
            f"{order}{len(numbers)}{code}",
            *(max(-size, min(size, float(x))) if x == x else x for x in numbers),
        )
    width = struct.calcsize(code)
    whole = [int(x) if abs(x) != float("inf") and x == x else 0 for x in numbers]
    return b"".join(
        (x & (1 << 8 * width) - 1).to_bytes(width, "little" if order == "<" else "big")
        for x in whole
    )


class File:
    """The header and the variables."""

    def __init__(self, rng: random.Random) -> None:
        self.order = rng.choice("<<<>")
        self.text = b"MATLAB 5.0 MAT-file"
        self.mark: bytes | None = None
        self.tail = b""
        self.variables = [_variable(rng, b"A")]
        if rng.random() < 0.1:
            self.variables.append(_variable(rng, b"B", rng.choice(("double", "char", "cell"))))
        if rng.random() < 0.3:
            self.variables = [_Element(_COMPRESSED, inside=[part]) for part in self.variables]

    def all(self) -> list[_Element]:
        return [element for part in self.variables for element in part.all()]

    def bytes(self) -> bytes:
        mark = self.mark or (b"IM" if self.order == "<" else b"MI")
        version = b"\x00\x01" if self.order == "<" else b"\x01\x00"
        head = self.text.ljust(124)[:124] + version + mark
        return head + b"".join(part.bytes(self.order) for part in self.variables) + self.tail


def _variable(rng: random.Random, name: bytes, of_class: str | None = None) -> _Element:
    of_class = of_class or rng.choice(("sparse", "sparse", "sparse", "struct", "double"))
    m, n = rng.choice((0, 1, 2, 3, 5)), rng.choice((0, 1, 2, 3, 5))
    flags = _Element(6, numbers=[_CLASSES[of_class], 0])
    head = [flags, _Element(_INT32, numbers=[m, n]), _Element(1, name, is_small=len(name) <= 4)]
    if of_class == "sparse":
        columns = [sorted(rng.sample(range(m), rng.randrange(min(m, 3) + 1))) for _ in range(n)]
        rows = [i for column in columns for i in column]
        starts = [0]
        for column in columns:
            starts.append(starts[-1] + len(column))
        flags.numbers = [_CLASSES[of_class] | rng.choice((0, 0, 0, 0x200, 0x800)), len(rows)]
        surplus = rng.choice((0, 0, 0, 2))
        parts = 2 if flags.numbers[0] & 0x800 else 1
        kind = 2 if flags.numbers[0] & 0x200 else rng.choice((9, 9, 1, 3))
        values = [
            _Element(kind, numbers=[rng.choice((0, 1, 2, 3)) for _ in rows]) for _ in range(parts)
        ]
        indices = _Element(_INT32, numbers=[*rows, *[0] * surplus])
        head += [indices, _Element(_INT32, numbers=starts), *values]
    elif of_class == "struct":
        flags.numbers = [2, 0]
        head[1].numbers = [1, 1]
        width = rng.choice((8, 32))
        names = rng.choice(([b"A"], [b"name", b"A"], [b"x"]))
        text = b"".join(word.ljust(width, b"\0") for word in names)
        head += [_Element(_INT32, numbers=[width], is_small=True), _Element(1, text)]
        head += [_variable(rng, b"", "sparse" if word == b"A" else "double") for word in names]
    elif of_class in ("double", "int8"):
        head.append(_Element(9, numbers=[rng.choice((0, 1, 2)) for _ in range(m * n)]))
    elif of_class == "char":
        head.append(_Element(4, numbers=[65] * (m * n)))
    return _Element(_MATRIX, inside=head)


def list_of_doubles(name: bytes, numbers: list[float]) -> _Element:
    """A variable that is a row of numbers."""
    finite = [float(max(-(2**1023), min(2**1023, x))) if x == x else x for x in numbers]
    head = [_Element(6, numbers=[6, 0]), _Element(_INT32, numbers=[1, len(numbers)])]
    return _Element(_MATRIX, inside=[*head, _Element(1, name), _Element(9, numbers=finite)])


def characters(name: bytes, text: str, kind: int) -> _Element:
    """A variable that is a text. Kinds 4 and 17 are characters of 16 bits; kind 16 is UTF-8."""
    data = text.encode("utf-8" if kind == 16 else "utf-16-le", "replace")
    head = [_Element(6, numbers=[4, 0]), _Element(_INT32, numbers=[1, len(text)])]
    return _Element(_MATRIX, inside=[*head, _Element(1, name), _Element(kind, data)])


def _length(file: File, rng: random.Random) -> str:
    element = rng.choice(file.all())
    element.length = integer(rng, len(element.bytes(file.order)) - 8)
    return f"of a {element.kind}: {element.length}"


def _kind(file: File, rng: random.Random) -> str:
    element = rng.choice(file.all())
    before, element.kind = element.kind, rng.choice((*range(20), 255, 65535, 1 << 16, 1 << 31))
    return f"{before} -> {element.kind}"


def _type_of_numbers(file: File, rng: random.Random) -> str:
    """Changes the type of some numbers, for example sizes to doubles or pointers to 64 bits."""
    element = rng.choice([part for part in file.all() if part.numbers is not None])
    before, element.kind = element.kind, rng.choice(sorted(_CODES))
    return f"{before} -> {element.kind}"


def _number(file: File, rng: random.Random) -> str:
    element = rng.choice([part for part in file.all() if part.numbers])
    assert element.numbers is not None
    at = rng.randrange(len(element.numbers))
    element.numbers[at] = integer(rng, int(element.numbers[at]))
    return f"{at} of {element.kind} = {element.numbers[at]}"


def _wide_number(file: File, rng: random.Random) -> str:
    """A number that is not finite, a fraction or very large, in a type that may hold it."""
    element = rng.choice([part for part in file.all() if part.numbers])
    assert element.numbers is not None
    at = rng.randrange(len(element.numbers))
    element.kind = rng.choice((9, 7, 12, 13))
    odd = (float("inf"), float("nan"), float("-inf"), 1e300, 0.5, -1.0, 2**62, 2**63, 2**64 - 1)
    element.numbers[at] = rng.choice(odd)
    return f"{at} of {element.kind} = {element.numbers[at]}"


def _count(file: File, rng: random.Random) -> str:
    element = rng.choice([part for part in file.all() if part.numbers is not None])
    assert element.numbers is not None
    kind = rng.choice(("drop", "add", "empty", "shuffle", "repeat"))
    if kind == "drop":
        element.numbers.pop()
    elif kind == "add":
        element.numbers.append(integer(rng, 3))
    elif kind == "empty":
        element.numbers.clear()
    elif kind == "shuffle":
        rng.shuffle(element.numbers)
    else:
        element.numbers *= 2
    return kind


def _layout(file: File, rng: random.Random) -> str:
    element = rng.choice(file.all())
    kind = rng.choice(("small", "padding", "drop", "repeat", "empty", "wrap", "cut"))
    if kind == "small":
        element.is_small = not element.is_small
    elif kind == "padding":
        element.padding = rng.choice((0, 1, 3, 4, 7, 8, 9))
    elif kind == "drop":
        del element.inside[rng.randrange(len(element.inside))]
    elif kind == "repeat":
        element.inside.insert(0, rng.choice(element.inside))
    elif kind == "empty":
        element.inside.insert(0, _Element(rng.choice((1, 5, 14, 15))))
    elif kind == "wrap":
        element.inside = [_Element(_COMPRESSED, inside=element.inside)]
    else:
        element.inside.pop()
    return f"{kind} in a {element.kind}"


def _class(file: File, rng: random.Random) -> str:
    flags = [part for part in file.all() if part.kind == 6 and part.numbers]
    chosen = rng.choice(flags).numbers
    assert chosen is not None
    chosen[0] = rng.choice((*range(18), 255)) | rng.choice((0, 0, 0x200, 0x800, 0xA00, 0x400))
    return hex(int(chosen[0]))


def _shape(file: File, rng: random.Random) -> str:
    """Other dimensions of a variable, or another number of dimensions."""
    sizes = [part for part in file.all() if part.kind == 5 and part.numbers][:1]
    element = sizes[0]
    assert element.numbers is not None
    element.numbers[:] = [integer(rng, 3) for _ in range(rng.choice((1, 2, 2, 2, 3, 40)))]
    return str(element.numbers)


def _name(file: File, rng: random.Random) -> str:
    element = rng.choice([part for part in file.all() if part.kind == 1])
    choices = (b"\x1b[31mA", b"A\nB", b"\xff\xfe", b"", b"A" * 3000, b"A\0B", b"\xe2\x80\xa8")
    element.data = rng.choice(choices)
    element.is_small = False
    return repr(element.data[:20])


def _more_variables(file: File, rng: random.Random) -> str:
    name = rng.choice((b"A", b"B", b"\x1b]0;x\x07", b"long" * 30))
    file.variables.append(_variable(rng, name))
    return f"{len(file.variables)}"


def _stream(file: File, rng: random.Random) -> str:
    kind = rng.choice(("compress", "twice", "tail", "level", "only tags"))
    element = rng.choice(file.variables)
    at = file.variables.index(element)
    if kind == "compress":
        file.variables[at] = _Element(_COMPRESSED, inside=[element])
    elif kind == "twice":
        file.variables[at] = _Element(_COMPRESSED, inside=[_Element(_COMPRESSED, inside=[element])])
    elif kind == "tail":
        file.tail = rng.choice((b"\0" * 8, b"\0" * 7, b"\x0e\0\0\0", b"\0" * 800))
    elif kind == "level":
        element.level = 0
        element.data = rng.choice((b"", b"x" * 9))
    else:
        file.variables += [_Element(rng.choice((0, 1, 14, 15))) for _ in range(1000)]
    return kind


def _head(file: File, rng: random.Random) -> str:
    kind = rng.choice(("mark", "text", "order"))
    if kind == "mark":
        file.mark = rng.choice((b"MI", b"IM", b"II", b"\0\0", b"im"))
    elif kind == "text":
        choices = (b"MATLAB 7.3", b"MATLAB 4", b"\x89HDF", b"", b"MATLAB 5\x1b[2J", b"matlab 5")
        file.text = rng.choice(choices)
    else:
        file.order = ">" if file.order == "<" else "<"
    return kind


MUTATIONS = (
    *(_length, _kind, _type_of_numbers, _number, _number, _wide_number, _wide_number, _count),
    *(_layout, _layout, _class, _shape, _name, _more_variables, _stream, _head),
)
_MEGABYTE = b"\0" * (1 << 20)


def _large(rng: random.Random) -> tuple[bytes, str]:
    """A compressed variable of up to 100 MB of zeros, or many empty elements or variables."""
    file = File(rng)
    kind = rng.choice(("zeros", "empty elements", "empty variables", "contents"))
    size = rng.choice((1, 16, 100)) << 20
    if kind == "zeros":
        packer = zlib.compressobj(9)
        tag = struct.pack(file.order + "II", _MATRIX, size)
        pieces = [packer.compress(tag)]
        pieces += [packer.compress(_MEGABYTE) for _ in range(size >> 20)]
        data = b"".join(pieces) + packer.flush()
        file.variables = []
        file.tail = struct.pack(file.order + "II", _COMPRESSED, len(data)) + data
    elif kind == "empty elements":  # 8 bytes each, in a compressed variable
        data = struct.pack(file.order + "II", 1, 0) * (size >> 5)
        whole = struct.pack(file.order + "II", _MATRIX, len(data)) + data
        file.variables = [_Element(_COMPRESSED)]
        file.tail = b""
        packed = zlib.compress(whole)
        file.variables = []
        file.tail = struct.pack(file.order + "II", _COMPRESSED, len(packed)) + packed
    elif kind == "empty variables":
        file.tail = struct.pack(file.order + "II", rng.choice((0, 1, 14)), 0) * (1 << 16)
    else:
        inside = _variable(rng, b"A", "sparse").inside
        inside += [_Element(1, is_small=True)] * (1 << 16)
        file.variables = [_Element(_MATRIX, inside=inside)]
    return file.bytes(), f"large {kind}: {size >> 20} MB"


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        data, what = _large(rng)
        return Case("", data, "a.mat", rng.random() < 0.3, None, [what])
    file = File(rng)
    draw.mutate(file, MUTATIONS)
    data = draw.bytes_mutated(file.bytes(), 0.15, lambda: File(rng).bytes())
    return Case("", data, "a.mat", rng.random() < 0.3, None, draw.log)
