# SPDX-License-Identifier: BSD-3-Clause
"""Which search is the fastest in which class, on one thread and on many: geometric mean of its time
over that of the fastest on the same graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.published.counters import searched
from benchmarks.published.tables import algorithms, classes
from benchmarks.tables import digits, geometric_mean


def draw(data: dict[str, Any]) -> Figure | None:
    """A table of shades; a stopped search counts at the limit and is marked ≥."""
    threads = sorted({1, data["threads"][-1]})
    panels = [(t, names, _means(data, t, names)) for t in threads if (names := algorithms(data, t))]
    panels = [panel for panel in panels if np.isfinite(panel[2][0]).any()]
    if not panels:
        return None
    kinds = classes(data)
    widths = [len(kinds)] * len(panels)
    figure, axes = page.blank(0.3 * len(panels[0][1]) + 1.4, len(panels), width_ratios=widths)
    worst = max(np.nanmax(means) for _, _, (means, _) in panels)
    for ax, (count, names, (means, bounds)) in zip(axes, panels, strict=True):
        ax.imshow(means, norm=LogNorm(1, max(worst, 2)), cmap="Greys", aspect="auto")
        for (row, column), mean in np.ndenumerate(means):
            if np.isfinite(mean):
                dark = np.log(mean) > 0.5 * np.log(max(worst, 2))
                text = ("≥" if bounds[row, column] else "") + digits(mean)
                ax.text(
                    *(column, row, text),
                    ha="center",
                    va="center",
                    color="white" if dark else "black",
                    fontweight="bold" if mean == np.nanmin(means[:, column]) else "normal",
                )
        ax.set_xticks(range(len(kinds)), kinds)
        ax.set_yticks(range(len(names)), names)
        ax.grid(visible=False)
        ax.tick_params(length=0)
        ax.set_title(page.on_threads(count) + (", those that use them" if count > 1 else ""))
    return figure


def _means(data: dict[str, Any], threads: int, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Mean slow-down, search by class, and whether a stopped run makes it a lower bound."""
    kinds = classes(data)
    means = np.full((len(names), len(kinds)), np.nan)
    bounds = np.zeros(means.shape, bool)
    for column, kind in enumerate(kinds):
        ratios: dict[str, list[float]] = {name: [] for name in names}
        for graph in (g for g in data["matrices"] if g["class"] == kind):
            rows = {
                row["algorithm"]: row
                for row in data["rows"]
                if row["matrix"] == graph["matrix"]
                and row["threads"] == threads
                and row["algorithm"] in names
                and not row["options"]
                and (searched(row) or row["overran"])
            }
            times = {name: row["median"] or data["limit"] for name, row in rows.items()}
            for name, time in times.items():
                ratios[name].append(time / min(times.values()))
                bounds[names.index(name), column] |= rows[name]["overran"]
        means[:, column] = [geometric_mean(ratios[name]) for name in names]
    return means, bounds
