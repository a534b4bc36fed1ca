# SPDX-License-Identifier: BSD-3-Clause
"""The byte range of a text file that a rank reads: it begins and ends at the start of a line.

A line belongs to the range that contains its first byte. So each line is in exactly one range,
whatever the length of the lines.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["FileRange", "line_range", "lines_before"]

_PIECE = 1 << 20
_BUFFER = 1 << 16


# The first rank also hashes the file, which takes about a quarter of the time of parsing it. So if
# each other one of P ranks parses `_SHARES` parts of the file, the first rank parses `_SHARES` - P
# parts, or nothing.
_SHARES = 5


def line_range(path: Path, first: int, last: int, part: int, parts: int) -> tuple[int, int]:
    """Divides the bytes ``first:last`` of a file into `parts` ranges and returns the bounds of
    range `part`. Range 0 is shorter than the others. A line must begin at `first`."""
    size, shorter = last - first, min(parts, _SHARES) if parts > 1 else 0
    ends = [max(_SHARES * k - shorter, 0) for k in (part, part + 1)]
    bounds = [first + size * end // (_SHARES * parts - shorter) for end in ends]
    with path.open("rb", buffering=0) as file:
        begin, end = (_line_at_or_after(file, bound, first, last) for bound in bounds)
    return begin, end


def _line_at_or_after(file: BinaryIO, at: int, first: int, last: int) -> int:
    """The first position at or after `at` where a line begins; `last` if there is none before."""
    if at <= first:
        return first
    file.seek(at - 1)
    begin = at - 1
    while begin < last:
        piece = file.read(min(_PIECE, last - begin))
        if not piece:
            break
        found = piece.find(b"\n")
        if found >= 0:
            return min(begin + found + 1, last)
        begin += len(piece)
    return last


def lines_before(path: Path, end: int) -> int:
    """Number of line ends in the first `end` bytes of a file. O(end)."""
    lines = 0
    with path.open("rb", buffering=0) as file:
        while end > 0:
            piece = file.read(min(_PIECE, end))
            if not piece:
                break
            lines += piece.count(b"\n")
            end -= len(piece)
    return lines


class FileRange(io.RawIOBase):
    """Bytes ``begin:end`` of a file as a stream."""

    def __init__(self, path: Path, begin: int, end: int) -> None:
        super().__init__()
        self._file = path.open("rb", buffering=0)
        self._file.seek(begin)
        self._left = end - begin

    @classmethod
    def buffered(cls, path: Path, begin: int, end: int) -> io.BufferedReader:
        return io.BufferedReader(cls(path, begin, end), _BUFFER)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        count = self._file.readinto(view[: min(len(view), self._left)]) or 0
        self._left -= count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
