# SPDX-License-Identifier: BSD-3-Clause
"""From outcomes to rows, summaries and Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from benchmarks import ours
from benchmarks.timing import Method, Outcome

Row = dict[str, Any]


def row_of(
    name: str, kind: str, outcomes: dict[str, Outcome], complaints: list[str], **facts: Any
) -> Row:
    """What is kept of one matrix: every sample, in seconds, and what stopped a method."""
    return {
        "matrix": name,
        "kind": kind,
        **facts,
        "seconds": {k: o.seconds for k, o in outcomes.items() if o.seconds},
        "median": {k: o.median for k, o in outcomes.items() if o.seconds},
        "overran": [k for k, o in outcomes.items() if o.overran and not o.seconds],
        "reasons": {k: o.reason for k, o in outcomes.items() if o.reason and not o.seconds},
        "answers": {k: o.answer for k, o in outcomes.items() if o.answer},
        "disagreements": complaints,
    }


def best_peer(row: Row, peers: Sequence[str]) -> tuple[str, float] | None:
    """The fastest packaged peer that finished, and its median."""
    times = {name: row["median"][name] for name in peers if name in row["median"]}
    return min(times.items(), key=lambda item: item[1]) if times else None


def gain(
    row: Row, peers: Sequence[str], limit: float, method: str = ours.NAME
) -> tuple[float, bool] | None:
    """How many times faster than the best peer btfperm is; True when that is a lower bound."""
    mine = row["median"].get(method)
    if mine is None:
        return None
    best = best_peer(row, peers)
    if best is not None:
        return best[1] / mine, False
    return (limit / mine, True) if any(p in row["overran"] for p in peers) else None


def comparison(
    rows: Sequence[Row], methods: Sequence[Method], peers: Sequence[str], limit: float
) -> str:
    """One line a matrix: milliseconds of each method, the best peer, the gain over it."""
    names = [m.name for m in methods if m.absent is None]
    ratios = {"gain": ours.NAME, "gain, no proof": ours.UNPROVEN}
    ratios = {title: method for title, method in ratios.items() if method in names}
    head = ["matrix", "nnz", "rank", *_blocks_head(rows), *names, "best peer", *ratios]
    left = len(head) - 2 - len(ratios)
    lines = [_line(head), _line(["---", *["---:"] * left, "---", *["---:"] * len(ratios)])]
    for row in rows:
        best = best_peer(row, peers)
        cells = [f"`{row['matrix']}`", f"{row['nnz']:,}", _answer(row, "rank")]
        cells += [_answer(row, "blocks") for _ in _blocks_head(rows)]
        cells += [_cell(row, name, limit) for name in names]
        cells += [best[0] if best else "-"]
        cells += [_ratio(gain(row, peers, limit, method)) for method in ratios.values()]
        lines.append(_line(cells))
    return "\n".join(lines)


def summary(
    rows: Sequence[Row], methods: Sequence[Method], peers: Sequence[str], limit: float
) -> str:
    """Geometric means: gain over the best peer by kind; slow-down of each method against the
    fastest of all (a stopped run counts at the limit)."""
    parts = [_gains(rows, peers, limit, ours.NAME)]
    if any(m.name == ours.UNPROVEN for m in methods):
        parts += ["The same without the certificate, which no peer has:"]
        parts += [_gains(rows, peers, limit, ours.UNPROVEN)]
    return "\n\n".join([*parts, _slow_downs(rows, methods, limit)]).strip()


def gains(
    rows: Sequence[Row], peers: Sequence[str], limit: float, method: str = ours.NAME
) -> dict[str, Any]:
    """The figures of the summary, for the JSON: mean and worst gain, by kind and in all."""
    kinds = {row["kind"]: None for row in rows}
    groups = {kind: [r for r in rows if r["kind"] == kind] for kind in kinds}
    result = {}
    for label, group in {**groups, "all": list(rows)}.items():
        known = [(g[0], row["matrix"]) for row in group if (g := gain(row, peers, limit, method))]
        if known:
            worst = min(known)
            result[label] = {
                "matrices": len(known),
                "gain": geometric_mean([g for g, _ in known]),
                "worst": worst[0],
                "worst_matrix": worst[1],
                "below_1": sum(g < 1 for g, _ in known),
            }
    return result


def geometric_mean(values: Sequence[float]) -> float:
    """nan when there are none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join([_line(head), _line(rule), *map(_line, rows)])


def milliseconds(seconds: float) -> str:
    """Three significant digits."""
    return digits(seconds * 1e3)


def _gains(rows: Sequence[Row], peers: Sequence[str], limit: float, method: str) -> str:
    figures = gains(rows, peers, limit, method)
    if not figures:
        return ""
    head = ["class", "matrices", "gain over the best peer", "worst", "on", "below 1"]
    body = [
        [
            *(kind, str(f["matrices"]), digits(f["gain"]), digits(f["worst"])),
            *(f"`{f['worst_matrix']}`", str(f["below_1"])),
        ]
        for kind, f in figures.items()
    ]
    return table(head, body)


def _slow_downs(rows: Sequence[Row], methods: Sequence[Method], limit: float) -> str:
    body = []
    for name in (m.name for m in methods if m.absent is None):
        ratios = []
        for row in rows:
            time = row["median"].get(name, limit if name in row["overran"] else None)
            if time is not None and row["median"]:
                ratios.append((time / min(row["median"].values()), row["matrix"]))
        if ratios:
            worst = max(ratios)
            mean = geometric_mean([r for r, _ in ratios])
            body.append([name, str(len(ratios)), digits(mean), digits(worst[0]), f"`{worst[1]}`"])
    return table(["method", "matrices", "slow-down against the fastest", "worst", "on"], body)


def _blocks_head(rows: Sequence[Row]) -> list[str]:
    return ["blocks"] if any("blocks" in a for r in rows for a in r["answers"].values()) else []


def _answer(row: Row, quantity: str) -> str:
    values = {a[quantity] for a in row["answers"].values() if quantity in a}
    if quantity == "rank" and values == {min(row["shape"])}:
        return "full"
    return " / ".join(f"{v}" for v in sorted(values)) + (" **differ**" if len(values) > 1 else "")


def _cell(row: Row, name: str, limit: float) -> str:
    if name in row["median"]:
        return milliseconds(row["median"][name])
    return f">{limit * 1e3:.0f}" if name in row["overran"] else "-"


def _ratio(ratio: tuple[float, bool] | None) -> str:
    if ratio is None:
        return "-"
    return (">" if ratio[1] else "") + digits(ratio[0])


def digits(value: float) -> str:
    """Three significant digits, no exponent."""
    if math.isnan(value):
        return "-"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
