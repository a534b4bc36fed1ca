# SPDX-License-Identifier: BSD-3-Clause
"""Arrays whose size a file declares: their memory grows with the bytes that are read."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["DAMAGE", "PIECE", "array_of", "discard"]

PIECE = 1 << 18
"""The largest number of bytes that one call reads."""

DAMAGE = (
    ValueError,  # includes UnicodeDecodeError
    LookupError,
    TypeError,
    RuntimeError,  # includes NotImplementedError and RecursionError
    OverflowError,
    EOFError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What damaged bytes raise in NumPy, `struct`, `zipfile` and `zlib`."""

_START = 1 << 20


def array_of(read: Callable[[int], bytes], size: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The next `size` bytes as an array of `dtype`, whose item size divides `size`.

    ``read(n)`` returns at most n bytes, none at the end. The array starts with at most 1 MB and
    doubles when it is full, so a declared size without bytes costs at most 1 MB.

    >>> import io
    >>> array_of(io.BytesIO(bytes([1, 0, 2, 0])).read, 4, np.dtype("<u2"))
    array([1, 2], dtype=uint16)
    """
    array = np.empty(min(size, _START), dtype=np.uint8)
    filled = 0
    while filled < size:
        piece = read(min(size - filled, PIECE))
        if not piece:
            raise ValueError("it ends early")
        end = filled + len(piece)
        if end > array.size:  # nothing else refers to the array yet
            array.resize(min(size, 2 * array.size), refcheck=False)
        array[filled:end] = np.frombuffer(piece, dtype=np.uint8)
        filled = end
    return array.view(dtype)


def discard(read: Callable[[int], bytes], size: int) -> None:
    """Reads the next `size` bytes in pieces and drops them."""
    while size:
        count = len(read(min(size, PIECE)))
        if not count:
            raise ValueError("it ends early")
        size -= count
