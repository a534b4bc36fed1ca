# SPDX-License-Identifier: BSD-3-Clause
"""What the page's script draws and lists: pictures in layers, the blocks, the permutations.

Size        Pictures and lists have limits in bytes or in number, so that the page stays small for
            a matrix of any size. The page of a large matrix names fewer rows, columns and blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.reports.page.packed import packed, png_within
from btfperm.reports.pictures.view import coarse_outlines, view_of
from btfperm.results.parts import part_ends

if TYPE_CHECKING:
    from btfperm.pattern import Pattern
    from btfperm.results import BlockGraph, DulmageMendelsohn

__all__ = ["LISTED_BLOCKS", "page_data"]

LISTED_BLOCKS = 5_000  # the largest blocks, which the table lists
_NAMED_LINES = 250_000  # rows and columns whose original numbers the page holds
# The largest number of rows and columns of cells, which is about the number of pixels on a screen.
_OVERVIEW = 640
# The same for zooming: the first number is used with which the picture has at most `_MOST_BYTES`.
_FINER = (2048, 1024)
_MOST_BYTES = 400_000
_DETAILS = 6  # largest blocks with a picture of their own
_DETAIL = (1024, 512, 256)
_MOST_DETAIL_BYTES = 120_000
_MOST_PACKED = 1_200_000  # characters of the sizes of all blocks


def page_data(
    d: DulmageMendelsohn, pattern: Pattern, graph: BlockGraph, threads: int | None = None
) -> dict[str, Any]:
    """The data of the page, JSON-serialisable. O(nnz + blocks)."""
    coarse = coarse_outlines(d)
    numbers = _largest_blocks(d)
    heights, widths = packed(np.diff(d.row_blocks)), packed(np.diff(d.col_blocks))
    all_named = len(heights["data"]) + len(widths["data"]) <= _MOST_PACKED
    names_lines = sum(d.shape) <= _NAMED_LINES
    return {
        "shape": list(d.shape),
        "entries": pattern.nnz,
        "pictures": {
            "before": _layers(pattern, None, threads),
            "after": _layers(pattern, d, threads) + _details(pattern, d, numbers, threads),
        },
        "coarse": [
            {"part": part, "rows": [int(r), int(r_end)], "cols": [int(c), int(c_end)]}
            for r, r_end, c, c_end, part in zip(*coarse[:4], coarse.part, strict=True)
        ],
        "blocks": {
            "count": d.n_blocks,
            "partEnds": list(part_ends(d)),
            "heights": heights if all_named else None,
            "widths": widths if all_named else None,
            "listed": packed(numbers),
            "firstRows": packed(d.row_blocks[numbers]),
            "firstCols": packed(d.col_blocks[numbers]),
            "listedHeights": packed(np.diff(d.row_blocks)[numbers]),
            "listedWidths": packed(np.diff(d.col_blocks)[numbers]),
            "work": packed(graph.work[numbers]),
            "level": packed(graph.level[numbers]),
        },
        "rowPerm": packed(d.row_perm) if names_lines else None,
        "colPerm": packed(d.col_perm) if names_lines else None,
    }


def _largest_blocks(d: DulmageMendelsohn) -> Any:
    """Numbers of the blocks in the table, the largest first."""
    size = np.diff(d.row_blocks) + np.diff(d.col_blocks)
    return np.argsort(-size, kind="stable")[:LISTED_BLOCKS]


def _layers(pattern: Pattern, d: DulmageMendelsohn | None, threads: int | None) -> list[Any]:
    """Pictures of the whole matrix: one with at most `_OVERVIEW` cells in each direction, and a
    finer one (`_FINER`) if the matrix has more rows or columns than that. A picture of more than
    `_MOST_BYTES` is left out."""
    layers = []
    for cells in (_OVERVIEW, *_FINER):
        view = view_of(pattern, d, cells=cells, threads=threads)
        image = png_within(view.counts, _MOST_BYTES) if view.counts.size else None
        if image is not None:
            layers.append(_layer(view.rows, view.cols, view.counts.shape, image))
        if max(pattern.shape) <= cells or len(layers) == 2:
            break
    return layers


def _details(
    pattern: Pattern, d: DulmageMendelsohn, numbers: Any, threads: int | None
) -> list[Any]:
    """Finer pictures of the largest blocks, where the picture of the matrix is too coarse."""
    if max(pattern.shape) <= _FINER[-1]:
        return []
    layers = []
    for k in numbers[:_DETAILS].tolist():
        b = d.block(k)
        if max(b.shape) < 2 or min(b.shape) < 1:
            break
        rows, cols = (b.row_slice.start, b.row_slice.stop), (b.col_slice.start, b.col_slice.stop)
        for cells in _DETAIL:
            view = view_of(pattern, d, rows=rows, cols=cols, cells=cells, threads=threads)
            image = png_within(view.counts, _MOST_DETAIL_BYTES)
            if image is not None:
                layers.append(_layer(rows, cols, view.counts.shape, image))
                break
    return layers


def _layer(
    rows: tuple[int, int], cols: tuple[int, int], cells: tuple[int, ...], image: str
) -> dict[str, Any]:
    return {"rows": list(rows), "cols": list(cols), "cells": list(cells), "image": image}
