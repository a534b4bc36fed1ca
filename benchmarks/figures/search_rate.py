# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 4: millions of edges a second that ms-bfs-graft and pothen-fan read, on many
threads."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published.counters import edges_and_rate, searched
from benchmarks.published.ranking import FAN, GRAFT, entry

DECADES = 1e3  # searches that hardly read an edge stand at the bottom


def draw(data: dict[str, Any]) -> Figure | None:
    """Two bars a graph; the number above is the ratio."""
    threads = data["threads"][-1]
    bars = []
    for graph in data["matrices"]:
        here = [r for r in data["rows"] if r["matrix"] == graph["matrix"] and not r["options"]]
        graft, fan = entry(here, GRAFT, threads), entry(here, FAN, threads)
        if graft and fan and searched(graft) and searched(fan):
            rates = edges_and_rate(graft)[1], edges_and_rate(fan)[1]
            bars.append((page.graph_name(graph), graph["class"], rates))
    if not bars:
        return None
    figure, (ax,) = page.blank(3.0)
    for index, name in enumerate((GRAFT, FAN)):
        places = [k + 0.4 * (index - 0.5) for k in range(len(bars))]
        ax.bar(places, [rates[index] for _, _, rates in bars], 0.4, label=name, **page.bar(index))
    for k, (_, _, rates) in enumerate(bars):
        ratio = f"{rates[0] / rates[1]:.2g}"
        ax.text(k, max(rates), ratio, ha="center", va="bottom", fontsize=7)
    page.label_bars(ax, [name for name, _, _ in bars])
    page.separate_classes(ax, [kind for _, kind, _ in bars])
    known = [rate for _, _, rates in bars for rate in rates]
    ax.set_yscale("log")
    ax.set_ylim(max(0.7 * min(known), max(known) / DECADES), 2 * max(known))
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    ax.set_ylabel(f"million edges a second, {page.on_threads(threads)}")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
