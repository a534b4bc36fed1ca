# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides: `.npy` files of one or two dimensions, and matrices of the other formats."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from tests.fuzz import matlab, matrix_market, npz
from tests.fuzz.draw import Case, Draw, Mutation, integer, token

__all__ = ["ROWS", "make"]

ROWS = 3  # of the right-hand sides that the check reads
_CODES = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i", "|i1": "b", "<c16": "dd"}


@dataclass
class _Array:
    """A `.npy` file: the words of its header, and the numbers."""

    descr: str
    fortran: str
    shape: str
    data: bytes
    version: bytes = b"\x01\x00"
    length: int | None = None
    tail: bytes = b""

    def bytes(self) -> bytes:
        head = (
            f"{{'descr': {self.descr}, 'fortran_order': {self.fortran}, 'shape': {self.shape}, }}"
        )
        raw = head.encode("latin1", "replace")
        raw += b" " * (-(len(raw) + 11) % 64) + b"\n"
        length = len(raw) if self.length is None else self.length
        size = struct.pack("<H", length & 0xFFFF)
        if self.version[:1] != b"\x01":
            size = struct.pack("<I", length & 0xFFFFFFFF)
        return b"\x93NUMPY" + self.version + size + raw + self.data + self.tail


def _array(rng: random.Random) -> _Array:
    descr = rng.choice([*_CODES])
    columns = rng.choice((None, 0, 1, 2, 5))
    rows = ROWS if rng.random() < 0.85 else rng.choice((0, 1, 2, 4))
    count = rows * (1 if columns is None else columns)
    numbers = [rng.choice((0, 1, -2, 3)) for _ in range(count * len(_CODES[descr]))]
    data = struct.pack(f"<{len(numbers)}{_CODES[descr][0]}", *numbers)
    shape = f"({rows},)" if columns is None else f"({rows}, {columns})"
    return _Array(repr(descr), rng.choice(("True", "False")), shape, data)


def _descr(array: _Array, rng: random.Random) -> str:
    words = ("|O", "|V8", "|V0", "<U1", "|S0", ">f8", "<M8[s]", "|b1", "<f2", "<f16", "x\x1b[2J")
    array.descr = rng.choice((repr(rng.choice(words)), "[('a', '<f8')]", token(rng), "None"))
    return array.descr


def _shape(array: _Array, rng: random.Random) -> str:
    some = [integer(rng, ROWS) for _ in range(rng.choice((0, 1, 2, 2, 3)))]
    array.shape = rng.choice((str(tuple(some)), str(some), f"({ROWS}, {integer(rng)})", token(rng)))
    return array.shape


def _order(array: _Array, rng: random.Random) -> None:
    array.fortran = rng.choice(("0", "None", "'True'", token(rng)))


def _version(array: _Array, rng: random.Random) -> None:
    array.version = rng.choice((b"\x02\x00", b"\x03\x00", b"\x04\x00", b"\x00\x00", b"\x01\xff"))


def _length(array: _Array, rng: random.Random) -> None:
    array.length = integer(rng, len(array.shape) + 60)


def _data(array: _Array, rng: random.Random) -> str:
    array.data = array.data[: rng.randrange(len(array.data) + 1)]
    array.tail = b"\0" * rng.choice((0, 1, 8, 1000))
    return f"{len(array.data)} bytes and {len(array.tail)}"


_MUTATIONS: tuple[Mutation, ...] = (_descr, _shape, _order, _version, _length, _data)
_OTHERS = (matrix_market.make, npz.make, matlab.make)


def make(draw: Draw) -> Case:
    """One input; one of four is a matrix, which may have another number of rows."""
    rng = draw.random
    if draw.is_large:
        count = rng.choice((10_000, 300_000, 3_000_000))
        array = _Array("'<f8'", "True", f"({ROWS}, {count})", bytes(8 * ROWS * count))
        draw.log.append(f"large: {count} columns")
        return Case("", array.bytes(), "vectors.npy", log=draw.log)
    if rng.random() < 0.25:
        case = rng.choice(_OTHERS)(draw)
        case.name = f"vectors-{case.name}"
        return case
    array = _array(rng)
    draw.mutate(array, _MUTATIONS)
    data = draw.bytes_mutated(array.bytes(), 0.25, lambda: _array(rng).bytes())
    return Case("", data, "vectors.npy", pipe=rng.random() < 0.2, log=draw.log)
