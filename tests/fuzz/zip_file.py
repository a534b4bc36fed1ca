# SPDX-License-Identifier: BSD-3-Clause
"""A writer of `.npz` archives in which every field of ZIP and of the array headers can be wrong.

`zipfile` writes only consistent archives. Checksums and lengths are correct here unless a mutation
overrides them.
"""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass, field

from tests.fuzz.draw import integer, token

__all__ = ["ZIP_MUTATIONS", "Archive", "Member"]

_DTYPES = (
    *(
        "|V0",
        "|S0",
        "<U0",
        "|O",
        "|V8",
        "<M8[s]",
        "<f2",
        "<f4",
        "<f8",
        "<f16",
        "<c8",
        "<c16",
        "|b1",
    ),
    *("|i1", "|u1", "<i2", "<i4", "<i8", "<u4", "<u8", ">i4", ">i8", "<i3", "i", "<U3", "|S3", ""),
    *("<U1073741824", "|V2147483647", "<i8, <i8", "(2,)i4", "(0,)i4", "x", "<f99999999999999"),
)
_SHAPES = (
    *("()", "(0,)", "(1,)", "(2,)", "(-1,)", "(0, 0)", "(1, 1)", "(3,", "3", "[3]", "(3.0,)"),
    *(
        "(True,)",
        "(2**3,)",
        "('3',)",
        "(None,)",
        "(4611686018427387904,)",
        "(18446744073709551616,)",
    ),
    *("(0, 4611686018427387904)", "(1, 4611686018427387904)", "(9999999999999999999999999, 0)"),
    *(
        "(" + "1, " * 40 + ")",
        "(" + "1, " * 3000 + ")",
        "(" * 150 + "1" + ")" * 150,
        "(1L,)",
        "(1_0,)",
        "(-0,)",
        "(1e3,)",
    ),
)


@dataclass
class Member:
    """An array and its position in the archive. `head`, `head_length`, `data`, `local` and
    `central` override the correct values."""

    key: str
    numbers: list[float | bytes]
    descr: str
    code: str
    shape: tuple[int, ...]
    order: bool = False
    method: int = 0
    head: str | None = None
    version: bytes = b"\x01\x00"
    head_length: int | None = None
    data: bytes | None = None
    magic: bytes = b"\x93NUMPY"
    local: dict[str, int] = field(default_factory=dict)
    central: dict[str, int] = field(default_factory=dict)
    extra: bytes = b""
    repeat: int = 1

    def array(self) -> bytes:
        """The `.npy` file."""
        data = self.data
        if data is None:
            data = _packed(self.code, self.numbers)
        head = self.head
        if head is None:
            descr = repr(self.descr) if not self.descr.startswith("[") else self.descr
            head = f"{{'descr': {descr}, 'fortran_order': {self.order}, 'shape': {self.shape}, }}"
        text = head.encode("utf-8", "surrogateescape")
        width = 2 if self.version == b"\x01\x00" else 4
        text += b" " * (-(len(text) + 9 + width) % 64) + b"\n"
        length = len(text) if self.head_length is None else self.head_length
        size = (length & (1 << 8 * width) - 1).to_bytes(width, "little")
        return self.magic + self.version + size + text + data


def _packed(code: str, numbers: list[float | bytes]) -> bytes:
    if code == "s":
        return b"".join(x for x in numbers if isinstance(x, bytes))
    if code in "fd":
        return struct.pack(f"<{len(numbers)}{code}", *numbers)
    width = struct.calcsize(code)
    mask = (1 << 8 * width) - 1
    return b"".join((int(x) & mask).to_bytes(width, "little") for x in numbers)


@dataclass
class Archive:
    """Members, and the overridden fields of the end record."""

    members: list[Member]
    end: dict[str, int] = field(default_factory=dict)
    comment: bytes = b""
    start: bytes = b""

    def bytes(self) -> bytes:
        body, central = bytearray(self.start), bytearray()
        for member in self.members:
            for _ in range(member.repeat):
                _write_member(member, body, central)
        count = sum(member.repeat for member in self.members)
        right = {"here": count, "all": count, "size": len(central), "offset": len(body)}
        end = right | self.end
        tail = struct.pack(
            "<4s4H2IH",
            b"PK\x05\x06",
            end.get("disk", 0) & 0xFFFF,
            end.get("disk", 0) & 0xFFFF,
            end["here"] & 0xFFFF,
            end["all"] & 0xFFFF,
            end["size"] & 0xFFFFFFFF,
            end["offset"] & 0xFFFFFFFF,
            len(self.comment),
        )
        return bytes(body + central) + tail + self.comment


def _write_member(member: Member, body: bytearray, central: bytearray) -> None:
    data = member.array()
    packed = data
    if member.method == 8:
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(data) + packer.flush()
    name = member.key.encode("utf-8", "surrogateescape")
    right = {
        "version": 20,
        "flags": 0,
        "method": member.method,
        "time": 0,
        "date": 33,
        "crc": zlib.crc32(data),
        "packed": len(packed),
        "size": len(data),
        "name": len(name),
        "extra": len(member.extra),
        "offset": len(body),
        "disk": 0,
    }
    local, there = right | member.local, right | member.central
    short = [local[key] & 0xFFFF for key in ("version", "flags", "method", "time", "date")]
    long = [local[key] & 0xFFFFFFFF for key in ("crc", "packed", "size")]
    ends = [local[key] & 0xFFFF for key in ("name", "extra")]
    body += struct.pack("<4s5H3I2H", b"PK\x03\x04", *short, *long, *ends)
    body += name + member.extra + packed
    short = [there[key] & 0xFFFF for key in ("version", "flags", "method", "time", "date")]
    long = [there[key] & 0xFFFFFFFF for key in ("crc", "packed", "size")]
    ends = [there[key] & 0xFFFF for key in ("name", "extra")]
    central += struct.pack("<4s6H3I2H", b"PK\x01\x02", 20, *short, *long, *ends)
    central += struct.pack("<3H2I", 0, there["disk"] & 0xFFFF, 0, 0, there["offset"] & 0xFFFFFFFF)
    central += name + member.extra


def _field(archive: Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    keys = ("flags", "method", "crc", "packed", "size", "name", "extra", "offset", "version")
    key, near = rng.choice(keys), len(member.array())
    value = (
        rng.choice((0, 1, 8, 9, 12, 14, 2048, near)) if rng.random() < 0.5 else integer(rng, near)
    )
    where = rng.choice(("local", "central", "central", "both"))
    if where != "central":
        member.local[key] = value
    if where != "local":
        member.central[key] = value
    return f"{key} of {member.key} = {value} ({where})"


def _end_record(archive: Archive, rng: random.Random) -> str:
    key = rng.choice(("here", "all", "size", "offset", "disk"))
    archive.end[key] = integer(rng, len(archive.members))
    return f"{key} = {archive.end[key]}"


def _head(archive: Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    kind = rng.choice(("descr", "descr", "shape", "shape", "order", "text", "version", "length"))
    descr, shape, order = repr(member.descr), str(member.shape), str(member.order)
    if kind == "descr":
        descr = rng.choice(_DTYPES)
        fields = "[('a', '<i8'), ('b', '<i8')]", "[('a', '|V0')]", "[]", "[('', '<i4')]", "5", "{}"
        descr = rng.choice(fields) if rng.random() < 0.2 else repr(descr)
    elif kind == "shape":
        shape = rng.choice(_SHAPES)
        if rng.random() < 0.3:
            shape = str(tuple(integer(rng, 3) for _ in range(rng.choice((1, 2, 3)))))
    elif kind == "order":
        order = rng.choice(("True", "1", "None", "'x'", "[]"))
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if kind == "text":
        text = rng.choice(
            (
                *(text[:-1], text[1:], text.replace("'", '"', 1), text + "}", "{" + text, "", "{}"),
                *(text.replace("'descr'", token(rng)), text.replace(",", ""), "\n" + text, "0" * 9),
                *(text.replace(":", "::"), "((((" + text, text + "\\", text + "'''", "lambda: 0"),
                *(text.replace("(", "(\x00"), text.replace("}", "\n  }"), "\t" + text, text * 300),
            )
        )
    elif kind == "version":
        choices = (b"\x02\x00", b"\x03\x00", b"\x04\x00", b"\x00\x00", b"\xff\xff")
        member.version = rng.choice(choices)
    elif kind == "length":
        member.head_length = integer(rng, len(text))
    member.head = text
    return f"{kind} of {member.key}: {text[:80]!r}"


def _empty_of_size(archive: Archive, rng: random.Random) -> str:
    """An array without bytes whose header declares any number of items."""
    member = rng.choice(archive.members)
    descr, count = rng.choice(("|V0", "|S0", "<U0")), rng.choice((0, 3, 10**7, 2**31, 2**62))
    member.head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}"
    member.data = b""
    return f"{member.key}: {count} of {descr}"


def _number(archive: Archive, rng: random.Random) -> str:
    member = rng.choice([part for part in archive.members if part.numbers and part.code != "s"])
    at = rng.randrange(len(member.numbers))
    right = member.numbers[at]
    member.numbers[at] = integer(rng, int(right))
    return f"{member.key}[{at}] = {member.numbers[at]}"


def _count(archive: Archive, rng: random.Random) -> str:
    """Adds, removes or shuffles numbers; usually the header of the array is changed, too."""
    member = rng.choice([part for part in archive.members if part.code != "s"])
    kind = rng.choice(("drop", "add", "empty", "shuffle", "repeat"))
    if kind == "drop":
        member.numbers.pop()
    elif kind == "add":
        member.numbers.insert(rng.randrange(len(member.numbers) + 1), integer(rng, 2))
    elif kind == "empty":
        member.numbers.clear()
    elif kind == "shuffle":
        rng.shuffle(member.numbers)
    else:
        member.numbers *= 2
    if rng.random() < 0.85 and len(member.shape) == 1:
        member.shape = (len(member.numbers),)
    return f"{kind} in {member.key}"


def _type(archive: Archive, rng: random.Random) -> str:
    member = rng.choice([part for part in archive.members if part.code != "s"])
    member.descr, member.code = rng.choice(
        (("<i8", "q"), ("<u8", "Q"), ("<i4", "i"), ("|i1", "b"), ("<f8", "d"), ("<f4", "f"))
    )
    return f"{member.key}: {member.descr}"


def _wide(archive: Archive, rng: random.Random) -> str:
    """A very large or negative number in a 64-bit type, signed or unsigned."""
    member = rng.choice([part for part in archive.members if part.numbers and part.code != "s"])
    member.descr, member.code = rng.choice((("<i8", "q"), ("<u8", "Q")))
    value = rng.choice((2**62, 2**63 - 1, -(2**62), -(2**63), 2**31, 2**61, 2**60 + 1))
    at = rng.randrange(len(member.numbers))
    member.numbers[at] = value
    return f"{member.key}[{at}] = {value}"


def _members(archive: Archive, rng: random.Random) -> str:
    at = rng.randrange(len(archive.members))
    member = archive.members[at]
    names = (
        "data.npy",
        "indptr.npy",
        "row.npy",
        "x\x1b[31m.npy",
        "",
        "../x.npy",
        "data",
        "meta.npy",
    )
    kind = rng.choice(("drop", "twice", "rename", "method", "extra", "cut", "magic", "comment"))
    if kind == "drop":
        del archive.members[at]
    elif kind == "twice":
        archive.members.insert(at, member)
    elif kind == "rename":
        member.key = rng.choice((*names, "row_perm.npy"))
    elif kind == "method":
        member.method = 8 - member.method
    elif kind == "extra":  # ZIP64 sizes, or damaged
        wide = struct.pack("<HHQQ", 1, 16, rng.choice((2**62, 2**64 - 1, 64)), 2**40)
        member.extra = rng.choice((wide, wide[:7], b"\x01\x00\xff\xff", b"\0" * 5))
        member.central |= rng.choice(({}, {"size": 0xFFFFFFFF}, {"packed": 0xFFFFFFFF}))
    elif kind == "cut":
        member.data = member.array()[-rng.choice((1, 3, 8)) :]
    elif kind == "magic":
        member.magic = rng.choice((b"\x93NUMPZ", b"", b"\x93NUMPY\0"))
    else:
        archive.comment = rng.choice((b"x" * 100, b"PK\x05\x06" + b"\0" * 18, b"\0"))
        archive.start = rng.choice((b"", b"", b"PK\x03\x04" + b"\0" * 60))
    return f"{kind}: {member.key!r}"


ZIP_MUTATIONS = (
    *(_field, _field, _end_record, _head, _head, _empty_of_size, _number, _number, _number),
    *(_count, _count, _type, _wide, _wide, _members),
)
