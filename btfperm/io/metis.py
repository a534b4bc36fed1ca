# SPDX-License-Identifier: BSD-3-Clause
"""METIS graph files: the line ``vertices edges [fmt [ncon]]``, then one line for each vertex.

The digits of `fmt` state whether each line begins with the size of the vertex (100), whether its
`ncon` weights follow (10), and whether each neighbour is followed by the weight of the edge (1).
Vertices count from 1. A line that begins with ``%`` is a comment; an empty line is a vertex without
neighbours. The matrix holds both directions of each edge, as the file does; sizes and weights of
vertices are skipped.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.io.header import Header
from btfperm.io.source import Progress, Source, shown
from btfperm.io.whole_numbers import list_of_numbers, whole_numbers

if TYPE_CHECKING:
    from btfperm.pattern import Pattern

__all__ = ["head", "read_matrix", "read_pattern", "recognises"]

_LONGEST_HEAD = 1 << 16  # bytes of the first line
_LARGEST = (1 << 63) - 1
_FMT = re.compile(rb"[01]{1,3}")


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

    layout, rows, cols, _ = _entries(source)
    origin = source.origin()
    source.report(progress)
    shape = (layout.n, layout.n)
    return Pattern.from_coo(rows, cols, shape, name=source.name, source=origin, owned=True)


def read_matrix(source: Source) -> Any:
    """The matrix with the weights of the edges, or truth values if there are none."""
    from btfperm.pattern.host_matrix import coordinates

    layout, rows, cols, weights = _entries(source)
    if not layout.has_weights:
        weights = np.ones(rows.size, dtype=bool)
    return coordinates(rows, cols, weights, (layout.n, layout.n), source.name)


def _header(layout: _Layout) -> Header:
    field = "integer" if layout.has_weights else "pattern"
    return Header("metis", (layout.n, layout.n), 2 * layout.edges, field, "general", "adjacency")


def _layout(source: Source) -> _Layout:
    """Reads up to the first line that is no comment."""
    line = 1
    while (text := source.stream.readline(_LONGEST_HEAD)).lstrip().startswith(b"%"):
        while text and not text.endswith(b"\n"):  # the rest of a long comment
            text = source.stream.readline(_LONGEST_HEAD)
        line += 1
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


def _entries(
    source: Source,
) -> tuple[_Layout, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Memory grows with the lines that are read, not with what the first line announces."""
    layout = _layout(source)
    rows, cols, weights = array("q"), array("q"), array("q")
    line, v = layout.line, 0
    for text in source.stream:
        line += 1
        if text.startswith(b"%"):
            continue
        if v == layout.n:
            if text.strip():
                raise source.error(f"there are lines after the {layout.n} vertices", line)
            continue
        v += 1
        if not text.strip() and not layout.skipped:
            continue
        neighbours, edge_weights = _line(source, layout, text, line)
        rows.frombytes(neighbours.tobytes())
        cols.frombytes(np.full(neighbours.size, v - 1).tobytes())
        weights.frombytes(edge_weights.tobytes())
    if v < layout.n:
        raise source.error(f"it ends after {v} of {layout.n} vertices", line)
    if len(rows) != 2 * layout.edges:
        raise source.error(
            f"it lists {len(rows)} neighbours, not {2 * layout.edges}: two for each of "
            f"{layout.edges} edges"
        )
    numbers = [np.frombuffer(held, dtype=np.int64) if held else np.empty(0, np.int64)
               for held in (rows, cols, weights)]  # fmt: skip
    return layout, numbers[0], numbers[1], numbers[2]


def _line(
    source: Source, layout: _Layout, text: bytes, line: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The neighbours of a vertex, from 0 on, and the weights of its edges."""
    numbers, _, fault = list_of_numbers(text, 0, len(text))
    if fault:
        raise source.error(f"whole numbers are expected, not {shown(text)}", line)
    if numbers.size < layout.skipped:
        raise source.error(f"{layout.skipped} numbers of the vertex are expected first", line)
    numbers = numbers[layout.skipped :].astype(np.int64, copy=False)
    neighbours, weights = numbers, numbers[:0]
    if layout.has_weights:
        if numbers.size % 2:
            raise source.error("a weight is expected after each neighbour", line)
        neighbours, weights = numbers[::2], numbers[1::2]
        if weights.size and weights.min() < 1:
            raise source.error(f"the weight {weights.min()} of an edge is not positive", line)
    if neighbours.size and not 1 <= neighbours.min() <= neighbours.max() <= layout.n:
        wrong = neighbours[(neighbours < 1) | (neighbours > layout.n)][0]
        raise source.error(f"the neighbour {wrong} is not between 1 and {layout.n}", line)
    return neighbours - 1, weights
