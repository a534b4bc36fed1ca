# SPDX-License-Identifier: BSD-3-Clause
"""The data elements of MATLAB files of version 5 to 7, as far as matrices need them.

Format: *MAT-File Format*, The MathWorks. An element is a tag (type, number of bytes) and its
data, padded to 8 bytes; a variable is an element of the type matrix, perhaps compressed, whose
data are elements again: flags, dimensions, name, then the contents.

`scipy.io.loadmat` is not used, because it takes the types in the tags on trust: a damaged file
can end the process.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["SPARSE", "STRUCT", "Element", "Variable", "numbers", "parts", "variable", "variables"]

SPARSE, STRUCT = 5, 2
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_HEADER_BYTES = 128


class Element(NamedTuple):
    """A type, the bytes, and ``<`` or ``>`` for their order."""

    kind: int
    data: memoryview
    order: str


class Variable(NamedTuple):
    """A matrix element; `contents` are the elements after its name."""

    name: str
    array_class: int
    is_complex: bool
    is_logical: bool
    shape: tuple[int, ...]
    contents: list[Element]


def variables(file: BinaryIO) -> Iterator[Variable]:
    """All variables of a file, one at a time. Raises ValueError when the file is damaged."""
    size = file.seek(0, 2)
    file.seek(0)
    order = {b"IM": "<", b"MI": ">"}.get(file.read(_HEADER_BYTES)[126:128])
    if order is None:
        raise ValueError("the header does not tell the order of the bytes")
    while file.tell() + 8 <= size:
        kind, length = struct.unpack(f"{order}II", file.read(8))
        if length > size - file.tell():
            raise ValueError("it ends early")
        data = file.read(length)
        if kind == _COMPRESSED:
            inner = next(parts(Element(kind, memoryview(zlib.decompress(data)), order)), None)
            if inner is None:
                continue
            kind, data = inner.kind, inner.data  # type: ignore[assignment]
        else:
            file.seek(-length % 8, 1)
        if kind == _MATRIX and length:
            yield variable(Element(kind, memoryview(data), order))


def parts(element: Element) -> Iterator[Element]:
    """The elements inside an element."""
    data, order, at = element.data, element.order, 0
    while at + 8 <= len(data):
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:  # a small element: its data are in the tag
            kind, length, start = kind & 0xFFFF, kind >> 16, at + 4
            at += 8
        else:
            start = at + 8
            at = start + length + -length % 8
        limit = 4 if start % 8 == 4 else len(data) - start
        if length > limit:
            raise ValueError("an element is longer than what holds it")
        yield Element(kind, data[start : start + length], order)


def variable(element: Element) -> Variable:
    """The head of a matrix element."""
    contents = list(parts(element))
    if len(contents) < 3:
        raise ValueError("a variable has no head")
    flags, shape = numbers(contents[0]), numbers(contents[1])
    if flags.size < 1 or shape.size < 2 or int(shape.min()) < 0:
        raise ValueError("a variable has no legal dimensions")
    name = bytes(contents[2].data).decode("ascii", "replace")
    word = int(flags[0])
    return Variable(
        name,
        word & 0xFF,
        bool(word & 0x800),
        bool(word & 0x200),
        tuple(int(size) for size in shape),
        contents[3:],
    )


def numbers(element: Element) -> npt.NDArray[Any]:
    """The numbers in an element, in the type in which they are stored."""
    if element.kind not in _NUMBERS:
        raise ValueError(f"the type {element.kind} holds no numbers")
    dtype = np.dtype(element.order + _NUMBERS[element.kind])
    if len(element.data) % dtype.itemsize:
        raise ValueError("a list of numbers is cut")
    return np.frombuffer(element.data, dtype=dtype).astype(dtype.newbyteorder("="), copy=False)
