# SPDX-License-Identifier: BSD-3-Clause
"""What the comparisons with the two papers on searches on a GPU have in common: times, speed-ups
and shares of graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.papers import gpu_tables
from benchmarks.papers.paper_003 import BEST
from benchmarks.report import Row, by_matrix, milliseconds

BFS, PUSHES = "apfb-wr ct", f"g-pr-shr {BEST}"  # the best codes of the two papers


def of_sets(rows: list[Row]) -> dict[str, list[Row]]:
    """The graphs in their own order and in a random order, if there are any."""
    groups = dict(gpu_tables.sets(rows))
    return {name: groups[name] for name in ("natural", "permuted") if name in groups}


def seconds_of(row: Row, name: str) -> float:
    """The seconds of a parallel code on a graph; infinite if it was stopped."""
    return float(row["median"].get(name, row["multicore"].get(name, math.inf)))


def sequential(row: Row, limit: float, peer: str = "") -> float:
    """The seconds of the fastest sequential code, or of `peer`; the limit if it was stopped."""
    if peer:
        return float(row["sequential"].get(peer, limit))
    return float(min(row["sequential"].values(), default=limit))


def gains(rows: list[Row], name: str, limit: float, peer: str = "") -> list[float]:
    """The speed-up of a parallel code over the fastest sequential code, or over `peer`, on each
    graph. Codes that were stopped count at the limit."""
    return [sequential(row, limit, peer) / min(seconds_of(row, name), limit) for row in rows]


def share_within(
    rows: list[Row], name: str, codes: Sequence[str] = (), factor: float = 1.0
) -> float:
    """The share of the graphs on which a code takes at most `factor` times the least time of its
    own, of `codes` and of all codes on several cores. A graph on which all were stopped does not
    count for the code."""
    fast = 0
    for row in rows:
        own = seconds_of(row, name)
        best = min([own, *(seconds_of(row, code) for code in codes), *row["multicore"].values()])
        fast += own <= factor * best < math.inf
    return fast / max(len(rows), 1)


def is_fastest(row: Row, name: str, others: Sequence[str] = (), *, alone: bool = True) -> bool:
    """Whether a code on the GPU finished and takes no longer than `others` and the codes on several
    cores, and with `alone` than the sequential codes."""
    times = [*row["multicore"].values(), *(row["sequential"].values() if alone else ())]
    times += [seconds_of(row, other) for other in others]
    own = seconds_of(row, name)
    return own < math.inf and own <= min(times, default=math.inf)


def unknown(rows: list[Row], name: str) -> str:
    """A sentence that names the graphs on which a variant was stopped, and those of them on which a
    search on the CPU finished."""
    lost = [row for row in rows if name not in row["median"]]
    found = [row for row in lost if row["multicore"] or row["sequential"]]
    if not lost:
        return f"`{name}` finished on all graphs."
    text = f"`{name}` was stopped on {names_of(lost)}"
    if not found:
        return f"{text}. Every search on the CPU was also stopped there, so the order is unknown."
    rest = len(lost) - len(found)
    unknown = "; on the others no search finished, so the order is unknown" if rest else ""
    return f"{text}. A search on the CPU finished on {names_of(found)}{unknown}."


def names_of(rows: list[Row]) -> str:
    return ", ".join(f"`{row['matrix']}`" for row in rows)


def times(
    rows: list[Row], limit: float, variant: str, multicore: Sequence[str], alone: Sequence[str]
) -> str:
    def text(seconds: float | None) -> str:
        return f">{milliseconds(limit)}" if seconds is None else milliseconds(seconds)

    return by_matrix(
        [variant, *(f"{n}, all cores" for n in multicore), *(f"{n}, one core" for n in alone)],
        rows,
        lambda row: [
            text(row["median"].get(variant)),
            *(text(row["multicore"].get(name)) for name in multicore),
            *(text(row["sequential"].get(name)) for name in alone),
        ],
    )
