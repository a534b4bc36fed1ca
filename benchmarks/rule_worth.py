# SPDX-License-Identifier: BSD-3-Clause
"""What each rule of ``auto`` is worth, from the rows that regret.py measures.

For every rule, over the matrices on which it held: how many times slower than the best its choice
is there, in the geometric mean, and how many times the other choices. Where the halves are told
apart, rules are judged on the one that was looked at, if any of it was measured: a rule that
another choice would serve better is objected to. Starts are compared with the best algorithm
behind each, algorithms behind the start that was chosen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.tables import geometric_mean, table

KEPT = Path(__file__).parents[1] / "btfperm" / "transversal" / "auto_measured.json"
SHOWN = 3  # other choices that are kept of each rule, the best first
MOST = 3.0  # how much slower than the best a choice counts that was not waited for
ENOUGH = 2  # matrices on which a rule held, before it is objected to
BETTER = 1.05  # so many times slower than another choice: the rule should take that

Row = dict[str, Any]
Worth = dict[str, dict[str, dict[str, Any]]]
TimesOf = Callable[[str, Row], dict[str, float]]


def worth(
    rows: Sequence[Row],
    decisions: Sequence[str] = ("start", "algorithm", "threads", "side"),
    times_of: TimesOf | None = None,
) -> Worth:
    """decision -> rule -> its choice, how far that is behind, the best of the others.

    `times_of`: seconds of each choice of a decision in a row; default as regret.py measures them.
    """
    times_of = times_of or _times
    found: Worth = {}
    for what in decisions:
        held: dict[str, list[Row]] = {}
        for row in rows:
            if what in row["rules"] and len(times_of(what, row)) > 1:
                held.setdefault(row["rules"][what][0], []).append(row)
        found[what] = {rule: _of_rule(what, those, times_of) for rule, those in held.items()}
    return found


def objections(found: Worth) -> list[str]:
    """One sentence for each rule that should choose otherwise."""
    return [
        f"{what}, rule {rule!r}: {name} would be {behind:.2f} times the best, "
        f"{figures['choice']} is {figures['behind']:.2f}"
        for what, rules in found.items()
        for rule, figures in rules.items()
        for name, behind in list(figures["others"].items())[:1]
        if figures["matrices"] >= ENOUGH and figures["behind"] > BETTER * behind
    ]


def keep(found: Worth, head: dict[str, Any]) -> None:
    """Put the figures of these decisions beside the rules, with machine, day and commit of each."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    where = {
        "date": head["date"],
        "machine": head["machine"]["cpu"],
        "commit": head["versions"]["commit"],
    }
    kept["measured"].update(dict.fromkeys(found, where))
    kept["rules"].update(found)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def markdown(found: Worth) -> str:
    """One line a rule."""
    body = [
        [
            *(what, rule, figures["choice"], str(figures["matrices"]), f"{figures['behind']:.2f}"),
            ", ".join(f"{name} {behind:.2f}" for name, behind in figures["others"].items()),
        ]
        for what, rules in found.items()
        for rule, figures in rules.items()
    ]
    head = ["decision", "rule", "choice", "matrices", "times the best", "others"]
    return table(head, body)


def _of_rule(what: str, rows: Sequence[Row], times_of: TimesOf) -> dict[str, Any]:
    times = [times_of(what, row) for row in rows]
    best = [min(by_choice.values()) for by_choice in times]
    behind = {
        choice: geometric_mean(
            [
                min(by_choice.get(choice, math.inf) / least, MOST)
                for by_choice, least in zip(times, best, strict=True)
            ]
        )
        for choice in dict.fromkeys(name for by_choice in times for name in by_choice)
    }
    chosen = rows[0]["rules"][what][1]
    others = sorted((value, name) for name, value in behind.items() if name != chosen)
    return {
        "choice": chosen,
        "matrices": len(rows),
        "behind": round(behind.get(chosen, MOST), 3),
        "others": {name: round(value, 3) for value, name in others[:SHOWN]},
    }


def _times(what: str, row: Row) -> dict[str, float]:
    """Seconds of each choice; `row` names what was timed as regret.py does."""
    takes: dict[str, float] = row["takes"]
    if what == "side":
        prefix = "auto from "
        return {n.removeprefix(prefix): t for n, t in takes.items() if n.startswith(prefix)}
    best: dict[str, float] = {}
    for name, seconds in takes.items():
        pair, _, several = name.partition(" on ")
        start, _, algorithm = pair.partition(" + ")
        if not algorithm or (several and what != "threads"):
            continue
        if what == "algorithm" and start != row["rules"]["start"][1]:
            continue
        choice = {"start": start, "algorithm": algorithm, "threads": "all" if several else "one"}
        best[choice[what]] = min(seconds, best.get(choice[what], math.inf))
    return best
