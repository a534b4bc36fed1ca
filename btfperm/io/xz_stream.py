# SPDX-License-Identifier: BSD-3-Clause
"""The content of an `.xz` file, within a limit on the memory that its header declares.

`lzma.LZMAFile` has no such limit: the dictionary that a header declares may take 4 GB.
"""

from __future__ import annotations

import lzma
from typing import Any

from btfperm.io.unpacking_stream import UnpackingStream

__all__ = ["XzStream"]

_MEMORY = 1 << 27  # bytes; `xz -9` needs half of it


class XzStream(UnpackingStream):
    """Unpacks one or several xz streams."""

    _has_begun = False

    def _new_unpacker(self) -> Any:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)

    def _unpack(self, most: int) -> bytes | None:
        piece = b""
        if self._unpacker.needs_input:
            piece = self._next_piece()
            if not piece and not self._has_begun:
                return None
            if not piece:
                raise EOFError("the xz stream ends early")
            self._has_begun = True
        found: bytes = self._unpacker.decompress(piece, most)
        return found
