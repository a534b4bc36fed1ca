# SPDX-License-Identifier: BSD-3-Clause
"""Random choices of the fuzzer: interesting values, mutations of a model, mutations of bytes.

A model is an object that holds the parts of a file, such as its words or arrays, and makes the
bytes of the file from them. Each module of a format has one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LARGE_EVERY", "Case", "Draw", "Mutation", "integer", "mutated_bytes", "token"]

LARGE_EVERY = 2500
"""One input in this number of inputs is large: up to 256 MB of unpacked data."""

Mutation = Callable[[Any, random.Random], str | None]
"""Changes a model in place and may return a description of the change. The name of the function is
recorded in any case."""

_INTEGERS = (
    *(0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 16, 127, 128, 255, 256, 1000, 65535, 65536, 10**5),
    *(2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**40, 2**53, 2**61, 2**62, -(2**62)),
    *(2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**20, 10**30),
)
_COSTLY = 10**7
"""A large declared number, such as a number of rows. A reader that allocates 8 bytes for each item
before it reads a small file exceeds the bound on memory (64 MB), so the fuzzer detects it; 4 bytes
for each item stay below the bound. The number is drawn rarely, because each reader takes long for a
legal matrix of this size."""

_SHARE_OF_COSTLY = 0.001

_TOKENS = (
    *("", "0", "-0", "+1", "++1", "--1", "1+", "1.5", "1.", ".5", "1e0", "1e999", "1e-999", "0x1"),
    *("1-2", "1+1", "1,2", "1_0", "nan", "-inf", "inf", "NaN", "1d0", "1D+2", "1e", "e1", "%", "#"),
    *("٣", "true", "None", "1L", "1j", "(1,2)", "9" * 19, "9" * 25, "0" * 30 + "1"),
    *(
        "\x00",
        "\x1b[31m",
        "\xa0",
        "\x0b",
        "\x0c",
        "\x85",
        "\u2028",
        "x",
        "-",
        "+",
        ".",
        "1 1",
        "\n",
    ),
)
_PIECES = (
    *(b"\0", b"\n", b"\r", b" ", b"-", b"%", b"\x1b[2J", b"1", b"0", b"9" * 20, b"1e999", b"nan"),
    *(b"\xff" * 4, b"\xff" * 8, b"\0" * 8, b"\x80", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f"),
    *(b"\0\0\0\x40", b"PK\x03\x04", b"\x1f\x8b", b"{", b"(", b"'", b'"', b"\t", b"\\", b"++"),
)


@dataclass
class Case:
    """One input for a reader.

    Attributes
    ----------
    reader : the name of its reader in `readers.READERS`
    data : the bytes of the file
    name : the file name, of which the suffix may matter
    pipe : whether the bytes come through standard input, which cannot seek
    block : bytes that the readers of Matrix Market and METIS files take at once; None for their
        default. If it is not None, short lists of JSON are read as long ones are
    log : the mutations that were applied
    """

    reader: str
    data: bytes
    name: str
    pipe: bool = False
    block: int | None = None
    log: list[str] = field(default_factory=list)


class Draw:
    """The random choices of one input.

    Each mutation has its own random numbers, so that the others do not change when the reducer
    leaves one out (`skip` holds the numbers of those that are left out).
    """

    def __init__(self, reader: str, seed: int, index: int, skip: frozenset[int] = frozenset()):
        number = int.from_bytes(reader.encode(), "big")
        self.random = random.Random((number << 128) | ((seed & (2**64 - 1)) << 64) | index)
        self.index = index
        self.skip = skip
        self.log: list[str] = []
        self.drawn = 0

    @property
    def is_large(self) -> bool:
        """Whether this input is one of the large ones."""
        return self.index % LARGE_EVERY == LARGE_EVERY // 5

    def mutate(self, model: Any, mutations: Sequence[Mutation], max_mutations: int = 3) -> None:
        """Applies some mutations, usually one or two."""
        chosen = self.random.random()
        count = 0 if chosen < 0.08 else 1 if chosen < 0.6 else 2 if chosen < 0.85 else max_mutations
        for _ in range(count):
            own = random.Random(self.random.getrandbits(64))
            number, self.drawn = self.drawn, self.drawn + 1
            if number in self.skip:
                continue
            mutation = own.choice(mutations)
            try:
                what = mutation(model, own)
            except Exception as error:  # earlier mutations may have removed a part that it needs
                what = f"not applicable ({type(error).__name__})"
            self.log.append(f"{number} {mutation.__name__.strip('_')}: {what or ''}")

    def bytes_mutated(
        self, data: bytes, chance: float, make_other: Callable[[], bytes] | None = None
    ) -> bytes:
        """Returns `data`, to which up to three mutations of bytes are applied with the given
        probability. `make_other` makes another input, with which `data` may be spliced."""
        if self.random.random() >= chance:
            return data
        other = make_other() if make_other else None
        for _ in range(1 + int(self.random.random() * 3)):
            own = random.Random(self.random.getrandbits(64))
            number, self.drawn = self.drawn, self.drawn + 1
            if number not in self.skip:
                data, what = mutated_bytes(data, own, other)
                self.log.append(f"{number} bytes: {what}")
        return data


def integer(rng: random.Random, near: int = 0) -> int:
    """A number that a reader may not expect; `near` is the correct one."""
    chosen = rng.random()
    if chosen < 0.3:
        return near + rng.choice((-2, -1, 1, 2))
    if chosen > 1 - _SHARE_OF_COSTLY:
        return _COSTLY
    if chosen < 0.4:
        return rng.choice((near * 2, near * 8, near * 256, -near, near + 2**32, near + 2**31))
    return rng.choice(_INTEGERS)


def token(rng: random.Random, near: str = "1") -> str:
    """A word that a reader may not expect; `near` is the correct one."""
    chosen = rng.random()
    if chosen < 0.45:
        return rng.choice(_TOKENS)
    if chosen < 0.7:
        return near + rng.choice(_TOKENS) if chosen < 0.6 else rng.choice(_TOKENS) + near
    try:
        return str(integer(rng, int(near)))
    except ValueError:
        return str(integer(rng))


def mutated_bytes(data: bytes, rng: random.Random, other: bytes | None = None) -> tuple[bytes, str]:
    """`data` after one mutation, and its description; `other` is an input to splice with."""
    at = rng.randrange(len(data) + 1)
    kind = rng.choice(("bit", "set", "insert", "delete", "cut", "repeat", "swap", "splice"))
    before, after = data[:at], data[at:]
    what = f"{kind} at {at}"
    if kind == "bit" and after:
        return before + bytes([after[0] ^ 1 << rng.randrange(8)]) + after[1:], what
    if kind == "set":
        piece = rng.choice(_PIECES)
        return before + piece + after[len(piece) :], f"{what}: {piece!r}"
    if kind == "insert":
        piece = rng.choice(_PIECES)
        return before + piece + after, f"{what}: {piece!r}"
    if kind == "delete":
        count = rng.choice((1, 1, 2, 4, 8, 64))
        return before + after[count:], f"{what}: {count}"
    if kind == "cut":
        return before, what
    if kind == "repeat":
        count, times = rng.choice((1, 2, 8, 64, 512)), rng.choice((2, 3, 50))
        return before + after[:count] * times + after[count:], f"{what}: {count} x {times}"
    if kind == "swap":
        count = rng.choice((1, 4, 8))
        return before + after[count : 2 * count] + after[:count] + after[2 * count :], what
    if kind == "splice" and other:
        there = rng.randrange(len(other) + 1)
        return before + other[there:], f"{what} with the bytes from {there} of another input"
    return data, "nothing"
