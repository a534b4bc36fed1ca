# SPDX-License-Identifier: BSD-3-Clause
"""How far ``algorithm="published"`` is behind the better of apfb-wr and g-pr-shr on a GPU.

None of the graphs was used to set its rules.

The matrix is on the device, and the seconds of the stage `search` count, after the initial matching
of greedy. For `published` they include the first global relabelling if a rule asks for its depth.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import btfperm
from benchmarks import machine
from benchmarks.cases import Case
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    geometric_mean,
    known,
    milliseconds,
    paragraphs,
    progress,
)

CHOICES = ("apfb-wr", "g-pr-shr")
ALL = (*CHOICES, "published")
FEATURES = ("entries", "degree", "skew", "free")
AIM = 1.07


def run(cases: list[Case], options: Options) -> Section:
    """One row for each graph; OSError without a GPU."""
    where, rows, complaints = machine.gpu(), [], []
    for case in cases:
        row, found = measured(case, options)
        rows.append(row)
        complaints += [f"{case.name}: {problem}" for problem in found]
        options.say(progress(case.name, [_time(row, name) for name in ALL], found))
    data = {"gpu": where, "limit": options.limit, "rows": rows}
    return Section("The choice among the published searches", markdown(data), data, complaints)


def measured(case: Case, options: Options) -> tuple[Row, list[str]]:
    """Medians of the searches in turns, after a warm-up, and wrong sizes. A search that has taken
    the limit is not repeated."""
    import cupy

    P = btfperm.as_pattern(case.load())
    there = btfperm.as_pattern(
        (None, cupy.asarray(P.indices), cupy.asarray(P.indptr)), shape=P.shape
    )
    seconds: dict[str, list[float]] = {name: [] for name in ALL}
    last: dict[str, Any] = {}
    for _ in range(options.repeats + 1):
        for name in ALL:
            if sum(seconds[name]) > options.limit:
                continue
            last[name] = btfperm.maximum_transversal(
                there, algorithm=name, initializer="greedy", time_limit=options.limit
            )
            seconds[name].append(last[name].seconds["search"])
    done = {name: t for name, t in last.items() if t.maximum}
    sizes = {t.size for t in done.values()}
    chosen = last["published"]
    explained = chosen.explain()
    levels = last["g-pr-shr"].counters.get("levels_by_relabel", [])
    row = {
        "matrix": case.name,
        "seconds": {name: statistics.median(seconds[name][1:] or seconds[name]) for name in done},
        "choice": chosen.algorithm,
        "rule": explained["decisions"].get("published on gpu", {}).get("rule"),
        "features": {name: explained["features"][name] for name in FEATURES},
        "depth": levels[0] if levels else None,
    }
    return row, [f"different sizes: {sorted(sizes)}"] if len(sizes) > 1 else []


def regret(row: Row, name: str) -> float | None:
    """The time of one over the better of the two; None if nothing had to be searched or neither
    ended."""
    times = row["seconds"]
    best = min((times[choice] for choice in CHOICES if choice in times), default=None)
    if best is None or name not in times or row["choice"] == "none":
        return None
    return float(times[name] / best)


def markdown(data: dict[str, Any]) -> str:
    """The means and a table."""
    rows = data["rows"]
    said = []
    for name in ("published", *CHOICES):
        found = [ratio for row in rows if (ratio := regret(row, name)) is not None]
        said.append(f"{name} {digits(geometric_mean(found))} on {len(found)} graphs")
    names: list[tuple[str, Callable[[Row], str]]] = [
        *((name, lambda row, name=name: _time(row, name)) for name in ALL),
        ("regret", lambda row: known(regret(row, "published"))),
        ("choice", lambda row: row["choice"]),
        ("rule", lambda row: row["rule"] or "-"),
        ("depth", lambda row: known(row["depth"], str)),
        *((name, lambda row, name=name: known(row["features"][name])) for name in FEATURES),
    ]
    return paragraphs(
        f"{data['gpu']}. Milliseconds of the search; -: not ended within {data['limit']:g} s.",
        f"Time over the better of the two, geometric means: {', '.join(said)}; the aim is {AIM}.",
        by_matrix([name for name, _ in names], rows, lambda row: [cell(row) for _, cell in names]),
    )


def _time(row: Row, name: str) -> str:
    return known(row["seconds"].get(name), milliseconds)
