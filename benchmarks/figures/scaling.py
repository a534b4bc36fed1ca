# SPDX-License-Identifier: BSD-3-Clause
"""The paper's figure 5: speed-up over one's own one thread with the number of threads, mean of each
class; one panel an algorithm."""

from __future__ import annotations

import statistics
from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page
from benchmarks.tables import geometric_mean

MOST_PANELS = 3


def draw(data: dict[str, Any]) -> Figure | None:
    """Rows {matrix, class, algorithm, threads, seconds}; matrices measured on all counts."""
    curves = _curves(data["rows"])
    if not curves:
        return None
    algorithms = list({algorithm: None for algorithm, _ in curves})[:MOST_PANELS]
    kinds = list({kind: None for _, kind in curves})
    figure, axes = page.blank(3.2, len(algorithms), sharey=True)
    for ax, algorithm in zip(axes, algorithms, strict=True):
        for index, kind in enumerate(kinds):
            points = curves.get((algorithm, kind), {})
            ax.plot(list(points), list(points.values()), label=kind, **page.line(index))
        counts = sorted({threads for points in curves.values() for threads in points})
        ax.plot(counts, counts, color="#AAAAAA", linewidth=0.8, zorder=0)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)
        ax.set_xticks(counts, [str(count) for count in counts])
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
        ax.set_title(algorithm)
        ax.set_xlabel("threads")
    axes[0].set_ylabel("speed-up over one thread, geometric mean")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=6)
    return figure


def _curves(rows: list[dict[str, Any]]) -> dict[tuple[str, str], dict[int, float]]:
    times: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        if row["seconds"]:
            key = row["algorithm"], row["class"], row["matrix"]
            runs = row.get("medians", row["seconds"])  # older results have one run
            if None not in runs:
                times.setdefault(key, {})[row["threads"]] = statistics.median(runs)
    most = {t for each in times.values() for t in each}
    ratios: dict[tuple[str, str], dict[int, list[float]]] = {}
    for (algorithm, kind, _), each in times.items():
        if set(each) == most and len(most) > 1:
            for threads in sorted(most):
                group = ratios.setdefault((algorithm, kind), {})
                group.setdefault(threads, []).append(each[min(most)] / each[threads])
    return {
        key: {threads: geometric_mean(values) for threads, values in group.items()}
        for key, group in ratios.items()
    }
