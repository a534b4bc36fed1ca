# SPDX-License-Identifier: BSD-3-Clause
"""The data elements of MATLAB files of version 5 to 7, limited to those that matrices need.

Format: *MAT-File Format*, The MathWorks. An element is a tag (type, number of bytes) and its
data, padded to 8 bytes; a variable is an element of the type matrix, perhaps compressed, whose
data are elements again: flags, dimensions, name, then the contents.

Elements are read from front to back and unpacked in pieces. Memory is allocated only for lists of
numbers that the caller asks for, as their bytes arrive.

`scipy.io.loadmat` is not used, because it trusts the types in the tags: a damaged file can end the
process.
"""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.io.read_bytes import PIECE, array_of, discard

__all__ = ["SPARSE", "STRUCT", "Element", "Elements", "Variable", "inner_variable", "variables"]

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
_OPAQUE = 17  # the class of objects, which have no dimensions
_HEADER_BYTES, _TAG_BYTES = 128, 8
_PACKED_PIECE = 1 << 14
# MATLAB writes 8 bytes of flags, 8 or more of dimensions, and at most 63 characters of a name.
_MOST_FLAGS, _MOST_DIMENSIONS, _MOST_NAME = 64, 1 << 10, 1 << 14
_MOST_NAMES = 1 << 16  # bytes of the field names of a struct
_MOST_VARIABLES = 1 << 13


class Variable(NamedTuple):
    """The head of a matrix element. `elements` reads its contents, which follow the name."""

    name: str
    array_class: int
    is_complex: bool
    is_logical: bool
    shape: tuple[int, ...]
    place: _Place

    def elements(self, file: BinaryIO) -> Elements:
        """The contents of the variable, from the first element on. `file` is the file passed to
        `variables`."""
        data = self.place.open(file)
        discard(data.read, self.place.start)
        return Elements(data, self.place.order, self.place.start, self.place.size)


class _Place(NamedTuple):
    """An element of the file, and the `size` bytes from `start` on of its (unpacked) data."""

    first: int
    length: int
    is_compressed: bool
    order: str
    start: int = 0
    size: int = 0

    def open(self, file: BinaryIO) -> BinaryIO:
        return io.BufferedReader(_Data(file, self.first, self.length, self.is_compressed))


class _Data(io.RawIOBase):
    """The data of an element of the file, unpacked where they are compressed."""

    def __init__(self, file: BinaryIO, first: int, length: int, is_compressed: bool) -> None:
        super().__init__()
        self._file, self._at, self._end = file, first, first + length
        self._unpacker = zlib.decompressobj() if is_compressed else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._unpacked(len(buffer)) if self._unpacker else self._stored(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _stored(self, most: int) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(min(most, self._end - self._at))
        self._at += len(data)
        return data

    def _unpacked(self, most: int) -> bytes:
        unpacker, data = self._unpacker, b""
        assert unpacker is not None
        while not (data or unpacker.eof):
            packed = unpacker.unconsumed_tail or self._stored(_PACKED_PIECE)
            data = unpacker.decompress(packed, most)
            if not (packed or data or unpacker.eof):
                raise ValueError("its compressed data ends early")
        return data


class Element(NamedTuple):
    """A tag: a type, a number of bytes, ``<`` or ``>`` for their order. `elements` holds the data
    until its `next` is called."""

    kind: int
    size: int
    order: str
    elements: Elements

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers. Raises ValueError if the data are not a list of numbers."""
        if self.kind not in _NUMBERS:
            raise ValueError(f"the type {self.kind} holds no numbers")
        dtype = np.dtype(self.order + _NUMBERS[self.kind])
        if self.size % dtype.itemsize:
            raise ValueError("a list of numbers is cut")
        return dtype

    @property
    def length(self) -> int:
        """How many numbers there are."""
        return self.size // self.dtype.itemsize

    def numbers(self, most: int | None = None) -> npt.NDArray[Any]:
        """The numbers, at most the first `most` of them, in the type in which they are stored."""
        dtype = self.dtype
        count = self.length if most is None else min(self.length, most)
        numbers = array_of(self.elements.read, count * dtype.itemsize, dtype)
        return numbers.astype(dtype.newbyteorder("="), copy=False)

    def whole_numbers(self, most: int, what: str) -> list[int]:
        """One or more integers in at most `most` bytes; `what` names them in messages."""
        if not 0 < self.size <= most or self.dtype.kind not in "iu":
            raise ValueError(f"{what} are not a few whole numbers")
        whole: list[int] = self.numbers().tolist()
        return whole

    def text(self, most: int | None = None) -> bytes:
        """The bytes. Raises ValueError if there are more than `most`."""
        if most is not None and self.size > most:
            raise ValueError(f"a name has {self.size} bytes, more than the {most} that are read")
        return array_of(self.elements.read, self.size, np.dtype(np.uint8)).tobytes()


class Elements:
    """The elements inside an element, one after the other.

    Attributes
    ----------
    position : the bytes of `data` before the next byte to read
    left : the bytes behind the current element, in the element that contains it
    """

    def __init__(self, data: BinaryIO, order: str, position: int, size: int) -> None:
        self.position = position
        self.left = size
        self._data = data  # the data of the whole element of the file
        self._order = order
        self._unread = 0  # bytes of the current element that were not read yet
        self._padding = 0
        self._small: io.BytesIO | None = None  # the current element, when its tag holds its data

    def next(self) -> Element:
        """Moves to the next element. Raises ValueError if there is none."""
        self.skip()
        if self.left < _TAG_BYTES:
            raise ValueError("elements are missing")
        tag = self._data.read(_TAG_BYTES)
        if len(tag) < _TAG_BYTES:
            raise ValueError("it ends early")
        self.position += _TAG_BYTES
        self.left -= _TAG_BYTES
        kind, size = struct.unpack(f"{self._order}II", tag)
        limit = self.left
        if kind >> 16:  # a small element: its data are in the tag
            kind, size, limit = kind & 0xFFFF, kind >> 16, 4
            self._small = io.BytesIO(tag[4:])
        if size > limit:
            raise ValueError("an element is longer than what holds it")
        if self._small is None:
            self._padding = min(-size % 8, self.left - size)
            self.left -= size + self._padding
        self._unread = size
        return Element(kind, size, self._order, self)

    def enter(self) -> None:
        """Moves to the next element, which must be a variable, and enters it."""
        element = self.next()
        if element.kind != _MATRIX:
            raise ValueError(f"an element of type {element.kind} is in the place of a variable")
        self.left, self._unread, self._padding, self._small = element.size, 0, 0, None

    def read(self, count: int) -> bytes:
        """At most `count` bytes of the current element."""
        count = min(count, self._unread)
        if self._small is not None:
            data = self._small.read(count)
        else:
            data = self._data.read(count)
            self.position += len(data)
        self._unread -= len(data)
        return data

    def skip(self) -> None:
        """Seek to the end of the current element."""
        if self._small is None:
            discard(self._data.read, self._unread + self._padding)
            self.position += self._unread + self._padding
        self._small, self._unread, self._padding = None, 0, 0

    def finish(self) -> None:
        """Reads to the end of the element of the file, where its checksum is compared."""
        while self._data.read(PIECE):
            pass


def variables(file: BinaryIO) -> Iterator[Variable]:
    """The heads of all variables of a file. Raises ValueError when the file is damaged."""
    file.seek(0)
    order = {b"IM": "<", b"MI": ">"}.get(file.read(_HEADER_BYTES)[126:128])
    if order is None:
        raise ValueError("the header does not tell the order of the bytes")
    at, found = _HEADER_BYTES, 0
    while len(tag := _bytes_at(file, at, 8)) == 8:
        kind, length = struct.unpack(f"{order}II", tag)
        if kind not in (_MATRIX, _COMPRESSED) or not length:
            raise ValueError(f"an element of type {kind} with {length} bytes is no variable")
        found += 1
        if found > _MOST_VARIABLES:
            raise ValueError(f"it has more than {_MOST_VARIABLES} variables")
        first, is_compressed = (at + 8, True) if kind == _COMPRESSED else (at, False)
        length += 0 if is_compressed else 8
        yield _outer_variable(file, _Place(first, length, is_compressed, order))
        # Test whether the element is complete only after its head was yielded: the head of an
        # incomplete element is also readable.
        if not _bytes_at(file, first + length - 1, 1):
            raise ValueError("it ends early")
        at = first + length + (0 if is_compressed else -length % 8)


def _bytes_at(file: BinaryIO, at: int, count: int) -> bytes:
    file.seek(at)
    return file.read(count)


def inner_variable(file: BinaryIO, outer: Variable, field: bytes) -> Variable | None:
    """The variable in the field of a 1 x 1 struct; None where there is none, or it is empty."""
    if outer.array_class != STRUCT or outer.shape != (1, 1) or not outer.place.size:
        return None
    elements = outer.elements(file)
    width, *more = elements.next().whole_numbers(8, "the length of the field names")
    if width <= 0 or more:
        raise ValueError("a struct has field names without letters")
    text = elements.next().text(_MOST_NAMES)
    names = [text[at : at + width].rstrip(b"\0") for at in range(0, len(text), width)]
    if field not in names:
        return None
    for _ in range(names.index(field)):
        elements.next()
    elements.enter()
    return _variable(elements, outer.place)._replace(name=outer.name) if elements.left else None


def _outer_variable(file: BinaryIO, place: _Place) -> Variable:
    size = sys.maxsize if place.is_compressed else place.length
    elements = Elements(place.open(file), place.order, 0, size)
    elements.enter()
    return _variable(elements, place)


def _variable(elements: Elements, place: _Place) -> Variable:
    """The head of the variable that was entered."""
    word = elements.next().whole_numbers(_MOST_FLAGS, "the flags of a variable")[0]
    shape: list[int] = []
    if word & 0xFF != _OPAQUE:
        shape = elements.next().whole_numbers(_MOST_DIMENSIONS, "the dimensions of a variable")
        if len(shape) < 2 or min(shape) < 0:
            raise ValueError("a variable has no legal dimensions")
    name = elements.next().text(_MOST_NAME).decode("ascii", "replace")
    elements.skip()
    return Variable(
        name,
        word & 0xFF,
        bool(word & 0x800),
        bool(word & 0x200),
        tuple(shape),
        place._replace(start=elements.position, size=elements.left),
    )
