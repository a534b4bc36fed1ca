# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the section `regret-gpu`: the regret for each half and each state (warm, cold,
resident), all times, and the worth of each rule. ``gpu.py`` defines these terms."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.cases import names
from benchmarks.regret import rows as stored
from benchmarks.regret.rows import AUTO, LASTING
from benchmarks.report import (
    Row,
    Section,
    by_matrix,
    geometric_mean,
    milliseconds,
    paragraphs,
    table,
)

CPU, GPU = "cpu", "gpu"
HALVES = ("fit", "unseen")
BEHIND_GREEDY = "meeting-trees, greedy"
SEARCHES = ("meeting-trees", BEHIND_GREEDY, "apfb-wr", "g-pr-shr")
DECISIONS = ("place", "start on gpu", "algorithm on gpu")
HOPELESS = 3.0  # a search that was stopped counts as this many times the time on the CPU


def half_of(name: str) -> str:
    """The half of a matrix: ``fit`` or ``unseen``."""
    return HALVES["," in name or name in names("regret-gpu", HALVES[1])]


def cold(row: Row, start_up: float) -> Row:
    """The row with the times of a fresh process, in which CUDA takes `start_up` seconds to
    start."""
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
    """The row with the times for the matrix on the GPU."""
    there = row["resident"]
    takes = {name: seconds for name, seconds in there["takes"].items() if name != CPU}
    return {**row, "takes": takes if len(takes) > 1 else there["takes"]}


def best_of(row: Row) -> tuple[str, float]:
    """The fastest candidate, and its seconds."""
    names = [name for name in (CPU, *SEARCHES) if name in row["takes"]]
    return min(((name, row["takes"][name]) for name in names), key=lambda item: item[1])


def regret_of(row: Row) -> float:
    """The time of `auto` over the time of the best candidate, at least 1. If `auto` made the best
    choice and took less time than this candidate, the difference is chance, and must not compensate
    for other matrices in the mean."""
    return max(float(row["takes"][AUTO] / best_of(row)[1]), 1.0)


def report(rows: Sequence[Row], start_up: float) -> Section:
    """The section: the regret of each half, warm, cold and resident; all times; the worth of each
    rule on the half `fit`, or on `unseen` if only this half was measured."""
    states = {
        "warm": rows,
        "cold": [cold(row, start_up) for row in rows],
        "resident": [resident(row) for row in rows],
    }
    judged = next(half for half in HALVES if not rows or half in map(_half, rows))
    found = stored.worth([row for row in rows if _half(row) == judged], DECISIONS, _times)
    text = paragraphs(
        f"Starting CUDA in a fresh process takes {start_up:.2f} s.",
        _summary(states),
        "The whole call in a warm process, ms (`>`: stopped), matrix and answer on the host; then "
        "the same for a matrix on the GPU:",
        _all_times(rows),
        f"Rules on the half `{judged}`, warm:",
        *stored.markdown(found),
    )
    data = {"start_up": start_up, "rows": [_short(row) for row in rows], "rules": found}
    return Section("Regret of auto beside a GPU", text, data)


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


def _all_times(rows: Sequence[Row]) -> str:
    columns = (AUTO, CPU, *SEARCHES)

    def cells(row: Row) -> list[str]:
        return [
            *(_half(row), f"{row['nnz']:,}"),
            *(_cell(row, name) for name in columns),
            f"{regret_of(row):.2f}",
            *(_cell(row["resident"], name) for name in columns),
            f"{regret_of(resident(row)):.2f}",
        ]

    return by_matrix(["half", "entries", *columns, "regret", *columns, "regret"], rows, cells)


def _cell(row: Row, name: str) -> str:
    return milliseconds(row["takes"][name]) if name in row["takes"] else ">"


def _times(what: str, row: Row) -> dict[str, float]:
    """Seconds of each choice of the decision `what`."""
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
    """The row as it is stored in a result: without samples, and with times of three digits."""

    def short(part: Row) -> Row:
        rest = {k: v for k, v in part.items() if k not in ("seconds", "stages", "resident")}
        return {**rest, "takes": stored.rounded(part["takes"])}

    return {**short(row), "resident": short(row["resident"])}
