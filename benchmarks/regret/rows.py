# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the two regret sections: stored rows, and the worth of each rule of ``auto``.

The *worth* of a rule is measured on the matrices to which ``auto`` applied it: the geometric means
of the time of its choice over the best time, and of the times of the other choices over the best
time. A rule is reported if another choice would be faster.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.cases import Case
from benchmarks.report import Options, Row, geometric_mean, table

AUTO = "auto"
LASTING = 2e-4  # seconds; in a shorter call, Python takes most of the time
MEASURED = Path(__file__).parents[2] / "btfperm" / "transversal" / "auto_measured.json"
SHOWN = 3  # number of other choices that are stored for each rule, the best first
MOST = 3.0  # a search that was stopped counts as this many times the best time
ENOUGH = 2  # least number of matrices under a rule for which another choice is proposed
BETTER = 1.05  # if the rule's choice takes this many times longer, another is proposed

Worth = dict[str, dict[str, dict[str, Any]]]
TimesOf = Callable[[str, Row], dict[str, float]]


def measured(
    cases: Sequence[Case],
    options: Options,
    measure: Callable[[Case], Row],
    outcome: Callable[[Row], str],
) -> list[Row]:
    """Measures the `cases` that are not in `options.store` and adds their rows. Returns the rows of
    the store, first those of `cases` in their order, then those of other matrices.

    No measurement is started after `options.within` seconds.
    """
    ends = time.monotonic() + options.within
    rows = _stored(options)
    for case in cases:
        if case.name not in rows and time.monotonic() < ends:
            row = rows[case.name] = measure(case)
            options.say(outcome(row))
            if options.store:
                with options.store.open("a") as store:
                    print(json.dumps(row), file=store)
    order = {case.name: k for k, case in enumerate(cases)}
    return sorted(rows.values(), key=lambda row: order.get(row["matrix"], len(order)))


def checked(
    cases: Sequence[Case],
    options: Options,
    measure: Callable[[Case], tuple[Row, list[str]]],
    outcome: Callable[[Row], str],
) -> tuple[list[Row], list[str]]:
    """Like `measured`, for a `measure` that returns a row and complaints. The row stores its
    complaints. Also returns the complaints of all rows."""

    def row_of(case: Case) -> Row:
        row, wrong = measure(case)
        return {**row, "complaints": wrong} if wrong else row

    rows = measured(cases, options, row_of, outcome)
    return rows, complaints_of(rows)


def complaints_of(rows: Sequence[Row]) -> list[str]:
    """The complaints that the rows store, each with the name of its matrix."""
    return [f"{row['matrix']}: {what}" for row in rows for what in row.get("complaints", ())]


def stored_names(options: Options) -> set[str]:
    """The names of the matrices whose rows are in the store."""
    return set(_stored(options))


def _stored(options: Options) -> dict[str, Row]:
    if options.store is None or not options.store.exists():
        return {}
    return {row["matrix"]: row for row in map(json.loads, options.store.read_text().splitlines())}


def rounded(times: dict[str, float]) -> dict[str, float]:
    """The times, rounded to three significant digits."""
    return {name: float(f"{seconds:.3g}") for name, seconds in times.items()}


def worth(rows: Sequence[Row], decisions: Sequence[str], times_of: TimesOf) -> Worth:
    """The worth of each rule, by decision and rule: its choice, the mean of the time of this choice
    over the best time, and the same means of the best other choices.

    `times_of` returns the seconds of each choice of a decision in a row.
    """
    found: Worth = {}
    for what in decisions:
        held: dict[str, list[Row]] = {}
        for row in rows:
            if what in row["rules"] and len(times_of(what, row)) > 1:
                held.setdefault(row["rules"][what][0], []).append(row)
        found[what] = {
            rule: _of_rule(group[0]["rules"][what][1], [times_of(what, row) for row in group])
            for rule, group in held.items()
        }
    return found


def _of_rule(chosen: str, times: Sequence[dict[str, float]]) -> dict[str, Any]:
    choices = dict.fromkeys(name for by_choice in times for name in by_choice)
    behind = {
        choice: geometric_mean(
            [min(each.get(choice, math.inf) / min(each.values()), MOST) for each in times]
        )
        for choice in choices
    }
    others = sorted((value, name) for name, value in behind.items() if name != chosen)
    return {
        "choice": chosen,
        "matrices": len(times),
        "behind": round(behind.get(chosen, MOST), 3),
        "others": {name: round(value, 3) for value, name in others[:SHOWN]},
    }


def objections(found: Worth) -> list[str]:
    """One sentence for each rule to which another choice is preferable."""
    return [
        f"{what}, rule {rule!r}: {name} would be {behind:.2f} times the best, "
        f"{figures['choice']} is {figures['behind']:.2f}"
        for what, rules in found.items()
        for rule, figures in rules.items()
        for name, behind in list(figures["others"].items())[:1]
        if figures["matrices"] >= ENOUGH and figures["behind"] > BETTER * behind
    ]


def markdown(found: Worth) -> list[str]:
    """A table with one line for each rule, and a list of the objections."""
    body = [
        [
            *(what, rule, figures["choice"], str(figures["matrices"]), f"{figures['behind']:.2f}"),
            ", ".join(f"{name} {behind:.2f}" for name, behind in figures["others"].items()),
        ]
        for what, rules in found.items()
        for rule, figures in rules.items()
    ]
    head = ["decision", "rule", "choice", "matrices", "times the best", "others"]
    return [table(head, body), *(f"- {objection}" for objection in objections(found))]


def write_beside_the_rules(found: Worth) -> None:
    """Writes the worth of the rules of these decisions into `MEASURED`, with machine, day and
    commit."""
    head = machine.describe()
    kept = json.loads(MEASURED.read_text(encoding="utf-8"))
    where = {
        "date": head["date"],
        "machine": head["machine"]["cpu"],
        "commit": head["versions"]["commit"],
    }
    kept["measured"].update(dict.fromkeys(found, where))
    kept["rules"].update(found)
    MEASURED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
