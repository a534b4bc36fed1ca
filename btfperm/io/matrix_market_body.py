# SPDX-License-Identifier: BSD-3-Clause
"""The entries of a Matrix Market file, in bounded memory.

Idea        The text is read in blocks that end at line ends. The core counts the entries of each
            block, parses their positions into slices of the arrays of the result, and checks that
            each number ends where its token ends (`matrix_market.hpp`). Of the values only the
            zeros are stored, unless the caller requests all values.
Cost        O(size of the file); 8 bytes per entry with 32-bit indices, and about twice a block
Beware      The header may declare any number of entries. The arrays begin with at most as many
            places as the file can hold entries (a packed file: its bytes, or 65,536), and grow with
            the entries read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import startable_threads, usable_cores
from btfperm.errors import UnreadableInputError
from btfperm.io.header import Header
from btfperm.io.source import Progress, Source, shown, skip_line
from btfperm.io.values import reflected

if TYPE_CHECKING:
    from btfperm.io.matrix_market_dense import ArrayPosition

__all__ = ["BLOCK", "VALUE_TYPE", "Body", "Parser", "Take", "read_body", "stream_body"]

BLOCK: int | None = None
"""Bytes of text in a block; None chooses by the number of entries. Tests set it."""

_SMALLEST_BLOCK = 1 << 16
# Bytes. A value of an array file needs up to four times the memory of its text.
_LARGEST_BLOCK = {"coordinate": 1 << 25, "array": 1 << 22}
_PER_THREAD = 1 << 20  # bytes of a block for which another thread is worthwhile
_LONGEST_LINE = 1 << 16
_READ_AT_ONCE = 1 << 20
_SHOWN = 200  # bytes of a bad line that are kept for the message
_BYTES_PER_ENTRY = 4  # the shortest entry: "1 1\n"
_FIRST_CAPACITY = 1 << 16  # entries reserved first for arrays (zeros are no entries) and streams
VALUE_TYPE = {"real": np.float64, "integer": np.int64, "complex": np.complex128}
# The core's codes for the values of a field: ignore them, find the zeros, store them.
_NO_VALUES = 0
_ZEROS = {"real": 1, "integer": 1, "complex": 2}
_VALUES = {"real": 3, "integer": 4, "complex": 5}
_TOO_LONG = "the line is too long for an entry"
_NUL = "there is a NUL byte in the text"
_SENTENCES = (
    "",
    "a row and a column number are expected",
    "a number is too large",
    "the row number is not between 1 and {0}",
    "the column number is not between 1 and {1}",
    "the value is missing or not a number",
    "the value is not a whole number, as the header announces",
    "the line holds more than one value",
)

IndexArray = npt.NDArray[np.signedinteger[Any]]
Text = npt.NDArray[np.uint8]
# A function that receives rows, columns and values (None in a pattern file) of some entries.
Take = Callable[[IndexArray, IndexArray, "npt.NDArray[Any] | None"], None]
DividedText = tuple[Text, npt.NDArray[np.int64], npt.NDArray[np.int64]]  # `TextParts` of the core


class Body:
    """The first `used` places of the arrays hold entries; `finish` removes the other places.

    Attributes
    ----------
    rows, cols : int32 where the shape fits, else int64
    values : None unless the caller requests them and the file holds them
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
        """Makes room for `count` more entries. If the arrays must grow, they get 1.5 times the
        places needed, but not more than `limit` unless more are needed."""
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
        # In place (mremap), because a second copy would exceed the memory that the head states.
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
    """Reads all entries. `expand` adds the transposes of the entries of a symmetric coordinate
    file; those of a dense file are always added.

    `line` is the number of lines the header took; `threads` = 0 means all cores. Raises
    `UnreadableInputError` with the line of the file.
    """
    assert header.entries is not None
    believed = source.first_capacity(header.entries, _BYTES_PER_ENTRY)
    if header.layout == "array":
        believed = min(believed, _FIRST_CAPACITY)
    wanted = VALUE_TYPE.get(header.field) if keep_values else None
    body = Body(header, believed, wanted)
    off_diagonal = _parsed(source, header, line, body, threads, progress)
    if expand and header.layout == "coordinate" and header.symmetry != "general":
        _mirror(body, header.symmetry, off_diagonal)
    body.finish()
    return body


def stream_body(source: Source, header: Header, line: int, take: Take, block: int) -> None:
    """Calls `take` with the entries of one block of text after the other, as the file lists them.

    A block has about `block` bytes. The arrays are overwritten after each call of `take`. Raises
    what `read_body` raises.
    """
    body = Body(header, _FIRST_CAPACITY, VALUE_TYPE.get(header.field))

    def drain() -> None:
        values = None if body.values is None else body.values[: body.used]
        take(body.rows[: body.used], body.cols[: body.used], values)
        body.used, body.zeros = 0, None

    _parsed(source, header, line, body, 0, None, block=block, drain=drain)


def _parsed(
    source: Source,
    header: Header,
    line: int,
    body: Body,
    threads: int,
    progress: Progress | None,
    *,
    block: int | None = None,
    drain: Callable[[], None] | None = None,
) -> int:
    """Parses all blocks and returns the number of entries off the diagonal of a symmetric list.
    `drain` is called after each block."""
    announced = header.entries or 0
    parser = Parser(source, header, line, threads, body)
    size = BLOCK or block or _block_for(announced, header.layout)
    for text in parser.blocks(size):
        parser.parse(text)
        source.report(progress)
        if drain is not None:
            drain()
    parser.check_end()
    return parser.off_diagonal


def _block_for(entries: int, layout: str) -> int:
    return min(max(entries // 2, _SMALLEST_BLOCK), _LARGEST_BLOCK[layout])


class Parser:
    """Parses blocks into `body`; `line` and `found` count the lines and entries before a block."""

    def __init__(self, source: Source, header: Header, line: int, threads: int, body: Body) -> None:
        self.line = line
        self.found = 0
        self.off_diagonal = 0
        self._source = source
        self._header = header
        self._wanted_threads = threads
        self._threads = 0  # 0: not chosen yet
        self.body = body
        self._buffer: npt.NDArray[Any] = np.empty(0, dtype=bool)
        self._column: ArrayPosition | None = None
        if header.layout == "array":  # imported here, because few files need the module
            from btfperm.io.matrix_market_dense import ArrayPosition

            self._column = ArrayPosition(header)

    def blocks(self, size: int) -> Iterator[Text]:
        """Yields blocks of whole lines. Each block overwrites the block before."""
        buffer = np.empty(size + _LONGEST_LINE + 1, dtype=np.uint8)
        stream, place = self._source.stream, buffer.data
        while used := _fill(stream, place[:size]):
            text = buffer[:used]
            if text[-1] != ord("\n"):
                rest = stream.readline(_LONGEST_LINE)
                if len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = self._end_of_long_line(text, rest)
                elif not rest.endswith(b"\n"):
                    rest += b"\n"  # the last line of the file
                place[used : used + len(rest)] = rest
                text = buffer[: used + len(rest)]
            yield text

    def _end_of_long_line(self, text: Text, rest: bytes) -> bytes:
        """`rest` holds the 65,536 bytes after the block, and the last line of the block does not
        end in them. Such a long line must be a comment: the rest of the line is skipped in the
        file. Returns the bytes that end the block instead of `rest`."""
        before = text.tobytes()
        first = before[before.rfind(b"\n") + 1 :] + rest
        if not first.lstrip(b" \t\r").startswith(b"%"):
            what = _TOO_LONG
        elif b"\0" in rest or skip_line(self._source):
            what = _NUL
        else:
            return b"%\n"
        line = self.line + 1 + before.count(b"\n")
        raise self._source.error(f"{what}: {shown(first[:_SHOWN])}", line)

    def check_end(self) -> None:
        """Raises UnreadableInputError if the file has fewer entries than its header announces."""
        announced = self._header.entries or 0
        if self.found < announced:
            raise self._source.error(
                f"the file ends after {self.found} of the {announced} entries that its header "
                "announces; it seems truncated",
                self.line,
            )

    def parse(self, text: Text) -> None:
        parts = self._parts_of(text.size)
        ends, before = np.empty(parts + 1, dtype=np.int64), np.empty(parts + 1, dtype=np.int64)
        lines, entries, nul = _core.io.divide_text(text, ends, before)
        left = (self._header.entries or 0) - self.found
        if nul >= 0:
            raise self._error(text, nul, _NUL)
        long = _core.io.find_long_line(text, _LONGEST_LINE)
        if long >= 0:
            raise self._error(text, long, _TOO_LONG)
        if entries > left:
            announced = self._header.entries
            what = f"there are more entries than the {announced} that the header announces"
            raise self._error(text, _core.io.line_of_entry(text, left), what)
        if entries:
            put = self._put_coordinates if self._column is None else self._put_array
            fault, at = put((text, ends, before), entries)
            if fault:
                raise self._error(text, at, _SENTENCES[fault].format(*self._header.shape))
        self.found += entries
        self.line += lines

    def _parts_of(self, size: int) -> int:
        """Returns the number of threads that parse a block. Only a block long enough for two
        threads needs `startable_threads`, which takes longer than reading a small file."""
        parts = 1 + size // _PER_THREAD
        if parts > 1 and not self._threads:
            self._threads = startable_threads(self._wanted_threads or usable_cores())
        return min(self._threads or 1, parts)

    def _put_coordinates(self, block: DividedText, count: int) -> tuple[int, int]:
        header, body = self._header, self.body
        body.reserve(count, header.entries)
        here = slice(body.used, body.used + count)
        rows, cols = body.rows[here], body.cols[here]
        what, out = self._values(count)
        fault, at = _core.io.parse_coordinates(*block, *header.shape, rows, cols, what, _parts(out))
        if fault:
            return fault, at
        if out is not None and body.values is not None:
            body.values[here] = out
            out = out == 0
        if out is not None:
            body.mark_zeros(out, body.used)
        if header.symmetry != "general":
            self.off_diagonal += int(np.count_nonzero(rows != cols))
        body.used += count
        return 0, 0

    def _put_array(self, block: DividedText, count: int) -> tuple[int, int]:
        what, out = self._values(count)
        fault, at = _core.io.parse_values(*block, what, _parts(out))
        if not fault:
            assert self._column is not None and out is not None
            self._column.append(self.body, out)
        return fault, at

    def _values(self, count: int) -> tuple[int, npt.NDArray[Any] | None]:
        """Returns the core's code for the field, and an array for values or for flags of zeros."""
        field, values = self._header.field, self.body.values
        if field == "pattern":
            return _NO_VALUES, None
        if self._buffer.size < count:
            dtype = np.dtype(bool) if values is None else values.dtype
            self._buffer = np.empty(count, dtype=dtype)
        return (_ZEROS if values is None else _VALUES)[field], self._buffer[:count]

    def _error(self, text: Text, at: int, what: str) -> UnreadableInputError:
        """Returns an error about the line that contains byte `at` of the block."""
        before = text[:at].tobytes()
        content = text[before.rfind(b"\n") + 1 :][:_SHOWN].tobytes().split(b"\n")[0]
        line = self.line + 1 + before.count(b"\n")
        return self._source.error(f"{what}: {shown(content)}", line)


def _fill(stream: BinaryIO, place: memoryview) -> int:
    """Reads until `place` is full or the stream ends. It reads in steps, because an unpacker may
    allocate as many bytes as one call requests."""
    used = 0
    while got := stream.readinto(place[used : used + _READ_AT_ONCE]):  # type: ignore[attr-defined]
        used += got
    return used


def _parts(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    """Returns complex numbers as pairs of real numbers, and other arrays unchanged."""
    if values is None or values.dtype.kind != "c":
        return values
    return values.view(np.float64)


def _mirror(body: Body, symmetry: str, off_diagonal: int) -> None:
    """Appends the transposes of the entries off the diagonal."""
    stored = body.used
    if body.rows.size < stored + off_diagonal:
        body.resize(stored + off_diagonal)
    step = 1 << 17  # bounds the size of temporary arrays
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
