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
    text = b"%"
    while not text.strip() or text.lstrip().startswith(b"%"):
        line += _skip_whole_lines(source)
        text = source.stream.readline(longest)
        line += text.endswith(b"\n") or not text
        if len(text) == longest and text.lstrip().startswith(b"%"):
            skip_line(source)
            line += 1
        if not text:
            break
    return text, line


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
