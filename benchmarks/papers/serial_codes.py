# SPDX-License-Identifier: BSD-3-Clause
"""The counts of five serial searches: entries, phases and path lengths.

Figure 1 of Azad, Buluç, Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015, on the stand-ins of its three graphs (``stand_ins.py``),
each in its own and in a random order. All searches start from Karp-Sipser's matching. Each is
called once, because only counts are compared; other processes may use the machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.cases import Case, with_permutations
from benchmarks.papers import counters, entrants
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.entrants import Entrant
from benchmarks.papers.stand_ins import stand_ins, stands_for
from benchmarks.regret.rows import checked
from benchmarks.report import Options, Row, Section, by_matrix, digits, paragraphs
from benchmarks.timing import problems, race

FIELD = tuple(
    Entrant(name, 1, tuple(counters.OF_PAPER.get(name, {}).items())) for name in counters.COMPARED
)
COUNTS = (
    ("Entries visited, in entries of the matrix", counters.edges_per_entry),
    ("Phases", counters.phases),
    ("Mean length of the augmenting paths, edges", counters.mean_path),
)


def cases(which: str, _: Path) -> list[Case]:
    """The stand-ins of the paper's three graphs, each followed by itself in a random order."""
    found = []
    for case in stand_ins(which):
        paper = stands_for(case.name)
        if paper and paper.graph in counters.ALL:
            found.append(case)
    return with_permutations(found, 1)


def run(cases: list[Case], options: Options) -> Section:
    """The counters of each search on each matrix."""

    def measure(case: Case) -> tuple[Row, list[str]]:
        A = case.load()
        start = entrants.starting_matching(A)
        methods = [entrant.method for entrant in FIELD]
        found = race(methods, (A, start), repeats=0, limit=options.limit)
        row = {
            "matrix": case.name,
            "facts": entrants.facts(case, A, start, found),
            "rows": entrants.rows_of(case, A, FIELD, found),
        }
        return row, problems(found, case.expected)

    stored, complaints = checked(cases, options, measure, entrants.outcome)
    rows = [each for row in stored for each in row["rows"]]
    data: dict[str, Any] = {
        "threads": [1],
        "limit": options.limit,
        "matrices": [row["facts"] for row in stored],
        "rows": rows,
        "statements": counters.statements([r for r in rows if not _is_permuted(r)]),
        "statements_random": counters.statements([r for r in rows if _is_permuted(r)]),
        "left_out": [c.name for c in cases if c.name not in {row["matrix"] for row in stored}],
    }
    return Section("Counts of serial searches", markdown(data), data, complaints)


def _is_permuted(row: Row) -> bool:
    return "_rcp" in row["matrix"]


def markdown(data: tables.Data) -> str:
    """A table for each count, and the statements of the paper in both orders."""
    runs = {name: tables.of_paper(data, name) for name in counters.COMPARED}
    parts = []
    for title, count in COUNTS:

        def cells(facts: Row, count: Any = count) -> list[str]:
            rows = [run.get(facts["matrix"]) for run in runs.values()]
            values = [count(row) if row else None for row in rows]
            return ["-" if value is None else digits(value) for value in values]

        parts += [f"### {title}", by_matrix(list(runs), data["matrices"], cells)]
    return paragraphs(
        "`ss-dfs` has the option `close`, as in the paper. `-`: stopped.",
        *parts,
        "### The paper's statements, graphs in their own order",
        tables.statements(data["statements"]),
        "### The paper's statements, graphs in a random order",
        tables.statements(data["statements_random"]),
    )
