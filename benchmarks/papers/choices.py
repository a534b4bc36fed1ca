# SPDX-License-Identifier: BSD-3-Clause
"""What three papers state about their parameters, and about transfers to a GPU.

*alpha*: the bound of ms-bfs-graft between its two directions (Azad, Buluç, Pothen, IPDPS 2015,
section III B), on all cores after Karp-Sipser. *k*: the sequential push-relabel relabels after
k (m + n) changes of labels (Deveci et al., ICPP 2013, section IV), after the cheap matching.
*transfer*: the share of the transfer to the GPU in the time of transfer and red-blue matching
(Fagginger Auer, Bisseling, 2012, section 4).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import btfperm
from benchmarks import machine
from benchmarks.cases import Case, generated, names
from benchmarks.generators.assemble import SEED
from benchmarks.papers import paper_002
from benchmarks.papers.graph_codes import Code, usable
from benchmarks.papers.graph_codes import run as run_code
from benchmarks.papers.stand_ins import stand_ins
from benchmarks.papers.weighted_graphs import make, matrix_of
from benchmarks.regret.rows import measured
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
)
from benchmarks.timing import CORES, synchronised
from btfperm.backends.cpu.problem import Problem
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.transversal.given import given_problem


class Sweep(NamedTuple):
    """A search, the option that is varied with its values, and how the search starts and runs."""

    algorithm: str
    option: str
    values: tuple[float, ...]
    initializer: str
    threads: int


SWEEPS = {
    "alpha": Sweep("ms-bfs-graft", "alpha", (2.0, 3.0, 5.0, 8.0, 16.0), "karp-sipser", CORES),
    "k": Sweep("push-relabel", "relabel", (0.25, 0.5, 1.0, 2.0), "greedy", 1),
}
TRANSFER = "transfer"
RED_BLUE = {
    "random": Code("", "red-blue", paper_002.RANDOM, backend="gpu"),
    "weighted": Code("", "red-blue", paper_002.WEIGHTED, backend="gpu"),
}
# Sequential push-relabel takes minutes on the graphs of the set `large`.
SMALLER = {"large": "field"}


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of each statement, whose kind is that of the statement. Those that take longest to
    make are last."""
    graphs = generated(names("gpu", SMALLER.get(which, which)))
    found = [Case(f"k {case.name}", "k", case.load) for case in graphs]
    found += [
        Case(f"{TRANSFER} {name}", TRANSFER, partial(_matrix, name))
        for name in names("paper-002", which)
    ]
    return found + [Case(case.name, "alpha", case.load) for case in stand_ins(which)]


def _matrix(name: str) -> Any:
    graph = make(name)
    return matrix_of(graph, np.random.default_rng(SEED).permutation(graph.n))


def run(cases: list[Case], options: Options) -> Section:
    """The times of each parameter on each graph, and of transfers and matchings if there is a
    GPU."""
    if not usable(list(RED_BLUE.values())):
        cases = [case for case in cases if case.kind != TRANSFER]

    def measure(case: Case) -> Row:
        A = case.load()
        kind = case.kind if case.kind in (*SWEEPS, TRANSFER) else "alpha"  # named by --only
        times = _transfers(A, options) if kind == TRANSFER else _swept(A, kind, options)
        return {"matrix": case.name, "kind": kind, "nnz": A.nnz, **times}

    rows = measured(cases, options, measure, _outcome)
    common: Row = {"threads": CORES, "limit": options.limit}
    if any(row["kind"] == TRANSFER for row in rows):
        common = {"gpu": machine.gpu(), **common}
    return _section(common, [case.name for case in cases], rows)


def _section(common: Row, wanted: list[str], rows: list[Row]) -> Section:
    left_out = set(wanted) - {row["matrix"] for row in rows}
    data = {**common, "left_out": sorted(left_out), "rows": rows}
    return Section("Parameters and transfers", markdown(data), data)


def joined(which: str, parts: Sequence[Row]) -> Section:
    """One section from the `data` of several results on different graphs. Raises ValueError if a
    graph is in two of them, or if limit or number of threads differ."""
    if any(part[key] != parts[0][key] for part in parts for key in ("threads", "limit")):
        raise ValueError("the results differ in limit or number of threads")
    rows = [row for part in parts for row in part["rows"]]
    if len({row["matrix"] for row in rows}) < len(rows):
        raise ValueError("a graph is in two of the results")
    common: Row = {key: value for part in parts for key, value in part.items()
              if key in ("gpu", "threads", "limit")}  # fmt: skip
    return _section(common, [case.name for case in cases(which, Path())], rows)


def _outcome(row: Row) -> str:
    times = [f"{name} {milliseconds(seconds)}" for name, seconds in row["median"].items()]
    return f"{row['matrix']}: {', '.join(times)} ms"


def _swept(A: Any, kind: str, options: Options) -> Row:
    """Median seconds and visited entries for each value; the first run of a value is a warm-up
    unless it is the only one. A value that was stopped has no time."""
    sweep = SWEEPS[kind]
    pattern = btfperm.as_pattern(A)
    start = Problem.empty(pattern)
    first = btfperm.registry.find(sweep.initializer, initializer=True)
    run_algorithm(first, start, Request(threads=1))
    search = btfperm.registry.find(sweep.algorithm, initializer=False)
    row: Row = {"median": {}, "edges": {}}
    for value in sweep.values:
        seconds: list[float] = []
        request = Request(
            threads=sweep.threads, time_limit=options.limit, options={sweep.option: value}
        )
        for _ in range(options.repeats + 1):
            problem = given_problem(pattern, start.col_match, "col_match")
            begin = time.perf_counter()
            outcome = run_algorithm(search, problem, request)
            seconds.append(time.perf_counter() - begin)
            if outcome.stopped_by or sum(seconds) > options.limit:
                break
        if not outcome.stopped_by:
            row["median"][f"{value:g}"] = _rounded(seconds[1:] or seconds)
            row["edges"][f"{value:g}"] = outcome.counters.get("edges", 0)
    return row


def _rounded(seconds: list[float]) -> float:
    return float(f"{statistics.median(seconds):.4g}")


def _transfers(A: Any, options: Options) -> Row:
    """Median seconds of the transfer with and without weights, and of both matchings."""
    import cupy

    def transfer(arrays: tuple[Any, ...]) -> list[Any]:
        return [cupy.asarray(array) for array in arrays]

    seconds: dict[str, list[float]] = {}
    for turn in range(options.repeats + 1):
        for name, code in RED_BLUE.items():
            weights = (A.data,) if name == "weighted" else ()
            spent = synchronised(partial(transfer, (*weights, A.indices, A.indptr)))[1]
            seconds.setdefault(f"{TRANSFER}, {name}", []).append(spent)
            seconds.setdefault(name, []).append(run_code(A, code, seed=turn).seconds)
    return {"median": {name: _rounded(each[1:] or each) for name, each in seconds.items()}}


def shares(rows: list[Row]) -> list[float]:
    """The share of the transfer in the time of transfer and matching, for each graph and kind of
    matching."""
    found = []
    for row in rows:
        for name in RED_BLUE if row["kind"] == TRANSFER else ():
            there, matching = row["median"][f"{TRANSFER}, {name}"], row["median"][name]
            found.append(there / (there + matching))
    return found


def means(rows: list[Row], kind: str) -> dict[str, float]:
    """For each value of a parameter, the geometric mean of the time over the least of all values,
    on the graphs on which no value was stopped."""
    values = [f"{value:g}" for value in SWEEPS[kind].values]
    whole = [
        row["median"] for row in rows if row["kind"] == kind and len(row["median"]) == len(values)
    ]
    if not whole:
        return {}
    return {
        value: geometric_mean([each[value] / min(each.values()) for each in whole])
        for value in values
    }


def markdown(data: Row) -> str:
    """A table of times for each statement."""
    rows, parts = data["rows"], []
    titles = {
        "alpha": f"ms-bfs-graft on {data['threads']} threads after Karp-Sipser, by alpha, ms",
        "k": "Sequential push-relabel after the cheap matching, by k, ms",
        TRANSFER: "Transfer of the graph to the GPU, and red-blue matching, ms",
    }
    for kind, title in titles.items():
        group = [row for row in rows if row["kind"] == kind]
        columns = list(dict.fromkeys(name for row in group for name in row["median"]))

        def cells(row: Row, columns: list[str] = columns) -> list[str]:
            found = row["median"]
            return [
                f"{row['nnz']:,}",
                *(milliseconds(found[c]) if c in found else ">" for c in columns),
            ]

        parts += [f"### {title}", by_matrix(["entries", *columns], group, cells)] if group else []
    return paragraphs(f"`>`: stopped after {data['limit']:g} s.", *parts)
