# SPDX-License-Identifier: BSD-3-Clause
"""Tree grafting (ms-bfs-graft) on one thread and on many, compared with pothen-fan and
push-relabel.

The paper is Azad, Buluç, Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015, on the stand-ins of its graphs (``stand_ins.py``). As in
the paper, push-relabel is the multithreaded algorithm (``push-relabel-mt``) with the queue limit
500; its relabelling frequency is 2 on one thread and 16 on many. Its rows have the name
``push-relabel``. On all threads, each of these three searches runs ten times, for the paper's
measure of variation. ms-bfs-graft without some of its parts, or on fewer threads, runs twice. The
number of runs is smaller if the limit does not suffice. Each search on one thread runs once; these
searches run at the same time, each on its own core.

The section `serial-codes` has the counts of figure 1, and `published` measures all algorithms of
the registry on the same stand-ins.
"""

from __future__ import annotations

import multiprocessing
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.generators import permuted_names
from benchmarks.papers import counters, entrants, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.entrants import GRAFT, SWITCHES, Entrant
from benchmarks.papers.ranking import FAN, PUSH
from benchmarks.papers.stand_ins import stand_ins, stands_for
from benchmarks.regret.rows import checked
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    geometric_mean,
    paragraphs,
)
from benchmarks.scaling import counts
from benchmarks.timing import CORES, Outcome, problems, race, side_by_side

PUSH_MT = "push-relabel-mt"
RUNS = 10  # runs on all threads, as in the paper
FEW_RUNS = 2  # runs of all other searches on several threads
FRONTIERS = "coPaperDBLP"  # the graph of figure 8
# The first three are one graph of each class, so that a short run has all classes.
ORDER = ("coPaperDBLP", "kkt_power", "wikipedia", "web-Google", "cit-Patents", "amazon0312")


def cases(which: str, _: Path) -> list[Case]:
    """The stand-ins of a size, each also in a random order; those of `ORDER` first."""
    natural = stand_ins(which)
    natural.sort(key=lambda case: _place(case.name))
    permuted = [
        Case(name, case.kind, _maker(name))
        for case in natural
        for name in permuted_names(case.name, 1)
    ]
    half = len(ORDER)
    return [*natural[:half], *permuted[:half], *natural[half:], *permuted[half:]]


def _place(name: str) -> int:
    paper = stands_for(name)
    return ORDER.index(paper.graph) if paper and paper.graph in ORDER else len(ORDER)


def _maker(name: str) -> Any:
    from benchmarks.generators import make

    return lambda: make(name)


def run(cases: list[Case], options: Options) -> Section:
    """Times and counters of the searches on each matrix."""
    threads = options.threads or CORES

    def measure(case: Case) -> tuple[Row, list[str]]:
        return measure_matrix(case, threads, options)

    stored, complaints = checked(cases, options, measure, entrants.outcome)
    data: dict[str, Any] = {
        "threads": counts(threads),
        "limit": options.limit,
        "matrices": [row["facts"] for row in stored],
        "rows": [each for row in stored for each in row["rows"]],
        "frontiers": {row["matrix"]: row["frontiers"] for row in stored if row["frontiers"]},
        "left_out": [c.name for c in cases if c.name not in {row["matrix"] for row in stored}],
    }
    data["orders"] = ranking.orders(data["rows"], options.limit)
    return Section("Tree grafting", markdown(data), data, complaints)


def trio(threads: int) -> list[Entrant]:
    """The three searches of figure 3."""
    frequency = (("relabel_frequency", 2.0),) if threads == 1 else ()
    searches = [Entrant(GRAFT, threads), Entrant(FAN, threads)]
    return [*searches, Entrant(PUSH_MT, threads, frequency)]


def measure_matrix(case: Case, threads: int, options: Options) -> tuple[Row, list[str]]:
    """One row: the facts of the matrix and a row for each search."""
    A = case.load()
    start = entrants.starting_matching(A)
    paper, natural = stands_for(case.name), "_rcp" not in case.name
    serial = trio(1)
    some = [Entrant(GRAFT, count) for count in counts(threads) if 1 < count < threads]
    some += [Entrant(GRAFT, threads, tuple(switch.items())) for switch in SWITCHES]
    found: dict[str, Outcome] = side_by_side(
        [entrant.method for entrant in serial], (A, start), limit=options.limit
    )
    field = serial
    if threads > 1:
        runs = ((trio(threads), RUNS), (some if natural else some[-len(SWITCHES) :], FEW_RUNS))
        for entrants_of, repeats in runs:
            methods = [entrant.method for entrant in entrants_of]
            found |= race(methods, (A, start), repeats=repeats, limit=options.limit)
            field = [*field, *entrants_of]
    rows = [_as_push_relabel(row) for row in entrants.rows_of(case, A, field, found)]
    shown = natural and paper is not None and paper.graph == FRONTIERS
    row = {
        "matrix": case.name,
        "facts": entrants.facts(case, A, start, found),
        "rows": [row for row in rows if row is not None],
        "frontiers": frontiers(A, start) if shown else {},
    }
    return row, problems(found, case.expected)


def _as_push_relabel(row: Row) -> Row:
    """The row. A row of push-relabel-mt gets the name that the paper uses, without options."""
    if row["algorithm"] != PUSH_MT:
        return row
    return {**row, "algorithm": PUSH, "options": {}}


def frontiers(A: Any, start: Any) -> dict[str, list[int]]:
    """The size of the frontier in each level, with and without grafting; a 0 follows each phase."""
    found = {}
    with multiprocessing.get_context("fork").Pool(1) as child:
        for name, graft in (("ms-bfs-graft", 1.0), ("ms-bfs", 0.0)):
            options = {"frontiers": 1.0, "graft": graft, "direction": graft}
            found[name] = child.apply(_frontier_sizes, (A, start, options))
    return found


def _frontier_sizes(A: Any, start: Any, options: dict[str, float]) -> list[int]:
    entrant = Entrant(GRAFT, 1, tuple(options.items()))
    sizes = entrant._search((A, np.asarray(start)))().counters["frontier_sizes"]
    return [int(size) for size in sizes[:1000]]


# -- the paper's measures --------------------------------------------------------------------------


def variation(row: Row) -> float | None:
    """psi of section V B: the standard deviation of the runs in percent of their mean."""
    runs = row["seconds"]
    return 100 * statistics.pstdev(runs) / statistics.mean(runs) if len(runs) > 2 else None


def worth_factors(data: tables.Data, kind: str) -> dict[str, dict[str, float]] | None:
    """The factors of the speed-up in figure 7 over MS-BFS on all threads, for one class: how many
    times fewer entries are visited, how many times fewer phases there are, and how many times
    higher the rate is. Also the speed-up of the steps alone, without the computation of the row
    lists. All are geometric means."""
    many = data["threads"][-1]
    runs = [tables.select(data, GRAFT, many, dict(switch)) for switch in SWITCHES]
    runs.append(tables.select(data, GRAFT, many))
    names = [
        facts["matrix"]
        for facts in data["matrices"]
        if facts["class"] == kind
        and all(facts["matrix"] in run and _searched(run[facts["matrix"]]) for run in runs)
    ]
    if not names:
        return None
    labels = ("neither", "direction", "grafting", "both")
    return {
        label: _factors([(runs[0][name], run[name]) for name in names])
        for label, run in zip(labels, runs, strict=True)
    }


def _searched(row: Row) -> bool:
    return bool(row["seconds"]) and counters.searched(row)


def _factors(pairs: Sequence[tuple[Row, Row]]) -> dict[str, float]:
    def mean(figure: Any) -> float:
        return geometric_mean([figure(base) / figure(row) for base, row in pairs])

    speed_up = mean(lambda row: row["median"])
    fewer = mean(lambda row: row["counters"]["edges"])
    return {
        "graphs": float(len(pairs)),
        "speed-up": speed_up,
        "of the steps": mean(lambda row: counters.seconds_of_steps(row) or row["median"]),
        "fewer entries": fewer,
        "rate": speed_up / fewer,
        "fewer phases": mean(lambda row: row["counters"]["phases"]),
    }


def markdown(data: tables.Data) -> str:
    """The tables: times, variation, scaling, and the effect of the parts."""
    many = data["threads"][-1]
    names = (GRAFT, FAN, PUSH)
    runs = {name: tables.select(data, name, many) for name in names}

    def psi(facts: Row) -> list[str]:
        rows = [runs[name].get(facts["matrix"]) for name in names]
        values = [variation(row) if row else None for row in rows]
        return ["-" if value is None else digits(value) for value in values]

    def scaling(facts: Row) -> list[str]:
        times = {t: tables.select(data, GRAFT, t).get(facts["matrix"]) for t in data["threads"]}
        base = times[1]
        return [
            digits(base["median"] / row["median"])
            if base and row and base["median"] and row["median"]
            else "-"
            for row in times.values()
        ]

    return paragraphs(
        tables.markdown(data),
        f"### Variation psi of {many} threads, %",
        by_matrix(list(names), data["matrices"], psi),
        "### Speed-up of ms-bfs-graft over one thread",
        by_matrix([str(count) for count in data["threads"]], data["matrices"], scaling),
        "### Factors of direction optimisation and grafting",
        _worth_table(data),
    )


def _worth_table(data: tables.Data) -> str:
    rows = []
    for kind in tables.classes(data):
        for label, factors in (worth_factors(data, kind) or {}).items():
            rows.append({"matrix": f"{kind}, {label}", **factors})
    if not rows:
        return "Not measured in this run."
    keys = [key for key in rows[0] if key != "matrix"]
    return by_matrix(keys, rows, lambda row: [digits(row[key]) for key in keys])
