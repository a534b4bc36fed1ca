# SPDX-License-Identifier: BSD-3-Clause
"""`diagnose` beside `dulmage_mendelsohn`, which it calls: how much time the explanations add.

Both get a pattern without a matching, so both times contain the search for the matching. The size
of the largest explanation counts its rows and columns.
"""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.cases import Case
from benchmarks.peers import ours
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
    progress,
)
from benchmarks.timing import Call, Method, raced

WHOLE, PART = "diagnose", "dulmage_mendelsohn"
AIM = 3.0  # `diagnose` should take at most this many times the time of the decomposition


def run(cases: list[Case], options: Options) -> Section:
    """Milliseconds of both on each matrix, and the ratio."""
    methods = [_method(PART, options.threads), _method(WHOLE, options.threads)]
    rows: list[Row] = []
    complaints: list[str] = []
    for case, A, outcomes, wrong in raced(methods, cases, options, complaints):
        medians = {name: o.median for name, o in outcomes.items() if o.seconds}
        if len(medians) == len(methods):
            notes = outcomes[WHOLE].notes[-1] if outcomes[WHOLE].notes else {}
            ratio = medians[WHOLE] / medians[PART]
            rows.append(
                {
                    "matrix": case.name,
                    "entries": int(A.nnz),
                    "median": medians,
                    "ratio": ratio,
                    **notes,
                }
            )
            options.say(progress(case.name, [f"{WHOLE} {milliseconds(medians[WHOLE])}"], wrong))
    ratios = [row["ratio"] for row in rows]
    summary = (
        f"`diagnose` takes {geometric_mean(ratios):.2f} times the decomposition in the geometric "
        f"mean, at most {max(ratios, default=0.0):.2f} times; the aim is less than {AIM:.0f} times."
    )
    head = "entries, decomposition, diagnose, ratio, groups, largest explanation"
    table = by_matrix(head, rows, _cells)
    data = {"rows": rows, "aim": AIM, "largest_ratio": max(ratios, default=None)}
    return Section("Diagnosis", paragraphs(summary, table), data, complaints)


def _cells(row: Row) -> list[str]:
    medians = row["median"]
    return [
        f"{row['entries']:,}",
        milliseconds(medians[PART]),
        milliseconds(medians[WHOLE]),
        f"{row['ratio']:.2f}",
        f"{row['groups']:,.0f}",
        f"{row['explained']:,.0f}",
    ]


def _method(function: str, threads: int | None) -> Method:
    def prepare(A: Any) -> Call:
        btfperm = importlib.import_module("btfperm")
        pattern = btfperm.as_pattern(A)
        return lambda: getattr(btfperm, function)(pattern, threads=threads, backend="cpu")

    return Method(
        function,
        prepare,
        lambda d: {"rank": d.structural_rank},
        ours.absent(),
        notes=_notes if function == WHOLE else lambda _: {},
    )


def _notes(d: Any) -> dict[str, float]:
    both = (d.overdetermined, d.underdetermined)
    sizes = [each.explained_rows.sizes + each.explained_cols.sizes for each in both]
    return {
        "groups": float(sum(map(len, both))),
        "explained": float(max((int(each.max(initial=0)) for each in sizes), default=0)),
    }
