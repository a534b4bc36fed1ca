# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up on each graph, as figure 5 of Deveci, Kaya, Uçar, Çatalyürek (Euro-Par 2013) and figure
4 of Deveci, Kaya, Uçar, Çatalyürek (ICPP 2013): the search on the GPU that a paper takes, over the
sequential ones that the same paper compares it with."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page

PAIRS = (
    ("apfb-wr ct", "pothen-fan"),
    ("apfb-wr ct", "hopcroft-karp"),
    ("g-pr-shr adaptive:0.7", "push-relabel"),
)
WIDTH = 0.27


def draw(data: dict[str, Any]) -> Figure | None:
    """Three bars a graph, by number of rows; pale where the sequential search was stopped, so that
    the speed-up is at least that, and none where the search on the GPU was."""
    rows = sorted(data["rows"], key=lambda row: (row.get("n", 0), row["matrix"]))
    pairs = [pair for pair in PAIRS if pair[0] in data.get("variants", ())]
    if not pairs or not any(row.get("sequential") for row in rows):
        return None
    figure, (ax,) = page.blank(3.8)
    for index, (variant, peer) in enumerate(pairs):
        label = f"{variant} over {peer}"
        for k, row in enumerate(rows):
            if variant not in row["median"]:
                continue
            alone = row.get("sequential", {})
            ended = peer in alone
            gain = alone.get(peer, data["limit"]) / row["median"][variant]
            place = k + WIDTH * (index - (len(pairs) - 1) / 2)
            look = page.bar(index) | ({} if ended else {"alpha": 0.35})
            ax.bar(place, gain - 1, WIDTH, bottom=1, label=label if ended else None, **look)
            if ended:
                label = ""  # one line in the legend
    ax.axhline(1, color="#888888", linewidth=0.8)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    page.label_bars(ax, [row["matrix"] for row in rows])
    ax.set_ylabel(f"speed-up (pale: at least, stopped after {data['limit']:g} s)")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=len(pairs))
    return figure
