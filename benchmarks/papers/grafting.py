# SPDX-License-Identifier: BSD-3-Clause
"""Every CPU algorithm of the registry on stand-ins of a paper's graphs, reported as in that paper.

The paper is Azad, Buluç, Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015. As in the paper, all searches start from a matching by
Karp-Sipser, and only the search is timed, on one thread and on many. Here all searches of a graph
start from the same matching.

``stand_ins.py`` has the graphs, and ``entrants.py`` has the algorithms and their timed calls.
``ranking.py`` and ``counters.py`` compare the order of the algorithms, and their counters, with the
paper, ``grafting_tables.py`` shows the result, and ``figures.py`` draws the paper's figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.papers import counters, entrants, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.stand_ins import stand_ins
from benchmarks.regret.rows import checked
from benchmarks.report import Options, Row, Section
from benchmarks.timing import problems, race


def cases(which: str, _: Path) -> list[Case]:
    """The stand-ins of one size."""
    return stand_ins(which)


def run(cases: list[Case], options: Options) -> Section:
    """Times, counters and ranking of all algorithms on each matrix, on one thread and on many."""
    chosen = [] if options.algorithms == [entrants.AUTO] else options.algorithms
    field = entrants.entrants(options.threads, chosen)

    def measure(case: Case) -> tuple[Row, list[str]]:
        return measure_matrix(case, field, options)

    found, complaints = checked(cases, options, measure, entrants.outcome)
    rows = [each for row in found for each in row["rows"]]
    data = {
        "threads": sorted({entrant.threads for entrant in field}),
        "limit": options.limit,
        "matrices": [row["facts"] for row in found],
        "rows": rows,
        "orders": ranking.orders(rows, options.limit),
        "statements": counters.statements(rows),
    }
    return Section("Published algorithms", tables.markdown(data), data, complaints)


def measure_matrix(
    case: Case, field: Sequence[entrants.Entrant], options: Options
) -> tuple[Row, list[str]]:
    """The facts of the matrix and a row for each algorithm; and a list of wrong results."""
    A = case.load()
    start = entrants.starting_matching(A)
    methods = [entrant.method for entrant in field]
    outcomes = race(methods, (A, start), repeats=options.repeats, limit=options.limit)
    row = {
        "matrix": case.name,
        "facts": entrants.facts(case, A, start, outcomes),
        "rows": entrants.rows_of(case, A, field, outcomes),
    }
    return row, problems(outcomes, case.expected)
