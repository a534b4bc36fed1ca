# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm of the registry on stand-ins of a paper's test problems, as the paper reports.

The paper is Azad, Buluç, Pothen, "A parallel tree grafting algorithm for maximum cardinality
matching in bipartite graphs", IPDPS 2015. As there, all searches start from Karp-Sipser's matching,
here the very same one, and the time of the search alone counts; on one thread and on many.

``entrants.py`` says who runs, ``ranking.py`` and ``counters.py`` compare the order of the
algorithms and what they count with what the paper says, ``tables.py`` shows all of it, and
``benchmarks/figures`` draws the paper's figures again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.cases import Case
from benchmarks.contest import Options, Section
from benchmarks.published import counters, entrants, ranking, tables
from benchmarks.tables import milliseconds
from benchmarks.timing import Outcome, disagreements, race


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
        wrong = disagreements(outcomes, case.expected)
        wrong += [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
        complaints += [f"{case.name}: {what}" for what in wrong]
        mine = entrants.rows_of(case, A, field, outcomes)
        matrices.append(entrants.facts(case, A, start, outcomes))
        rows += mine
        options.say(_progress(case.name, outcomes, wrong))
    data = {
        "threads": sorted({entrant.threads for entrant in field}),
        "limit": options.limit,
        "matrices": matrices,
        "rows": rows,
        "orders": ranking.orders(rows, options.limit),
        "statements": counters.statements(rows),
    }
    return Section("Published algorithms", tables.markdown(data), data, complaints)


def _progress(name: str, outcomes: Mapping[str, Outcome], wrong: list[str]) -> str:
    times = [f"{who} {milliseconds(o.median)}" for who, o in outcomes.items() if o.seconds]
    return f"{name}: {', '.join(times)} ms" + "".join(f"\n  PROBLEM {what}" for what in wrong)
