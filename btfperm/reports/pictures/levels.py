# SPDX-License-Identifier: BSD-3-Clause
"""The block graph by levels: which blocks can be solved at the same time.

A small graph is drawn with its blocks and arcs. For a large one, bars show the number of blocks of
each level and of the entries in them; if there are many levels, of groups of consecutive levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.reports.pictures.picture import COLOURS, INK
from btfperm.reports.pictures.view import level_classes, parts_of
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from btfperm.results import BlockGraph, Decomposition

__all__ = ["draw"]

_MOST_BLOCKS = 250  # graphs with at most this many blocks and arcs are drawn as points and lines
_MOST_ARCS = 1500
_MOST_BARS = 60


def draw(ax: Axes, graph: BlockGraph, result: Decomposition) -> None:
    """Draws the blocks by levels. Level 0 is on the left: its blocks depend on no others and are
    solved first."""
    blocks, levels = counted(graph.n_blocks, "block"), counted(graph.n_levels, "level")
    ax.set_title(f"block graph: {blocks} in {levels}, {counted(graph.indices.size, 'arc')}")
    ax.set_xlabel("level (level 0 is solved first)")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    if graph.n_blocks <= _MOST_BLOCKS and graph.indices.size <= _MOST_ARCS:
        _draw_graph(ax, graph, parts_of(result))
    else:
        _draw_bars(ax, graph)


def _draw_graph(ax: Axes, graph: BlockGraph, part: list[str]) -> None:
    from matplotlib.collections import LineCollection

    place = np.empty((graph.n_blocks, 2))
    for number, blocks in enumerate(graph.levels()):
        place[blocks, 0] = number
        place[blocks, 1] = np.arange(blocks.size) - (blocks.size - 1) / 2
    tail = np.repeat(np.arange(graph.n_blocks), np.diff(graph.indptr))
    lines = np.stack([place[tail], place[graph.indices]], axis=1)
    ax.add_collection(LineCollection(list(lines), colors=INK, linewidths=0.6, alpha=0.35))
    area = 14 + 26 * np.log1p(graph.work)
    names = [name for name in COLOURS if name in part]
    for name in names:
        own = [k for k, each in enumerate(part) if each == name]
        x, y = place[own].T
        points = ax.scatter(x, y, area[own], COLOURS[name], edgecolor="white", linewidth=0.6)
        points.set(label=name, zorder=2)
    if len(names) > 1:
        legend = ax.legend(loc="lower right", fontsize=8, frameon=False)
        for handle in legend.legend_handles:
            handle.set_sizes([36])  # type: ignore[union-attr]
    if graph.n_blocks <= 40:
        for k, point in enumerate(place.tolist()):
            ax.text(point[0], point[1], f"{k}", ha="center", va="center", fontsize=6, color="white")
    ax.set_ylabel("blocks of a level; larger points have more entries")
    ax.set_yticks([])
    ax.locator_params(axis="x", integer=True)
    ax.margins(0.08)


def _draw_bars(ax: Axes, graph: BlockGraph) -> None:
    classes = level_classes(graph, _MOST_BARS)
    first = np.array([c[0] for c in classes])
    width = classes[0][1] - classes[0][0] + 1
    series = (("blocks", 2, COLOURS["square"]), ("entries inside them", 3, COLOURS["horizontal"]))
    for k, (name, field, colour) in enumerate(series):
        numbers = [c[field] for c in classes]
        ax.bar(first + (k - 0.5) * 0.42 * width, numbers, 0.42 * width, color=colour, label=name)
    ax.set_yscale("log")
    ax.set_ylim(bottom=0.7)  # the axis begins below one block
    ax.set_ylabel("per level" if width == 1 else f"per {width:,} levels")
    ax.locator_params(axis="x", integer=True)
    ax.legend(fontsize=8, frameon=False)
