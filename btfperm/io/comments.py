# SPDX-License-Identifier: BSD-3-Clause
"""Comments before the first line of a text file, in Matrix Market and METIS files."""

from __future__ import annotations

import numpy as np

from btfperm import _core
from btfperm.io.source import Source, skip_line

__all__ = ["line_behind_comments"]


def line_behind_comments(source: Source, line: int, longest: int) -> tuple[bytes, int]:
    """The first line that is neither blank nor a comment (``%``), at most `longest` bytes of it,
    and its number; `line` lines have been read before. Returns no bytes if the file ends first."""
    while True:
        line += _skip_whole_lines(source)
        text = source.stream.readline(longest)
        start = text.lstrip()
        if not text or (start and not start.startswith(b"%")):
            return text, line + 1
        is_whole = text.endswith(b"\n")
        if start and len(text) == longest and not is_whole:  # a comment longer than `longest`
            skip_line(source)
            is_whole = True
        line += is_whole


def _skip_whole_lines(source: Source) -> int:
    """Skips the whole lines in the buffer that are blank or comments, and returns their number. The
    core finds them: a packed file of some kilobytes may hold millions."""
    lines = 0
    while text := source.stream.peek():  # type: ignore[attr-defined]
        size, skipped = _core.io.skip_comments(np.frombuffer(text, dtype=np.uint8))
        if not size:
            break
        source.stream.read(size)
        lines += skipped
    return lines
