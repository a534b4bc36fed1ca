# SPDX-License-Identifier: BSD-3-Clause
"""Packed files: gzip, bzip2 and xz, with a matrix file or an archive inside."""

from __future__ import annotations

import bz2
import functools
import gzip
import lzma
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz import harwell_boeing, matlab, matrix_market, npz, perm, tar
from tests.fuzz.draw import Case, Draw, integer

__all__ = ["make", "pack"]

_XZ = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 12}]  # fast to initialize
_SUFFIX = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz"}


@dataclass
class _Stream:
    """Bytes to pack as `pieces` streams, `times` times over, and a `tail` of unpacked bytes after
    them. `flags`, `fields` and `ends` (checksum and length) are for gzip only."""

    data: bytes
    kind: str
    pieces: int = 1
    tail: bytes = b""
    flags: int = 0
    fields: bytes = b""
    ends: tuple[int | None, int | None] = (None, None)
    times: int = 1

    def bytes(self) -> bytes:
        step = -(-len(self.data) // self.pieces) or 1
        parts = [self.data[at : at + step] for at in range(0, len(self.data), step)] or [b""]
        body = b"".join(self._member(part) for part in parts)
        for _ in range(self.times - 1):
            body = pack(body, self.kind)
        return body + self.tail

    def _member(self, part: bytes) -> bytes:
        if self.kind != "gzip":
            return pack(part, self.kind)
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(part) + packer.flush()
        crc = zlib.crc32(part) if self.ends[0] is None else self.ends[0] & 0xFFFFFFFF
        size = (len(part) if self.ends[1] is None else self.ends[1]) & 0xFFFFFFFF
        head = struct.pack("<2sBBIBB", b"\x1f\x8b", 8, self.flags, 0, 0, 255) + self.fields
        return head + packed + struct.pack("<II", crc, size)


def pack(data: bytes, kind: str) -> bytes:
    """`data` in one stream of this kind."""
    if kind == "gzip":
        return gzip.compress(data, 6, mtime=0)
    if kind == "bzip2":
        return bz2.compress(data, 1)
    return lzma.compress(data, filters=_XZ)


def _several_streams(stream: _Stream, rng: random.Random) -> str:
    stream.pieces = rng.choice((2, 3, 20))
    return str(stream.pieces)


def _tail(stream: _Stream, rng: random.Random) -> str:
    choices = (b"\0", b"\0" * 5000, b"x", stream.bytes()[:7], b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0")
    stream.tail = rng.choice(choices)
    return f"{stream.tail[:10]!r}"


def _flags(stream: _Stream, rng: random.Random) -> str:
    stream.flags = rng.choice((1, 2, 4, 8, 16, 30, 32, 255))
    choices = (b"", b"\xff\xff", b"\x02\0ab", b"name\x1b\0", b"x" * 2000 + b"\0", b"\0\0")
    stream.fields = rng.choice(choices)
    if rng.random() < 0.01:
        stream.fields = b"x" * 70_000 + b"\0"  # Python reads it byte by byte
    return f"{stream.flags} {stream.fields[:10]!r}"


def _ends(stream: _Stream, rng: random.Random) -> str:
    stream.ends = rng.choice(((0, None), (None, 0), (None, integer(rng, len(stream.data)))))
    return str(stream.ends)


def _twice(stream: _Stream, rng: random.Random) -> str:
    stream.times = rng.choice((2, 3))
    return str(stream.times)


def _cut_inside(stream: _Stream, rng: random.Random) -> str:
    """The matrix file is truncated; its packing is complete."""
    stream.data = stream.data[: rng.randrange(len(stream.data))]
    return f"to {len(stream.data)}"


_MUTATIONS = (_several_streams, _tail, _flags, _ends, _twice, _cut_inside)
_INNER: tuple[tuple[Callable[[Draw], Case], str], ...] = (
    (matrix_market.make, "a.mtx"),
    (matrix_market.make, "a.mtx"),
    (harwell_boeing.make, "a.rua"),
    (matlab.make, "a.mat"),
    (npz.make, "a.npz"),
    (tar.make, "a.tar"),
    (perm.make, "perm.json"),
)


@functools.cache
def _megabyte(kind: str, piece: bytes) -> bytes:
    """A packed stream of 1 MB that repeats `piece`."""
    return pack(piece * ((1 << 20) // len(piece)), kind)


_TEXTS = {
    "blank lines": b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1\n",
    "comments": b"%%MatrixMarket matrix coordinate pattern general\n%\n",
    "one line": b"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n",
    "banner": b"%%MatrixMarket ",
    "MATLAB": b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM",
    "title": b"",
    "word": b"btfperm-permutation 1 btfperm 10\nshape 2\n",
    "JSON": b'{"shape": [2, 2], "row_perm": [',
}
_PIECES = {"blank lines": b"\n", "comments": b"%\n", "MATLAB": b"\0", "title": b"1\n1\n1\n("}


def _large(rng: random.Random) -> Case:
    """A small packed file of up to 64 MB of text: one packed stream, then one of 1 MB repeated."""
    kind = rng.choice(("gzip", "gzip", "bzip2", "xz"))
    inner = rng.choice(sorted(_TEXTS))
    count = rng.choice((1, 8, 64))
    body = pack(_TEXTS[inner], kind) + _megabyte(kind, _PIECES.get(inner, b"1")) * count
    suffix = ".mat" if inner == "MATLAB" else ".mtx"
    log = [f"large {inner} in {kind}: {count} MB"]
    return Case("", body, "a" + suffix + _SUFFIX[kind], rng.random() < 0.3, None, log)


def make(draw: Draw) -> Case:
    rng = draw.random
    if draw.is_large:
        return _large(rng)
    make_inner, name = rng.choice(_INNER)
    inner = make_inner(draw)
    kind = rng.choice(("gzip", "gzip", "gzip", "bzip2", "xz"))
    stream = _Stream(inner.data, kind)
    if rng.random() < 0.6:
        draw.mutate(stream, _MUTATIONS, max_mutations=2)
    data = draw.bytes_mutated(stream.bytes(), 0.15)
    name += _SUFFIX[kind] if rng.random() < 0.9 else ""
    return Case("", data, name, inner.pipe, inner.block, draw.log)
