# SPDX-License-Identifier: BSD-3-Clause
"""The performance profiles of the two papers on searches on a GPU. They compare the best variant of
each paper with the parallel and sequential searches on the CPU, from results of the sections
`paper-000` and `paper-003`.

In the docstrings, "GPU-BFS" is the paper Deveci et al. (Euro-Par 2013), and "G-PR" the paper Deveci
et al. (ICPP 2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from benchmarks import drawing
from benchmarks.papers.figures import PAIRS
from benchmarks.report import Row

Data = dict[str, Any]


def contestants(data: Data) -> dict[str, Callable[[Row], float | None]]:
    """The best variants of the two papers that the result has, and the searches on all cores. Each
    has a function that returns its seconds on a graph, or None if it was stopped."""
    variants = [name for name in (PAIRS[2][0], PAIRS[0][0]) if name in data["variants"]]
    names = list(dict.fromkeys(n for row in data["rows"] for n in row["peers"]["multicore"]))
    found: dict[str, Callable[[Row], float | None]] = {}
    for name in variants:
        found[f"{name}, GPU"] = partial(_seconds, "median", name)
    for name in names:
        found[f"{name}, all cores"] = partial(_seconds, "multicore", name)
    return found


def _seconds(key: str, name: str, row: Row) -> float | None:
    seconds: float | None = row[key].get(name)
    return seconds


def contest_speed_up(data: Data) -> Figure | None:
    """GPU-BFS, figure 3, and G-PR, figure 2. A point (x, y) means that on a share y of the graphs
    the search is at least x times faster than the best sequential peer. If all peers were stopped,
    their time is the limit. A stopped search is drawn at the left edge."""
    if not data["rows"] or "peers" not in data["rows"][0]:
        return None

    def gain(row: Row, seconds: float | None) -> float:
        least = min(row["sequential"].values(), default=data["limit"])
        return 0.0 if seconds is None else least / seconds

    curves = {
        name: [gain(row, seconds(row)) for row in data["rows"]]
        for name, seconds in contestants(data).items()
    }
    return drawing.gains(curves, "speed-up over the best sequential search")


def contest_profile(data: Data) -> Figure | None:
    """GPU-BFS, figure 4, and G-PR, figure 3. A point (x, y) means that on a share y of the graphs
    the search takes at most x times as long as the fastest parallel search."""
    if not data["rows"] or "peers" not in data["rows"][0]:
        return None
    every = contestants(data)
    ratios: dict[str, list[float]] = {name: [] for name in every}
    for row in data["rows"]:
        times = {name: seconds(row) or math.inf for name, seconds in every.items()}
        for name, time in times.items():
            best = min(times.values())
            ratios[name].append(time / best if math.isfinite(time) else math.inf)
    figure, (ax,) = drawing.blank(3.4)
    widest = 1.2 * max([2.0, *(r for each in ratios.values() for r in each if math.isfinite(r))])
    for index, (name, each) in enumerate(ratios.items()):
        done = sorted(ratio for ratio in each if math.isfinite(ratio))
        y = [k / len(each) for k in range(len(done) + 1)]
        ax.step([1.0, *done, widest], [*y, y[-1]], where="post", label=name, **drawing.line(index))
    drawing.logarithmic(ax, "x")
    ax.set_xlim(1, widest)
    drawing.shares(ax, len(data["rows"]), "time over that of the fastest on the same graph")
    return figure
