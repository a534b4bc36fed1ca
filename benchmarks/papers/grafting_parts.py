# SPDX-License-Identifier: BSD-3-Clause
"""What direction optimisation and grafting save: figure 7 of Azad et al. (2015), and tests of
possible causes of differences.

Multi-source BFS on all threads runs with neither part, with each part alone and with both, on the
stand-ins of the paper's graphs in their own order and in a random order. Each search starts from
the matching of Karp-Sipser. If this matching leaves fewer vertices unmatched than in the paper's
table, each search also starts from a smaller matching: random matched entries are removed until the
share of unmatched vertices is the paper's. A top-down step visits a column until its tree has a
path; with ``whole``, it visits the column to its end, as in algorithm 4 of the paper. Entries are
counted separately for the two directions.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.papers import entrants, paper_001
from benchmarks.papers.counters import seconds_of_steps
from benchmarks.papers.entrants import GRAFT, SWITCHES, Entrant
from benchmarks.papers.stand_ins import stands_for
from benchmarks.regret.rows import checked
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
    table,
)
from benchmarks.timing import CORES, problems, race

PARTS = ("neither", "direction", "grafting", "both")
STARTS = ("karp-sipser", "as in the paper")
RUNS = 2


def cases(which: str, folder: Path) -> list[Case]:
    """The stand-ins of a size, in both orders."""
    return paper_001.cases(which, folder)


def run(cases: list[Case], options: Options) -> Section:
    """Seconds and counters of each search on each matrix."""
    threads = options.threads or CORES

    def measure(case: Case) -> tuple[Row, list[str]]:
        return measure_matrix(case, threads, options)

    rows, complaints = checked(cases, options, measure, outcome)
    names = {row["matrix"] for row in rows}
    data = {
        "threads": threads,
        "limit": options.limit,
        "rows": rows,
        "left_out": [case.name for case in cases if case.name not in names],
    }
    return Section("The parts of tree grafting", markdown(data), data, complaints)


def searches(threads: int) -> dict[tuple[str, bool], Entrant]:
    """The four searches, each without and with whole columns."""
    found = {}
    for part, switch in zip(PARTS, (*SWITCHES, {}), strict=True):
        for whole in (False, True):
            options = {**switch, **({"whole": 1.0} if whole else {})}
            found[part, whole] = Entrant(GRAFT, threads, tuple(options.items()))
    return found


def measure_matrix(case: Case, threads: int, options: Options) -> tuple[Row, list[str]]:
    """One row, with the four searches from each start."""
    A = case.load()
    begin = time.monotonic()
    full = entrants.starting_matching(A)
    paper = stands_for(case.name)
    row: Row = {"matrix": case.name, "class": case.kind, "nnz": int(A.nnz), "starts": {}}
    wrong: list[str] = []
    rank = None
    for start in STARTS:
        matching = full
        if start != STARTS[0]:
            if rank is None or paper is None:
                continue
            left = (paper.maximum - paper.maximal) / 200 * sum(A.shape)
            matching = thinned(full, round(rank - left))
            if matching is full:  # this matching leaves at least as many columns as the paper's
                continue
        entered = searches(threads)
        methods = [entrant.method for entrant in entered.values()]
        found = race(methods, (A, matching), repeats=RUNS, limit=options.limit)
        wrong += [f"{start}: {what}" for what in problems(found, case.expected)]
        ranks = [o.answer["rank"] for o in found.values() if "rank" in o.answer]
        rank = max(ranks, default=rank)
        rows = {
            f"{part}, whole" if whole else part: _shortened(each)
            for (part, whole), entrant in entered.items()
            for each in entrants.rows_of(case, A, [entrant], found)
            if each["median"] is not None
        }
        size = int((matching >= 0).sum())
        row["starts"][start] = {"size": size, "rank": rank, "searches": rows}
    row["took"] = round(time.monotonic() - begin, 1)
    return row, wrong


def _shortened(row: Row) -> Row:
    return {"seconds": row["seconds"], "median": row["median"], "counters": row["counters"]}


def thinned(matching: Any, size: int) -> Any:
    """The matching without some random entries, so that `size` entries are left. If it has at most
    `size` entries, the matching itself."""
    matched = np.flatnonzero(matching >= 0)
    if size >= len(matched):
        return matching
    out = np.random.default_rng(1).choice(matched, len(matched) - size, replace=False)
    fewer = matching.copy()
    fewer[out] = -1
    return fewer


def outcome(row: Row) -> str:
    """The line that is printed when a matrix is done."""
    times = [
        f"{start}, {name} {milliseconds(search['median'])}"
        for start, found in row["starts"].items()
        for name, search in found["searches"].items()
    ]
    return f"{row['matrix']} in {row['took']:g} s: {'; '.join(times)}"


def steps(row: Row) -> float:
    """The seconds of the steps of a search, without the computation of the row lists."""
    return seconds_of_steps(row) or float(row["median"])


def factors(rows: list[Row], start: str, part: str, whole: bool) -> dict[str, float] | None:
    """Compares the search with the part `part` to the search with neither part; `whole` applies to
    both. Geometric means: the speed-up of the steps, how many times fewer entries are visited, and
    how many times higher the rate is."""
    end = ", whole" if whole else ""
    pairs = []
    for row in rows:
        found = row["starts"].get(start, {}).get("searches", {})
        base, other = found.get(f"neither{end}"), found.get(f"{part}{end}")
        if base and other and base["counters"]["edges"] and other["counters"]["edges"]:
            pairs.append((base, other))
    if not pairs:
        return None
    speed_up = geometric_mean([steps(a) / steps(b) for a, b in pairs])
    fewer = geometric_mean([a["counters"]["edges"] / b["counters"]["edges"] for a, b in pairs])
    return {
        "graphs": float(len(pairs)),
        "speed-up": speed_up,
        "fewer entries": fewer,
        "higher rate": speed_up / fewer,
    }


def groups(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows by class and order. The class is that of the paper's graph, also if `--only` chose
    the matrix."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        paper = stands_for(row["matrix"])
        order = "random order" if "_rcp" in row["matrix"] else "own order"
        found.setdefault(f"{paper.kind if paper else row['class']}, {order}", []).append(row)
    found["all"] = rows
    return found


def markdown(data: dict[str, Any]) -> str:
    """The tables: means for each class, and one table for each start."""
    rows = data["rows"]
    body = [
        [name, start, "whole" if whole else "until a path", part, *map(digits, found.values())]
        for name, group in groups(rows).items()
        for start in STARTS
        for whole in (False, True)
        for part in PARTS[1:]
        if (found := factors(group, start, part, whole))
    ]
    head = ["class", "start", "columns", "part", "graphs", "speed-up", "fewer entries", "rate"]
    parts = [
        f"On {data['threads']} threads. Speed-up of the steps over multi-source BFS with neither "
        "part, how many times fewer entries are visited, and how many times higher the rate is; "
        "geometric means.",
        table(head, body),
    ]
    for start in STARTS:
        for whole in ("", ", whole"):
            names = [f"{part}{whole}" for part in PARTS]

            def cells(row: Row, start: str = start, names: list[str] = names) -> list[str]:
                found = row["starts"].get(start)
                if found is None:
                    return ["", *[""] * len(names)]
                left = 2 * (found["rank"] - found["size"])
                return [f"{left:,}", *(_cell(row, found["searches"].get(n)) for n in names)]

            parts += [
                f"### From {start}{whole}",
                "First the number of unmatched vertices that a maximum matching covers. Then for "
                "each search: milliseconds of the steps; visited entries over the entries of the "
                "matrix, in brackets those visited from rows; phases; levels, and how many of them "
                "are bottom-up.",
                by_matrix(["left", *names], rows, cells),
            ]
    return paragraphs(*parts)


def _cell(row: Row, search: Row | None) -> str:
    if search is None:
        return ">"
    counts = search["counters"]
    per_entry = [digits(counts.get(k, 0) / row["nnz"]) for k in ("edges", "bottom_up_edges")]
    bottom_up = counts.get("bottom_up_steps", 0)
    levels = counts.get("top_down_steps", 0) + bottom_up
    return (
        f"{known(steps(search), milliseconds)}; {per_entry[0]} ({per_entry[1]}); "
        f"{counts.get('phases', 0)}; {levels:,}, {bottom_up}"
    )
