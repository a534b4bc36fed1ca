# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 3: speed of ms-bfs-graft, push-relabel and pothen-fan on each graph, relative
to the slowest of the three; on one thread and on many."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published.counters import searched
from benchmarks.published.ranking import FAN, GRAFT, PUSH, entry

THREE = (GRAFT, PUSH, FAN)


def draw(data: dict[str, Any]) -> Figure | None:
    """A stopped search counts at the limit; a serial algorithm keeps its one thread."""
    threads = sorted({1, data["threads"][-1]})
    panels = [(t, bars) for t in threads if (bars := _speeds(data, t))]
    if not panels:
        return None
    figure, axes = page.blank(3.6, len(panels), sharey=True)
    for ax, (count, bars) in zip(axes, panels, strict=True):
        for index, name in enumerate(THREE):
            places = [k + 0.27 * (index - 1) for k in range(len(bars))]
            ax.bar(places, [b["speed"][name] for b in bars], 0.27, label=name, **page.bar(index))
        page.label_bars(ax, [b["graph"] for b in bars])
        page.separate_classes(ax, [b["class"] for b in bars])
        ax.set_yscale("log", base=2)
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
        ax.set_title(page.on_threads(count), pad=14)
    axes[0].set_ylabel("speed relative to the slowest")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _speeds(data: dict[str, Any], threads: int) -> list[dict[str, Any]]:
    result = []
    for graph in data["matrices"]:
        here = [
            row for row in data["rows"] if row["matrix"] == graph["matrix"] and not row["options"]
        ]
        rows = {name: entry(here, name, threads) for name in THREE}
        if any(row is None or not (searched(row) or row["overran"]) for row in rows.values()):
            continue
        times = {n: row["median"] or data["limit"] for n, row in rows.items() if row is not None}
        slowest = max(times.values())
        result.append(
            {
                "graph": page.graph_name(graph),
                "class": graph["class"],
                "speed": {name: slowest / time for name, time in times.items()},
            }
        )
    return result
