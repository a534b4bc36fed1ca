# SPDX-License-Identifier: BSD-3-Clause
"""Speed-up profile: a point (x, y) says that on a part y of the matrices btfperm is at least x
times faster than the peer. Right is fast; where a curve crosses 1, btfperm begins to lose."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks import ours
from benchmarks.figures import page
from benchmarks.figures.performance_profile import first_seen, medians

BEST = "the best of them"


def draw(data: dict[str, Any]) -> Figure | None:
    """One curve a peer, and one for the best peer of each matrix; stopped peers count at the right
    edge."""
    times = {name: each for name, each in medians(data).items() if ours.NAME in each}
    peers = [name for name in first_seen(times) if name not in (ours.NAME, ours.UNPROVEN)]
    if not times or not peers:
        return None
    curves = {peer: [_gain(each, [peer]) for each in times.values()] for peer in peers}
    curves[BEST] = [_gain(each, peers) for each in times.values()]
    known = [gain for each in curves.values() for gain in each if np.isfinite(gain)]
    least, most = min([*known, 1.0]) / 1.2, max([*known, 1.0]) * 1.2
    figure, (ax,) = page.blank(3.4)
    for index, (name, gains) in enumerate(curves.items()):
        x = np.sort(np.clip(gains, least, most))
        y = np.append(1 - np.arange(len(x)) / len(x), 0.0)
        x = np.append(x, x[-1])
        look = page.line(index) | {"markevery": max(1, len(x) // 8)}
        if name == BEST:
            look |= page.OURS
        ax.step(x, y, where="pre", label=name, **look)
    ax.axvline(1, color="#888888", linewidth=0.8)
    ax.set_xscale("log", base=2)
    ax.set_xlim(least, most)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("speed-up of btfperm, proof included, over the peer")
    ax.set_ylabel(f"part of the {len(times)} matrices")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="peer")
    return figure


def _gain(times: dict[str, float], peers: list[str]) -> float:
    """Infinite where no peer finished."""
    return min((times[p] for p in peers if p in times), default=np.inf) / times[ours.NAME]
