# SPDX-License-Identifier: BSD-3-Clause
"""A race of btfperm against its peers over a list of matrices, as tables.

The *gain* on a matrix is the median time of the best packaged peer divided by that of btfperm. If
no peer finished, it is a lower bound. The *slow-down* of a method is its time divided by that of
the fastest method; a stopped run counts as the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.cases import Case, size_class
from benchmarks.peers import ours
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    geometric_mean,
    milliseconds,
    paragraphs,
    progress,
    table,
)
from benchmarks.timing import Method, Outcome, raced


def contest(
    title: str, cases: Sequence[Case], mine: list[Method], peers: list[Method], options: Options
) -> Section:
    """Race all methods on all matrices; every answer is compared with every other."""
    methods, peer_names = mine + peers, [p.name for p in peers]
    rows: list[Row] = []
    complaints: list[str] = []
    for case, A, outcomes, wrong in raced(methods, cases, options, complaints):
        kind = case.kind or size_class(A.nnz)
        row = row_of(case.name, kind, outcomes, wrong, shape=list(A.shape), nnz=int(A.nnz))
        rows.append(row)
        times = [f"{name} {milliseconds(t)}" for name, t in row["median"].items()]
        times += [f"{name} >{options.limit * 1e3:.0f}" for name in row["overran"]]
        options.say(progress(case.name, times, wrong))
    absent = {m.name: m.absent for m in methods if m.absent is not None}
    text = paragraphs(
        comparison(rows, methods, peer_names, options.limit),
        summary(rows, methods, peer_names, options.limit),
        *(f"Not run: {name} ({why})." for name, why in absent.items()),
    )
    data = {"rows": rows, "absent": absent, "gains": gains(rows, peer_names, options.limit)}
    return Section(title, text, data, complaints)


def row_of(
    name: str, kind: str, outcomes: dict[str, Outcome], complaints: list[str], **facts: Any
) -> Row:
    """The result on one matrix: every sample, in seconds, and the reason that stopped a method."""
    done = {k: o for k, o in outcomes.items() if o.seconds}
    return {
        "matrix": name,
        "kind": kind,
        **facts,
        "seconds": {k: o.seconds for k, o in done.items()},
        "median": {k: o.median for k, o in done.items()},
        "overran": [k for k, o in outcomes.items() if o.overran and k not in done],
        "reasons": {k: o.reason for k, o in outcomes.items() if o.reason and k not in done},
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


def gains(
    rows: Sequence[Row], peers: Sequence[str], limit: float, method: str = ours.NAME
) -> dict[str, Any]:
    """Mean and worst gain, by kind and in all."""
    kinds = {row["kind"]: None for row in rows}
    groups = {kind: [r for r in rows if r["kind"] == kind] for kind in kinds}
    result = {}
    for label, group in {**groups, "all": list(rows)}.items():
        found = [(g[0], row["matrix"]) for row in group if (g := gain(row, peers, limit, method))]
        if found:
            worst = min(found)
            result[label] = {
                "matrices": len(found),
                "gain": geometric_mean([g for g, _ in found]),
                "worst": worst[0],
                "worst_matrix": worst[1],
                "below_1": sum(g < 1 for g, _ in found),
            }
    return result


def comparison(
    rows: Sequence[Row], methods: Sequence[Method], peers: Sequence[str], limit: float
) -> str:
    """One line for each matrix: milliseconds of each method, the best peer, the gain over it."""
    names = [m.name for m in methods if m.absent is None]
    ratios = {"gain": ours.NAME, "gain, no proof": ours.UNPROVEN}
    ratios = {title: method for title, method in ratios.items() if method in names}
    blocks = ["blocks"] if any("blocks" in a for r in rows for a in r["answers"].values()) else []

    def cells(row: Row) -> list[str]:
        best = best_peer(row, peers)
        return [
            f"{row['nnz']:,}",
            *(_answer(row, what) for what in ("rank", *blocks)),
            *(_time(row, name, limit) for name in names),
            best[0] if best else "-",
            *(_ratio(gain(row, peers, limit, method)) for method in ratios.values()),
        ]

    return by_matrix(["nnz", "rank", *blocks, *names, "best peer", *ratios], rows, cells)


def summary(
    rows: Sequence[Row], methods: Sequence[Method], peers: Sequence[str], limit: float
) -> str:
    """Geometric means: the gain by kind, with the certificate and without, and slow-downs."""
    unproven = any(m.name == ours.UNPROVEN for m in methods)
    without = _gains(rows, peers, limit, ours.UNPROVEN) if unproven else ""
    return paragraphs(
        _gains(rows, peers, limit, ours.NAME),
        "The same without the certificate, which no peer has:" if without else "",
        without,
        _slow_downs(rows, methods, limit),
    )


def _gains(rows: Sequence[Row], peers: Sequence[str], limit: float, method: str) -> str:
    found = gains(rows, peers, limit, method)
    if not found:
        return ""
    body = [
        [
            *(kind, str(f["matrices"]), digits(f["gain"]), digits(f["worst"])),
            *(f"`{f['worst_matrix']}`", str(f["below_1"])),
        ]
        for kind, f in found.items()
    ]
    return table(["class", "matrices", "gain over the best peer", "worst", "on", "below 1"], body)


def _slow_downs(rows: Sequence[Row], methods: Sequence[Method], limit: float) -> str:
    body = []
    for name in (m.name for m in methods if m.absent is None):
        ratios = []
        for row in rows:
            time = row["median"].get(name, limit if name in row["overran"] else None)
            if time is not None and row["median"]:
                ratios.append((time / min(row["median"].values()), row["matrix"]))
        if ratios:
            worst, where = max(ratios)
            mean = geometric_mean([r for r, _ in ratios])
            body.append([name, str(len(ratios)), digits(mean), digits(worst), f"`{where}`"])
    return table(["method", "matrices", "slow-down against the fastest", "worst", "on"], body)


def _answer(row: Row, quantity: str) -> str:
    values = {a[quantity] for a in row["answers"].values() if quantity in a}
    if quantity == "rank" and values == {min(row["shape"])}:
        return "full"
    return " / ".join(f"{v}" for v in sorted(values)) + (" **differ**" if len(values) > 1 else "")


def _time(row: Row, name: str, limit: float) -> str:
    if name in row["median"]:
        return milliseconds(row["median"][name])
    return f">{limit * 1e3:.0f}" if name in row["overran"] else "-"


def _ratio(ratio: tuple[float, bool] | None) -> str:
    return "-" if ratio is None else (">" if ratio[1] else "") + digits(ratio[0])
