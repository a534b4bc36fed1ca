# SPDX-License-Identifier: BSD-3-Clause
"""Arrays and pictures as text, small enough for a page, and JSON that is safe inside HTML."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.reports.pictures.view import shades

__all__ = ["json_for_html", "packed", "png", "png_within"]

_GREYS = 16  # of a picture: four bits for each cell
_WIDTHS = ((np.uint8, "Uint8Array"), (np.uint16, "Uint16Array"), (np.uint32, "Uint32Array"))


def packed(array: npt.NDArray[Any]) -> dict[str, str]:
    """Whole numbers from 0 to 2^32 - 1 for the browser: the name of its array type, and the bytes,
    compressed and as base64. O(size).

    >>> import numpy as np
    >>> packed(np.array([1, 2]))["type"]
    'Uint8Array'
    """
    largest = int(array.max(initial=0))
    type_, name = next(row for row in _WIDTHS if largest <= np.iinfo(row[0]).max)
    data = zlib.compress(array.astype(np.dtype(type_).newbyteorder("<")).tobytes(), 6)
    return {"type": name, "data": base64.b64encode(data).decode()}


def png(counts: npt.NDArray[np.int64]) -> bytes:
    """A density picture as a PNG of black cells. The opacity of a cell is its darkness (see
    `shades`), so that the page can choose the colour of the ink."""
    height, width = counts.shape
    levels = np.pad(_levels(counts), ((0, 0), (0, width % 2)))
    rows = (levels[:, ::2] << 4) | levels[:, 1::2]
    lines = np.pad(rows, ((0, 0), (1, 0)))  # each line begins with its filter: none
    opacity = bytes(255 * k // (_GREYS - 1) for k in range(_GREYS))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
        (b"PLTE", bytes(3 * _GREYS)),
        (b"tRNS", opacity),
        (b"IDAT", _compressed(lines.tobytes())),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def _levels(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The grey of each cell, by a table of all counts where that is shorter than the picture."""
    largest = int(counts.max(initial=0))
    if largest >= counts.size:
        return np.ceil(shades(counts) * (_GREYS - 1)).astype(np.uint8)
    table = np.ceil(shades(np.arange(largest + 1)) * (_GREYS - 1)).astype(np.uint8)
    levels: npt.NDArray[np.uint8] = table[counts]
    return levels


def _compressed(data: bytes) -> bytes:
    """Compressed by run lengths and Huffman codes only. Other repetitions are rare in a density
    picture, and the search for them takes much longer if it is dense."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_RLE)
    return packer.compress(data) + packer.flush()


def png_within(counts: npt.NDArray[np.int64], most: int) -> str | None:
    """The picture as a data URL, or None if it has more than `most` bytes."""
    data = png(counts)
    return None if len(data) > most else f"data:image/png;base64,{base64.b64encode(data).decode()}"


def json_for_html(value: Any) -> str:
    """JSON for a ``<script>`` element. Names come from files: no text of theirs ends the element.

    >>> json_for_html("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":  # inside strings only; JSON itself has none of them
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
