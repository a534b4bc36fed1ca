# SPDX-License-Identifier: BSD-3-Clause
"""Every CPU algorithm of the registry on stand-ins of a paper's graphs, reported as in the paper.

The paper is Azad, Buluç, Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015. As there, all searches start from Karp-Sipser's matching,
here the very same one, and the time of the search alone counts; on one thread and on many.

``stand_ins.py`` has the test problems, ``entrants.py`` the algorithms and their timed calls.
``ranking.py`` and ``counters.py`` compare the order of the algorithms, and their counters, with the
paper, ``grafting_tables.py`` shows the result, and ``figures.py`` draws the paper's figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.papers import counters, entrants, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.stand_ins import stand_ins
from benchmarks.report import Options, Section, milliseconds, progress
from benchmarks.timing import problems, race


def cases(which: str, _: Path) -> list[Case]:
    """The stand-ins of a size."""
    return stand_ins(which)


def run(cases: list[Case], options: Options) -> Section:
    """Times, counters and ranking of all algorithms on each matrix, on one thread and on many."""
    chosen = [] if options.algorithms == [entrants.AUTO] else options.algorithms
    field = entrants.entrants(options.threads, chosen)
    methods = [entrant.method for entrant in field]
    matrices: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    complaints: list[str] = []
    for case in cases:
        A = case.load()
        start = entrants.starting_matching(A)
        outcomes = race(methods, (A, start), repeats=options.repeats, limit=options.limit)
        wrong = problems(outcomes, case.expected)
        complaints += [f"{case.name}: {what}" for what in wrong]
        matrices.append(entrants.facts(case, A, start, outcomes))
        rows += entrants.rows_of(case, A, field, outcomes)
        times = [f"{who} {milliseconds(o.median)}" for who, o in outcomes.items() if o.seconds]
        options.say(progress(case.name, times, wrong))
    data = {
        "threads": sorted({entrant.threads for entrant in field}),
        "limit": options.limit,
        "matrices": matrices,
        "rows": rows,
        "orders": ranking.orders(rows, options.limit),
        "statements": counters.statements(rows),
    }
    return Section("Published algorithms", tables.markdown(data), data, complaints)
