# SPDX-License-Identifier: BSD-3-Clause
"""Compares ``algorithm="published"`` with the faster of apfb-wr and g-pr-shr on a GPU.

``published`` chooses one of the two searches by rules. The sets ``fit`` and ``seen`` of
``sets.toml`` were used to make these rules; ``large`` was not.

The matrix is on the device. The times are those of the stage `search`, after the initial matching
of greedy. The time of `published` includes the first global relabelling if a rule depends on its
depth, which is the number of its levels. The columns `depth` and `its ms` have the depth and the
time of this relabelling alone, with the row lists that it needs.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import btfperm
from benchmarks import machine
from benchmarks.cases import Case, generated, names, of_set
from benchmarks.generators import make
from benchmarks.generators.counted import made_on_device
from benchmarks.regret.rows import measured as with_store
from benchmarks.regret.rows import stored_names
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
)
from benchmarks.timing import synchronised
from btfperm import backends, registry
from btfperm.backends.protocol import Session
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern.features import ratios, sample

CHOICES = ("apfb-wr", "g-pr-shr")
ALL = (*CHOICES, "published")
FEATURES = ("entries", "degree", "skew", "free")
AIM = 1.07
DISTURBED = 0.5  # below this ratio of published to the faster search, the latter was disturbed
MAKERS = 6  # processes that make graphs


def cases(which: str, folder: Path) -> list[Case]:
    """The graphs of a set, by name. Graphs with a colon in their name are made on the GPU."""
    if which == "real":
        return of_set(which, folder)
    return [
        Case(case.name, case.kind, partial(made_on_device, case.name)) if ":" in case.name else case
        for case in generated(names("published-choice", which))
    ]


def run(cases: list[Case], options: Options) -> Section:
    """One row for each graph; raises OSError without a GPU. Other processes make the graphs that
    are made on the host, while the graphs that are made on the GPU are measured."""
    complaints: list[str] = []
    here = [case for case in cases if ":" not in case.name and case.path is None]
    missing = [case for case in here if case.name not in stored_names(options)]
    with ProcessPoolExecutor(MAKERS) as pool:  # before CUDA starts in this process
        made = {case.name: pool.submit(make, case.name) for case in missing}
        where = machine.gpu()

        def measure(case: Case) -> Row:
            future = made.pop(case.name, None)
            row, found = measured(case, options, future.result() if future else case.load())
            complaints.extend(f"{case.name}: {problem}" for problem in found)
            return row

        last = sorted(cases, key=lambda case: case.name in made)
        rows = with_store(last, options, measure, _outcome)
        for future in made.values():
            future.cancel()
    data = {"gpu": where, "limit": options.limit, "rows": rows}
    return Section("The choice among the published searches", markdown(data), data, complaints)


def _outcome(row: Row) -> str:
    times = [f"{name} {_time(row, name)}" for name in ALL]
    return f"{row['matrix']}: {', '.join(times)} ms, {row['choice']}"


def measured(case: Case, options: Options, A: Any) -> tuple[Row, list[str]]:
    """The row of a graph, and a message if the sizes of the matchings differ. The row has the
    median time of each search; the searches run in turns after a warm-up. A search is not repeated
    once all its runs, with the warm-up, have taken more than the limit."""
    import cupy

    P = btfperm.as_pattern(A)
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
    m, n = P.shape
    features = {**ratios(m, n, P.nnz), **sample(there), "rows": m, "cols": n, "entries": P.nnz}
    row = {
        "matrix": case.name,
        "seconds": {name: statistics.median(seconds[name][1:] or seconds[name]) for name in done},
        "choice": chosen.algorithm,
        "rule": explained["decisions"].get("published on gpu", {}).get("rule"),
        "features": {**features, **_started(there, options)},
        "counters": {name: _numbers(last[name].counters) for name in CHOICES},
    }
    row["depth"] = row["features"].pop("depth")
    return row, [f"different sizes: {sorted(sizes)}"] if len(sizes) > 1 else []


def _started(there: Any, options: Options) -> dict[str, Any]:
    """The share of rows or columns that greedy leaves unmatched, the depth of the first global
    relabelling, and the median of its seconds."""
    seconds, depth = [], 0
    for _ in range(options.repeats + 1):
        problem: Any = backends.get("gpu").empty(Session(there), 1)
        greedy = registry.find("greedy", initializer=True, backend="gpu")
        run_algorithm(greedy, problem, Request())
        levels = registry.step("transversal", "first relabelling", "gpu")
        depth, spent = synchronised(partial(levels, problem))
        seconds.append(spent)
    free = 1 - problem.size / min(there.shape)
    return {
        "free": free,
        "depth": depth,
        "depth_seconds": statistics.median(seconds[1:] or seconds),
    }


def _numbers(counters: Any) -> dict[str, int]:
    return {name: value for name, value in counters.items() if isinstance(value, int)}


def regret(row: Row, name: str) -> float | None:
    """The time of the search `name` over the time of the faster one; None if greedy's matching was
    maximum, or if neither search ended within the limit."""
    times = row["seconds"]
    best = min((times[choice] for choice in CHOICES if choice in times), default=None)
    if best is None or name not in times or row["choice"] == "none":
        return None
    return float(times[name] / best)


def markdown(data: dict[str, Any]) -> str:
    """The means and a table."""
    rows = data["rows"]
    means = []
    for name in ("published", *CHOICES):
        found = [ratio for row in rows if (ratio := regret(row, name)) is not None]
        means.append(f"{name} {digits(geometric_mean(found))} on {len(found)} graphs")
    apart = [row for row in rows if (ratio := regret(row, "published")) and ratio < DISTURBED]
    names: list[tuple[str, Callable[[Row], str]]] = [
        *((name, lambda row, name=name: _time(row, name)) for name in ALL),
        ("regret", lambda row: known(regret(row, "published"))),
        ("choice", lambda row: row["choice"]),
        ("rule", lambda row: row["rule"] or "-"),
        ("depth", lambda row: known(row["depth"], str)),
        ("its ms", lambda row: known(row["features"].get("depth_seconds"), milliseconds)),
        *((name, lambda row, name=name: known(row["features"][name])) for name in FEATURES),
    ]
    return paragraphs(
        f"{data['gpu']}. Milliseconds of the search; -: not ended within {data['limit']:g} s.",
        f"Time over the better of the two, geometric means: {', '.join(means)}; the aim is {AIM}.",
        _without(rows, apart) if apart else "",
        by_matrix([name for name, _ in names], rows, lambda row: [cell(row) for _, cell in names]),
    )


def _without(rows: list[Row], apart: list[Row]) -> str:
    """The mean without graphs on which a search was disturbed. `published` runs one of the two
    searches, so it cannot be much faster than both."""
    left = [ratio for row in rows if row not in apart and (ratio := regret(row, "published"))]
    named = ", ".join(f"`{row['matrix']}`" for row in apart)
    return (
        f"On {named}, published took less than half of the time of both searches, one of which it "
        f"ran: they were disturbed. Without {'it' if len(apart) == 1 else 'these'}, published "
        f"takes {geometric_mean(left):.3f} times the better one on {len(left)} graphs."
    )


def _time(row: Row, name: str) -> str:
    return known(row["seconds"].get(name), milliseconds)
