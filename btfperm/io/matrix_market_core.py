# SPDX-License-Identifier: BSD-3-Clause
"""The one place that decides whose build of fast_matrix_market does the parsing.

The package of that name has no wheels for Python 3.13 and later; SciPy (>= 1.12) ships the same
core, at the price of importing SciPy.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Pieces", "core"]


def core() -> Any:
    """The module that holds `open_read_stream`, `read_body_coo` and their kin."""
    try:
        from fast_matrix_market import _fmm_core
    except ImportError:
        from scipy.io._fast_matrix_market import _fmm_core
    return _fmm_core


class Pieces:
    """Hands blocks of bytes to the core as a stream, without copying them.

    >>> stream = Pieces(b"one", b"", b"two")
    >>> [stream.read() for _ in range(3)]
    [b'one', b'two', b'']
    """

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = [piece for piece in reversed(pieces) if piece]

    def read(self, _size: int = -1) -> bytes:
        return self._pieces.pop() if self._pieces else b""
