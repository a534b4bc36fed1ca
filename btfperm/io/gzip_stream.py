# SPDX-License-Identifier: BSD-3-Clause
"""The content of a `.gz` file.

`gzip.GzipFile` reads the names in a header byte by byte, at a megabyte a second, and a file may
hold a header of any length. Here zlib reads the headers, and checks all that they declare.
"""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO

__all__ = ["GzipStream"]

_PIECE = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS  # header and checksum of gzip, with the largest window


class GzipStream(io.RawIOBase):
    """Unpacks `packed`, which holds one or several gzip members.

    >>> import gzip
    >>> GzipStream(io.BytesIO(gzip.compress(b"one, ") + gzip.compress(b"two"))).read()
    b'one, two'
    """

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._ahead = b""  # read, but not unpacked yet
        self._unpacker = zlib.decompressobj(_GZIP)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        while len(view):
            if self._unpacker.eof and not self._begin_another():
                break
            piece = self._unpacker.unconsumed_tail or self._ahead or self._packed.read(_PIECE)
            self._ahead = b""
            found = self._unpacker.decompress(piece, len(view))  # may be left of former pieces
            if found:
                view[: len(found)] = found
                return len(found)
            if not piece:
                raise EOFError("the gzip stream ends early")
        return 0

    def _begin_another(self) -> bool:
        """Whether another member follows, after padding by zero bytes."""
        rest = self._unpacker.unused_data.lstrip(b"\0")
        while not rest:
            piece = self._packed.read(_PIECE)
            if not piece:
                return False
            rest = piece.lstrip(b"\0")
        self._unpacker = zlib.decompressobj(_GZIP)
        self._ahead = rest
        return True
