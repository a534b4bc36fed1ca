# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 7: what direction optimisation and tree grafting add to multi-source BFS, by
class."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published.tables import classes, worth

BARS = ("MS-BFS", "with direction", "with grafting", "with both: ms-bfs-graft")


def draw(data: dict[str, Any]) -> Figure | None:
    """Speed-up over MS-BFS, both switched off; geometric means."""
    means = {kind: worth(data, kind) for kind in classes(data)}
    means = {kind: each for kind, each in means.items() if not math.isnan(each[-1])}
    if not means:
        return None
    figure, (ax,) = page.blank(2.8)
    for index, name in enumerate(BARS):
        places = [k + 0.2 * (index - 1.5) for k in range(len(means))]
        heights = [each[index] for each in means.values()]
        drawn = ax.bar(places, heights, 0.2, label=name, **page.bar(index))
        ax.bar_label(drawn, fmt="%.2g", fontsize=7, padding=1)
    ax.set_xticks(range(len(means)), list(means))
    ax.grid(axis="x", visible=False)
    ax.set_ylabel(f"speed-up over MS-BFS, {page.on_threads(data['threads'][-1])}")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=len(BARS))
    return figure
