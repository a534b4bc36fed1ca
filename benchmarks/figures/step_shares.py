# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 6: share of each step in the time of ms-bfs-graft, on many threads."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published.counters import STEPS
from benchmarks.published.entrants import GRAFT
from benchmarks.published.tables import select, step_shares


def draw(data: dict[str, Any]) -> Figure | None:
    """One stack a graph."""
    threads = data["threads"][-1]
    rows = select(data, GRAFT, threads)
    bars = [
        (page.graph_name(graph), graph["class"], shares)
        for graph in data["matrices"]
        if graph["matrix"] in rows and (shares := step_shares(rows[graph["matrix"]]))
    ]
    if not bars:
        return None
    figure, (ax,) = page.blank(3.0)
    floor = [0.0] * len(bars)
    for index, step in enumerate(STEPS):
        heights = [100 * shares[step] for _, _, shares in bars]
        ax.bar(range(len(bars)), heights, 0.7, bottom=floor, label=step, **page.bar(index))
        floor = [low + height for low, height in zip(floor, heights, strict=True)]
    page.label_bars(ax, [name for name, _, _ in bars])
    page.separate_classes(ax, [kind for _, kind, _ in bars])
    ax.set_ylim(0, 100)
    ax.set_ylabel(f"% of the time of all steps, {page.on_threads(threads)}")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=len(STEPS))
    return figure
