# SPDX-License-Identifier: BSD-3-Clause
"""The content of an `.xz` file, within a limit on the memory that its header declares.

`lzma.LZMAFile` has no such limit: the dictionary that a header declares may take 4 GB.
"""

from __future__ import annotations

import io
import lzma
from typing import Any, BinaryIO

__all__ = ["XzStream"]

_PIECE = 1 << 16
_MEMORY = 1 << 27  # bytes; `xz -9` needs half of it


class XzStream(io.RawIOBase):
    """Unpacks `packed`, which holds one or several xz streams."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._ahead = b""  # read, but not unpacked yet
        self._unpacker = _unpacker()
        self._has_begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        while len(view):
            if self._unpacker.eof and not self._begin_another():
                break
            piece = b""
            if self._unpacker.needs_input:
                piece = self._ahead or self._packed.read(_PIECE)
                self._ahead = b""
                if not piece:
                    if self._has_begun:
                        raise EOFError("the xz stream ends early")
                    break
                self._has_begun = True
            found = self._unpacker.decompress(piece, len(view))
            if found:
                view[: len(found)] = found
                return len(found)
        return 0

    def _begin_another(self) -> bool:
        """Whether another stream follows, after padding by zero bytes."""
        rest = self._unpacker.unused_data.lstrip(b"\0")
        while not rest:
            piece = self._packed.read(_PIECE)
            if not piece:
                return False
            rest = piece.lstrip(b"\0")
        self._unpacker = _unpacker()
        self._ahead = rest
        return True


def _unpacker() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
