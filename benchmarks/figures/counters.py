# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 1: edges read, phases and mean length of augmenting paths of five searches on
one graph of each class."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published import counters

PANELS = (
    ("edges read, in entries", counters.edges_read),
    ("phases", counters.phases),
    ("mean length of paths, edges", counters.mean_path),
)


def draw(data: dict[str, Any]) -> Figure | None:
    """Bars on a logarithmic scale; what was stopped has none."""
    graphs = [g for g in data["matrices"] if g["stands_for"] in counters.ALL]
    ran = {row["algorithm"] for row in data["rows"]}
    if not graphs or not ran.issuperset(counters.COMPARED):
        return None
    figure, axes = page.blank(2.9, len(PANELS))
    width = 0.8 / len(counters.COMPARED)
    for ax, (title, figure_of) in zip(axes, PANELS, strict=True):
        known: list[float] = []
        for index, name in enumerate(counters.COMPARED):
            heights = [_height(data, graph["matrix"], name, figure_of) for graph in graphs]
            known += [height for height in heights if height > 0]
            places = [k + width * (index - 2) for k in range(len(graphs))]
            ax.bar(places, heights, width, label=name, **page.bar(index))
        page.label_bars(ax, [page.graph_name(graph) for graph in graphs])
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.6 * min(known, default=1.0))
        ax.set_title(title)
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=len(counters.COMPARED))
    return figure


def _height(data: dict[str, Any], matrix: str, name: str, figure_of: Any) -> float:
    for row in data["rows"]:
        own = row["matrix"] == matrix and row["algorithm"] == name and row["threads"] == 1
        if own and not row["options"]:
            return figure_of(row) or float("nan")
    return float("nan")
