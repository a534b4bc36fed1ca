# SPDX-License-Identifier: BSD-3-Clause
"""Compares ``auto`` with the best choice on each matrix. The choices are all pairs of an initial
matching and a search (candidates.py).

*Regret* is the time of ``auto`` divided by the least time of all candidates on the same matrix. One
half of the matrices, `fit`, was used to make the rules of ``auto``; the other half, `held out`, was
not. A hash decides which half a matrix belongs to. For generated matrices it is the hash of the
family, so that all sizes and orders of a family are in one half; for real matrices it is the hash
of the name.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.cases import ALL, Case, generated, names, real
from benchmarks.generators import family_of
from benchmarks.regret import rows as stored
from benchmarks.regret.candidates import HOPELESS, NEAR, How, measured_apart
from benchmarks.regret.rows import AUTO, LASTING
from benchmarks.report import Options, Row, Section, geometric_mean, milliseconds, paragraphs, table
from benchmarks.timing import CORES

HALVES = ("fit", "held out")
DECISIONS = ("start", "algorithm", "threads", "side")
DOUBLED = 2.0  # no matrix should have a larger regret
SALT = 855  # chosen so that all families that were used before the halves were made are in `fit`


def cases(which: str, folder: Path) -> list[Case]:
    """The matrices of the named set under ``default``. The set ``all`` has the matrices of
    ``regret``, and the real matrices if their folder exists."""
    if which != ALL:
        return generated(names("default", which))
    kept = real(folder) if (folder / "index.csv").exists() else []
    return generated(names("regret", ALL)) + kept


def run(cases: list[Case], options: Options) -> Section:
    """Measures the matrices that are not yet in the store, and reports on all matrices in the
    store."""
    how = How(options.repeats, 1 if options.busy else options.threads or CORES, options.busy)
    rows = stored.measured(cases, options, partial(measured_apart, how=how), _outcome)
    section = report(rows)
    if options.rules:
        stored.write_beside_the_rules(section.data["rules"])
    return section


def half_of(name: str) -> str:
    """``fit`` or ``held out``, by a hash of the family, or of the name if the matrix has no
    family."""
    with contextlib.suppress(ValueError):
        name = family_of(name)[0].name
    return HALVES[hashlib.sha256(f"{SALT} {name}".encode()).digest()[0] % 2]


def _outcome(row: Row) -> str:
    """A line on a measured matrix. The times of held-out matrices must not be seen while rules are
    made."""
    if half_of(row["matrix"]) != HALVES[0]:
        return f"{row['matrix']}: measured"
    chosen, least = best_of(row)
    times = f"auto {milliseconds(row['takes'][AUTO])} ms, {chosen} {milliseconds(least)} ms"
    return f"{row['matrix']}: {times}, regret {regret_of(row):.2f}"


def best_of(row: Row) -> tuple[str, float]:
    """The fastest candidate, and its seconds."""
    candidates = {name: seconds for name, seconds in row["takes"].items() if name != AUTO}
    return min(candidates.items(), key=lambda item: item[1])


def regret_of(row: Row) -> float:
    """The time of `auto` over the time of the best candidate."""
    return behind(row, AUTO)


def behind(row: Row, name: str) -> float:
    """The time of a candidate over the time of the best one; infinite if it was stopped."""
    return float(row["takes"].get(name, math.inf) / best_of(row)[1])


def report(rows: Sequence[Row]) -> Section:
    """The section: regret of each half, relative to the best candidate of each matrix and to the
    one candidate that is best for all matrices; the matrices with a large regret; the worth of each
    rule."""
    fit = [row for row in rows if half_of(row["matrix"]) == HALVES[0]]
    found = stored.worth(fit, DECISIONS, times_of)
    text = paragraphs(
        _summary(rows),
        _far_behind(rows),
        f"Rules on the half `{HALVES[0]}`:",
        *stored.markdown(found),
    )
    data = {"rows": [_short(row) for row in rows], "rules": found}
    return Section("Regret of auto", text, data)


def times_of(what: str, row: Row) -> dict[str, float]:
    """Seconds of each choice of a decision. The seconds of an initial matching include the best
    search after it; the seconds of a search include the initial matching that `auto` chose."""
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


def best_single(rows: Sequence[Row]) -> tuple[str, float]:
    """The candidate with the least regret in the geometric mean, and this regret."""
    candidates = {name for row in rows for name in row["takes"] if " + " in name}
    slow = {
        name: geometric_mean([min(behind(row, name), HOPELESS) for row in rows])
        for name in candidates
    }
    return min(slow.items(), key=lambda item: item[1])


def _summary(rows: Sequence[Row]) -> str:
    body = []
    for least in (0.0, LASTING):
        for half in (*HALVES, "all"):
            lasting = [row for row in rows if best_of(row)[1] >= least]
            group = [row for row in lasting if half in (half_of(row["matrix"]), "all")]
            if group:
                what = f"{half}, from {milliseconds(least)} ms on" if least else half
                body.append([what, *_figures(group)])
    head = ["half", "matrices", "regret", "worst", "on", "above 2"]
    return table([*head, "best one for all", "its regret", "auto over it"], body)


def _figures(rows: Sequence[Row]) -> list[str]:
    regrets = [(regret_of(row), row["matrix"]) for row in rows]
    mean = geometric_mean([regret for regret, _ in regrets])
    worst, where = max(regrets)
    doubled = sum(regret > DOUBLED for regret, _ in regrets)
    single, behind_by = best_single(rows)
    facts = [f"{len(rows)}", f"{mean:.3f}", f"{worst:.2f}", f"`{where}`", f"{doubled}"]
    return [*facts, single, f"{behind_by:.2f}", f"{mean / behind_by:.2f}"]


def _far_behind(rows: Sequence[Row]) -> str:
    """The matrices with a regret above `DOUBLED`, the largest first."""
    body = [
        [
            *(f"`{row['matrix']}`", half_of(row["matrix"]), f"{row['nnz']:,}"),
            *(milliseconds(row["takes"][AUTO]), best_of(row)[0], milliseconds(best_of(row)[1])),
            f"{regret_of(row):.2f}",
        ]
        for row in sorted(rows, key=regret_of, reverse=True)
        if regret_of(row) > DOUBLED
    ]
    head = ["matrix", "half", "entries", "auto, ms", "best", "ms", "regret"]
    return table(head, body) if body else ""


def _short(row: Row) -> Row:
    """The row as it is stored in a result: without samples, and only with the candidates near the
    best."""
    most = NEAR * best_of(row)[1]
    takes = {name: s for name, s in row["takes"].items() if s <= most or name == AUTO}
    rest = {what: value for what, value in row.items() if what not in ("seconds", "takes")}
    return {**rest, "takes": stored.rounded(takes)}
