# SPDX-License-Identifier: BSD-3-Clause
"""Decomposition: `dulmage_mendelsohn` beside btf_order, cs_dmperm, scikit-sparse, parts of SciPy.

The time is that from a pattern without a matching to the fine blocks; it includes the matching.
`btf_order`, scikit-sparse and the parts of SciPy take square matrices only, SciPy's nonsingular
ones only; "blocks" counts those of the square part. A second table compares the decomposition with
the matching alone, with its certificate and without.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.cases import Case
from benchmarks.peers import ours, packages
from benchmarks.peers.contest import contest
from benchmarks.report import Options, Row, Section, geometric_mean, milliseconds, table
from benchmarks.timing import race

WHOLE = "decomposition"
RATIOS = {"over_matching": ours.UNPROVEN, "over_proven_matching": ours.NAME}


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of each method on each matrix."""
    mine = ours.decomposition(options.algorithms, options.threads)
    section = contest("Decomposition", cases, mine, packages.decomposition_peers(), options)
    matching = ours.matching(options.algorithms[:1], options.threads)
    methods = [*matching, replace(mine[0], name=WHOLE)]
    rows: list[Row] = []
    for case in cases:
        outcomes = race(methods, case.load(), repeats=options.repeats, limit=options.limit)
        medians = {name: o.median for name, o in outcomes.items() if o.seconds}
        if len(medians) == len(methods):
            ratios = {ratio: medians[WHOLE] / medians[name] for ratio, name in RATIOS.items()}
            rows.append({"matrix": case.name, "median": medians, **ratios})
    section.markdown += f"\n\n### Beside the matching alone\n\n{_table(rows)}"
    section.data["beside_matching"] = rows
    return section


def _table(rows: list[Row]) -> str:
    names = (ours.UNPROVEN, ours.NAME, WHOLE)
    body = [
        [
            f"`{row['matrix']}`",
            *(milliseconds(row["median"][name]) for name in names),
            *(f"{row[ratio]:.2f}" for ratio in RATIOS),
        ]
        for row in rows
    ]
    means = [f"{geometric_mean([row[ratio] for row in rows]):.2f}" for ratio in RATIOS]
    body.append(["geometric mean", "", "", "", *means])
    head = ["matrix", "matching, no proof", "matching", WHOLE, "over no proof", "over matching"]
    return table(head, body)
