# SPDX-License-Identifier: BSD-3-Clause
"""Estimated times of the best research codes, from two surveys. These codes are in no package, so
they cannot be timed in a run.

``research.json`` holds the figures of the field survey (``"field"``) and of the one-core survey
(``"one core"``, ``"one core, classical"``, ``"real"``). Each estimate is the surveyed time of the
fastest research code, multiplied by the time of a packaged code in this run over its surveyed time:

field survey      SciPy on the same matrix, or BTF where SciPy did not finish
one-core survey   one factor for all matrices: the geometric mean over the four matrices for which
                  the survey has the time of the fastest of SciPy, BTF and CXSparse. There is no
                  estimate if the run has none of these four matrices

``ratio`` is the estimate over the time of btfperm. ``harsher`` is the smaller of the ratios by the
two surveys, or the only one. For real matrices the one-core survey has, by size class, two mean
speed-ups of its own code: over the fastest research code, and over the fastest of SciPy, BTF and
CXSparse. btfperm's mean speed-up over these three is multiplied by the first and divided by the
second.

The section `matching` ends with these tables. ``python -m benchmarks.peers.research`` with stored
results of one machine as arguments prints them. Of the sets, only `field` has matrices of the four,
so results of `large` and `real` must be given together with one of `field`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers import ours
from benchmarks.peers.contest import best_peer, gain
from benchmarks.report import (
    Row,
    by_matrix,
    digits,
    geometric_mean,
    known,
    milliseconds,
    table,
)

SURVEYS: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
FIELD = {row[0]: row[1:] for row in SURVEYS["field"]["rows"]}
ONE_CORE = {row[0]: (row[1], row[2]) for row in SURVEYS["one core"]["rows"]}
PACKAGED_THEN = {  # milliseconds of the best packaged code
    matrix: took * gained for matrix, took, gained in SURVEYS["one core, classical"]["rows"]
}
CLASSICAL = ("SciPy", "BTF", "CXSparse")
ANCHORS = ("SciPy", "BTF")
CODES = ("cheap-PFP", "KS-PFP", "KS-PR", "Graft")  # columns 4 to 7 of the field table
METHODS = (ours.NAME, ours.UNPROVEN)
BOUND = 0.9  # ratios below this are counted


class Estimate(NamedTuple):
    """The estimated time of a research code in this run."""

    code: str
    seconds: float
    by: str  # the packaged code whose times give the factor, or "factor" for the common one


def against(rows: Sequence[Row], limit: float) -> tuple[str, dict[str, Any]]:
    """Markdown and data of the comparison; empty where no survey knows a matrix of `rows`."""
    then_to_now = factor(rows)
    compared = [c for row in rows if (c := _compared(row, then_to_now))]
    summary, real = summary_of(compared), real_gains(rows, limit)
    if not compared and not real:
        return "", {}
    parts = ["### Against the best research code, estimated"]
    if compared:
        parts += [_comparison(compared), _summary(summary)]
        parts += [_factor_line(rows)]
    if real:
        parts += [_real(real)]
    data = {"factor": then_to_now, "rows": compared, "summary": summary, "real": real}
    return "\n\n".join(parts), data


def by_field(row: Row) -> Estimate | None:
    """From the field survey: the time of its fastest research code, multiplied by the ratio of the
    times of SciPy or BTF."""
    if row["matrix"] not in FIELD:
        return None
    *columns, fastest, least = FIELD[row["matrix"]]
    then = dict(zip((*CLASSICAL, *CODES), columns, strict=True))
    codes = {name: then[name] for name in CODES if then[name] is not None}
    if fastest not in CLASSICAL:
        codes[fastest] = least
    code = min(codes, key=lambda name: codes[name])
    for anchor in ANCHORS:
        if then[anchor] is not None and anchor in row["median"]:
            return Estimate(code, row["median"][anchor] * codes[code] / then[anchor], anchor)
    return None


def by_one_core(row: Row, then_to_now: float | None) -> Estimate | None:
    """From the one-core survey: the time of its fastest research code, multiplied by the factor."""
    if then_to_now is None or row["matrix"] not in ONE_CORE:
        return None
    code, took = ONE_CORE[row["matrix"]]
    return Estimate(code, took / 1e3 * then_to_now, "factor")


def factor(rows: Sequence[Row]) -> float | None:
    """The geometric mean of `factors_of`: how many times slower this machine is than that of the
    one-core survey."""
    factors = factors_of(rows)
    return geometric_mean(list(factors.values())) if factors else None


def factors_of(rows: Sequence[Row]) -> dict[str, float]:
    """The time of the best packaged code now over its time then, for each matrix for which the
    one-core survey has it."""
    best = {r["matrix"]: best_peer(r, CLASSICAL) for r in rows if r["matrix"] in PACKAGED_THEN}
    return {matrix: b[1] * 1e3 / PACKAGED_THEN[matrix] for matrix, b in best.items() if b}


def _compared(row: Row, then_to_now: float | None) -> Row | None:
    estimates = {"field": by_field(row), "one core": by_one_core(row, then_to_now)}
    found = {name: e for name, e in estimates.items() if e}
    if not found or not any(method in row["median"] for method in METHODS):
        return None
    ratios: dict[str, dict[str, float]] = {}
    for method in METHODS:
        if method in row["median"]:
            ratio = {name: e.seconds / row["median"][method] for name, e in found.items()}
            ratios[method] = {**ratio, "harsher": min(ratio.values())}
    took = {method: row["median"][method] for method in ratios}
    estimated = {name: e._asdict() for name, e in found.items()}
    return {"matrix": row["matrix"], "median": took, "estimated": estimated, "ratios": ratios}


def summary_of(compared: Sequence[Row]) -> list[dict[str, Any]]:
    """Mean and worst of each estimate, with the certificate and without."""
    result = []
    for method, estimate in itertools.product(METHODS, ("field", "one core", "harsher")):
        ratios = [
            (row["ratios"][method][estimate], row["matrix"])
            for row in compared
            if estimate in row["ratios"].get(method, {})
        ]
        if ratios:
            worst, where = min(ratios)
            mean = geometric_mean([ratio for ratio, _ in ratios])
            below = sum(ratio < BOUND for ratio, _ in ratios)
            facts = {"method": method, "estimate": estimate, "matrices": len(ratios), "mean": mean}
            result.append({**facts, "worst": worst, "worst_matrix": where, "below": below})
    return result


def real_gains(rows: Sequence[Row], limit: float) -> list[dict[str, Any]]:
    """By size of the real matrices: the gain over packaged codes, and the estimate over research
    codes."""
    result = []
    for kind, surveyed, over_research, over_classical in SURVEYS["real"]["rows"]:
        of_kind = [r for r in rows if r["kind"] == kind and not r["matrix"].endswith("_rcp")]
        for method in METHODS:
            gains = [g[0] for row in of_kind if (g := gain(row, CLASSICAL, limit, method))]
            if gains:
                mean = geometric_mean(gains)
                counts = {"matrices": len(gains), "surveyed": surveyed, "over_packaged": mean}
                estimate = mean * over_research / over_classical
                result.append(
                    {"class": kind, "method": method, **counts, "over_research": estimate}
                )
    return result


def _factor_line(rows: Sequence[Row]) -> str:
    found = factors_of(rows)
    if not found:
        return f"Nothing by the one-core table: the run has none of {', '.join(PACKAGED_THEN)}."
    each = ", ".join(f"`{matrix}` {digits(value)}" for matrix, value in found.items())
    return f"Factor of the one-core table: {digits(geometric_mean([*found.values()]))} ({each})."


def _comparison(compared: Sequence[Row]) -> str:
    head = [*(f"{method}, ms" for method in METHODS), "field table", "carried by", "ms", "ratio"]
    head += ["one-core table", "ms", "ratio", "harsher", "harsher, no proof"]
    return by_matrix(head, compared, _cells)


def _cells(row: Row) -> list[str]:
    def ratio(method: str, estimate: str) -> str:
        return known(row["ratios"].get(method, {}).get(estimate))

    cells = [known(row["median"].get(method), milliseconds) for method in METHODS]
    for name in ("field", "one core"):
        e = row["estimated"].get(name)
        facts = [e["code"], e["by"], milliseconds(e["seconds"])] if e else ["-"] * 3
        facts = facts if name == "field" else [facts[0], facts[2]]
        cells += [*facts, ratio(ours.NAME, name)]
    return [*cells, *(ratio(method, "harsher") for method in METHODS)]


def _summary(summary: Sequence[dict[str, Any]]) -> str:
    head = ["", "estimate", "matrices", "ratio, geometric mean", "worst", "on", f"below {BOUND}"]
    body = [
        [
            *(s["method"], s["estimate"], str(s["matrices"]), digits(s["mean"])),
            *(digits(s["worst"]), f"`{s['worst_matrix']}`", str(s["below"])),
        ]
        for s in summary
    ]
    return table(head, body)


def _real(real: Sequence[dict[str, Any]]) -> str:
    head = ["class", "", "matrices", f"over the best of {', '.join(CLASSICAL)}", "over research"]
    body = [
        [
            *(r["class"], r["method"], f"{r['matrices']} of {r['surveyed']}"),
            *(digits(r["over_packaged"]), digits(r["over_research"])),
        ]
        for r in real
    ]
    return table(head, body)


def main(arguments: list[str] | None = None) -> int:
    """Print the comparison of results of ``benchmarks.run --section matching``."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.research", description=__doc__
    )
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULT.json")
    rows: list[Row] = []
    limits = []
    for path in parser.parse_args(arguments).results:
        try:
            result = json.loads(path.read_text())
            rows += result["sections"]["matching"]["rows"]
            limits.append(result["options"]["limit_seconds"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            parser.error(f"{path} holds no result of the section matching ({error!r})")
    markdown, _ = against(rows, min(limits))
    print(markdown or "The surveys know none of its matrices.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
