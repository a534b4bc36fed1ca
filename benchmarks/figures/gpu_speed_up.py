# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up profile of the variants on a GPU, as figure 3 of Deveci, Kaya, Uçar, Çatalyürek
(Euro-Par 2013): a point (x, y) says that on a part y of the graphs the variant is at least x times
faster than the best of the sequential searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import page


def draw(data: dict[str, Any]) -> Figure | None:
    """One curve a variant, over the graphs that a sequential search has finished; where the variant
    has not, it is at the left edge."""
    rows = [row for row in data["rows"] if row.get("sequential")]
    gains = {
        name: [min(row["sequential"].values()) / row["median"].get(name, np.inf) for row in rows]
        for name in data.get("variants", ())
    }
    known = [gain for each in gains.values() for gain in each if gain > 0]
    if not known:
        return None
    least, most = min([*known, 1.0]) / 1.2, max([*known, 1.0]) * 1.2
    figure, (ax,) = page.blank(3.6)
    for index, (name, each) in enumerate(gains.items()):
        x = np.sort(np.clip(each, least, most))
        y = np.append(1 - np.arange(len(x)) / len(x), 0.0)
        look = page.line(index) | {"markevery": max(1, len(x) // 8)}
        ax.step(np.append(x, x[-1]), y, where="pre", label=name, **look)
    ax.axvline(1, color="#888888", linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.set_xlim(least, most)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("speed-up over the best sequential search")
    ax.set_ylabel(f"part of the {len(rows)} graphs")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
