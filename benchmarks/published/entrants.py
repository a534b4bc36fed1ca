# SPDX-License-Identifier: BSD-3-Clause
"""Who runs: the registry's searches on one thread, those that can on many, and ms-bfs-graft with
its parts switched off; and what is kept of each run."""

from __future__ import annotations

import importlib
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import btfperm
from benchmarks import ours
from benchmarks.cases import Case
from benchmarks.stand_ins import stands_for
from benchmarks.timing import Call, Method, Notes, Outcome

Row = dict[str, Any]

START = "karp-sipser"  # the paper's, for every algorithm
AUTO = "auto"  # our default with its own start, as a user calls it
GRAFT = "ms-bfs-graft"
SWITCHES = (
    {"direction": 0.0, "graft": 0.0},
    {"direction": 1.0, "graft": 0.0},
    {"direction": 0.0, "graft": 1.0},
)
STAGES = ("start", "search", "certificate")


@dataclass(frozen=True)
class Entrant:
    """One line of the tables: an algorithm, its threads, and the options that are not its own."""

    algorithm: str
    threads: int
    options: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        switched = [f"{key} {value:g}" for key, value in self.options]
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return ", ".join([self.algorithm, *switched, threads])

    @property
    def method(self) -> Method:
        """The time of the search counts, `auto`'s with its start."""
        stages = STAGES[:2] if self.algorithm == AUTO else STAGES[1:2]
        return Method(
            self.name,
            self._prepare,
            lambda t: {"rank": t.structural_rank},
            ours.absent(),
            counted=lambda t, _: sum(float(t.seconds[stage]) for stage in stages),
            notes=_notes,
        )

    def _prepare(self, A: Any) -> Call:
        pattern = importlib.import_module("btfperm.pattern").as_pattern(A)
        start = "auto" if self.algorithm == AUTO else START
        run = btfperm.maximum_transversal
        return lambda: run(
            pattern,
            algorithm=self.algorithm,
            initializer=start,
            threads=self.threads,
            options=dict(self.options),
        )


def entrants(threads: int | None) -> list[Entrant]:
    """On one thread all, then on `threads` (default: all cores) those that can use them."""
    many = threads or len(os.sched_getaffinity(0))
    searches = [
        row for row in btfperm.algorithms() if row.backend == "cpu" and not row.is_initializer
    ]
    field = [Entrant(row.name, 1) for row in searches] + [Entrant(AUTO, 1)]
    if many > 1:
        field += [Entrant(row.name, many) for row in searches if row.parallel]
        field += [Entrant(AUTO, many)]
    return field + [Entrant(GRAFT, many, tuple(switch.items())) for switch in SWITCHES]


def rows_of(
    case: Case, A: Any, field: Sequence[Entrant], outcomes: Mapping[str, Outcome]
) -> list[Row]:
    """One row for each entrant that ran: every sample, median stages, counters of the last run."""
    rows = []
    for entrant in field:
        outcome = outcomes.get(entrant.name)
        if outcome is None:
            continue
        notes = outcome.notes
        rows.append(
            {
                "matrix": case.name,
                "nnz": int(A.nnz),
                "class": case.kind,
                "entrant": entrant.name,
                "algorithm": entrant.algorithm,
                "threads": entrant.threads,
                "options": dict(entrant.options),
                "seconds": [_short(s) for s in outcome.seconds],
                "median": _short(outcome.median) if outcome.seconds else None,
                "stages": {s: _short(statistics.median(n[s] for n in notes)) for s in STAGES}
                if notes
                else {},
                "counters": {k: int(v) for k, v in notes[-1].items() if k not in STAGES}
                if notes
                else {},
                "rank": outcome.answer.get("rank"),
                "overran": outcome.overran and not outcome.seconds,
                "reason": outcome.reason,
            }
        )
    return rows


def facts(case: Case, A: Any, rows: Sequence[Row]) -> dict[str, Any]:
    """What kind of graph it is, beside the paper's: degrees, and the part that can be matched."""
    m, n = A.shape
    ranks = [row for row in rows if row["rank"] is not None]
    maximum = max((row["rank"] for row in ranks), default=None)
    starts = [
        row["rank"] - row["counters"].get("augmentations", 0)
        for row in ranks
        if row["algorithm"] == GRAFT and row["threads"] == 1
    ]
    paper = stands_for(case.name)
    return {
        "matrix": case.name,
        "class": case.kind,
        "stands_for": paper.graph if paper else None,
        "shape": [m, n],
        "nnz": int(A.nnz),
        "degree": _share(A.nnz, n),
        "maximal": _share(200 * starts[0], m + n) if starts else None,
        "maximum": _share(200 * maximum, m + n) if maximum is not None else None,
        "paper": {"degree": paper.degree, "maximal": paper.maximal, "maximum": paper.maximum}
        if paper
        else None,
    }


def _notes(t: Any) -> Notes:
    counters = {k: float(v) for k, v in t.counters.items() if not k.startswith("start_")}
    return {**{stage: float(t.seconds[stage]) for stage in STAGES}, **counters}


def _short(seconds: float) -> float:
    """Four digits: what a clock on a shared machine is good for."""
    return float(f"{seconds:.4g}")


def _share(part: float, whole: float) -> float:
    return round(part / whole, 2) if whole else 0.0
