# SPDX-License-Identifier: BSD-3-Clause
"""What a picture shows, as arrays: the density, the outlines of blocks, sizes and levels.

The drawings by matplotlib, in the terminal and on the HTML page use these functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidArgumentError
from btfperm.pattern import Pattern, as_pattern
from btfperm.pattern.raster import raster
from btfperm.results.parts import part_ends

if TYPE_CHECKING:
    from btfperm.results import BlockGraph, Decomposition

__all__ = [
    "Outlines",
    "SizeClass",
    "View",
    "coarse_outlines",
    "level_classes",
    "outlines",
    "parts_of",
    "pattern_of",
    "shades",
    "size_classes",
    "view_of",
]

_Places = tuple[int, int]  # the first place, and the one behind the last


@dataclass(frozen=True)
class View:
    """A window of the matrix as stored, or of the permuted matrix.

    Attributes
    ----------
    rows, cols : the first place of the window and the one behind its last
    counts : (height, width) entries in each cell; see `btfperm.pattern.raster`
    """

    rows: _Places
    cols: _Places
    counts: npt.NDArray[np.int64]


class Outlines(NamedTuple):
    """Rectangles in the permuted matrix: places ``row[k]:row_end[k]``, ``col[k]:col_end[k]``, and
    the name of the coarse part of each."""

    row: npt.NDArray[Any]
    row_end: npt.NDArray[Any]
    col: npt.NDArray[Any]
    col_end: npt.NDArray[Any]
    part: list[str]


def pattern_of(result: Decomposition, A: Any) -> Pattern:
    """The matrix on the host: `A` if it is given, else that of the decomposition. A decomposition
    that was read from a file or gathered from MPI ranks has none.

    Raises
    ------
    InvalidArgumentError : the matrix is missing, or has another shape
    """
    if A is None and result.pattern is None:
        raise InvalidArgumentError(
            "this result was read from a file or gathered from MPI ranks: give its matrix as A"
        )
    pattern = result.pattern if A is None else as_pattern(A, shape=_shape_for(A, result))
    assert pattern is not None
    if pattern.shape != result.shape:
        raise InvalidArgumentError(
            f"the decomposition belongs to a matrix of shape {result.shape}, not {pattern.shape}"
        )
    return pattern.on_host()


def _shape_for(A: Any, result: Decomposition) -> _Places | None:
    return result.shape if isinstance(A, tuple) else None


def view_of(
    pattern: Pattern,
    result: Decomposition | None = None,
    *,
    rows: _Places | None = None,
    cols: _Places | None = None,
    cells: int | tuple[int, int],
    threads: int | None = None,
) -> View:
    """The matrix as stored, or, with a decomposition, the permuted matrix; all of it by default.

    O(rows + nnz in the columns of the window).
    """
    perms = (None, None) if result is None else (result.row_perm, result.col_perm)
    rows = (0, pattern.m) if rows is None else rows
    cols = (0, pattern.n) if cols is None else cols
    counts = raster(pattern, *perms, rows=rows, cols=cols, cells=cells, threads=threads)
    return View(rows, cols, counts)


def shades(counts: npt.NDArray[np.int64], lightest: float = 0.35) -> npt.NDArray[np.float64]:
    """The darkness of each cell, from 0 to 1: 0 without an entry, at least `lightest` with one.

    In between, the darkness grows with the logarithm of the count, so that single entries are
    visible beside dense cells.

    >>> import numpy as np
    >>> shades(np.array([[0, 1], [3, 15]])).round(2).tolist()
    [[0.0, 0.51], [0.68, 1.0]]
    """
    largest = counts.max(initial=1)
    relative = np.log1p(counts) / np.log1p(largest)
    return np.where(counts > 0, lightest + (1 - lightest) * relative, 0.0)


def coarse_outlines(result: Decomposition) -> Outlines:
    """The coarse parts that are not empty, as rectangles."""
    r, c = result.coarse_rows, result.coarse_cols
    parts = {
        "horizontal": (r[0], r[1], c[0], c[2]),
        "square": (r[1], r[2], c[2], c[3]),
        "vertical": (r[2], r[4], c[3], c[4]),
    }
    present = {name: p for name, p in parts.items() if p[1] > p[0] or p[3] > p[2]}
    table = np.array(list(present.values()), dtype=np.int64).reshape(-1, 4)
    row, row_end, col, col_end = table.T
    return Outlines(row, row_end, col, col_end, list(present))


def outlines(result: Decomposition, view: View, least: float = 3) -> Outlines:
    """The fine blocks that the view shows with at least `least` cells in height or width.

    Smaller ones would hide the entries, and a block without rows or without columns has no area.
    The number of outlines is bounded by that of the cells. O(blocks).
    """
    rows, cols = result.row_blocks, result.col_blocks
    (top, bottom), (left, right) = view.rows, view.cols
    height, width = view.counts.shape
    visible = (rows[1:] > top) & (rows[:-1] < bottom) & (cols[1:] > left) & (cols[:-1] < right)
    visible &= (rows[1:] > rows[:-1]) & (cols[1:] > cols[:-1])
    is_tall = np.diff(rows) * height >= least * max(bottom - top, 1)
    is_wide = np.diff(cols) * width >= least * max(right - left, 1)
    numbers = (visible & (is_tall | is_wide)).nonzero()[0]
    part = parts_of(result, numbers)
    return Outlines(rows[numbers], rows[numbers + 1], cols[numbers], cols[numbers + 1], part)


def parts_of(result: Decomposition, numbers: npt.NDArray[np.int64] | None = None) -> list[str]:
    """The name of the coarse part of each fine block, or of those with the given numbers.

    >>> import btfperm
    >>> parts_of(btfperm.dulmage_mendelsohn([[1, 1, 0], [0, 0, 1]]))
    ['horizontal', 'square']
    """
    first, last = part_ends(result)
    names = ("horizontal", "square", "vertical")
    wanted = range(result.n_blocks) if numbers is None else numbers.tolist()
    return [names[int(k >= first) + int(k >= last)] for k in wanted]


class SizeClass(NamedTuple):
    """The blocks with `smallest` to `largest` rows or columns, whichever are more."""

    smallest: int
    largest: int
    blocks: int
    lines: int
    """rows and columns in these blocks"""


def size_classes(result: Decomposition) -> list[SizeClass]:
    """The fine blocks by size: 1, 2, 3-4, 5-8, ..., without empty classes at the end. O(blocks).

    >>> import btfperm
    >>> d = btfperm.dulmage_mendelsohn([[1, 1, 0], [1, 1, 0], [0, 1, 1]])
    >>> [(c.smallest, c.largest, c.blocks, c.lines) for c in size_classes(d)]
    [(1, 1, 1, 2), (2, 2, 1, 4)]
    """
    heights, widths = np.diff(result.row_blocks), np.diff(result.col_blocks)
    if not heights.size:
        return []
    size = np.maximum(heights, widths)
    class_of = np.frexp(size - 0.5)[1].clip(0)  # 0 for 1, 1 for 2, 2 for 3 and 4, ...
    blocks = np.bincount(class_of)
    lines = np.bincount(class_of, weights=heights + widths)
    return [
        SizeClass(2 ** (k - 1) + 1 if k else 1, 2**k, int(blocks[k]), int(lines[k]))
        for k in range(blocks.size)
    ]


def level_classes(graph: BlockGraph, most: int) -> list[tuple[int, int, int, int]]:
    """``(first level, last level, blocks, entries)`` for at most `most` groups of equally many
    consecutive levels; the last group may have fewer. O(levels)."""
    if not graph.n_levels:
        return []
    width = -(-graph.n_levels // most)
    starts = np.arange(0, graph.n_levels, width)
    blocks = np.add.reduceat(graph.level_blocks, starts).tolist()
    work = np.add.reduceat(graph.level_work, starts).tolist()
    ends = np.minimum(starts + width, graph.n_levels) - 1
    return list(zip(starts.tolist(), ends.tolist(), blocks, work, strict=True))
