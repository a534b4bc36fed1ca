# SPDX-License-Identifier: BSD-3-Clause
"""What the paper on tree grafting states, beside a result of its section."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from benchmarks.papers import counters
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.claims import Claim, Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.entrants import SWITCHES
from benchmarks.papers.figures import phases_of
from benchmarks.papers.grafting_parts import PARTS, STARTS, factors, groups
from benchmarks.papers.paper_001 import variation, worth_factors
from benchmarks.papers.ranking import FAN, GRAFT, PUSH
from benchmarks.report import Row, digits, milliseconds, paragraphs, table

PSI = {GRAFT: 6, FAN: 17, PUSH: 10}  # the paper's variation psi, percent on 40 threads (V B)


def items_001(data: Data, parts: Data | None = None) -> list[Item]:
    """Figures 1 and 3 to 8, and the variation of section V B. `parts`: of the section
    grafting-parts."""
    return [
        Item(
            "Figure 1. Entries, phases and path lengths",
            "algorithm; millions of edges, phases, mean length of the augmenting paths",
            [
                Claim(f"{each['words']} ({each['graph']})", float(each["holds"]), _figures(each))
                for each in data["statements"]
            ],
            figure="counters",
            why="The graphs are stand-ins with the paper's degrees and matching numbers, so single "
            f"counts differ. A search that took more than {data['limit']:g} s has no counts, and "
            "its statements are missing here.",
        ),
        _relative_speed(data),
        _variation(data),
        _rates(data),
        _scaling(data),
        _steps(data),
        _parts(parts) if parts else _contributions(data),
        _frontiers(data),
    ]


def _figures(statement: Row) -> str:
    return ", ".join(f"{name} {digits(value)}" for name, value in statement["figures"].items())


def _relative_speed(data: Data) -> Item:
    claims = []
    for each in data["orders"]:
        gains = {rival: ours["speed_up"] for rival, ours in each["ours"].items()}
        paper = ", ".join(f"{digits(g)} over {rival}" for rival, g in each["paper"].items())
        ours = ", ".join(f"{digits(g)} over {rival}" for rival, g in gains.items())
        on = "one thread" if each["threads"] == 1 else f"{each['threads']} threads"
        claims.append(Claim(f"{each['class']}, {on}: {paper}", float(each["holds"]), ours))
    return Item(
        "Figure 3. Relative speed of MS-BFS-Graft, PR and PF",
        "graph, speed relative to the slowest of the three",
        claims,
        figure="relative-speed",
        why="The statement holds if the order of the three is the paper's. The paper has 40 "
        "threads. ms-bfs-graft is first in all classes but the scientific one, as in the paper. "
        "There push-relabel is ahead, because ms-bfs-graft makes the row lists first, with which "
        "the paper's graphs come; its steps alone are faster. "
        "Elsewhere the two rivals change places; the result has the factors of edges and "
        "rates. Each class has few graphs, on one thread with one run, and what took more than "
        f"{data['limit']:g} s counts as that. Permuted graphs and the other families were left "
        "out for lack of device time.",
    )


def _variation(data: Data) -> Item:
    many = data["threads"][-1]
    means = {}
    for name in PSI:
        rows = tables.select(data, name, many).values()
        values = [psi for row in rows if (psi := variation(row)) is not None]
        if values:
            means[name] = statistics.mean(values)
    words = "psi: " + ", ".join(f"{name} {psi} %" for name, psi in PSI.items())
    ours = ", ".join(f"{name} {digits(psi)} %" for name, psi in means.items())
    claims = []
    if len(means) == len(PSI):
        least = min(means, key=means.__getitem__)
        claims = [yes_or_no(f"{words}; the least: {GRAFT}", least == GRAFT, ours)]
    return Item(
        "Section V B. Variation of the times",
        "ten runs on all threads",
        claims,
        why="Most runs take less than 0.2 s on a virtual machine. The cause of their variation "
        "was not examined.",
    )


def _pairs(data: Data) -> Iterator[tuple[Row, Row]]:
    """The rows of ms-bfs-graft and pothen-fan on all threads, where both searched."""
    many = data["threads"][-1]
    fan = tables.select(data, FAN, many)
    for name, row in tables.select(data, GRAFT, many).items():
        other = fan.get(name)
        if other and counters.searched(row) and counters.searched(other):
            yield row, other


def _rates(data: Data) -> Item:
    ratios = [
        counters.edges_and_rate(row)[1] / counters.edges_and_rate(other)[1]
        for row, other in _pairs(data)
    ]
    return Item(
        "Figure 4. Search rates",
        "graph, millions of edges a second on all threads",
        [
            counted("a higher rate than pothen-fan", [r > 1 for r in ratios], "graphs"),
            yes_or_no("2 to 12 times higher", bool(ratios) and min(ratios) >= 2, mean_text(ratios)),
        ],
        figure="search-rate",
        why="The time of ms-bfs-graft includes that of its row lists here. Where bottom-up steps "
        "read few entries, as on the stand-in of wikipedia, that time is most of the whole, and "
        "the rate is low although the search is short.",
    )


def _scaling(data: Data) -> Item:
    many = data["threads"][-1]
    one, all_threads = (tables.select(data, GRAFT, count) for count in (1, many))
    speeds = [
        one[name]["median"] / row["median"]
        for name, row in all_threads.items()
        if name in one and counters.searched(row) and counters.searched(one[name])
    ]
    holds = bool(speeds) and statistics.mean(speeds) / many >= 15 / 40
    ours = f"{mean_text(speeds)} on {many} threads"
    claims = [yes_or_no("15 on 40 cores, 12 on 24 cores: 0.38 to 0.5 for each core", holds, ours)]
    return Item(
        "Figure 5. Strong scaling",
        "threads, mean speed-up over one thread by class",
        claims if many > 1 else [],
        figure="graft-scaling" if many > 1 else "",
    )


def _steps(data: Data) -> Item:
    rows = tables.select(data, GRAFT, data["threads"][-1]).values()
    shares = [each for row in rows if counters.searched(row) and (each := tables.step_shares(row))]
    search = [each["top-down"] + each["bottom-up"] for each in shares]
    return Item(
        "Figure 6. Time of the steps",
        "graph, percent of the time of each step",
        [counted("at least 40 % of the time is spent on the search", [s >= 0.4 for s in search],
                 "graphs")],
        figure="step-shares",
    )  # fmt: skip


def _contributions(data: Data) -> Item:
    body, claims = [], []
    for kind in tables.classes(data):
        found = worth_factors(data, kind)
        if found is None:
            continue
        for label, each in found.items():
            body.append([f"{kind}, {label}", *(digits(value) for value in each.values())])
        direction, both = (found[label]["of the steps"] for label in ("direction", "both"))
        claims += [
            yes_or_no(f"{kind}: direction optimisation gains (1.6 times on average)",
                      direction > 1, digits(direction)),
            yes_or_no(f"{kind}: grafting gains in addition (3 times on average, 7.8 on networks)",
                      both > direction, digits(both / direction)),
        ]  # fmt: skip
    head = ["class, parts", "graphs", "speed-up", "of the steps", "fewer entries", "rate"]
    head += ["fewer phases"]
    return Item(
        "Figure 7. Direction optimisation and tree grafting",
        "class, speed-up of MS-BFS on all threads",
        claims,
        paragraphs(table(head, body), _by_graph(data)) if body else "",
        figure="contributions" if body else "",
        why=_WHY_PARTS,
    )


def _parts(data: Data) -> Item:
    """Figure 7, from the section grafting-parts."""
    rows = data["rows"]
    claims, body = [], []
    for name, group in groups(rows).items():
        for start in STARTS:
            for whole in (False, True):
                found = {part: factors(group, start, part, whole) for part in PARTS[1:]}
                direction, both = found["direction"], found["both"]
                if direction is None or both is None:
                    continue
                gains = [direction["speed-up"], both["speed-up"] / direction["speed-up"]]
                entries = [
                    direction["fewer entries"], both["fewer entries"] / direction["fewer entries"]
                ]  # fmt: skip
                columns = "whole" if whole else "until a path"
                numbers = [*gains, *entries]
                body.append(
                    [name, start, columns, f"{direction['graphs']:.0f}", *map(digits, numbers)]
                )
                if name == "all":
                    where = f"{start}, columns {columns}"
                    claims += [
                        yes_or_no(f"direction optimisation gains 1.6 on average ({where})",
                                  gains[0] >= 1.3, digits(gains[0])),
                        yes_or_no(f"grafting gains 3 in addition ({where})",
                                  gains[1] >= 2.4, digits(gains[1])),
                    ]  # fmt: skip
    head = ["class, order", "start", "columns", "graphs", "direction", "grafting in addition"]
    head += ["fewer entries by direction", "by grafting in addition"]
    return Item(
        "Figure 7. Direction optimisation and tree grafting",
        f"class, speed-up of the steps of MS-BFS on {data['threads']} threads",
        claims,
        table(head, body),
        why=_WHY_PARTS,
    )


_WHY_PARTS = (
    "Claims are about the steps of the search, because the paper's graphs come with the row lists, "
    "which take a constant time here in all four cases. In the table by class, a speed-up is the "
    "factor of fewer entries times that of the rate, both with the row lists. Direction "
    "optimisation gains nothing in the mean of any class, for three measured reasons. On the "
    "stand-ins of cit-Patents and amazon0312 the rule for switching is met in no level or in three "
    "of thousands. On those of kkt_power and web-Google the search reads more entries with "
    "bottom-up steps than without. On those of coPaperDBLP and wikipedia it reads less than half "
    "of the entries, and the rate falls by about the same factor. Grafting saves time on networks "
    "and cit-Patents, by fewer entries, and on amazon0312, by fewer levels. It does not on "
    "kkt_power, where the search reads more, and on coPaperDBLP, where it reads less at a lower "
    "rate. The start leaves fewer columns than in the paper on all graphs but kkt_power (table of "
    "the matrices in the result), so there is less to search and to graft. Unknown: why the rate "
    "falls in bottom-up steps (memory accesses were not counted), and what 40 threads would "
    "change. Permuted graphs were left out for lack of device time."
)


def _by_graph(data: Data) -> str:
    """Entries, rate and steps of the four searches on each graph."""
    many = data["threads"][-1]
    cells: dict[str, list[list[str]]] = {}
    for switch in (*SWITCHES, {}):
        for name, row in tables.select(data, GRAFT, many, dict(switch)).items():
            if counters.searched(row):
                cells.setdefault(name, []).append(_part(row))
    graphs = {facts["matrix"]: facts["stands_for"] for facts in data["matrices"]}
    labels = ("neither", "direction", "grafting", "both")
    body = [[graphs.get(name, name), *map("; ".join, each)] for name, each in cells.items()]
    return paragraphs(
        "By graph: milliseconds of the steps; entries read over those of the matrix; phases; "
        "levels, and how many of them are bottom-up.",
        table(["stand-in of", *labels], [row for row in body if len(row) > len(labels)]),
    )


def _part(row: Row) -> list[str]:
    counts = row["counters"]
    seconds, bottom_up = counters.seconds_of_steps(row), counts.get("bottom_up_steps", 0)
    return [
        "-" if seconds is None else milliseconds(seconds),
        digits(counts["edges"] / row["nnz"]),
        str(counts["phases"]),
        f"{counts['top_down_steps'] + bottom_up:,}, {bottom_up}",
    ]


def _frontiers(data: Data) -> Item:
    found = next(iter(data.get("frontiers", {}).values()), None)
    claims = []
    if found:
        grafted, plain = (phases_of(found[name])[1:3] for name in (GRAFT, "ms-bfs"))
        claims = [
            counted("with grafting, a phase begins with its largest frontier",
                    [phase[0] == max(phase) for phase in grafted if phase], "phases"),
            counted("without it, a phase begins with a small frontier, which grows",
                    [phase[0] < max(phase) for phase in plain if phase], "phases"),
            counted("with grafting, the forest has fewer levels",
                    [len(a) <= len(b) for a, b in zip(grafted, plain, strict=False)], "phases"),
        ]  # fmt: skip
    return Item(
        "Figure 8. Sizes of the frontiers",
        "level, columns in the frontier, in two phases on coPapersDBLP",
        claims,
        figure="frontiers" if found else "",
        why="MS-BFS here is ms-bfs-graft without grafting and direction optimisation. The stand-in "
        "needs one phase after the first. It begins with few columns, because the start leaves "
        "fewer columns than in the paper and nearly all of them are matched in the first phase, "
        "so that few trees can be grafted.",
    )
