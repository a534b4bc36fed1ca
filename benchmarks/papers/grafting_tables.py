# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the section `published`: matrices, times, counters, the paper's ranking and
ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.papers.counters import (
    OF_PAPER,
    STEPS,
    edges_and_rate,
    edges_per_entry,
    mean_path,
    phases,
    searched,
    step_seconds,
)
from benchmarks.papers.entrants import AUTO, GRAFT, START, SWITCHES
from benchmarks.papers.stand_ins import CLASSES
from benchmarks.report import (
    Row,
    by_matrix,
    digits,
    geometric_mean,
    known,
    milliseconds,
    paragraphs,
    table,
)

Data = dict[str, Any]

OURS = "guided-displacement"
_SHORT = {"ms-bfs-graft": "graft", "push-relabel": "PR", "pothen-fan": "PF"}


def markdown(data: Data) -> str:
    """All tables of the section."""
    many = data["threads"][-1]
    parts = [
        "### The matrices",
        "Shares of all vertices that Karp-Sipser and a maximum matching cover, and the share left "
        "to the searches. In brackets: the same for the paper's graph for which the matrix stands.",
        _matrices(data),
        "### Search after Karp-Sipser, one thread, ms",
        "`-`: the initial matching was maximum.",
        _times(data, 1),
    ]
    if many > 1:
        parts += [f"### Search after Karp-Sipser, {_on(many)}, ms", _times(data, many)]
    if any(row["algorithm"] == AUTO for row in data["rows"]):
        parts += [
            "### Start and search together",
            "`auto` with the initial matching that it chooses, and the fastest published algorithm "
            "after Karp-Sipser on each matrix.",
            _together(data),
        ]
    for title, figure in (
        ("Visited edges over the entries of the matrix", edges_per_entry),
        ("Phases", phases),
        ("Mean length of the augmenting paths", mean_path),
    ):
        parts += [f"### {title}, one thread", _counted(data, figure)]
    parts += [
        f"### Search rate and steps of {GRAFT}, {_on(many)}",
        "Millions of edges per second; the share of each step in the time of all steps.",
        _steps(data, many),
        "### Direction optimisation and grafting",
        f"Speed-up over {GRAFT} with both switched off, which is multi-source BFS; {_on(many)}, "
        "geometric means.",
        _worth(data),
        "### The ranking within each class",
        "Speed-up of ms-bfs-graft over push-relabel (PR) and pothen-fan (PF), without the initial "
        "matching: the paper's means; our geometric means; and our means without the time in which "
        "ms-bfs-graft computes its row lists, because the paper's graphs come with them. The last "
        "columns have the factors of our means: how many times fewer edges ms-bfs-graft visits, "
        "and how many times higher its rate is. `*`: some searches were stopped, and their time is "
        "the limit. *Many* threads are 40 in the paper; a serial algorithm is compared on many "
        "threads with its time on one.",
        _orders(data),
    ]
    if data.get("statements"):
        parts += ["### The counters of the searches", statements(data["statements"])]
    return paragraphs(*parts)


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


def of_paper(data: Data, algorithm: str) -> dict[str, Row]:
    """The rows of a search on one thread by matrix, with the options of `counters.OF_PAPER` if it
    ran with them."""
    return select(data, algorithm, 1, OF_PAPER.get(algorithm)) or select(data, algorithm, 1)


def algorithms(data: Data, threads: int) -> list[str]:
    """The searches that ran on this number of threads with their default options, in the order of
    their rows. `auto` and the initializer are left out."""
    names = {
        row["algorithm"]: None
        for row in data["rows"]
        if row["threads"] == threads and not row["options"]
    }
    return [name for name in names if name not in (AUTO, START)]


def step_shares(row: Row) -> dict[str, float] | None:
    """The share of each step in the time of all steps; None if no step was timed."""
    seconds = step_seconds(row)
    total = sum(seconds.values())
    return {step: each / total for step, each in seconds.items()} if total else None


def worth(data: Data, kind: str) -> list[float]:
    """Geometric mean speed-ups of a class over the search with both parts switched off, on the
    largest number of threads: one for each of `SWITCHES` (1 for the first, which switches both
    off), then one with both on. Matrices that were not searched in each of these runs (see
    `searched`) are left out; nan if none is left."""
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


def classes(data: Data) -> list[str]:
    """The paper's classes that occur, then the others."""
    present = {entry["class"]: None for entry in data["matrices"]}
    return [kind for kind in CLASSES if kind in present] + [k for k in present if k not in CLASSES]


def _matrices(data: Data) -> str:
    def cells(entry: Row) -> list[str]:
        own = [known(entry[name], "{:.2f}".format) for name in _SHARES]
        paper = [f" ({entry['paper'][name]:.2f})" if entry["paper"] else "" for name in _SHARES]
        shares = [a + b for a, b in zip(own, paper, strict=True)]
        return [entry["stands_for"] or "-", entry["class"], f"{entry['nnz']:,}", *shares]

    head = ["stands for", "class", "entries", "a column", "Karp-Sipser, %", "maximum, %", "left, %"]
    return by_matrix(head, data["matrices"], cells)


_SHARES = ("degree", "maximal", "maximum", "left")


def _by_search(data: Data, threads: int, cells: Callable[[list[Row | None]], list[str]]) -> str:
    """A table with a line for each matrix and a column for each search on this number of
    threads."""
    names = algorithms(data, threads)
    runs = [select(data, name, threads) for name in names]
    return by_matrix(
        names, data["matrices"], lambda entry: cells([run.get(entry["matrix"]) for run in runs])
    )


def _times(data: Data, threads: int) -> str:
    def cells(rows: list[Row | None]) -> list[str]:
        best = min((row["median"] for row in rows if row and searched(row)), default=None)
        return [_time(row, best) for row in rows]

    def _time(row: Row | None, best: float | None) -> str:
        if row is None:
            return ""
        if row["overran"]:
            return f">{data['limit'] * 1e3:.0f}"
        if not searched(row):
            return "-"
        cell = milliseconds(row["median"])
        return f"**{cell}**" if row["median"] == best else cell

    return _by_search(data, threads, cells)


def _counted(data: Data, figure: Callable[[Row], float | None]) -> str:
    return _by_search(
        data,
        1,
        lambda rows: [known(figure(row) if row and searched(row) else None) for row in rows],
    )


def _together(data: Data) -> str:
    head = []
    for threads in data["threads"]:
        head += [f"auto, {threads}, ms", "best published", "ms", "gain"]
    return by_matrix(
        head,
        data["matrices"],
        lambda entry: [
            cell for t in data["threads"] for cell in _best_published(data, entry["matrix"], t)
        ],
    )


def _best_published(data: Data, matrix: str, threads: int) -> list[str]:
    """The cells of a matrix: the time of `auto`, the fastest published search after Karp-Sipser's
    matching, the time of both together, and its ratio to that of `auto`. The matching and the
    search each use at most this number of threads."""
    auto = select(data, AUTO, threads).get(matrix)
    start: list[float] = []
    search: dict[str, float] = {}
    for row in data["rows"]:
        name, seconds = row["algorithm"], row["median"]
        if row["matrix"] != matrix or row["threads"] > threads or row["options"] or seconds is None:
            continue
        if name == START:
            start.append(seconds)
        elif name not in (AUTO, OURS):
            search[name] = min(seconds, search.get(name, seconds))
    if auto is None or auto["median"] is None or not start or not search:
        return ["-", "-", "-", "-"]
    name = min(search, key=search.__getitem__)
    time = min(start) + search[name]
    ratio = digits(time / max(auto["median"], 1e-9))
    return [milliseconds(auto["median"]), name, milliseconds(time), ratio]


def _steps(data: Data, threads: int) -> str:
    graft = select(data, GRAFT, threads)
    fan = select(data, "pothen-fan", threads) or select(data, "pothen-fan", 1)

    def cells(entry: Row) -> list[str]:
        row, other = graft[entry["matrix"]], fan.get(entry["matrix"])
        rate = edges_and_rate(row)[1]
        ratio = rate / edges_and_rate(other)[1] if other and searched(other) else None
        shares = step_shares(row) or {}
        each = [f"{100 * shares[step]:.0f} %" if shares else "-" for step in STEPS]
        return [digits(rate), known(ratio), *each]

    rows = [e for e in data["matrices"] if (row := graft.get(e["matrix"])) and searched(row)]
    return by_matrix(["MTEPS", "of pothen-fan's", *STEPS], rows, cells)


def _worth(data: Data) -> str:
    found = {kind: worth(data, kind)[1:] for kind in classes(data)}
    body = [[kind, *map(digits, f)] for kind, f in found.items() if not math.isnan(f[-1])]
    if not body:
        return "Not measured in this run."
    return table(["class", "direction", "grafting", "both"], body)


def _orders(data: Data) -> str:
    body, reasons = [], []
    for verdict in data["orders"]:
        cells = [verdict["class"], str(verdict["threads"])]
        for rival, ours in verdict["ours"].items():
            cells += [digits(verdict["paper"][rival])]
            cells += [digits(ours["speed_up"]) + ("*" if ours["stopped"] else "")]
            cells += [digits(ours["of_steps"])]
            cells += [known(ours["fewer_edges"]), known(ours["higher_rate"])]
        cells += [_named(verdict["paper_order"]) or "no difference", _named(verdict["order"])]
        body.append([*cells, "yes" if verdict["holds"] else "**no**"])
        where = f"{verdict['class']}, {_on(verdict['threads'])}"
        reasons += [f"- {where}: {why}." for why in verdict["why"]]
    if not body:
        return "Too few searches finished."
    each = ["ours", "steps", "edges", "rate"]
    head = ["class", "threads", "over PR: paper", *each, "over PF: paper", *each]
    head += ["paper's order", "ours", "reproduced"]
    return paragraphs(table(head, body), "\n".join(reasons))


def _on(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def _named(order: list[str]) -> str:
    return " < ".join(_SHORT.get(name, name) for name in order)


def statements(found: list[Row]) -> str:
    """The statements of `counters.statements`, one in each line."""
    body = [
        [
            statement["words"],
            statement["graph"],
            ", ".join(f"{name} {digits(value)}" for name, value in statement["figures"].items()),
            "yes" if statement["holds"] else "**no**",
        ]
        for statement in found
    ]
    head = ["the paper says", "on the stand-in of", "here", "holds"]
    return table(head, body) if body else ""
