# SPDX-License-Identifier: BSD-3-Clause
"""Time to order, factor and solve matrices for which the overhead of the calls matters: from 50
unknowns to a million blocks of one row.

The matrices ``circuit_n`` have one large block and many tiny blocks. ``tri_n`` and ``chain_n`` have
only 1x1 blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.cases import Case
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    known,
    milliseconds,
    paragraphs,
)
from benchmarks.solvers.routes import (
    KLU,
    OURS_KLU,
    OURS_SUPERLU,
    SPLU,
    TIMES,
    Rows,
    libraries_in_words,
    routes,
)
from benchmarks.solvers.systems import matrices_of, system_of

ROUTES = (SPLU, KLU, OURS_KLU, OURS_SUPERLU)
NOTE = (
    "The values are random, with large entries on one transversal. Times are milliseconds of "
    "processor time on one thread, the least of the runs. The factor time of splu includes its "
    "order. KLU does not refine; btfperm refines by its default (`refine='auto'`). The solution is "
    "the first one by new factors; if it is short, later ones count, too."
)


def run(cases: list[Case], options: Options) -> Section:
    """One row for each matrix, with the time of each step by each route."""
    rows = Rows(options)
    for facts, A in matrices_of(cases):
        rows.add(facts, routes(options.threads, ROUTES), system_of(A), "whole")
    text = [NOTE, libraries_in_words(), "### Order, factor and solve, ms"]
    text.append(by_matrix(list(ROUTES), rows.all, _cells(ROUTES, ("whole",))))
    head = [f"{name}: {step}" for name in ROUTES for step in TIMES]
    text += ["### Steps, ms", by_matrix(head, rows.all, _cells(ROUTES, TIMES))]
    head = ["klu / KLU", "klu / splu", "superlu / splu", "superlu / splu, factor and solve"]
    text += ["### Ratios, with btfperm above the line", by_matrix(head, rows.all, _ratios)]
    return Section("Overhead", paragraphs(*text), {"rows": rows.all}, rows.complaints)


def _cells(names: tuple[str, ...], keys: tuple[str, ...]) -> Callable[[Row], list[str]]:
    return lambda row: [
        known(row.get(name, {}).get(key), milliseconds) for name in names for key in keys
    ]


def _ratios(row: Row) -> list[str]:
    def ratio(mine: str, other: str, keys: tuple[str, ...]) -> str:
        both = row.get(mine, {}), row.get(other, {})
        if not all("whole" in one for one in both):
            return "-"
        one, two = (sum(found[key] for key in keys) for found in both)
        return f"{one / two:.2f}"

    pairs = ((OURS_KLU, KLU), (OURS_KLU, SPLU), (OURS_SUPERLU, SPLU))
    whole = [ratio(mine, other, ("whole",)) for mine, other in pairs]
    return [*whole, ratio(OURS_SUPERLU, SPLU, ("factor", "solve"))]
