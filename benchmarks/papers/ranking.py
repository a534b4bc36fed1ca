# SPDX-License-Identifier: BSD-3-Clause
"""The order of the algorithms within each class: the paper's and ours.

If an order differs from the paper's, the reason is derived from the counters. A time is the number
of visited edges divided by a rate, so a faster search visits fewer edges or has a higher rate.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.papers.counters import edges_and_rate, searched, seconds_of_steps
from benchmarks.report import Row, digits, geometric_mean

GRAFT, PUSH, FAN = "ms-bfs-graft", "push-relabel", "pothen-fan"

# Section V A and figure 3: mean speed-up of ms-bfs-graft over push-relabel and over pothen-fan, on
# one core and on 40 cores. For the first class on one core, the paper states "no improvement",
# which is taken as 1.
PAPER = {
    ("scientific", "one"): (1.0, 1.0),
    ("scale-free", "one"): (4.9, 8.2),
    ("networks", "one"): (11.3, 5.5),
    ("scientific", "many"): (4.9, 1.2),
    ("scale-free", "many"): (7.1, 5.1),
    ("networks", "many"): (10.4, 27.8),
}
ABOUT_ONE = 2.0  # a mean from 1 / ABOUT_ONE to ABOUT_ONE counts as "no improvement"


def orders(rows: Sequence[Row], limit: float) -> list[dict[str, Any]]:
    """One verdict for each class, on one thread and on many.

    A serial algorithm takes part in the verdict on many threads with its time on one thread. The
    time of a search that was stopped is the limit.
    """
    plain = [row for row in rows if not row["options"]]
    many = max((row["threads"] for row in plain), default=1)
    result = []
    for (kind, cores), paper in PAPER.items():
        threads = 1 if cores == "one" else many
        if cores == "many" and many == 1:
            continue
        group = [row for row in plain if row["class"] == kind]
        ours = {rival: compare(group, GRAFT, rival, threads, limit) for rival in (PUSH, FAN)}
        if all(gains.times for gains in ours.values()):
            verdict = _verdict(dict(zip(ours, paper, strict=True)), ours)
            pairs = verdict.pop("inverted")
            inverted = [compare(group, one, other, threads, limit) for one, other in pairs]
            why = [_reason(gains) for gains in inverted if gains.times]
            result.append({"class": kind, "threads": threads, **verdict, "why": why})
    return result


@dataclass
class Gains:
    """How many times faster `first` is than `second` on each matrix, and the reasons.

    `times` has the ratio of the times on each matrix. `steps` is the same without the row lists
    that ms-bfs-graft computes first, because the paper's graphs come with them. `edges` and `rates`
    have the ratios of the visited edges and of the rates on the matrices on which both finished.
    """

    first: str
    second: str
    times: dict[str, float] = field(default_factory=dict)
    steps: dict[str, float] = field(default_factory=dict)
    edges: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)


def compare(rows: Sequence[Row], first: str, second: str, threads: int, limit: float) -> Gains:
    """The gains on the matrices on which both had to search and at least one finished."""
    gains = Gains(first, second)
    for matrix in {row["matrix"]: None for row in rows}:
        here = [row for row in rows if row["matrix"] == matrix]
        one, other = entry(here, first, threads), entry(here, second, threads)
        if one is None or other is None or (one["overran"] and other["overran"]):
            continue
        if not all(searched(row) or row["overran"] for row in (one, other)):
            continue
        mine, its = (limit if row["overran"] else row["median"] for row in (one, other))
        gains.times[matrix] = its / mine
        gains.steps[matrix] = its / min(mine, seconds_of_steps(one) or mine)
        if not one["overran"] and not other["overran"]:
            of_first, of_second = edges_and_rate(one), edges_and_rate(other)
            gains.edges[matrix] = of_second[0] / of_first[0]
            gains.rates[matrix] = of_first[1] / of_second[1]
    return gains


def _verdict(paper: dict[str, float], ours: dict[str, Gains]) -> dict[str, Any]:
    means = {rival: _means(gains) for rival, gains in ours.items()}
    order = _order({rival: mean["speed_up"] for rival, mean in means.items()})
    expected = _order(paper)
    if set(paper.values()) == {1.0}:
        expected, inverted = [], []
        holds = all(1 / ABOUT_ONE <= m["speed_up"] <= ABOUT_ONE for m in means.values())
    else:
        inverted = [
            (first, second)
            for first, second in itertools.combinations(expected, 2)
            if order.index(first) > order.index(second)
        ]
        holds = not inverted
    return {
        "paper": paper,
        "ours": means,
        "paper_order": expected,
        "order": order,
        "holds": holds,
        "inverted": inverted,
    }


def _means(gains: Gains) -> dict[str, Any]:
    return {
        "matrices": len(gains.times),
        "stopped": len(gains.times) - len(gains.edges),
        "speed_up": geometric_mean(list(gains.times.values())),
        "of_steps": geometric_mean(list(gains.steps.values())),
        "fewer_edges": geometric_mean(list(gains.edges.values())) if gains.edges else None,
        "higher_rate": geometric_mean(list(gains.rates.values())) if gains.rates else None,
    }


def _order(speed_ups: dict[str, float]) -> list[str]:
    """The three searches, the fastest first. `speed_ups` has the speed-up of ms-bfs-graft over each
    of the two others."""
    return sorted([GRAFT, *speed_ups], key=lambda name: speed_ups.get(name, 1.0))


def _reason(gains: Gains) -> str:
    """Why `first`, which is faster than `second` in the paper, is slower here."""
    slower = {matrix: 1 / gain for matrix, gain in gains.times.items()}
    worst = max(slower, key=slower.__getitem__)
    words = f"{gains.first} takes {digits(geometric_mean(list(slower.values())))} times as long as "
    words += gains.second
    if gains.edges:
        more = 1 / geometric_mean(list(gains.edges.values()))
        rate = geometric_mean(list(gains.rates.values()))
        words += f" (it visits {digits(more)} times the edges at {digits(rate)} times the rate)"
    kept = sum(ratio <= 1 for ratio in slower.values())
    words += f"; the largest ratio is {digits(slower[worst])}, on `{worst}`; "
    words += f"on {kept} of {len(slower)} "
    return words + "graphs the order is the paper's"


def entry(rows: Sequence[Row], algorithm: str, threads: int) -> Row | None:
    """The row of an algorithm on this number of threads, or on one thread if there is none."""
    own = {row["threads"]: row for row in rows if row["algorithm"] == algorithm}
    return own.get(threads, own.get(1))
