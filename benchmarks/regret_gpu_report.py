# SPDX-License-Identifier: BSD-3-Clause
"""What regret_gpu.py has measured, as tables: regret by half and by where the matrix is, every
time, what each rule is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benchmarks import rule_worth
from benchmarks.contest import Section
from benchmarks.regret_gpu_cases import HALVES, half_of
from benchmarks.tables import geometric_mean, milliseconds, table

AUTO, CPU, GPU = "auto", "cpu", "gpu"
BEHIND_GREEDY = "meeting-trees, greedy"
SEARCHES = ("meeting-trees", BEHIND_GREEDY, "apfb-wr", "g-pr-shr")
DECISIONS = ("place", "start on gpu", "algorithm on gpu")
HOPELESS = 3.0  # times the CPU: not worth waiting for
LASTING = 2e-4  # seconds: below, most of a call is Python

Row = dict[str, Any]


def cold(row: Row, start_up: float) -> Row:
    """The same matrix in a fresh process."""
    takes = {
        name: seconds + (start_up if name in SEARCHES else 0)
        for name, seconds in row["takes"].items()
    }
    place = _cold_place(row)
    search = row["takes"].get(SEARCHES[0], math.inf)
    takes[AUTO] = takes[CPU] if place == CPU else min(search, HOPELESS * takes[CPU]) + start_up
    return {**row, "takes": takes}


def _cold_place(row: Row) -> str:
    from btfperm.transversal.auto_table import TABLE

    known = {**row["features"], "warm": 0, "gpus": 1, "threads": row["threads"]}
    rules = TABLE["place"]
    return next(r.choice for r in rules if all(c.holds(known[c.feature]) for c in r.when))


def resident(row: Row) -> Row:
    """The same matrix living on the GPU."""
    there = row["resident"]
    takes = {name: seconds for name, seconds in there["takes"].items() if name != CPU}
    return {**row, "takes": takes if len(takes) > 1 else there["takes"]}


def best_of(row: Row) -> tuple[str, float]:
    """The candidate that takes least, and how long."""
    names = [name for name in (CPU, *SEARCHES) if name in row["takes"]]
    return min(((name, row["takes"][name]) for name in names), key=lambda item: item[1])


def regret_of(row: Row) -> float:
    """How many times slower than the best `auto` is. Not below 1: where it did the same as the best
    in less time, that was chance, and must not make up for other matrices."""
    return max(float(row["takes"][AUTO] / best_of(row)[1]), 1.0)


def report(rows: Sequence[Row], start_up: float) -> Section:
    """Regret by half, warm, cold and resident; every time; the rules, judged on the half that was
    looked at, or on the other, if that is all there is."""
    states = {
        "warm": rows,
        "cold": [cold(row, start_up) for row in rows],
        "resident": [resident(row) for row in rows],
    }
    judged = next(half for half in HALVES if not rows or half in map(_half, rows))
    found = rule_worth.worth([row for row in rows if _half(row) == judged], DECISIONS, _times)
    parts = [
        f"Starting CUDA in a fresh process takes {start_up:.2f} s.",
        _summary(states),
        _fresh_times(rows),
        "The whole call in a warm process, ms (`>`: not waited for), matrix and answer on the "
        "host; behind it for a matrix on the GPU:",
        _all_times(rows),
        f"Rules on the half `{judged}`, warm:",
        rule_worth.markdown(found),
        *(f"- {objection}" for objection in rule_worth.objections(found)),
    ]
    data = {"start_up": start_up, "rows": [_short(row) for row in rows], "rules": found}
    return Section("Regret of auto beside a GPU", "\n\n".join(filter(None, parts)), data)


def _half(row: Row) -> str:
    return half_of(row["matrix"])


def _summary(states: dict[str, Sequence[Row]]) -> str:
    body = []
    for state, rows in states.items():
        for half in (*HALVES, "all"):
            of_half = [row for row in rows if half in (_half(row), "all")]
            kinds = {
                "families": [row for row in of_half if not row["real"]],
                "real": [row for row in of_half if row["real"]],
                "both": of_half,
                f"both, from {milliseconds(LASTING)} ms on": [
                    row for row in of_half if best_of(row)[1] >= LASTING
                ],
            }
            body += [_figures(state, half, kind, group) for kind, group in kinds.items() if group]
    head = ["matrices are", "half", "which", "how many", "regret", "worst", "on"]
    return table([*head, *(f"always {name}" for name in (CPU, *SEARCHES))], body)


def _figures(state: str, half: str, kind: str, group: Sequence[Row]) -> list[str]:
    worst, where = max((regret_of(row), row["matrix"]) for row in group)
    mean = geometric_mean([regret_of(row) for row in group])
    cells = [state, half, kind, str(len(group)), f"{mean:.3f}", f"{worst:.2f}", f"`{where}`"]
    for name in (CPU, *SEARCHES):
        behind = [min(r["takes"].get(name, math.inf) / best_of(r)[1], HOPELESS) for r in group]
        known = any(name in row["takes"] for row in group)
        cells.append(f"{geometric_mean(behind):.2f}" if known else "")
    return cells


def _fresh_times(rows: Sequence[Row]) -> str:
    body = [
        [f"`{row['matrix']}`", f"{row['nnz']:,}", *map(milliseconds, row["fresh"].values())]
        for row in rows
        if "fresh" in row
    ]
    text = "Measured in fresh processes, one run each, ms:"
    return f"{text}\n\n{table(['matrix', 'entries', CPU, GPU, AUTO], body)}" if body else ""


def _all_times(rows: Sequence[Row]) -> str:
    names = (AUTO, CPU, *SEARCHES)
    body = [
        [
            *(f"`{row['matrix']}`", _half(row), f"{row['nnz']:,}"),
            *(_cell(row, name) for name in names),
            f"{regret_of(row):.2f}",
            *(_cell(row["resident"], name) for name in names),
            f"{regret_of(resident(row)):.2f}",
        ]
        for row in rows
    ]
    return table(["matrix", "half", "entries", *names, "regret", *names, "regret"], body)


def _cell(row: Row, name: str) -> str:
    return milliseconds(row["takes"][name]) if name in row["takes"] else ">"


def _times(what: str, row: Row) -> dict[str, float]:
    """Seconds of each choice of a decision."""
    takes = row["takes"]
    searches = {name: takes[name] for name in SEARCHES if name in takes}
    if what == "place":
        return {CPU: takes[CPU], GPU: min(searches.values(), default=math.inf)}
    if what == "start on gpu":
        names = {"none": SEARCHES[0], "greedy": BEHIND_GREEDY}
        return {choice: takes[name] for choice, name in names.items() if name in takes}
    ours = [searches.pop(name) for name in SEARCHES[:2] if name in searches]
    return {SEARCHES[0]: min(ours, default=math.inf), **searches}


def _short(row: Row) -> Row:
    """What is kept: without the samples, in three digits."""

    def rounded(part: Row) -> Row:
        takes = {name: float(f"{seconds:.3g}") for name, seconds in part["takes"].items()}
        rest = {k: v for k, v in part.items() if k not in ("seconds", "stages", "resident")}
        return {**rest, "takes": takes}

    return {**rounded(row), "resident": rounded(row["resident"])}
