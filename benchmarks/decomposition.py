# SPDX-License-Identifier: BSD-3-Clause
"""Decomposition: `dulmage_mendelsohn` beside btf_order, cs_dmperm and what SciPy has in pieces.

From the bare pattern to the fine blocks, matching included. `btf_order` and SciPy's pieces take
square matrices only, SciPy's nonsingular ones only; "blocks" counts those of the square part.

A second table says what the blocks cost beside the matching alone, with its proof and without.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks import ours, peers, tables
from benchmarks.cases import Case
from benchmarks.contest import Options, Section, contest
from benchmarks.timing import race

WHOLE = "decomposition"


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix."""
    mine = ours.decomposition(options.algorithms, options.threads)
    section = contest("Decomposition", cases, mine, peers.decomposition_peers(), options)
    beside = beside_matching(cases, options)
    section.markdown += f"\n\n### Beside the matching alone\n\n{_table(beside)}"
    section.data["beside_matching"] = beside
    return section


def beside_matching(cases: list[Case], options: Options) -> list[tables.Row]:
    """Medians of the matching, with its proof and without, and of all there is, in turns."""
    matching = ours.matching(options.algorithms[:1], options.threads)
    whole = ours.decomposition(options.algorithms[:1], options.threads)[0]
    methods = [*matching, replace(whole, name=WHOLE)]
    rows = []
    for case in cases:
        outcomes = race(methods, case.load(), repeats=options.repeats, limit=options.limit)
        medians = {name: o.median for name, o in outcomes.items() if o.seconds}
        if len(medians) < len(methods):
            continue
        rows.append(
            {
                "matrix": case.name,
                "median": medians,
                "over_matching": medians[WHOLE] / medians[ours.UNPROVEN],
                "over_proven_matching": medians[WHOLE] / medians[ours.NAME],
            }
        )
    return rows


def _table(rows: list[tables.Row]) -> str:
    head = ["matrix", "matching, no proof", "matching", WHOLE, "over no proof", "over matching"]
    ratios = ("over_matching", "over_proven_matching")
    body = [
        [
            f"`{row['matrix']}`",
            *(tables.milliseconds(row["median"][m]) for m in (ours.UNPROVEN, ours.NAME, WHOLE)),
            *(f"{row[ratio]:.2f}" for ratio in ratios),
        ]
        for row in rows
    ]
    means = [tables.geometric_mean([row[ratio] for row in rows]) for ratio in ratios]
    body.append(["geometric mean", "", "", "", *(f"{mean:.2f}" for mean in means)])
    return tables.table(head, body)
