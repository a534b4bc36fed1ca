# SPDX-License-Identifier: BSD-3-Clause
"""The entries of a matrix as a density picture, with the outlines of its blocks.

Cost        One pass over the entries for each picture, and memory for its cells. The density is
            drawn as an image, whose size does not grow with the number of entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.reports.pictures.picture import COLOURS, INK
from btfperm.reports.pictures.view import Outlines, View, coarse_outlines, outlines, shades, view_of
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from btfperm.pattern import Pattern
    from btfperm.results import Decomposition

__all__ = ["LONGEST_SIDE", "draw_after", "draw_before"]

_CELLS = 800  # the largest number of cells along the longer side of a picture
LONGEST_SIDE = 3  # a longer picture is stretched to the axes


def draw_before(ax: Axes, pattern: Pattern, threads: int | None = None) -> None:
    """Draws the matrix as stored."""
    view = view_of(pattern, cells=_cells(ax), threads=threads)
    _draw_density(ax, view)
    m, n = pattern.shape
    ax.set_title(f"as stored: {m:,} x {n:,}, {counted(pattern.nnz, 'entry', 'entries')}")


def draw_after(
    ax: Axes,
    result: Decomposition,
    pattern: Pattern,
    block: int | None = None,
    threads: int | None = None,
    *,
    mark: int | None = None,
) -> None:
    """Draws the permuted matrix, or one of its fine blocks. `mark` is a block to point at."""
    if block is None:
        view = view_of(pattern, result, cells=_cells(ax), threads=threads)
        title = f"permuted: {counted(result.n_blocks, 'fine block')}"
    else:
        b = result.block(block)
        rows, cols = (b.row_slice.start, b.row_slice.stop), (b.col_slice.start, b.col_slice.stop)
        view = view_of(pattern, result, rows=rows, cols=cols, cells=_cells(ax), threads=threads)
        entries = counted(int(view.counts.sum()), "entry", "entries")
        title = f"block {block:,}, {b.part}: {b.shape[0]:,} x {b.shape[1]:,}, {entries}"
    _draw_density(ax, view)
    if block is None:
        coarse = coarse_outlines(result)
        _draw_outlines(ax, outlines(result, view), 0.9)
        if len(coarse.part) > 1:
            _draw_outlines(ax, coarse, 2.0)
            _name_parts(ax, coarse)
    if mark is not None:
        _point_at(ax, result, mark)
    ax.set_title(title)


def _cells(ax: Axes) -> int:
    """The number of cells along the longer side: the number of pixels that this side has in a file
    of 200 dpi, so that each cell is drawn, but at most `_CELLS`."""
    box = ax.get_window_extent()
    of_file = 200 / ax.figure.dpi  # files have more pixels than the screen
    return int(min(_CELLS, max(box.width, box.height, 100) * max(of_file, 1)))


def _draw_density(ax: Axes, view: View) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    (top, bottom), (left, right) = view.rows, view.cols
    m, n = bottom - top, right - left
    is_long = max(m, n) > LONGEST_SIDE * max(min(m, n), 1)
    aspect: Any = "auto" if is_long else "equal"
    if view.counts.size:
        ink = LinearSegmentedColormap.from_list("btfperm", ["white", INK])
        extent = (left - 0.5, right - 0.5, bottom - 0.5, top - 0.5)
        ax.imshow(shades(view.counts), ink, vmin=0, vmax=1, extent=extent, aspect=aspect)
    else:
        ax.text(0.5, 0.5, "no entries", ha="center", va="center", transform=ax.transAxes)
    ax.set_xlim(left - 0.5, max(right, left + 1) - 0.5)
    ax.set_ylim(max(bottom, top + 1) - 0.5, top - 0.5)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.locator_params(nbins=5, integer=True)
    ax.tick_params(labelsize=8)


def _draw_outlines(ax: Axes, shapes: Outlines, width: float) -> None:
    from matplotlib.collections import PolyCollection

    left, right, top, bottom = shapes.col, shapes.col_end, shapes.row, shapes.row_end
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    boxes = np.stack([np.stack([x, y], axis=-1) - 0.5 for x, y in corners], axis=1)
    colours = [COLOURS[name] for name in shapes.part]
    ax.add_collection(
        PolyCollection(boxes, facecolors="none", edgecolors=colours, linewidths=width),  # type: ignore[arg-type]
        autolim=False,
    )


def _name_parts(ax: Axes, coarse: Outlines) -> None:
    """Adds a legend with the coarse parts and their sizes."""
    from matplotlib.patches import Patch

    handles = []
    for k, name in enumerate(coarse.part):
        rows, cols = coarse.row_end[k] - coarse.row[k], coarse.col_end[k] - coarse.col[k]
        label = f"{name} {rows:,} x {cols:,}"
        handles.append(Patch(facecolor="none", edgecolor=COLOURS[name], linewidth=2, label=label))
    below = (0.5, -0.06)
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=below,
        ncols=3,
        fontsize=8,
        frameon=False,
    )


def _point_at(ax: Axes, result: Decomposition, block: int) -> None:
    """Fills the block, and draws a circle around one that is too small to be seen."""
    from matplotlib.patches import Rectangle

    b = result.block(block)
    colour = COLOURS[b.part]
    corner = b.col_slice.start - 0.5, b.row_slice.start - 0.5
    ax.add_patch(Rectangle(corner, b.shape[1], b.shape[0], facecolor=colour, alpha=0.2))
    x = (b.col_slice.start + b.col_slice.stop - 1) / 2
    y = (b.row_slice.start + b.row_slice.stop - 1) / 2
    if b.shape[1] < 0.04 * result.shape[1] and b.shape[0] < 0.04 * result.shape[0]:
        ax.plot(x, y, "o", markersize=14, markerfacecolor="none", markeredgecolor=colour)
    is_left = x < result.shape[1] / 2
    ax.annotate(
        f"block {block:,}",
        (x, y),
        xytext=(12, 0) if is_left else (-12, 0),
        textcoords="offset points",
        ha="left" if is_left else "right",
        va="center",
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 1.5},
    )
