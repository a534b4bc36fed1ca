# SPDX-License-Identifier: BSD-3-Clause
"""The content of a `.gz` file.

`gzip.GzipFile` reads the names in a header byte by byte, which takes long because a header may have
any length. Here zlib reads the headers.
"""

from __future__ import annotations

import zlib
from typing import Any

from btfperm.io.unpacking_stream import UnpackingStream

__all__ = ["GzipStream"]

_GZIP = 16 + zlib.MAX_WBITS  # header and checksum of gzip, with the largest window


class GzipStream(UnpackingStream):
    """Unpacks one or several gzip members.

    >>> import gzip, io
    >>> GzipStream(io.BytesIO(gzip.compress(b"one, ") + gzip.compress(b"two"))).read()
    b'one, two'
    """

    def _new_unpacker(self) -> Any:
        return zlib.decompressobj(_GZIP)

    def _unpack(self, most: int) -> bytes:
        piece = self._unpacker.unconsumed_tail or self._next_piece()
        # Even if `piece` is empty, zlib may hold bytes of the pieces before.
        found: bytes = self._unpacker.decompress(piece, most)
        if not found and not piece:
            raise EOFError("the gzip stream ends early")
        return found
