# SPDX-License-Identifier: BSD-3-Clause
"""Archives of `tar`: ustar, pax and GNU members, sparse maps, long names."""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass, field

from tests.fuzz import matrix_market
from tests.fuzz.draw import Case, Draw, integer, token

__all__ = ["make"]

_BLOCK = 512
_USTAR, _GNU = b"ustar\x0000", b"ustar  \0"
_NAMES = (
    *("a/a.mtx", "a/b.mtx", "b.mtx", "x/a\x1b[31m.mtx", "a/\n.mtx", "../a/a.mtx", "/a/a.mtx", "a"),
    *("a/a.mtx/", "é/é.mtx", "a/a.rua", "a/a.npz", "a/a.mat", "a" * 99 + "/a.mtx", "a/a.MTX"),
)
_TYPES = (*b"0\x0012345678ADKLMNSVXgx", 0x1B, 0xFF)


@dataclass
class _Member:
    """One member; `sizes` is the text of the size field if it differs from that of the data."""

    name: str
    data: bytes
    type: int = ord("0")
    magic: bytes = _USTAR
    sizes: bytes | None = None
    checksum: bytes | None = None
    fields: dict[int, bytes] = field(default_factory=dict)
    is_padded: bool = True
    repeat: int = 1

    def bytes(self) -> bytes:
        head = bytearray(_BLOCK)
        name = self.name.encode("utf-8", "surrogateescape")[:100]
        head[: len(name)] = name
        head[100:124] = b"0000644\x000000000\x000000000\x00"
        head[124:136] = (b"%011o\0" % len(self.data)) if self.sizes is None else self.sizes
        head[136:148] = b"00000000000\0"
        head[156] = self.type
        head[257:265] = self.magic
        for at, piece in self.fields.items():
            head[at : at + len(piece)] = piece
        head[148:156] = b" " * 8
        checksum = b"%06o\0 " % sum(head) if self.checksum is None else self.checksum
        head[148:156] = checksum
        padding = b"\0" * (-len(self.data) % _BLOCK) if self.is_padded else b""
        return (bytes(head) + self.data + padding) * self.repeat


@dataclass
class _Archive:
    members: list[_Member]
    end: bytes = b"\0" * (2 * _BLOCK)

    def bytes(self) -> bytes:
        return b"".join(member.bytes() for member in self.members) + self.end


def _records(pairs: list[tuple[str, str]]) -> bytes:
    """Records of a pax header, each preceded by its correct length."""
    records = []
    for key, value in pairs:
        body = f" {key}={value}\n".encode("utf-8", "surrogateescape")
        length = len(body) + len(str(len(body)))
        length = len(body) + len(str(length))
        records.append(str(length).encode() + body)
    return b"".join(records)


def _size_field(value: int, rng: random.Random) -> bytes:
    """The number as octal digits, or with 8 bits in each byte, as GNU tar writes large ones."""
    if 0 <= value < 8**11 and rng.random() < 0.7:
        return b"%011o\0" % value
    first = b"\xff" if value < 0 else b"\x80"
    return first + (value & (1 << 88) - 1).to_bytes(11, "big")


def _size(archive: _Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    value = integer(rng, len(member.data))
    member.sizes = _size_field(value, rng)
    if rng.random() < 0.2:
        member.sizes = token(rng).encode("utf-8", "surrogateescape")[:12].ljust(12, b"\0")
    return f"{member.name[:20]}: {member.sizes!r}"


def _type(archive: _Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    member.type = rng.choice(_TYPES)
    return f"{member.name[:20]}: {chr(member.type)!r}"


def _name(archive: _Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    member.name = rng.choice(_NAMES)
    return repr(member.name[:40])


def _header(archive: _Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    kind = rng.choice(("checksum", "magic", "field", "padding"))
    if kind == "checksum":
        member.checksum = rng.choice((b"0" * 8, b"\0" * 8, b" " * 8, b"\xff" * 8, b"-1 \0\0\0\0\0"))
    elif kind == "magic":
        member.magic = rng.choice(
            (_GNU, _USTAR, b"ustar\0\0\0", b"ustar\x0099", b"ustar\0\xff\xff")
        )
    elif kind == "field":
        at = rng.choice((100, 108, 116, 136, 157, 265, 297, 329, 337, 345))
        piece = rng.choice((b"\xff" * 8, b"\x80" + b"\xff" * 11, b"x" * 8, b"-1", b"9" * 8, b"a/b"))
        member.fields[at] = piece
        kind += f" {at} = {piece!r}"
    else:
        member.is_padded = False
    return kind


def _pax(archive: _Archive, rng: random.Random) -> str:
    at = rng.randrange(len(archive.members) + 1)
    keys = ("path", "size", "linkpath", "hdrcharset", "mtime", "uid", "comment", "x\x1b")
    key = rng.choice(keys)
    value = rng.choice(_NAMES) if key in ("path", "linkpath") else token(rng)
    if key == "size":
        value = str(integer(rng, 60))
    text = _records([(key, value)])
    if rng.random() < 0.3:  # a wrong length of the record
        first, _, rest = text.partition(b" ")
        text = token(rng, first.decode()).encode("utf-8", "surrogateescape") + b" " + rest
    archive.members.insert(at, _Member("pax", text, ord(rng.choice("xxgX"))))
    return f"{key} = {value!r}"


def _pax_sparse(archive: _Archive, rng: random.Random) -> str:
    """A sparse member in one of pax's three formats."""
    at = rng.randrange(len(archive.members))
    member = archive.members[at]
    real = rng.choice((len(member.data), 1 << 20, 1 << 30, 10**12, -1, integer(rng, 100)))
    parts = [str(integer(rng, 10)) for _ in range(rng.choice((0, 1, 2, 2, 4)))]
    version = rng.choice(("0.0", "0.1", "1.0"))
    name = [("GNU.sparse.name", rng.choice(_NAMES))] if rng.random() < 0.5 else []
    if version == "0.1":
        text = rng.choice((",".join(parts), token(rng), "0," + str(len(member.data))))
        pairs = [("GNU.sparse.map", text), ("GNU.sparse.size", str(real))]
    elif version == "0.0":
        pairs = [("GNU.sparse.size", str(real)), ("GNU.sparse.numblocks", str(len(parts) // 2))]
        keys = ("GNU.sparse.offset", "GNU.sparse.numbytes")
        pairs += [(keys[k % 2], part) for k, part in enumerate(parts)]
    else:
        major = [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")]
        pairs = [*major, ("GNU.sparse.realsize", str(real))]
        count = rng.choice((len(parts) // 2, integer(rng, 1)))
        blocks = "\n".join([str(count), *parts]) + "\n"
        member.data = blocks.encode().ljust(-(-len(blocks) // _BLOCK) * _BLOCK, b"\0") + member.data
    archive.members.insert(at, _Member("pax", _records([*name, *pairs]), ord("x")))
    return f"{version}: real size {real}, {parts}"


def _gnu_sparse(archive: _Archive, rng: random.Random) -> str:
    member = rng.choice(archive.members)
    member.type, member.magic = ord("S"), _GNU
    real = rng.choice((len(member.data), 1 << 20, 1 << 33, 10**12, 2**62, -1))
    pairs = [integer(rng, len(member.data)) for _ in range(8)]
    if rng.random() < 0.5:
        pairs = [0, len(member.data), real, 0, 0, 0, 0, 0]
    text = b"".join(_size_field(value, rng) for value in pairs)
    more = rng.choice((b"\0", b"\0", b"\1"))
    member.fields[386] = text + more + _size_field(real, rng)
    return f"real size {real}, {pairs[:4]}"


def _long_name(archive: _Archive, rng: random.Random) -> str:
    at = rng.randrange(len(archive.members) + 1)
    name = rng.choice((*_NAMES, "a" * 5000 + "/a.mtx", "\0", ""))
    long = _Member("././@LongLink", name.encode() + b"\0", ord(rng.choice("LLK")), _GNU)
    if rng.random() < 0.4:
        long.sizes = _size_field(integer(rng, len(name)), rng)
    archive.members.insert(at, long)
    return f"{name[:30]!r}, size {long.sizes!r}"


def _members(archive: _Archive, rng: random.Random) -> str:
    kind = rng.choice(("add", "drop", "end", "no end", "cut", "empty"))
    member = rng.choice(archive.members)
    if kind == "add":
        archive.members.append(_Member(rng.choice(_NAMES), member.data))
    elif kind == "drop":
        archive.members.remove(member)
    elif kind == "end":
        archive.end = rng.choice((b"\0" * 512, b"x" * 1024, b"\0" * 10240))
    elif kind == "no end":
        archive.end = b""
    elif kind == "cut":
        member.data = member.data[: rng.randrange(len(member.data))]
    else:
        archive.members.insert(0, _Member(rng.choice(("a/", "x", "readme")), b"", ord("5")))
    return kind


_MUTATIONS = (
    *(_size, _size, _type, _name, _header, _pax, _pax, _pax_sparse, _pax_sparse),
    *(_gnu_sparse, _gnu_sparse, _long_name, _long_name, _members, _members),
)


def _archive(draw: Draw, *, mutate: bool) -> _Archive:
    rng = draw.random
    data = matrix_market.text(draw, mutate=mutate)
    magic = rng.choice((_USTAR, _GNU))
    members = [_Member(rng.choice(("a/a.mtx", "a/a.mtx", "b.mtx")), data, magic=magic)]
    if rng.random() < 0.3:
        members.insert(rng.randrange(2), _Member("a/a_b.mtx", b"x" * 20, magic=magic))
    return _Archive(members)


def _packed_header(rest: bytes, letter: int, megabytes: int) -> bytes:
    """A small `.tar.gz` whose first header, a long name or records of pax, has some megabytes."""
    size = b"%011o\0" % (megabytes << 20)
    head = _Member("././@LongLink", b"", letter, _GNU, sizes=size).bytes()
    megabyte = gzip.compress(b"a" * (1 << 20), 9, mtime=0)
    return gzip.compress(head, mtime=0) + megabyte * megabytes + gzip.compress(rest, mtime=0)


def _large(draw: Draw) -> tuple[bytes, str]:
    """Long headers: records of pax, names, maps, many members."""
    rng = draw.random
    archive = _archive(draw, mutate=False)
    if rng.random() < 0.25:
        letter, megabytes = ord(rng.choice("LKxg")), rng.choice((8, 64, 256))
        what = f"large packed header {chr(letter)}: {megabytes} MB"
        return _packed_header(archive.bytes(), letter, megabytes), what
    kind = rng.choice(("records", "record", "digits", "names", "links", "members", "map", "blocks"))
    count = rng.choice((2_000, 40_000))
    one = _records([("comment", "x")])
    if kind == "records":
        archive.members.insert(0, _Member("pax", one * count, ord(rng.choice("xg"))))
    elif kind == "record":
        archive.members.insert(0, _Member("pax", _records([("path", "a" * 10 * count)]), ord("x")))
    elif kind == "digits":
        archive.members.insert(0, _Member("pax", b"1" * 10 * count, ord("x")))
    elif kind in ("names", "links"):
        letter = ord("L" if kind == "names" else "K")
        long = _Member("././@LongLink", b"a" * 10 * count, letter, _GNU, repeat=1)
        archive.members.insert(0, long)
        long.repeat = rng.choice((1, 50)) if count < 10_000 else 1
    elif kind == "members":
        archive.members.insert(0, _Member("a/b.mtx", b"", repeat=count))
    elif kind == "map":
        pairs = [("GNU.sparse.map", ",".join(["0,0"] * count)), ("GNU.sparse.size", "60")]
        archive.members.insert(0, _Member("pax", _records(pairs), ord("x")))
    else:
        keys = ("GNU.sparse.offset", "GNU.sparse.numbytes")
        pairs = [("GNU.sparse.size", "60"), *((keys[k % 2], "0") for k in range(count))]
        archive.members.insert(0, _Member("pax", _records(pairs), ord("x")))
    return archive.bytes(), f"large {kind}: {count}"


def make(draw: Draw) -> Case:
    rng = draw.random
    name = "a.tar"
    if draw.is_large:
        data, what = _large(draw)
        draw.log.append(what)
    else:
        archive = _archive(draw, mutate=rng.random() < 0.15)
        draw.mutate(archive, _MUTATIONS)
        data = draw.bytes_mutated(archive.bytes(), 0.15)
    if rng.random() < 0.2:
        name, data = "a.tar.gz", gzip.compress(data, 1, mtime=0)
    return Case("", data, name, rng.random() < 0.3, None, draw.log)
