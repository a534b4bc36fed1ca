# SPDX-License-Identifier: BSD-3-Clause
"""METIS graph files: the line ``vertices edges [fmt [ncon]]``, then one line for each vertex.

The digits of `fmt` state whether each line begins with the size of the vertex (100), whether its
`ncon` weights follow (10), and whether each neighbour is followed by the weight of the edge (1).
Vertices count from 1. A line that begins with ``%`` is a comment. After the first line, an empty
line is a vertex without neighbours, if vertices have neither size nor weights. The matrix holds
both directions of each edge, as the file does; sizes and weights of vertices are skipped.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from btfperm.io.comments import line_behind_comments
from btfperm.io.header import Header
from btfperm.io.source import Progress, Source, shown
from btfperm.io.whole_numbers import list_of_numbers, whole_numbers
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from btfperm.io.matrix_market_body import Take
    from btfperm.pattern import Pattern

__all__ = ["head", "read_matrix", "read_pattern", "recognises", "stream_entries"]

_LONGEST_HEAD = 1 << 16  # bytes of the first line
_LARGEST = (1 << 63) - 1
_PIECE = 1 << 18  # bytes
_LONGEST_WORD = 1 << 10
_NEWLINE, _PERCENT = b"\n%"
_SPACES = (b"\n", b" ", b"\t", b"\r")
_IS_SPACE = np.isin(np.arange(256), np.frombuffer(b"".join(_SPACES), np.uint8))
_FMT = re.compile(rb"[01]{1,3}")

_Numbers = npt.NDArray[Any]


class _Layout(NamedTuple):
    """What the first line announces."""

    n: int
    edges: int
    skipped: int  # numbers before the neighbours: the size and the weights of the vertex
    has_weights: bool
    line: int


def recognises(start: bytes, suffix: str) -> bool:
    return suffix in (".graph", ".metis")


def head(source: Source) -> Header:
    return _header(_layout(source))


def read_pattern(
    source: Source, *, drop_zeros: bool, threads: int = 0, progress: Progress | None = None
) -> Pattern:
    """O(size of the file). Weights are positive, so there are no stored zeros."""
    from btfperm.pattern import Pattern

    layout, ends, rows, _ = _columns(source)
    origin = source.origin()
    source.report(progress)
    shape = (layout.n, layout.n)
    return Pattern.from_csc(ends, rows, shape, name=source.name, source=origin, owned=True)


def read_matrix(source: Source) -> Any:
    """The matrix with the weights of the edges, or truth values if there are none."""
    from btfperm.pattern.host_matrix import coordinates

    layout, ends, rows, weights = _columns(source)
    if not layout.has_weights:
        weights = np.ones(rows.size, dtype=bool)
    cols = np.repeat(np.arange(layout.n, dtype=rows.dtype), np.diff(ends))
    return coordinates(rows, cols, weights, (layout.n, layout.n), source.name)


def stream_entries(source: Source, take: Take, block: int) -> Header:
    """Calls `take` with the entries of one group of vertices after the other. Each edge is listed
    in both directions. Whenever `block` / 4 numbers are stored, and at the end, `take` gets the
    complete lines among them, which may be none."""
    layout = _layout(source)
    body, read, found = _Body(source, layout), 0, 0
    for first, numbers, counts in body.parts(block // 4):
        ends, rows, weights = _entries_of(body, first, numbers, counts)
        vertices = ends.size - 1  # without the empty lines after the last one
        cols = np.repeat(np.arange(first, first + vertices), np.diff(ends))
        take(rows, cols, weights if layout.has_weights else None)
        read, found = read + vertices, found + rows.size
    _check_totals(body, read, found)
    return _header(layout)


def _header(layout: _Layout) -> Header:
    field = "integer" if layout.has_weights else "pattern"
    return Header("metis", (layout.n, layout.n), 2 * layout.edges, field, "general", "adjacency")


def _layout(source: Source) -> _Layout:
    """Reads up to the first line that is no comment."""
    text, line = line_behind_comments(source, 0, _LONGEST_HEAD)
    words = text.split()
    sizes = whole_numbers(words[:2] + words[3:4])
    fmt = words[2] if len(words) > 2 else b"0"
    known = [number for number in sizes if number is not None and 0 <= number <= _LARGEST // 2]
    if not 2 <= len(words) <= 4 or len(known) < len(sizes) or not _FMT.fullmatch(fmt):
        raise source.error(f"'vertices edges [fmt [ncon]]' is expected, not {shown(text)}", line)
    has_size, has_vertex_weights, has_weights = (digit == "1" for digit in fmt.decode().zfill(3))
    ncon = known[2] if len(known) > 2 else 1
    skipped = has_size + (ncon if has_vertex_weights else 0)
    return _Layout(known[0], known[1], skipped, has_weights, line)


def _columns(source: Source) -> tuple[_Layout, _Numbers, _Numbers, _Numbers]:
    """The first line, the neighbours of each vertex (counted from 0) as compressed columns, and the
    weights of the edges."""
    layout = _layout(source)
    body = _Body(source, layout)
    body.read()
    numbers, counts = np.asarray(body.numbers), np.asarray(body.counts)
    ends, neighbours, weights = _entries_of(body, 0, numbers, counts)
    _check_totals(body, min(counts.size, layout.n), neighbours.size)
    return layout, ends, neighbours, weights


def _entries_of(
    body: _Body, first: int, numbers: _Numbers, counts: _Numbers
) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Column pointers, the neighbours (counted from 0), and the weights of the edges. `numbers` are
    those of whole lines, `counts` their number in each line; the first line is that of the vertex
    `first`."""
    layout = body.layout
    what = f"there are lines after the {layout.n} vertices"
    body.refuse((np.arange(first, first + counts.size) >= layout.n) & (counts > 0), what, first)
    counts = counts[: max(layout.n - first, 0)]
    what = f"{counted(layout.skipped, 'number')} of the vertex must come first"
    body.refuse(counts < layout.skipped, what, first)
    if layout.skipped and counts.size:
        is_skipped = np.zeros(numbers.size, dtype=bool)
        begins = np.cumsum(counts) - counts
        for k in range(layout.skipped):
            is_skipped[begins + k] = True
        numbers, counts = numbers[~is_skipped], counts - layout.skipped
    neighbours, weights = numbers, numbers[:0]
    if layout.has_weights:
        body.refuse(counts % 2 == 1, "a weight is expected after each neighbour", first)
        neighbours, weights, counts = numbers[::2], numbers[1::2], counts // 2
    ends = np.concatenate(([0], np.cumsum(counts)))
    if weights.size and weights.min() < 1:
        k = int(np.argmax(weights < 1))
        body.refuse(ends[1:] > k, f"the weight {weights[k]} of an edge is not positive", first)
    if neighbours.size and not 1 <= neighbours.min() <= neighbours.max() <= layout.n:
        k = int(np.argmax((neighbours < 1) | (neighbours > layout.n)))
        what = f"the neighbour {neighbours[k]} is not between 1 and {layout.n}"
        body.refuse(ends[1:] > k, what, first)
    return ends, neighbours - 1, weights


def _check_totals(body: _Body, vertices: int, neighbours: int) -> None:
    layout = body.layout
    if vertices < layout.n:
        what = f"it ends after {vertices} of {layout.n} vertices"
        raise body.source.error(what, body.line_of(vertices - 1))
    if neighbours != 2 * layout.edges:
        raise body.source.error(
            f"it lists {neighbours} neighbours, not {2 * layout.edges}: two for each of "
            f"{layout.edges} edges"
        )


class _Body:
    """The lines of the vertices. Memory grows with the bytes that are read, whatever the first line
    announces, and however long the lines are.

    Attributes
    ----------
    numbers : those of the lines that `parts` has not yet removed; 32-bit until one needs more
    counts : how many of them are in the line of each vertex
    comments : for each comment, how many vertices precede it
    first : the vertex of the first line in `counts`
    """

    def __init__(self, source: Source, layout: _Layout) -> None:
        self.numbers, self.counts, self.comments = array("i"), array("q"), array("q")
        self.source, self.layout = source, layout
        self.first = 0
        self._in_line = False  # whether the last piece ended inside the line of a vertex,
        self._in_comment = False  # or inside a comment

    def read(self) -> None:
        """Reads all lines."""
        for _ in self._pieces():
            pass

    def parts(self, most: int) -> Iterator[tuple[int, _Numbers, _Numbers]]:
        """Whenever at least `most` numbers are stored, and at the end, removes all whole lines and
        yields the first vertex, the numbers, and the counts of the lines."""
        for _ in self._pieces():
            if len(self.numbers) >= most:
                yield self._removed(len(self.counts) - self._in_line)
        yield self._removed(len(self.counts))

    def _removed(self, lines: int) -> tuple[int, _Numbers, _Numbers]:
        counts = np.array(self.counts[:lines], dtype=np.int64)
        size = int(counts.sum())
        numbers = np.array(self.numbers[:size])
        first, self.first = self.first, self.first + lines
        self.numbers, self.counts = self.numbers[size:], self.counts[lines:]
        return first, numbers, counts

    def _pieces(self) -> Iterator[None]:
        """Stores one piece of the text after the other."""
        rest = b""
        while piece := self.source.stream.read(_PIECE):
            text = self._behind_comment(rest + piece)
            end = 1 + max(map(text.rfind, _SPACES))
            self._take(text[:end])
            rest = b"" if self._in_comment else text[end:]
            if rest.startswith(b"%") and not self._in_line:
                self.comments.append(self.first + len(self.counts))
                self._in_comment, rest = True, b""
            if len(rest) > _LONGEST_WORD:
                self._refuse_word(rest, self.first + len(self.counts) - self._in_line)
            yield
        self._take(rest)

    def line_of(self, vertex: int) -> int:
        """The line of the file that holds this vertex."""
        before = np.searchsorted(np.asarray(self.comments), vertex, side="right")
        return self.layout.line + vertex + 1 + int(before)

    def refuse(self, wrong: npt.NDArray[np.bool_], what: str, first: int) -> None:
        """Raises an error about the first vertex for which `wrong` is True. wrong[0] belongs to the
        vertex `first`."""
        if wrong.any():
            raise self.source.error(what, self.line_of(first + int(np.argmax(wrong))))

    def _refuse_word(self, text: bytes, vertex: int) -> NoReturn:
        what = f"whole numbers are expected, not {shown(text)}"
        raise self.source.error(what, self.line_of(vertex))

    def _behind_comment(self, text: bytes) -> bytes:
        """What follows the comment in which the last piece ended."""
        if not self._in_comment:
            return text
        _, newline, behind = text.partition(b"\n")
        self._in_comment = not newline
        return behind

    def _take(self, text: bytes) -> None:
        """Stores the numbers of a text of whole words."""
        codes = np.frombuffer(text, dtype=np.uint8)
        starts = np.concatenate(([0], np.flatnonzero(codes == _NEWLINE) + 1))
        starts = starts[starts < codes.size]
        if not starts.size:
            return
        first = self.first + len(self.counts) - self._in_line  # the vertex of the first line
        is_vertex = codes[starts] != _PERCENT
        is_vertex[0] |= self._in_line
        if not is_vertex.all():
            self.comments.frombytes((first + np.cumsum(is_vertex))[~is_vertex].tobytes())
            lengths = np.diff(starts, append=codes.size)
            codes = codes[np.repeat(is_vertex, lengths)]
            starts = np.cumsum(lengths[is_vertex]) - lengths[is_vertex]
        ends_inside = not text.endswith(b"\n")
        self._in_comment = ends_inside and not is_vertex[-1]
        counts = self._store_numbers(codes, starts, first)
        if self._in_line:
            self.counts[-1] += int(counts[0])
            counts = counts[1:]
        self.counts.frombytes(counts.tobytes())
        self._in_line = ends_inside and not self._in_comment

    def _store_numbers(self, codes: _Numbers, starts: _Numbers, first: int) -> _Numbers:
        """Appends the numbers in the text of `codes`, whose lines begin at `starts`, and returns
        how many each line has. `first` is the vertex of the first line, for messages."""
        text = codes.tobytes()
        numbers, at, fault = list_of_numbers(text, 0, len(text))
        if fault:
            k = int(np.searchsorted(starts, at, side="right")) - 1
            self._refuse_word(text[starts[k] :].partition(b"\n")[0], first + k)
        if numbers.dtype == np.int64 and self.numbers.typecode == "i":
            self.numbers = array("q", np.asarray(self.numbers, dtype=np.int64).tobytes())
        self.numbers.frombytes(numbers.astype(self.numbers.typecode).tobytes())
        is_space = _IS_SPACE[codes]
        begins_word = ~is_space
        begins_word[1:] &= is_space[:-1]
        return np.add.reduceat(begins_word, starts, dtype=np.int64)
