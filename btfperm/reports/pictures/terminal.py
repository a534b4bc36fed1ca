# SPDX-License-Identifier: BSD-3-Clause
"""The matrix before and after as text for a terminal. Needs no drawing library.

Styles      braille: 2 x 4 dots in each character, a dot where there is an entry.
            blocks: two half blocks in each character, full where there is an entry; in colour,
            lighter for more entries, by the logarithm of their number.
            ascii: one of " .:+#" for each character, by the logarithm of the number of entries.
Cost        One pass over the entries for each picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.arguments import one_of
from btfperm.reports.pictures.view import View, shades, view_of
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.results import Decomposition

__all__ = ["KINDS", "STYLES", "terminal_lines"]


class _Style(NamedTuple):
    cells: tuple[int, int]  # rows and columns of cells in one character
    corners: str


class _Window(NamedTuple):
    """What one picture shows: the permuted matrix, or, without a decomposition, the stored one."""

    result: Decomposition | None
    title: str
    places: tuple[tuple[int, int], tuple[int, int]]  # of the rows and of the columns


KINDS = ("spy", "before", "after")
STYLES = {
    "braille": _Style((4, 2), "┌┐└┘─│"),
    "blocks": _Style((2, 1), "┌┐└┘─│"),
    "ascii": _Style((2, 1), "++++-|"),
}
_GAP = "  "
_SHAPE = 0.5  # the width of a character divided by its height
_NARROWEST = 24  # columns of a picture; if less are available, one picture is below the other
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_DENSITIES = " .:+#"


def terminal_lines(
    result: Decomposition | None,
    pattern: Pattern,
    *,
    kind: str = "spy",
    columns: int = 80,
    rows: int = 24,
    style: str = "braille",
    colour: bool = False,
    block: int | None = None,
    threads: int | None = None,
) -> list[str]:
    """The matrix as stored and permuted, side by side, or one below the other on a narrow terminal;
    or one of the two.

    Parameters
    ----------
    result, pattern : the decomposition and its matrix, on the host. The kind "before" needs no
        decomposition
    kind : "spy": both; "before": as stored; "after": permuted
    columns, rows : the size of the terminal; lines are not longer, but there may be more of them
    style : "braille", "blocks" or "ascii"
    colour : colours for a terminal, as ANSI sequences
    block : the number of a fine block, to be drawn instead of the permuted matrix
    threads : number of threads
    """
    one_of("style", style, tuple(STYLES))
    one_of("kind", kind, KINDS)
    beside = kind == "spy" and columns >= 2 * _NARROWEST + len(_GAP)
    width = (columns - len(_GAP)) // 2 if beside else columns
    pictures = []
    for of, title, window in _windows(result, pattern, kind, block):
        shape = window[0][1] - window[0][0], window[1][1] - window[1][0]
        cells = _cells(shape, width - 2, rows - 4, style)
        view = view_of(pattern, of, rows=window[0], cols=window[1], cells=cells, threads=threads)
        pictures.append(_framed(title, _characters(view, cells, style, colour), width, style))
    if not beside:
        return [line.rstrip() for picture in pictures for line in picture]
    before, after = pictures
    height = max(map(len, pictures))
    for picture in pictures:
        picture += [" " * width] * (height - len(picture))
    return [f"{a}{_GAP}{b}".rstrip() for a, b in zip(before, after, strict=True)]


def _windows(
    result: Decomposition | None, pattern: Pattern, kind: str, block: int | None
) -> list[_Window]:
    m, n = pattern.shape
    whole = (0, m), (0, n)
    windows = []
    if kind != "after":
        windows.append(_Window(None, f"as stored: {m:,} x {n:,}", whole))
    if kind != "before":
        assert result is not None
        title, places = f"permuted: {counted(result.n_blocks, 'fine block')}", whole
        if block is not None:
            b = result.block(block)
            title = f"block {block:,}, {b.part}: {b.shape[0]:,} x {b.shape[1]:,}"
            down, across = b.row_slice, b.col_slice
            places = (down.start, down.stop), (across.start, across.stop)
        windows.append(_Window(result, title, places))
    return windows


def _cells(shape: tuple[int, int], width: int, height: int, style: str) -> tuple[int, int]:
    """Rows and columns of cells that fill the frame and keep the shape of the matrix, unless it is
    very long. Whole characters are filled."""
    down, across = STYLES[style].cells
    m, n = (max(size, 1) for size in shape)
    ratio = min(max(m / n, 1 / 4), 4)
    wide = min(width, max(1, round(max(height, 4) / (ratio * _SHAPE))))
    tall = min(max(height, 4), max(1, round(wide * ratio * _SHAPE)))
    return tall * down, wide * across


def _characters(view: View, cells: tuple[int, int], style: str, colour: bool) -> list[str]:
    """The characters of each line; a matrix with fewer rows than cells is enlarged."""
    height, width = cells
    counts = view.counts
    if not counts.size:
        counts = np.zeros((1, 1), dtype=np.int64)
    down = np.arange(height) * counts.shape[0] // height
    across = np.arange(width) * counts.shape[1] // width
    dark = shades(counts, 0.25)[down][:, across]
    if style == "braille":
        blocks = (dark > 0).reshape(height // 4, 4, width // 2, 2)
        codes = (blocks * _DOTS[:, None, :]).sum(axis=(1, 3))
        return ["".join(map(chr, line)) for line in (0x2800 + codes).tolist()]
    halves = dark.reshape(height // 2, 2, width)
    if style == "ascii":
        step = np.ceil(halves.max(axis=1) * (len(_DENSITIES) - 1)).astype(int)
        return ["".join(_DENSITIES[k] for k in line) for line in step.tolist()]
    return [_half_blocks(upper, lower, colour) for upper, lower in halves]


def _half_blocks(
    upper: npt.NDArray[np.float64], lower: npt.NDArray[np.float64], colour: bool
) -> str:
    if not colour:
        codes = (upper > 0) + 2 * (lower > 0)
        return "".join(" ▀▄█"[k] for k in codes.tolist())
    # 232 to 255 are greys from black to white. Dense cells are white on black.
    greys = [(232 + np.round(half * 23)).astype(int).tolist() for half in (upper, lower)]
    line = "".join(f"\x1b[38;5;{a};48;5;{b}m▀" for a, b in zip(*greys, strict=True))
    return f"{line}\x1b[0m"


def _framed(title: str, lines: list[str], width: int, style: str) -> list[str]:
    """The picture in a frame, every line filled up to `width`."""
    corner = STYLES[style].corners
    inner = _visible_length(lines[0])
    fill = " " * (width - inner - 2)
    rule = corner[4] * inner
    return [
        title[:width].ljust(width),
        f"{corner[0]}{rule}{corner[1]}{fill}",
        *(f"{corner[5]}{line}{corner[5]}{fill}" for line in lines),
        f"{corner[2]}{rule}{corner[3]}{fill}",
    ]


def _visible_length(line: str) -> int:
    """Characters of a line without its colours."""
    return line.count("▀") if "\x1b" in line else len(line)
