# SPDX-License-Identifier: BSD-3-Clause
"""The entries of a Matrix Market file, in little memory.

Idea        The text is read in blocks that end at line ends. Each block is handed to
            fast_matrix_market under a small header of its own, and is parsed straight into slices
            of the two final arrays; of the values only the zeros are remembered.
Cost        O(size of the file); 8 bytes an entry (int32), and some four times a block.
Beware      - What the header says is not believed: arrays grow with what was found.
            - The core looks for line ends with strchr: a NUL byte, or a last line without an
              end, would crash it.
            - The core counts lines, so a block must have as many entries as it has lines; where
              it has not (blank lines, comments, rubbish) the block is cleaned and tried again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.threads import startable_threads, usable_cores
from btfperm.errors import UnreadableInputError
from btfperm.io.header import Header
from btfperm.io.matrix_market_core import Pieces, core
from btfperm.io.source import Progress, Source, shown, skip_line
from btfperm.io.values import reflected

__all__ = ["BLOCK", "Body", "read_body"]

BLOCK: int | None = None
"""Bytes of text in a block; None chooses by the number of entries. Tests set it."""

_SMALLEST_BLOCK = 1 << 16
_LARGEST_BLOCK = 1 << 25
_PER_THREAD = 1 << 20  # the core deals out its work in pieces of this size
_LONGEST_LINE = 1 << 16
_BYTES_PER_ENTRY = 4  # at least: "1 1\n"
_FIRST_CAPACITY = 1 << 16
_NO_ENTRY = re.compile(rb"^[ \t\r]*(?:%[^\n]*)?\n", re.MULTILINE)
_VALUE_TYPE = {"real": np.float64, "integer": np.float64, "complex": np.complex128}
_SENTENCES = (
    ("Row index out", "the row number is not between 1 and {0}"),
    ("Column index out", "the column number is not between 1 and {1}"),
    ("Invalid integer", "a row and a column number are expected"),
    ("Integer out", "a number is too large"),
    ("Invalid floating", "the value is missing or not a number"),
    ("Floating-point value out", "the value is too large"),
)

IndexArray = npt.NDArray[np.signedinteger[Any]]


class Body:
    """Entries found so far; the arrays are longer than `used` until `finish`.

    Attributes
    ----------
    rows, cols : int32 where the shape fits, else int64
    values : only when they are kept
    zeros : True where an entry was stored with the value zero; None while there are none
    """

    def __init__(self, header: Header, capacity: int, value_type: npt.DTypeLike | None) -> None:
        index = np.int32 if max(header.shape) <= np.iinfo(np.int32).max else np.int64
        self.used = 0
        self.rows: IndexArray = np.empty(capacity, dtype=index)
        self.cols: IndexArray = np.empty(capacity, dtype=index)
        self.values = None if value_type is None else np.empty(capacity, dtype=value_type)
        self.zeros: npt.NDArray[np.bool_] | None = None

    def reserve(self, count: int, limit: int | None = None) -> None:
        """Makes room for `count` more entries, and for half as many again up to `limit`."""
        needed = self.used + count
        if needed > self.rows.size:
            grown = needed + needed // 2
            self.resize(grown if limit is None else max(needed, min(grown, limit)))

    def mark_zeros(self, zeros: npt.NDArray[np.bool_], at: int) -> None:
        if zeros.any():
            if self.zeros is None:
                self.zeros = np.zeros(self.rows.size, dtype=bool)
            self.zeros[at : at + zeros.size] = zeros

    def finish(self) -> None:
        self.resize(self.used)

    def resize(self, size: int) -> None:
        # In place (mremap): a second copy would break the memory budget.
        for array in (self.rows, self.cols, self.values, self.zeros):
            if array is not None and array.size != size:
                array.resize(size, refcheck=False)


def read_body(
    source: Source,
    header: Header,
    line: int,
    *,
    keep_values: bool = False,
    expand: bool = True,
    threads: int = 0,
    progress: Progress | None = None,
) -> Body:
    """Reads all entries; those of a symmetric list are expanded unless told otherwise.

    `line` is the number of lines the header took; `threads` = 0 means all cores. Raises
    `UnreadableInputError` with the line of the file.
    """
    assert header.entries is not None
    announced = header.entries
    if source.largest_size is None:
        believed = min(announced, _FIRST_CAPACITY)
    else:
        believed = min(announced, source.largest_size // _BYTES_PER_ENTRY + 1)
    if header.layout == "array":
        believed = min(believed, _FIRST_CAPACITY)
    kept = _kept_type(header) if keep_values else None
    body = Body(header, believed, kept)
    parser = _Parser(source, header, threads, body)
    size = BLOCK or min(max(announced // 2, _SMALLEST_BLOCK), _LARGEST_BLOCK)
    found = 0
    for pieces, lines in _blocks(source, size, line):
        found += parser.parse(pieces, lines, line, found)
        line += lines
        source.report(progress)
    if found < announced:
        raise source.error(
            f"the file ends after {found} of the {announced} entries that its header announces; "
            "it seems truncated",
            line,
        )
    if expand and header.layout == "coordinate" and header.symmetry != "general":
        _mirror(body, header.symmetry, parser.off_diagonal)
    body.finish()
    return body


def _kept_type(header: Header) -> npt.DTypeLike | None:
    if header.field == "pattern":
        return None
    return np.int64 if header.field == "integer" else _VALUE_TYPE[header.field]


def _blocks(source: Source, size: int, line: int) -> Iterator[tuple[tuple[bytes, bytes], int]]:
    """Blocks of whole lines, in two pieces to save a copy, and the number of lines in each."""
    while text := source.stream.read(size):
        rest = b"" if text.endswith(b"\n") else source.stream.readline(_LONGEST_LINE)
        too_long = len(rest) == _LONGEST_LINE and not rest.endswith(b"\n")
        if too_long and text[text.rfind(b"\n") + 1 :].lstrip().startswith(b"%"):
            skip_line(source)  # a comment may have any length
            too_long, rest = False, b"\n"
        if not (rest or text).endswith(b"\n"):
            rest += b"\n"  # the last line of the file
        # Five times faster than bytes.count, which stops at each of so many line ends.
        ends = np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        lines = int(ends) + rest.count(b"\n")
        if too_long:
            raise source.error("the line is too long for an entry", line + lines)
        for piece in (text, rest):
            if b"\0" in piece:
                before = text + rest
                at = line + 1 + before.count(b"\n", 0, before.index(b"\0"))
                raise source.error("there is a NUL byte in the text; is the file damaged?", at)
        yield (text, rest), lines
        line += lines


class _Parser:
    """Parses blocks into a `Body`."""

    def __init__(self, source: Source, header: Header, threads: int, body: Body) -> None:
        self.off_diagonal = 0
        self._core = core()
        self._source = source
        self._header = header
        self._threads = startable_threads(threads or usable_cores())
        self._body = body
        self._buffer: npt.NDArray[Any] = np.empty(
            0, dtype=_VALUE_TYPE.get(header.field, np.float64)
        )
        self._column = _ArrayPosition(header) if header.layout == "array" else None

    def parse(self, pieces: tuple[bytes, bytes], lines: int, line: int, found: int) -> int:
        """Parses one block, which begins after line number `line`; returns its entries."""
        left = (self._header.entries or 0) - found
        if lines <= left:
            try:
                self._parse_lines(pieces, lines)
                return lines
            except (ValueError, OverflowError):
                pass  # the block is looked at more closely
        text = b"".join(pieces)
        cleaned = _NO_ENTRY.sub(b"", text)
        entries = cleaned.count(b"\n")
        if entries > left:
            announced = self._header.entries
            what = f"there are more entries than the {announced} that the header announces"
            raise self._error(text, line, left, what)
        try:
            self._parse_lines((cleaned, b""), entries)
        except (ValueError, OverflowError) as error:
            raise self._translated(error, text, line) from None
        return entries

    def _parse_lines(self, pieces: tuple[bytes, bytes], count: int) -> None:
        """Parses a block of `count` lines that all hold an entry."""
        if count == 0:
            return
        header, body = self._header, self._body
        # An integer is read as a real number: it may be larger than 64 bits, and 0.5 is not zero.
        field = "real" if header.field == "integer" else header.field
        if self._column is not None:
            cursor = self._open(f"array {field} general\n{count} 1\n", pieces)
            values = self._values(count)
            values.fill(0)  # the core adds to what is there
            self._core.read_body_array(cursor, values.reshape(count, 1))
            self._column.append(body, values)
            return
        body.reserve(count, header.entries)
        here = slice(body.used, body.used + count)
        rows, cols = body.rows[here], body.cols[here]
        if body.values is not None:
            values = body.values[here]
            field = header.field
        else:
            values = self._values(count)
        m, n = header.shape
        cursor = self._open(f"coordinate {field} general\n{m} {n} {count}\n", pieces)
        self._core.read_body_coo(cursor, rows, cols, values)
        if header.field != "pattern" and not values.all():
            body.mark_zeros(values == 0, body.used)
        if header.symmetry != "general":
            self.off_diagonal += int(np.count_nonzero(rows != cols))
        body.used += count

    def _open(self, sizes: str, pieces: tuple[bytes, bytes]) -> Any:
        text = f"%%MatrixMarket matrix {sizes}".encode()
        threads = min(self._threads, 1 + len(pieces[0]) // _PER_THREAD)
        return self._core.open_read_stream(Pieces(text, *pieces), threads)

    def _values(self, count: int) -> npt.NDArray[Any]:
        """Room for the values of one block; all in one place when they do not matter."""
        if self._header.field == "pattern":
            return np.lib.stride_tricks.as_strided(np.zeros(1), (count,), (0,))
        if self._buffer.size < count:
            self._buffer = np.empty(count, dtype=self._buffer.dtype)
        return self._buffer[:count]

    def _translated(self, error: Exception, text: bytes, line: int) -> UnreadableInputError:
        message = str(error)
        match = re.match(r"Line (\d+): (.*)", message)
        if match is None:
            return self._source.error(f"the entries cannot be parsed ({message})", line + 1)
        message = match[2]
        for start, sentence in _SENTENCES:
            if message.startswith(start):
                message = sentence.format(*self._header.shape)
                break
        # The core saw a header of two lines, and none of the lines without an entry.
        return self._error(text, line, int(match[1]) - 3, message)

    def _error(self, text: bytes, line: int, entry: int, what: str) -> UnreadableInputError:
        """An error about the entry number `entry` (from 0) of the block."""
        for number, content in enumerate(text.split(b"\n")):
            if content.strip() and not content.lstrip().startswith(b"%"):
                if entry == 0:
                    return self._source.error(f"{what}: {shown(content)}", line + 1 + number)
                entry -= 1
        return self._source.error(what, line + 1)


class _ArrayPosition:
    """Where in a dense file we are: column by column, only one triangle when symmetric."""

    def __init__(self, header: Header) -> None:
        self._m, self._n = header.shape
        self._symmetry = header.symmetry
        self._col = 0
        self._row = self._first_row()

    def append(self, body: Body, values: npt.NDArray[Any]) -> None:
        """Appends the nonzeros among the next `values`."""
        at = 0
        while at < values.size:
            part = values[at : at + self._m - self._row]
            rows = np.flatnonzero(part)
            kept = part[rows]
            rows += self._row
            mirrored = self._symmetry != "general"
            body.reserve(2 * rows.size if mirrored else rows.size)
            self._put(body, rows, self._col, kept)
            if mirrored:
                off = rows != self._col
                self._put(body, self._col, rows[off], reflected(kept[off], self._symmetry))
            at += part.size
            self._row += part.size
            while self._row >= self._m and self._col < self._n:
                self._col += 1
                self._row = self._first_row()

    def _first_row(self) -> int:
        if self._symmetry == "general":
            return 0
        return self._col + (self._symmetry == "skew-symmetric")

    @staticmethod
    def _put(body: Body, rows: Any, cols: Any, values: npt.NDArray[Any]) -> None:
        here = slice(body.used, body.used + values.size)
        body.rows[here], body.cols[here] = rows, cols
        if body.values is not None:
            body.values[here] = values
        body.used += values.size


def _mirror(body: Body, symmetry: str, off_diagonal: int) -> None:
    """Appends the transposes of the entries off the diagonal."""
    stored = body.used
    if body.rows.size < stored + off_diagonal:
        body.resize(stored + off_diagonal)
    step = 1 << 17  # short, because of the temporaries
    for start in range(0, stored, step):
        part = slice(start, min(start + step, stored))
        off = np.flatnonzero(body.rows[part] != body.cols[part])
        here = slice(body.used, body.used + off.size)
        body.rows[here] = body.cols[part][off]
        body.cols[here] = body.rows[part][off]
        if body.values is not None:
            body.values[here] = reflected(body.values[part][off], symmetry)
        if body.zeros is not None:
            body.zeros[here] = body.zeros[part][off]
        body.used += off.size
