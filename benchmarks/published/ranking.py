# SPDX-License-Identifier: BSD-3-Clause
"""The order of the algorithms within each class: the paper's and ours.

Where an order is not reproduced, the reason is taken from the counters: a time is a number of edges
read, divided by a rate, so that a rival wins by reading fewer edges or by reading them faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.published.counters import edges_and_rate, searched, seconds_of_steps
from benchmarks.tables import geometric_mean

Row = dict[str, Any]

GRAFT, PUSH, FAN = "ms-bfs-graft", "push-relabel", "pothen-fan"

# Section V A and figure 3: mean speed-up of ms-bfs-graft over push-relabel and over pothen-fan on
# one core and on 40. On one core and the first class it says "no improvement": about 1.
PAPER = {
    ("scientific", "one"): (1.0, 1.0),
    ("scale-free", "one"): (4.9, 8.2),
    ("networks", "one"): (11.3, 5.5),
    ("scientific", "many"): (4.9, 1.2),
    ("scale-free", "many"): (7.1, 5.1),
    ("networks", "many"): (10.4, 27.8),
}
ABOUT_ONE = 2.0  # a mean between 1/2 and 2 is "no improvement"


def orders(rows: Sequence[Row], limit: float) -> list[dict[str, Any]]:
    """One verdict for each class, on one thread and on many.

    An algorithm that has no threads takes part in the second with its time on one; a search that
    was stopped counts at the limit.
    """
    plain = [row for row in rows if not row["options"]]
    many = max((row["threads"] for row in plain), default=1)
    result = []
    for (kind, cores), paper in PAPER.items():
        threads = 1 if cores == "one" else many
        if cores == "many" and many == 1:
            continue
        group = [row for row in plain if row["class"] == kind]
        ours = [_against(group, rival, threads, limit) for rival in (PUSH, FAN)]
        if any(one is None for one in ours):
            continue
        result.append(_verdict(kind, threads, paper, [one for one in ours if one is not None]))
    return result


def _verdict(
    kind: str, threads: int, paper: tuple[float, float], ours: list[dict[str, Any]]
) -> dict[str, Any]:
    speed_ups = {rival["rival"]: rival["speed_up"] for rival in ours}
    expected = _order({PUSH: paper[0], FAN: paper[1]})
    order = _order(speed_ups)
    if paper == (1.0, 1.0):
        holds = all(1 / ABOUT_ONE <= s <= ABOUT_ONE for s in speed_ups.values())
        expected = ["no order"]
    else:
        holds = order == expected
    of_steps = _order({rival["rival"]: rival["of_steps"] for rival in ours})
    return {
        "class": kind,
        "threads": threads,
        "paper": {PUSH: paper[0], FAN: paper[1]},
        "ours": ours,
        "paper_order": expected,
        "order": order,
        "order_of_steps": of_steps,
        "holds": holds,
    }


def _order(speed_ups: dict[str, float]) -> list[str]:
    """Fastest first; ms-bfs-graft stands at 1."""
    return sorted([*speed_ups, GRAFT], key=lambda name: speed_ups.get(name, 1.0))


def _against(rows: Sequence[Row], rival: str, threads: int, limit: float) -> dict[str, Any] | None:
    """Geometric means of ms-bfs-graft's gain over a rival: in time, in edges, in rate; and in time
    when only its steps count, because the paper's graphs come with the row lists that it needs."""
    times, steps, edges, rates = [], [], [], []
    for matrix in {row["matrix"]: None for row in rows}:
        here = [row for row in rows if row["matrix"] == matrix]
        graft = entry(here, GRAFT, threads)
        other = entry(here, rival, threads)
        if graft is None or other is None or (graft["overran"] and other["overran"]):
            continue
        if any(not (searched(row) or row["overran"]) for row in (graft, other)):
            continue
        mine, its = (limit if row["overran"] else row["median"] for row in (graft, other))
        times.append(its / mine)
        steps.append(its / min(mine, seconds_of_steps(graft) or mine))
        if not graft["overran"] and not other["overran"]:
            of_graft, of_rival = edges_and_rate(graft), edges_and_rate(other)
            edges.append(of_rival[0] / of_graft[0])
            rates.append(of_graft[1] / of_rival[1])
    if not times:
        return None
    return {
        "rival": rival,
        "matrices": len(times),
        "stopped": len(times) - len(edges),
        "speed_up": geometric_mean(times),
        "of_steps": geometric_mean(steps),
        "fewer_edges": geometric_mean(edges) if edges else None,
        "higher_rate": geometric_mean(rates) if rates else None,
    }


def entry(rows: Sequence[Row], algorithm: str, threads: int) -> Row | None:
    """Its row on so many threads; a serial algorithm's on one."""
    own = {row["threads"]: row for row in rows if row["algorithm"] == algorithm}
    return own.get(threads, own.get(1))
