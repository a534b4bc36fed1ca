# SPDX-License-Identifier: BSD-3-Clause
"""The section as Markdown: what ran on what, times, counters, the paper's ranking beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.published.counters import (
    STEPS,
    edges_and_rate,
    edges_read,
    mean_path,
    phases,
    searched,
    step_seconds,
)
from benchmarks.published.entrants import AUTO, GRAFT, START, SWITCHES
from benchmarks.stand_ins import CLASSES
from benchmarks.tables import digits, geometric_mean, milliseconds, table

Row = dict[str, Any]
Data = dict[str, Any]


def markdown(data: Data) -> str:
    """All tables, one below the other."""
    many = data["threads"][-1]
    parts = [
        "### The matrices",
        "Shares of all vertices that Karp-Sipser and a maximum matching cover, and what the start "
        "left to the searches; the paper's figures of the graph it stands for in brackets.",
        _matrices(data),
        "### Search after Karp-Sipser, one thread, ms",
        "`-`: the start had left nothing to search for.",
        _times(data, 1),
    ]
    if many > 1:
        parts += [f"### Search after Karp-Sipser, {_on(many)}, ms", _times(data, many)]
    parts += [
        "### Start and search together",
        "`auto` with its own start, beside the best of all published algorithms after Karp-Sipser "
        "on each matrix.",
        _together(data),
    ]
    for title, figure in (
        ("Edges read, in entries of the matrix", edges_read),
        ("Phases", phases),
        ("Mean length of the augmenting paths", mean_path),
    ):
        parts += [f"### {title}, one thread", _counted(data, figure)]
    parts += [
        f"### Search rate and steps of {GRAFT}, {_on(many)}",
        "Millions of edges a second; share of the time of all steps.",
        _steps(data, many),
        "### What direction optimisation and grafting are worth",
        f"Speed-up over {GRAFT} with both switched off, which is multi-source BFS; {_on(many)}, "
        "geometric means.",
        _worth(data),
        "### The ranking within each class",
        "Speed-up of ms-bfs-graft over push-relabel (PR) and pothen-fan (PF), after the start: the "
        "paper's means, ours (geometric), ours when only the steps of ms-bfs-graft count and not "
        "the row lists that it makes first (the paper's graphs come with them), and how ours comes "
        "about: so many times fewer edges read, at a rate so many times higher. `*`: some stopped "
        "and counted at the limit. The paper's many are 40 threads; what has no threads here takes "
        "part in them with its time on one.",
        _orders(data),
        "### What the searches count",
        _statements(data),
    ]
    return "\n\n".join(part for part in parts if part)


def select(
    data: Data, algorithm: str, threads: int, options: dict[str, float] | None = None
) -> dict[str, Row]:
    """The rows of one entrant by matrix."""
    return {
        row["matrix"]: row
        for row in data["rows"]
        if row["algorithm"] == algorithm
        and row["threads"] == threads
        and row["options"] == (options or {})
    }


def algorithms(data: Data, threads: int) -> list[str]:
    """The searches that ran on so many threads, in the registry's order."""
    names = {
        row["algorithm"]: None
        for row in data["rows"]
        if row["threads"] == threads and not row["options"]
    }
    return [name for name in names if name not in (AUTO, START)]


def step_shares(row: Row) -> dict[str, float] | None:
    """Part of each step in the time of all."""
    seconds = step_seconds(row)
    total = sum(seconds.values())
    return {step: each / total for step, each in seconds.items()} if total else None


def worth(data: Data, kind: str) -> list[float]:
    """Geometric mean speed-ups of a class over both parts switched off: each of `SWITCHES`, then
    both on."""
    many = data["threads"][-1]
    runs = [select(data, GRAFT, many, dict(switch)) for switch in SWITCHES]
    runs.append(select(data, GRAFT, many))
    names = [
        entry["matrix"]
        for entry in data["matrices"]
        if entry["class"] == kind
        and all(entry["matrix"] in run and searched(run[entry["matrix"]]) for run in runs)
    ]
    return [
        geometric_mean([runs[0][name]["median"] / run[name]["median"] for name in names])
        for run in runs
    ]


def _matrices(data: Data) -> str:
    head = ["matrix", "stands for", "class", "entries", "a column", "Karp-Sipser, %", "maximum, %"]
    head += ["left, %"]
    body = []
    for entry in data["matrices"]:
        paper = entry["paper"] or {}
        cells = [f"`{entry['matrix']}`", entry["stands_for"] or "-", entry["class"]]
        cells.append(f"{entry['nnz']:,}")
        for figure in ("degree", "maximal", "maximum", "left"):
            ours = "-" if entry[figure] is None else f"{entry[figure]:.2f}"
            cells.append(f"{ours} ({paper[figure]:.2f})" if paper else ours)
        body.append(cells)
    return table(head, body)


def _times(data: Data, threads: int) -> str:
    names = algorithms(data, threads)
    runs = {name: select(data, name, threads) for name in names}
    body = []
    for entry in data["matrices"]:
        rows = {name: runs[name].get(entry["matrix"]) for name in names}
        medians = [row["median"] for row in rows.values() if row and searched(row)]
        best = min(medians, default=None)
        body.append([f"`{entry['matrix']}`", *(_time(row, best, data) for row in rows.values())])
    return table(["matrix", *names], body)


def _time(row: Row | None, best: float | None, data: Data) -> str:
    if row is None:
        return ""
    if row["overran"]:
        return f">{data['limit'] * 1e3:.0f}"
    if not searched(row):
        return "-"
    cell = milliseconds(row["median"])
    return f"**{cell}**" if row["median"] == best else cell


def _together(data: Data) -> str:
    head = ["matrix"]
    for threads in data["threads"]:
        head += [f"auto, {threads}, ms", "best published", "ms", "gain"]
    body = []
    for entry in data["matrices"]:
        cells = [f"`{entry['matrix']}`"]
        for threads in data["threads"]:
            cells += _best_published(data, entry["matrix"], threads)
        body.append(cells)
    return table(head, body)


def _best_published(data: Data, matrix: str, threads: int) -> list[str]:
    """The best on up to so many threads, of the start and of the search."""
    auto = select(data, AUTO, threads).get(matrix)
    start: list[float] = []
    search: dict[str, float] = {}
    for row in data["rows"]:
        if row["matrix"] != matrix or row["threads"] > threads or row["options"]:
            continue
        name, seconds = row["algorithm"], row["median"]
        if name == START and seconds is not None:
            start.append(seconds)
        elif name not in (AUTO, OURS) and seconds is not None:
            search[name] = min(seconds, search.get(name, seconds))
    if auto is None or auto["median"] is None or not start or not search:
        return ["-", "-", "-", "-"]
    name = min(search, key=search.__getitem__)
    time = min(start) + search[name]
    ratio = digits(time / max(auto["median"], 1e-9))
    return [milliseconds(auto["median"]), name, milliseconds(time), ratio]


OURS = "guided-displacement"


def _counted(data: Data, figure: Callable[[Row], float | None]) -> str:
    names = algorithms(data, 1)
    runs = {name: select(data, name, 1) for name in names}
    body = []
    for entry in data["matrices"]:
        cells = [f"`{entry['matrix']}`"]
        for name in names:
            row = runs[name].get(entry["matrix"])
            value = figure(row) if row and searched(row) else None
            cells.append("-" if value is None else digits(value))
        body.append(cells)
    return table(["matrix", *names], body)


def _steps(data: Data, threads: int) -> str:
    graft, fan = select(data, GRAFT, threads), select(data, "pothen-fan", threads)
    fan = fan or select(data, "pothen-fan", 1)
    body = []
    for entry in data["matrices"]:
        row, other = graft.get(entry["matrix"]), fan.get(entry["matrix"])
        if row is None or not searched(row):
            continue
        rate = edges_and_rate(row)[1]
        cells = [f"`{entry['matrix']}`", digits(rate)]
        cells.append(digits(rate / edges_and_rate(other)[1]) if other and searched(other) else "-")
        shares = step_shares(row) or {}
        cells += [f"{100 * shares[step]:.0f} %" if shares else "-" for step in STEPS]
        body.append(cells)
    return table(["matrix", "MTEPS", "of pothen-fan's", *STEPS], body)


def _worth(data: Data) -> str:
    body = []
    for kind in classes(data):
        direction, graft, both = worth(data, kind)[1:]
        if not math.isnan(both):
            body.append([kind, digits(direction), digits(graft), digits(both)])
    if not body:
        return "Not measured in this run."
    return table(["class", "direction", "grafting", "both"], body)


def classes(data: Data) -> list[str]:
    present = {entry["class"]: None for entry in data["matrices"]}
    return [kind for kind in CLASSES if kind in present] + [k for k in present if k not in CLASSES]


def _orders(data: Data) -> str:
    head = ["class", "threads", "over PR: paper", "ours", "steps", "edges", "rate"]
    head += ["over PF: paper", "ours", "steps", "edges", "rate"]
    head += ["paper's order", "ours", "reproduced"]
    body, reasons = [], []
    for verdict in data["orders"]:
        cells = [verdict["class"], str(verdict["threads"])]
        for rival, ours in verdict["ours"].items():
            cells += [digits(verdict["paper"][rival])]
            cells += [digits(ours["speed_up"]) + ("*" if ours["stopped"] else "")]
            cells += [digits(ours["of_steps"])]
            cells += [_maybe(ours["fewer_edges"]), _maybe(ours["higher_rate"])]
        cells += [_named(verdict["paper_order"]) or "no difference", _named(verdict["order"])]
        cells.append("yes" if verdict["holds"] else "**no**")
        body.append(cells)
        where = f"{verdict['class']}, {_on(verdict['threads'])}"
        reasons += [f"- {where}: {why}." for why in verdict["why"]]
    if not body:
        return "Not enough of the searches came to an end."
    return "\n\n".join([table(head, body), "\n".join(reasons)]).strip()


def _on(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def _named(order: list[str]) -> str:
    return " < ".join(_SHORT.get(name, name) for name in order)


_SHORT = {"ms-bfs-graft": "graft", "push-relabel": "PR", "pothen-fan": "PF"}


def _maybe(value: float | None) -> str:
    return "-" if value is None else digits(value)


def _statements(data: Data) -> str:
    body = [
        [
            said["words"],
            said["graph"],
            ", ".join(f"{name} {digits(value)}" for name, value in said["figures"].items()),
            "yes" if said["holds"] else "**no**",
        ]
        for said in data["statements"]
    ]
    head = ["the paper says", "on the stand-in of", "here", "holds"]
    return table(head, body) if body else ""
