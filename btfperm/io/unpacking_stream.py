# SPDX-License-Identifier: BSD-3-Clause
"""A stream of unpacked bytes: what the readers of `.gz` and `.xz` files share."""

from __future__ import annotations

import io
from abc import abstractmethod
from typing import Any, BinaryIO

__all__ = ["UnpackingStream"]

_PIECE = 1 << 16


class UnpackingStream(io.RawIOBase):
    """Unpacks `packed`, which holds one or several members, each with a header of its own.

    A subclass makes the object that unpacks one member, and calls it.
    """

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__()
        self._packed = packed
        self._ahead = b""  # read, but not unpacked yet
        self._unpacker = self._new_unpacker()

    @abstractmethod
    def _new_unpacker(self) -> Any:
        """The object of zlib or lzma that unpacks one member."""

    @abstractmethod
    def _unpack(self, most: int) -> bytes | None:
        """At most `most` unpacked bytes of this member, maybe none yet. None, which ends the
        stream, is allowed if the file is empty.

        Raises
        ------
        EOFError : the file ends within the member
        """

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        while len(view):
            if self._unpacker.eof and not self._begin_another():
                break
            found = self._unpack(len(view))
            if found is None:
                break
            if found:
                view[: len(found)] = found
                return len(found)
        return 0

    def _next_piece(self) -> bytes:
        """The next packed bytes; empty at the end of the file."""
        piece = self._ahead or self._packed.read(_PIECE)
        self._ahead = b""
        return piece

    def _begin_another(self) -> bool:
        """Whether another member follows, after padding by NUL bytes."""
        rest = self._unpacker.unused_data.lstrip(b"\0")
        while not rest:
            piece = self._packed.read(_PIECE)
            if not piece:
                return False
            rest = piece.lstrip(b"\0")
        self._unpacker = self._new_unpacker()
        self._ahead = rest
        return True
