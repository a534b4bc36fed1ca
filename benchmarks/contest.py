# SPDX-License-Identifier: BSD-3-Clause
"""A section that races btfperm against its peers over a list of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import tables
from benchmarks.cases import Case, size_class
from benchmarks.timing import Method, disagreements, race


@dataclass(frozen=True)
class Options:
    """What the command line says; `limit` in seconds, for all calls of one method on a matrix.

    `named`: the matrices were asked for by name, and no section puts its own in their place.
    `counts`: numbers of threads to be compared, if not those that the section takes.
    `relabel`: when g-pr is to relabel, beside those that the section takes.
    `runs`: how often scaling measures the whole set, as far as it can end `within` so many seconds.
    """

    which: str
    matrices: Path
    repeats: int
    limit: float
    algorithms: list[str]
    threads: int | None
    say: Callable[[str], None]
    named: bool = False
    counts: tuple[int, ...] = ()
    relabel: tuple[str, ...] = ()
    runs: int = 1
    within: float = math.inf


@dataclass
class Section:
    """A part of the report: Markdown for people, `data` for the JSON, what went wrong."""

    title: str
    markdown: str
    data: dict[str, Any]
    complaints: list[str] = field(default_factory=list)


def contest(
    title: str, cases: Sequence[Case], mine: list[Method], peers: list[Method], options: Options
) -> Section:
    """Race all methods on all matrices; every answer is compared with every other."""
    methods = mine + peers
    peer_names = [p.name for p in peers]
    rows = []
    complaints = []
    for case in cases:
        A = case.load()
        outcomes = race(methods, A, repeats=options.repeats, limit=options.limit)
        wrong = disagreements(outcomes, case.expected)
        wrong += [f"{name}: {o.reason}" for name, o in outcomes.items() if o.failed]
        complaints += [f"{case.name}: {what}" for what in wrong]
        kind = case.kind or size_class(A.nnz)
        row = tables.row_of(case.name, kind, outcomes, wrong, shape=list(A.shape), nnz=int(A.nnz))
        rows.append(row)
        options.say(_progress(row, options.limit))
    absent = {m.name: m.absent for m in methods if m.absent is not None}
    parts = [
        tables.comparison(rows, methods, peer_names, options.limit),
        tables.summary(rows, methods, peer_names, options.limit),
        *(f"Not run: {name} ({why})." for name, why in absent.items()),
    ]
    data = {
        "rows": rows,
        "absent": absent,
        "gains": tables.gains(rows, peer_names, options.limit),
    }
    return Section(title, "\n\n".join(part for part in parts if part), data, complaints)


def _progress(row: tables.Row, limit: float) -> str:
    times = [f"{name} {tables.milliseconds(t)}" for name, t in row["median"].items()]
    times += [f"{name} >{limit * 1e3:.0f}" for name in row["overran"]]
    return f"{row['matrix']}: {', '.join(times)} ms" + "".join(
        f"\n  PROBLEM {what}" for what in row["disagreements"]
    )
