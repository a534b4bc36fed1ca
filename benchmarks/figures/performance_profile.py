# SPDX-License-Identifier: BSD-3-Clause
"""Performance profile: a point (x, y) says that on a part y of the matrices the method takes at
most x times as long as the fastest of all. Left is fast, high is reliable."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks import ours
from benchmarks.figures import page
from benchmarks.published import entrants
from benchmarks.published.counters import searched

OURS = (ours.NAME, "guided-displacement")
LEFT_OUT = (entrants.AUTO, entrants.START)
WIDEST = 1000.0  # ratios beyond stand at the edge


def draw(data: dict[str, Any]) -> Figure | None:
    """One curve a method; a stopped run is never counted as done."""
    times = medians(data)
    names = [name for name in first_seen(times) if name != ours.UNPROVEN]
    ratios = {name: slow_downs(times, name, names) for name in names}
    if not times or len(names) < 2:
        return None
    figure, (ax,) = page.blank(3.4)
    widest = min(WIDEST, max(r for each in ratios.values() for r in each if np.isfinite(r)) * 1.2)
    for index, name in enumerate(names):
        done = np.sort(ratios[name])
        done = done[done <= widest]
        x = np.concatenate([[1.0], done, [widest]])
        y = np.concatenate([[0.0], np.arange(1, len(done) + 1), [len(done)]]) / len(times)
        y[0] = np.mean(np.asarray(ratios[name]) <= 1.0)
        look = page.OURS if name in OURS else page.line(index)
        look |= {"markevery": max(1, len(x) // 8)}
        ax.step(x, y, where="post", label=name, **look)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.set_xlim(1, widest)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("time over that of the fastest on the same matrix")
    ax.set_ylabel(f"part of the {len(times)} matrices")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def medians(data: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Seconds by matrix and method; of published searches those on one thread that had work."""
    if "orders" not in data:
        return {row["matrix"]: row["median"] for row in data["rows"] if row["median"]}
    times: dict[str, dict[str, float]] = {}
    for row in data["rows"]:
        plain = row["threads"] == 1 and not row["options"] and row["algorithm"] not in LEFT_OUT
        if plain and searched(row):
            times.setdefault(row["matrix"], {})[row["algorithm"]] = row["median"]
    return times


def first_seen(times: dict[str, dict[str, float]]) -> list[str]:
    """The methods, in the order of the tables."""
    return list({name: None for each in times.values() for name in each})


def slow_downs(times: dict[str, dict[str, float]], name: str, names: list[str]) -> list[float]:
    """Its time over the least of `names` on each matrix; infinite where it did not finish."""
    return [
        each.get(name, np.inf) / min((each[n] for n in names if n in each), default=np.inf)
        for each in times.values()
    ]
