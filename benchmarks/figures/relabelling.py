# SPDX-License-Identifier: BSD-3-Clause
"""When to relabel, as figure 1 of Deveci, Kaya, Uçar, Çatalyürek (ICPP 2013): geometric means of
g-pr-first, g-pr-noshr and g-pr-shr for each strategy, on the graphs in their own order and on the
permuted ones."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks import gpu
from benchmarks.figures import page

THREE = ("g-pr-first", "g-pr-noshr", "g-pr-shr")
SETS = ("natural", "permuted")


def draw(data: dict[str, Any]) -> Figure | None:
    """A group of bars a strategy; a mean with stopped searches, counted at the limit, is ≥."""
    names = data.get("variants", ())
    found = {name.partition(" ")[2] for name in names if name.startswith(THREE)}
    strategies = sorted(found, key=_by_number)
    sets = dict(gpu.sets(data["rows"]))
    panels = [label for label in SETS if label in sets]
    if len(strategies) < 2 or not panels:
        return None
    figure, axes = page.blank(3.2, len(panels))
    for ax, label in zip(axes, panels, strict=True):
        rows = sets[label]
        for index, algorithm in enumerate(THREE):
            groups = [k for k, word in enumerate(strategies) if f"{algorithm} {word}" in names]
            places = [k + 0.27 * (index - 1) for k in groups]
            means = [
                gpu.mean_time(rows, f"{algorithm} {strategies[k]}", data["limit"]) for k in groups
            ]
            heights = [mean * 1e3 for mean, _ in means]
            ax.bar(places, heights, 0.27, label=algorithm, **page.bar(index))
            for place, height, (_, whole) in zip(places, heights, means, strict=True):
                if not whole:
                    ax.annotate("≥", (place, height), ha="center", va="bottom")
        page.label_bars(ax, [word.replace(":", " ") for word in strategies])
        ax.set_title(f"{label}, {len(rows)} graphs")
        ax.margins(y=0.1)
    axes[0].set_ylabel("geometric mean of the search, ms")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _by_number(word: str) -> tuple[str, float]:
    strategy, _, number = word.partition(":")
    return strategy, float(number or 0)
