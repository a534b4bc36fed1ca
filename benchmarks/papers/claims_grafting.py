# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on tree grafting, compared with a result of its section."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.papers import causes, counters, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.claims import Claim, Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.claims_choices import of_alpha
from benchmarks.papers.claims_grafting_gains import (
    of_class,
    of_copurchases,
    of_means,
    of_path_lengths,
    of_rates,
    of_scaling,
    of_steps,
    speed_ups,
)
from benchmarks.papers.claims_grafting_parts import millions, of_parts
from benchmarks.papers.figures import phases_of
from benchmarks.papers.paper_001 import variation
from benchmarks.papers.ranking import FAN, GRAFT, PUSH
from benchmarks.papers.stand_ins import stands_for
from benchmarks.report import Row, digits, milliseconds

PSI = {GRAFT: 6, FAN: 17, PUSH: 10}  # the paper's variation psi, percent on 40 threads (V B)


def items_001(
    data: Data,
    parts: Data | None = None,
    small: Data | None = None,
    alone: Data | None = None,
    codes: Data | None = None,
    chosen: Data | None = None,
    *,
    busy: bool = False,
) -> list[Item]:
    """Figures 1 and 3 to 8, and the variation of section V B. The arguments are results. `parts` is
    of the section grafting-parts on all threads, and `alone` on one thread of the same machine.
    `small` is of paper-001 on smaller graphs; with `busy`, other processes used its cores. `codes`
    is of the section serial-codes, and `chosen` of paper-choices."""
    return [
        _serial_codes(codes),
        _relative_speed(data),
        _variation(data),
        _rates(data),
        _scaling(data),
        _steps(data),
        of_parts(data, parts, alone, small),
        _frontiers(data),
        of_alpha(chosen),
        *([_by_order(data, _WHY_ORDERS)] if small else []),
        *([_by_order(small, _why_small(small, busy=busy))] if small else []),
    ]


def _serial_codes(data: Data | None) -> Item:
    """Figure 1, with the graphs in both orders."""
    claims = []
    for is_random, order in ((False, ""), (True, ", random order")):
        rows = [r for r in data["rows"] if ("_rcp" in r["matrix"]) == is_random] if data else []
        found = counters.statements(rows)
        claims += _statements(found, order)
        claims += [
            Claim(f"{words} ({graph}{order})", None, "-")
            for words, graph in counters.not_judged(found)
        ]
        for graph, name in {(r["matrix"], _graph(r["matrix"])): None for r in rows}:
            own = [row for row in rows if row["matrix"] == graph]
            claims += of_path_lengths(own, f"{name}{order}")
    return Item(
        "Figure 1. Entries, phases and path lengths",
        "algorithm; millions of edges, phases, mean length of the augmenting paths",
        claims if data else [],
        figure="counters" if data else "",
        section="serial-codes",
        why=f"{_stopped(data)}{causes.of_phases(data['rows'])}{_WHY_COUNTS}" if data else "",
    )


def _graph(matrix: str) -> str:
    paper = stands_for(matrix)
    return paper.graph if paper else matrix


def _stopped(data: Data) -> str:
    """A sentence on the searches without counts, or nothing."""
    names = [f"{row['algorithm']} on `{row['matrix']}`" for row in data["rows"] if row["overran"]]
    if not names:
        return ""
    searches = ", ".join(names)
    return f"Searches without counts, stopped after {data['limit']:g} s: {searches}. "


_WHY_COUNTS = (
    "The counts of visited entries are relative to the number of entries of the matrix. The graphs "
    "are stand-ins with the paper's degrees and matching numbers, so single counts differ. SS-DFS "
    "does not visit the rows of a search without a path again (option `close` of `ss-dfs`), as in "
    "the paper's algorithm 1."
)


def _statements(found: Sequence[Row], order: str = "") -> list[Claim]:
    return [
        Claim(f"{each['words']} ({each['graph']}{order})", float(each["holds"]), _figures(each))
        for each in found
    ]


def _figures(statement: Row) -> str:
    return ", ".join(f"{name} {digits(value)}" for name, value in statement["figures"].items())


def _by_order(data: Data, why: str) -> Item:
    """Figures 3 to 6, judged once on the graphs in their own order and once in a random order. If
    the result has only two threads, the order of the three searches is judged on one thread
    only."""
    many = data["threads"][-1]
    judged = (1, many) if many > 2 else (1,)
    claims = []
    for order, is_random in (("own order", False), ("random order", True)):
        rows = [row for row in data["rows"] if ("_rcp" in row["matrix"]) == is_random]
        part = {**data, "rows": rows}
        orders = ranking.orders(rows, data["limit"])
        for each in orders:
            claims += of_class(each, f", {order}") if each["threads"] in judged else []
        rates = [ratio for _, ratio in _rate_ratios(part)]
        speeds = speed_ups(part)
        search = _search_shares(part)
        claims += [
            counted(f"figure 4: a higher rate than pothen-fan, {order}", [r > 1 for r in rates],
                    "graphs"),
            yes_or_no(f"figure 5: at least 0.38 for each core, {order}",
                      bool(speeds) and statistics.mean(speeds) / many >= 15 / 40,
                      f"{mean_text(speeds)} on {many} threads"),
            counted(f"figure 6: at least 40 % of the time is spent on the search, {order}",
                    [share >= 0.4 for share in search], "graphs"),
        ]  # fmt: skip
    sizes = sorted(row["nnz"] for row in data["rows"])
    return Item(
        f"Figures 3 to 6 by order, with {millions(sizes)} million entries, on {many} cores",
        "as above",
        claims,
        why=why,
    )


_WHY_ORDERS = (
    "The paper does not name the order of its graphs. The figures above show each stand-in in both "
    "orders; here each order is judged separately."
)


def _why_small(data: Data, *, busy: bool) -> str:
    return (
        "A large part of these graphs fits into the caches. Nothing about the paper's 40 threads "
        "follows from two threads, so the order of the three searches is judged on one thread."
        + (_BUSY if busy else "")
    )


_BUSY = (
    " Other processes used the cores during the run. The threads of ms-bfs-graft wait for each "
    "other after each level, so that two threads often took longer than one. So nothing about "
    "quiet cores follows from figures 4 and 5 here."
)


def _relative_speed(data: Data) -> Item:
    orders = data["orders"]
    claims = [claim for each in orders for claim in of_class(each)]
    claims += [*of_means(orders), *of_copurchases(data)]
    return Item(
        "Figure 3. Relative speed of MS-BFS-Graft, PR and PF",
        "graph, speed relative to the slowest of the three",
        claims,
        figure="relative-speed",
        why="For each class there is a statement about the order of the three searches, the "
        "fastest first, and one about each gain, which holds if the geometric mean is at least the "
        f"paper's. The paper has 40 threads. {_first(data)}In a class with another order, "
        "pothen-fan and push-relabel have changed places. For scientific graphs on one thread, the "
        "paper states no improvement; the statement holds if both ratios are between "
        f"{1 / ranking.ABOUT_ONE:g} and {ranking.ABOUT_ONE:g}. A mean is the arithmetic mean of "
        "the ratios of the classes, and holds if it is at least the paper's. The result has the "
        "ratios of visited edges and of rates. Each class has four graphs in two orders. On one "
        f"thread, each search ran once. The time of a search that took more than {data['limit']:g} "
        "s is taken as this limit.",
    )


def _first(data: Data) -> str:
    """A sentence on the classes in which ms-bfs-graft is first."""
    orders = data["orders"]
    if orders and all(min(o["speed_up"] for o in e["ours"].values()) >= 1 for e in orders):
        return "ms-bfs-graft is first in each class, as in the paper. "
    return ""


def _variation(data: Data) -> Item:
    runs = {name: _with_runs(data, name, data["threads"][-1]) for name in PSI}
    psi = {
        name: {g: variation(row) or 0.0 for g, row in each.items()} for name, each in runs.items()
    }
    claims = []
    for rival in (FAN, PUSH):
        common = psi[GRAFT].keys() & psi[rival].keys()
        if common:
            own, other = (statistics.mean([psi[n][g] for g in common]) for n in (GRAFT, rival))
            words = f"psi is smaller for {GRAFT} ({PSI[GRAFT]} %) than for {rival} ({PSI[rival]} %)"
            ours = f"{digits(own)} % and {digits(other)} % on {len(common)} graphs"
            claims.append(yes_or_no(words, own < other, ours))
    if psi[GRAFT]:
        own = statistics.mean(psi[GRAFT].values())
        words = f"psi of {GRAFT} is {PSI[GRAFT]} % on average"
        claims.append(yes_or_no(words, own <= PSI[GRAFT], f"{digits(own)} %"))
    return Item(
        "Section V B. Variation of the times",
        "ten runs on all threads",
        claims,
        why="psi is the standard deviation of the times of several runs, in percent of their mean. "
        "The table has means over the graphs on which both searches have at least three runs. "
        f"{causes.of_variation(runs)}Single long runs determine these means. The paper pins "
        "threads to cores; here they are not pinned, on a virtual machine, and most runs take less "
        f"than 0.2 s. {_of_work(data)}"
        if claims
        else "",
    )


def _with_runs(data: Data, name: str, threads: int) -> dict[str, Row]:
    """The rows of an algorithm that have enough runs for psi, by graph."""
    rows = tables.select(data, name, threads)
    return {graph: row for graph, row in rows.items() if variation(row) is not None}


def _of_work(data: Data) -> str:
    """A sentence on how much the visited entries vary, if the result has them for each run."""
    found = causes.of_work(data["rows"])
    if not found:
        return "The result does not have the visited entries of each run."
    each = ", ".join(f"{name} {statistics.mean(psi):.1f} %" for name, psi in found.items())
    return f"psi of the number of visited entries: {each}."


def _pairs(data: Data) -> Iterator[tuple[Row, Row]]:
    """Pairs of rows of ms-bfs-graft and pothen-fan on all threads, for graphs on which both
    searched."""
    many = data["threads"][-1]
    fan = tables.select(data, FAN, many)
    for name, row in tables.select(data, GRAFT, many).items():
        other = fan.get(name)
        if other and counters.searched(row) and counters.searched(other):
            yield row, other


def _rate_ratios(data: Data) -> list[tuple[Row, float]]:
    return [
        (row, counters.edges_and_rate(row)[1] / counters.edges_and_rate(other)[1])
        for row, other in _pairs(data)
    ]


def _rates(data: Data) -> Item:
    pairs = _rate_ratios(data)
    ratios = [ratio for _, ratio in pairs]
    return Item(
        "Figure 4. Search rates",
        "graph, millions of edges a second on all threads",
        [
            counted("a higher rate than pothen-fan", [r > 1 for r in ratios], "graphs"),
            yes_or_no("2 to 12 times higher", bool(ratios) and min(ratios) >= 2, mean_text(ratios)),
            *of_rates(pairs),
        ],
        figure="search-rate",
        why="The time of ms-bfs-graft includes the computation of its row lists here. If bottom-up "
        "steps visit few entries, as on the stand-in of wikipedia, this computation is most of the "
        "time, and the rate is low although the search is short.",
    )


def _scaling(data: Data) -> Item:
    many = data["threads"][-1]
    speeds = speed_ups(data)
    holds = bool(speeds) and statistics.mean(speeds) / many >= 15 / 40
    ours = f"{mean_text(speeds)} on {many} threads"
    words = "15 on 40 cores, 12 on 24 cores, so 0.38 to 0.5 for each core"
    claims = [yes_or_no(words, holds, ours), *of_scaling(data)]
    return Item(
        "Figure 5. Strong scaling",
        "threads, mean speed-up over one thread by class",
        claims if many > 1 else [],
        figure="graft-scaling" if many > 1 else "",
        why=_least_gains(data),
    )


def _least_gains(data: Data) -> str:
    """A sentence on the graphs with a small speed-up, and their times."""
    one, many = (tables.select(data, GRAFT, count) for count in (1, data["threads"][-1]))
    few = [
        f"`{name}` ({digits(one[name]['median'] / row['median'])}; "
        f"{milliseconds(one[name]['median'])} ms and {milliseconds(row['median'])} ms)"
        for name, row in many.items()
        if name in one
        and counters.searched(row)
        and counters.searched(one[name])
        and one[name]["median"] / row["median"] < 5
    ]
    if not few:
        return ""
    return (
        "The speed-up, in brackets with the times on one and on all threads, is less than 5 on "
        f"{' and '.join(few)}."
    )


def _search_shares(data: Data) -> list[float]:
    """The share of top-down and bottom-up steps in the time of the steps, for each graph."""
    rows = tables.select(data, GRAFT, data["threads"][-1]).values()
    shares = [each for row in rows if counters.searched(row) and (each := tables.step_shares(row))]
    return [each["top-down"] + each["bottom-up"] for each in shares]


def _steps(data: Data) -> Item:
    search = _search_shares(data)
    return Item(
        "Figure 6. Time of the steps",
        "graph, percent of the time of each step",
        [
            counted("at least 40 % of the time is spent on the search", [s >= 0.4 for s in search],
                    "graphs"),
            *of_steps(data),
        ],
        figure="step-shares",
    )  # fmt: skip


def _frontiers(data: Data) -> Item:
    found = next(iter(data.get("frontiers", {}).values()), None)
    claims = []
    if found:
        grafted, plain = (phases_of(found[name])[1:3] for name in (GRAFT, "ms-bfs"))
        claims = [
            counted("with grafting, a phase begins with its largest frontier",
                    [phase[0] == max(phase) for phase in grafted if phase], "phases"),
            counted("without grafting, a phase begins with a small frontier, which grows",
                    [phase[0] < max(phase) for phase in plain if phase], "phases"),
            counted("with grafting, the forest has fewer levels",
                    [len(a) < len(b) for a, b in zip(grafted, plain, strict=False)], "phases"),
            counted("with grafting, the forest has fewer vertices",
                    [sum(a) < sum(b) for a, b in zip(grafted, plain, strict=False)], "phases"),
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
