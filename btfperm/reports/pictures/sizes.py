# SPDX-License-Identifier: BSD-3-Clause
"""The histogram of block sizes: the number of blocks of each size, and the share of the matrix in
them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm.reports.pictures.picture import COLOURS
from btfperm.reports.pictures.view import size_classes
from btfperm.results.counted import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from btfperm.results import Decomposition

__all__ = ["draw"]


def draw(ax: Axes, result: Decomposition) -> None:
    """Draws one bar for each power of two. Its label is the share of all rows and columns."""
    classes = size_classes(result)
    ax.set_title(f"block sizes: {counted(result.n_blocks, 'fine block')}")
    if not classes:
        ax.text(0.5, 0.5, "no blocks", ha="center", va="center", transform=ax.transAxes)
        return
    names = [
        f"{c.smallest:,}" if c.smallest == c.largest else f"{c.smallest:,}-{c.largest:,}"
        for c in classes
    ]
    counts = [c.blocks for c in classes]
    bars = ax.barh(names, counts, color=COLOURS["square"], height=0.72)
    total = sum(result.shape) or 1
    labels = [
        f"{c.blocks:,} · {c.lines / total:.1%} of the matrix" if c.blocks else "" for c in classes
    ]
    ax.bar_label(bars, labels, padding=4, fontsize=8)
    ax.set_xscale("log")
    ax.set_xlim(0.7, 30 * max(counts) ** 1.4)  # leaves space for the labels
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.minorticks_off()
    ax.set_xlabel("blocks")
    ax.set_ylabel("rows or columns of a block, whichever are more")
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
