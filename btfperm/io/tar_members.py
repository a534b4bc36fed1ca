# SPDX-License-Identifier: BSD-3-Clause
"""The regular files in a tar archive, read front to back.

Formats: ustar, with the long names of GNU tar and with the extended headers of pax (POSIX.1-2001),
of which only the name and the size are used. `tarfile` is not used, because it allocates headers of
any declared length, evaluates the maps of sparse files, calls itself for each header in a chain,
and takes quadratic time for many pax records.

Headers are parsed in Python, and packed ones may be a thousand times shorter than what they unpack
to, so an archive whose headers exceed a fixed number of bytes is refused.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeVar

__all__ = ["MemberFile", "members"]

_Value = TypeVar("_Value", str, int)

_BLOCK = 512
_PIECE = 1 << 16
_LONGEST_HEADER = 1 << 20  # bytes of a long name or of pax records
_MOST_HEADERS = 16 << 20  # bytes of all headers together: those of more than 10,000 files
_LARGEST_SIZE = 1 << 62
_PAX = (b"x", b"X")  # "X" is written by Solaris tar
_REGULAR = (b"0", b"\0", b"7")
_WITHOUT_DATA = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, directories and pipes
_SPARSE = "it holds a sparse file of GNU tar, which is not read: unpack it with `tar`"


class MemberFile(io.RawIOBase):
    """The bytes of one member. Raises EOFError if the archive ends before the member does."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = size

    def readable(self) -> bool:
        return True

    def discard(self) -> None:
        """Reads to the end."""
        while self.read(_PIECE):
            pass

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")[: self._left]
        count = self._stream.readinto(view) if len(view) else 0  # type: ignore[attr-defined]
        if len(view) and not count:
            raise EOFError("the archive ends before its member")
        self._left -= count
        return int(count)


def members(stream: BinaryIO) -> Iterator[tuple[str, MemberFile]]:
    """Name and content of each regular file in an archive. Bytes of a file that the caller does not
    read are skipped when the caller requests the next file.

    Raises
    ------
    ValueError : the archive is damaged, or holds something that is not supported, such as a sparse
        file of GNU tar or too many headers
    EOFError : it ends early
    """
    name: str | None = None
    size: int | None = None
    left = _MOST_HEADERS
    while True:
        header = stream.read(_BLOCK)
        left -= _BLOCK
        if left < 0:
            raise ValueError(
                f"its headers have more than the {_MOST_HEADERS:,} bytes that are read"
            )
        if len(header) < _BLOCK or not header.strip(b"\0"):
            if header.strip(b"\0"):
                raise EOFError("the archive ends in a header")
            return
        _check(header)
        kind, length = header[156:157], _number(header[124:136])
        if kind in (b"L", b"K", b"g", *_PAX):
            text, padding = _extension(stream, length)
            left -= len(text) + len(padding)
            if kind == b"L":
                name = _agreed(name, _text((text + padding).split(b"\0", 1)[0]))
            elif kind in _PAX:
                new_name, new_size = _pax(text)
                name, size = _agreed(name, new_name), _agreed(size, new_size)
            elif kind == b"g" and _pax(text) != (None, None):
                raise ValueError("a pax header gives all files the same name or size")
            continue
        if kind == b"S":
            raise ValueError(_SPARSE)
        length = length if size is None else size
        if kind in _WITHOUT_DATA:  # some archives repeat the size of a link's target
            length = 0
        file = MemberFile(stream, length)
        # The oldest archives mark a directory by a slash behind its name only.
        is_old_directory = kind == b"\0" and _name(header).endswith("/")
        if kind in _REGULAR and not is_old_directory:
            yield name or _name(header), file
        file.discard()
        _skip(stream, -length % _BLOCK)
        name, size = None, None


def _skip(stream: BinaryIO, count: int) -> None:
    while count:
        got = len(stream.read(min(count, _PIECE)))
        if not got:
            raise EOFError("the archive ends early")
        count -= got


def _extension(stream: BinaryIO, length: int) -> tuple[bytes, bytes]:
    """The data of a header that describes the next member, and the rest of its last block."""
    if length > _LONGEST_HEADER:
        raise ValueError(f"a header of {length:,} bytes, of which {_LONGEST_HEADER:,} are read")
    text = stream.read(length)
    if len(text) < length:
        raise EOFError("the archive ends in a header")
    return text, stream.read(-length % _BLOCK)


def _check(header: bytes) -> None:
    """Raises ValueError if the checksum in the header is wrong. It is the sum of the bytes of the
    header with blanks in place of the checksum."""
    total = sum(header) - sum(header[148:156]) + 8 * 32
    if _number(header[148:156]) != total:
        raise ValueError("the checksum of a header is wrong")


def _number(field: bytes) -> int:
    """An octal number, or one of GNU tar in base 256, whose highest bit is set."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    else:
        text = field.split(b"\0", 1)[0].strip(b" ")
        if text.strip(b"01234567"):
            raise ValueError(f"{field!r} is no octal number")
        value = int(text or b"0", 8)
    if value > _LARGEST_SIZE:
        raise ValueError("a size is beyond 62 bits")
    return value


def _name(header: bytes) -> str:
    """The name in a header, with the prefix of the ustar format."""
    name, prefix = header[:100].split(b"\0", 1)[0], header[345:500].split(b"\0", 1)[0]
    return _text(prefix + b"/" + name if header[257:263] == b"ustar\0" and prefix else name)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _agreed(known: _Value | None, new: _Value | None) -> _Value | None:
    """The name or size of a member. Two headers may give it, and they must agree, because tar
    programs do not agree on which of the two counts."""
    if known is not None and new is not None and known != new:
        raise ValueError(f"its headers give one file {known!r} and {new!r}")
    return known if new is None else new


def _pax(text: bytes) -> tuple[str | None, int | None]:
    """Name and size in the records ``length key=value`` of a pax header; O(bytes)."""
    name: str | None = None
    size: int | None = None
    at = 0
    while at < len(text) and text[at] != 0:
        blank = text.find(b" ", at, at + 20)
        digits = text[at:blank] if blank > at else b""
        if not digits.isdigit() or not blank - at < int(digits) <= len(text) - at:
            raise ValueError("a pax record is damaged")
        end = at + int(digits)
        key, equals, value = text[blank + 1 : end - 1].partition(b"=")
        if not equals or text[end - 1 : end] != b"\n":
            raise ValueError("a pax record is damaged")
        if key.startswith(b"GNU.sparse."):
            raise ValueError(_SPARSE)
        if key == b"path":
            name = _text(value)
        elif key == b"size":
            if not value.isdigit() or len(value) > 20 or int(value) > _LARGEST_SIZE:
                raise ValueError("the size in a pax record is no number of bytes")
            size = int(value)
        at = end
    return name, size
