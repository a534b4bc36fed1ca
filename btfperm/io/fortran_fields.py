# SPDX-License-Identifier: BSD-3-Clause
"""Numbers in fixed-width Fortran fields, as `(13I6)` and `(1P,4D20.12)` lay them out.

Fields may touch each other, so the lines are cut by position before NumPy parses the numbers. NumPy
also accepts ``1_000``, so the characters are checked first.
"""

from __future__ import annotations

import functools
import itertools
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import UnreadableInputError
from btfperm.io.source import Source, shown

__all__ = ["Field", "read_fields"]

_FORMAT = re.compile(
    r"^\((?:[-+]?\d+P,?)?\(?(?P<count>\d*)(?P<kind>[IDEFG])(?P<width>\d+)(?:\.\d+)?(?:E\d+)?\)*$"
)
_SHORT_EXPONENT = re.compile(rb"(?<=[0-9.])([+-][0-9])")
_EXPONENTS = bytes.maketrans(b"dDqQ", b"eeee")
_CHARACTERS = {True: b"0123456789+- ", False: b"0123456789+-.eE infINFatyATY"}
# Characters of fields that are parsed at a time; shorter lines are padded with blanks first.
_BLOCK = 1 << 18
_LONGEST_LINE = 1 << 12


class Field:
    """A Fortran format: `count` fields of `width` characters on each line.

    >>> field = Field.parse(" (16I5) ")
    >>> field.count, field.width, field.is_integer
    (16, 5, True)
    >>> Field.parse("(A8)") is None
    True
    """

    def __init__(self, count: int, width: int, is_integer: bool) -> None:
        self.count = count
        self.width = width
        self.is_integer = is_integer

    @classmethod
    def parse(cls, text: str) -> Field | None:
        match = _FORMAT.match("".join(text.split()).upper())
        if match is None:
            return None
        count, width = int(match["count"] or 1), int(match["width"])
        if not (0 < count * width <= _LONGEST_LINE):
            return None
        return cls(count, width, match["kind"] == "I")


def read_fields(
    source: Source, field: Field, count: int, dtype: npt.DTypeLike, line: int, what: str
) -> tuple[npt.NDArray[Any], int]:
    """The next `count` numbers of the stream, which begin after line number `line`, and the number
    of the last line read.

    The array grows with the numbers found. `what` names them in messages. Raises
    `UnreadableInputError` when the file ends early or a field holds no number. O(lines read).
    """
    limits = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else None
    out = np.empty(source.first_capacity(count, 1), dtype=dtype)
    block = max(_BLOCK // (field.count * field.width), 1) * field.count
    read_line = functools.partial(source.stream.readline, _LONGEST_LINE)
    done = 0
    while done < count:
        part = min(count - done, block)
        wanted = -(-part // field.count)
        lines = list(itertools.islice(iter(read_line, b""), wanted))
        if len(lines) < wanted:
            at = line + len(lines)
            raise source.error(f"the file ends among the {what}; it seems truncated", at)
        numbers = _numbers(lines, part, field)
        if numbers is None:
            raise _first_error(source, lines, part, field, line, what)
        if limits is not None:  # a number may exceed the range of the type of `out`
            numbers = np.clip(numbers, limits.min, limits.max)
        if done + part > out.size:
            out.resize(min(count, 2 * (done + part)), refcheck=False)
        out[done : done + part] = numbers
        done += part
        line += len(lines)
    return out, line


def _numbers(lines: list[bytes], count: int, field: Field) -> npt.NDArray[Any] | None:
    """The first `count` numbers in the lines, or None when one of them is not a number."""
    width = field.count * field.width
    text = b"".join(entry.rstrip(b"\r\n")[:width].ljust(width) for entry in lines)
    if not field.is_integer:
        text = text.translate(_EXPONENTS)
    cells = np.frombuffer(text, dtype=f"S{field.width}")[:count]
    if text[: count * field.width].translate(None, _CHARACTERS[field.is_integer]):
        return None
    try:
        return cells.astype(np.int64 if field.is_integer else np.float64)
    except OverflowError:
        return None
    except ValueError:
        if field.is_integer:
            return None
    try:  # Fortran writes 1.0-100 for 1.0E-100
        return np.array([float(_SHORT_EXPONENT.sub(rb"e\1", cell)) for cell in cells.tolist()])
    except ValueError:
        return None


def _first_error(
    source: Source, lines: list[bytes], count: int, field: Field, line: int, what: str
) -> UnreadableInputError:
    for entry in lines:
        line += 1
        if _numbers([entry], min(count, field.count), field) is None:
            break
        count -= field.count
    expected = f"{field.count} to a line, {field.width} characters each"
    return source.error(f"{what} are expected, {expected}, not {shown(entry)}", line)
