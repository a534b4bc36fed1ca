# SPDX-License-Identifier: BSD-3-Clause
"""What the paper on tree grafting states, beside a result of its section."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.papers import causes, counters, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.claims import Claim, Data, Item, counted, mean_text, yes_or_no
from benchmarks.papers.figures import phases_of
from benchmarks.papers.grafting_parts import STARTS, factors, groups
from benchmarks.papers.paper_001 import variation, worth_factors
from benchmarks.papers.ranking import FAN, GRAFT, PUSH
from benchmarks.papers.stand_ins import CLASSES, stands_for
from benchmarks.report import Row, digits, geometric_mean, milliseconds, table

PSI = {GRAFT: 6, FAN: 17, PUSH: 10}  # the paper's variation psi, percent on 40 threads (V B)


def items_001(
    data: Data,
    parts: Data | None = None,
    small: Data | None = None,
    alone: Data | None = None,
    *,
    busy: bool = False,
) -> list[Item]:
    """Figures 1 and 3 to 8, and the variation of section V B. `parts`: of the section
    grafting-parts on all threads; `small`: of paper-001 on smaller graphs, on cores that were
    `busy`; `alone`: of grafting-parts on one thread of the same machine."""
    return [
        Item(
            "Figure 1. Entries, phases and path lengths",
            "algorithm; millions of edges, phases, mean length of the augmenting paths",
            [
                *_statements(data["statements"]),
                *(
                    Claim(f"{words} ({graph})", None, "-")
                    for words, graph in counters.not_judged(data["statements"])
                ),
            ],
            figure="counters",
            why="The graphs are stand-ins with the paper's degrees and matching numbers, so single "
            f"counts differ. A search that took more than {data['limit']:g} s has no counts, and "
            "its statements were not judged."
            + (" The last table judges most of them on smaller graphs." if small else ""),
        ),
        _relative_speed(data),
        _variation(data),
        _rates(data),
        _scaling(data),
        _steps(data),
        _parts(data, parts, alone, small),
        _frontiers(data),
        *([_by_order(data, _WHY_ORDERS)] if small else []),
        *([_by_order(small, _why_small(small, busy=busy))] if small else []),
    ]


def _statements(found: Sequence[Row], order: str = "") -> list[Claim]:
    return [
        Claim(f"{each['words']} ({each['graph']}{order})", float(each["holds"]), _figures(each))
        for each in found
    ]


def _figures(statement: Row) -> str:
    return ", ".join(f"{name} {digits(value)}" for name, value in statement["figures"].items())


def _of_order(each: Row, more: str = "") -> Claim:
    """The order of the three searches in a class."""
    gains = {rival: ours["speed_up"] for rival, ours in each["ours"].items()}
    paper = ", ".join(f"{digits(g)} over {rival}" for rival, g in each["paper"].items())
    ours = ", ".join(f"{digits(g)} over {rival}" for rival, g in gains.items())
    on = "one thread" if each["threads"] == 1 else f"{each['threads']} threads"
    return Claim(f"{each['class']}, {on}{more}: {paper}", float(each["holds"]), ours)


def _by_order(data: Data, why: str) -> Item:
    """Figures 1 and 3 to 6 on the graphs in their own and in a random order. On two threads, the
    order of the three searches is judged on one thread only."""
    many = data["threads"][-1]
    judged = (1, many) if many > 2 else (1,)
    claims = []
    for order, is_random in (("own order", False), ("random order", True)):
        rows = [row for row in data["rows"] if ("_rcp" in row["matrix"]) == is_random]
        part = {**data, "rows": rows}
        claims += _statements(counters.statements(rows), f", {order}")
        orders = ranking.orders(rows, data["limit"])
        claims += [_of_order(each, f", {order}") for each in orders if each["threads"] in judged]
        rates = _rate_ratios(part)
        speeds = _speed_ups(part)
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
        f"Figures 1 and 3 to 6 by order, with {_millions(sizes)} million entries, on {many} cores",
        "as above",
        claims,
        why=f"{why} Statements of figure 1 on which a search took more than {data['limit']:g} s "
        "are missing.",
    )


def _millions(sizes: Sequence[int]) -> str:
    """``8.3 to 17``: the least and the largest number of entries in millions."""
    return f"{min(sizes) / 1e6:.2g} to {max(sizes) / 1e6:.2g}"


_WHY_ORDERS = (
    "The paper does not name the order of its graphs. The figures above have both orders of each "
    "stand-in; here each order is judged on its own."
)


def _why_small(data: Data, *, busy: bool) -> str:
    return (
        "A large part of these graphs fits into the caches, and two threads say nothing about the "
        "paper's 40: the order of the three searches is judged on one thread."
        + (_BUSY if busy else "")
    )


_BUSY = (
    " Other processes used the cores during the run. The threads of ms-bfs-graft wait for each "
    "other after each level, so that two threads often took longer than one: figures 4 and 5 say "
    "nothing about quiet cores here. The counts of figure 1 do not depend on this."
)


def _relative_speed(data: Data) -> Item:
    claims = [_of_order(each) for each in data["orders"]]
    return Item(
        "Figure 3. Relative speed of MS-BFS-Graft, PR and PF",
        "graph, speed relative to the slowest of the three",
        claims,
        figure="relative-speed",
        why="The statement holds if the order of the three is the paper's. The paper has 40 "
        f"threads. {_first(data)}Where the order is not the paper's, the other two change places; "
        "the result has the factors of edges and rates. Each class has four graphs in two orders, "
        "on one thread with one run. A search that took more than "
        f"{data['limit']:g} s counts as if it had taken that time.",
    )


def _first(data: Data) -> str:
    """In which classes ms-bfs-graft is first."""
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
            words = f"psi of {GRAFT}, {PSI[GRAFT]} %, is below that of {rival}, {PSI[rival]} %"
            ours = f"{digits(own)} % and {digits(other)} % on {len(common)} graphs"
            claims.append(yes_or_no(words, own < other, ours))
    return Item(
        "Section V B. Variation of the times",
        "ten runs on all threads",
        claims,
        why="The means are over the graphs on which both have at least three runs. "
        f"{causes.of_variation(runs)}Single long runs decide these means. The paper pins threads "
        "to cores; here they are not pinned, on a virtual machine, and most runs take less than "
        f"0.2 s. {_of_work(data)}"
        if claims
        else "",
    )


def _with_runs(data: Data, name: str, threads: int) -> dict[str, Row]:
    """The rows of an algorithm with enough runs, by graph."""
    rows = tables.select(data, name, threads)
    return {graph: row for graph, row in rows.items() if variation(row) is not None}


def _of_work(data: Data) -> str:
    """How much the visited entries vary, where a result has them for each run."""
    found = causes.of_work(data["rows"])
    if not found:
        return "Whether the visited entries vary as much is not on file for these runs."
    each = ", ".join(f"{name} {statistics.mean(psi):.1f} %" for name, psi in found.items())
    return f"psi of the visited entries: {each}."


def _pairs(data: Data) -> Iterator[tuple[Row, Row]]:
    """The rows of ms-bfs-graft and pothen-fan on all threads, where both searched."""
    many = data["threads"][-1]
    fan = tables.select(data, FAN, many)
    for name, row in tables.select(data, GRAFT, many).items():
        other = fan.get(name)
        if other and counters.searched(row) and counters.searched(other):
            yield row, other


def _rate_ratios(data: Data) -> list[float]:
    return [
        counters.edges_and_rate(row)[1] / counters.edges_and_rate(other)[1]
        for row, other in _pairs(data)
    ]


def _rates(data: Data) -> Item:
    ratios = _rate_ratios(data)
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


def _speed_ups(data: Data) -> list[float]:
    """Of ms-bfs-graft on all threads over one."""
    one, all_threads = (tables.select(data, GRAFT, count) for count in (1, data["threads"][-1]))
    return [
        one[name]["median"] / row["median"]
        for name, row in all_threads.items()
        if name in one and counters.searched(row) and counters.searched(one[name])
    ]


def _scaling(data: Data) -> Item:
    many = data["threads"][-1]
    speeds = _speed_ups(data)
    holds = bool(speeds) and statistics.mean(speeds) / many >= 15 / 40
    ours = f"{mean_text(speeds)} on {many} threads"
    claims = [yes_or_no("15 on 40 cores, 12 on 24 cores: 0.38 to 0.5 for each core", holds, ours)]
    return Item(
        "Figure 5. Strong scaling",
        "threads, mean speed-up over one thread by class",
        claims if many > 1 else [],
        figure="graft-scaling" if many > 1 else "",
        why=_least_gains(data),
    )


def _least_gains(data: Data) -> str:
    """The graphs with a small speed-up, and their times."""
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
    return f"Less than 5 on {' and '.join(few)}." if few else ""


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
        [counted("at least 40 % of the time is spent on the search", [s >= 0.4 for s in search],
                 "graphs")],
        figure="step-shares",
    )  # fmt: skip


def _parts(data: Data, parts: Data | None, alone: Data | None, small: Data | None) -> Item:
    """Figure 7: of all graphs from `data`, and by start and columns from `parts` of the section
    grafting-parts; `alone`: of this section on one thread; `small`: of smaller graphs."""
    title = "Figure 7. Direction optimisation and tree grafting"
    body, claims = _of_classes(data)
    for name, group in groups(parts["rows"]).items() if parts else ():
        for start in STARTS:
            for whole in (False, True):
                numbers = _of_group(group, start, whole)
                if numbers is None:
                    continue
                columns = "whole" if whole else "until a path"
                body.append([name, start, columns, f"{numbers[0]:.0f}", *map(digits, numbers[1:])])
                if name == "all":
                    where = f"{start}, columns {columns}, {numbers[0]:.0f} graphs"
                    claims += _gain_claims(numbers[1], numbers[2], where)
    if not claims:
        return Item(title, "class, speed-up of MS-BFS on all threads")
    head = ["class, order", "start", "columns", "graphs", "direction", "grafting in addition"]
    head += ["fewer entries by direction", "by grafting in addition"]
    causes_of = (
        f"{_of_disturbances(parts)}{causes.of_directions(parts['rows'])}"
        f"{_on_one_thread(alone, parts)}"
        if parts
        else ""
    )
    return Item(
        title,
        f"class, speed-up of the steps of MS-BFS on {data['threads'][-1]} threads",
        claims,
        table(head, body),
        why=f"{_WHY_PARTS} {causes_of}{_of_sizes(data, small)}{_REST_OF_PARTS}",
    )


def _gain_claims(direction: float, grafting: float, where: str) -> list[Claim]:
    return [
        yes_or_no(f"direction optimisation gains 1.6 on average ({where})",
                  direction >= 1.3, digits(direction)),
        yes_or_no(f"grafting gains 3 in addition ({where})", grafting >= 2.4, digits(grafting)),
    ]  # fmt: skip


def _of_group(rows: list[Row], start: str, whole: bool) -> list[float] | None:
    """The number of graphs; the speed-ups of direction optimisation and of grafting in addition;
    and how many times fewer entries each of them visits."""
    direction, both = (factors(rows, start, part, whole) for part in ("direction", "both"))
    if direction is None or both is None:
        return None
    return [
        direction["graphs"],
        direction["speed-up"], both["speed-up"] / direction["speed-up"],
        direction["fewer entries"], both["fewer entries"] / direction["fewer entries"],
    ]  # fmt: skip


def _of_classes(data: Data) -> tuple[list[list[str]], list[Claim]]:
    """The same by class for all graphs of the section paper-001, after Karp-Sipser: the lines of
    the table, and the claims about the mean of all."""
    found = {kind: worth for kind in CLASSES if (worth := worth_factors(data, kind)) is not None}
    if not found:
        return [], []
    body, every = [], []
    for kind, worth in found.items():
        direction, both = worth["direction"], worth["both"]
        numbers = [
            direction["of the steps"], both["of the steps"] / direction["of the steps"],
            direction["fewer entries"], both["fewer entries"] / direction["fewer entries"],
        ]  # fmt: skip
        every += [numbers] * round(direction["graphs"])
        cells = [STARTS[0], "until a path", f"{direction['graphs']:.0f}", *map(digits, numbers)]
        body.append([f"{kind}, both orders", *cells])
    means = [geometric_mean(each) for each in zip(*every, strict=True)]
    body.append(
        ["all, both orders", STARTS[0], "until a path", str(len(every)), *map(digits, means)]
    )
    where = f"{STARTS[0]}, columns until a path, {len(every)} graphs"
    return body, _gain_claims(means[0], means[1], where)


def _of_disturbances(data: Data) -> str:
    """How many searches were disturbed in the run whose steps count."""
    found = [
        (search["seconds"][-1] / search["seconds"][0], row["matrix"], start, name, search)
        for row in data["rows"]
        for start, each in row["starts"].items()
        for name, search in each["searches"].items()
    ]
    slow = [each for each in found if each[0] > 2]
    if not slow:
        return ""
    _, graph, start, name, search = max(slow, key=lambda each: each[0])
    first, last = (milliseconds(search["seconds"][k]) for k in (0, -1))
    others = [row for row in data["rows"] if row["matrix"] != graph]
    numbers = _of_group(others, start, "whole" in name)
    gains = f" and {digits(numbers[2])}" if numbers else ""
    return (
        f"The steps of the last of two runs count. The last run took more than twice as long as "
        f"the first one for {len(slow)} of {len(found)} searches, most on `{graph}` ({name}, start "
        f"{start}: {first} ms and {last} ms). "
        + (f"Without this graph, the gains there are {digits(numbers[1])}{gains}. "
           if numbers else "")
    )  # fmt: skip


def _on_one_thread(alone: Data | None, many: Data) -> str:
    """The gains on one thread beside those of `many` threads, on the graphs of both."""
    if alone is None:
        return ""
    common = {row["matrix"] for row in alone["rows"]} & {row["matrix"] for row in many["rows"]}
    sentences = []
    for threads, found in ((1, alone), (many["threads"], many)):
        rows = [row for row in found["rows"] if row["matrix"] in common]
        each = [_of_group(rows, start, whole) for start in STARTS for whole in (False, True)]
        direction, grafting = (
            ", ".join(digits(numbers[k]) for numbers in each if numbers) for k in (1, 2)
        )
        on = "one thread" if threads == 1 else f"{threads} threads"
        sentences.append(
            f"on {on}, direction optimisation gains {direction}, and grafting in addition "
            f"{grafting}"
        )
    names = ", ".join(f"`{row['matrix']}`" for row in alone["rows"] if row["matrix"] in common)
    return (
        f"*Threads.* On the same machine, on {names}, from Karp-Sipser until a path and with whole "
        f"columns, and in the same way with the paper's start: {'; '.join(sentences)}. A bottom-up "
        f"step has {causes.rates(alone['rows'])} times the rate of top-down steps on one thread, "
        f"and {causes.rates(many['rows'])} times on {many['threads']}. So the number of threads "
        "does not explain the difference to the paper: both parts gain about as much on one thread "
        "as on many. "
    )


def _of_sizes(data: Data, small: Data | None) -> str:
    """How many times fewer entries the parts visit on the graphs that both results have."""
    if small is None:
        return ""
    runs = [_saved(each) for each in (data, small)]
    common = runs[0].keys() & runs[1].keys()
    if not common:
        return ""
    large, little = (
        " and ".join(digits(geometric_mean([run[key][k] for key in common])) for k in (0, 1))
        for run in runs
    )
    sizes = [
        _millions([row["nnz"] for row in each["rows"] if _key(row["matrix"]) in common])
        for each in (data, small)
    ]
    return (
        f"*Size.* On {len(common)} graphs that were measured in two sizes, direction optimisation, "
        f"and both parts, visit {large} times fewer entries with {sizes[0]} million entries on "
        f"{data['threads'][-1]} threads, and {little} times with {sizes[1]} million on "
        f"{small['threads'][-1]} threads (start karp-sipser). So the size does not explain the "
        "difference either. "
    )


def _key(matrix: str) -> tuple[str, bool]:
    """The paper's graph and whether the order is random."""
    paper = stands_for(matrix)
    return (paper.graph if paper else matrix), "_rcp" in matrix


def _saved(data: Data) -> dict[tuple[str, bool], tuple[float, float]]:
    """How many times fewer entries direction optimisation and both parts visit, for each graph."""
    found = {}
    for facts in data["matrices"]:
        each = {**data, "matrices": [facts]}
        worth = worth_factors(each, facts["class"])
        if worth:
            fewer = [worth[part]["fewer entries"] for part in ("direction", "both")]
            found[_key(facts["matrix"])] = (fewer[0], fewer[1])
    return found


_WHY_PARTS = (
    "Claims are about the steps of the search, because the paper's graphs come with the row lists. "
    "The table's first lines have all stand-ins, the others those on which causes were tested. "
    "*Start and columns.* Karp-Sipser leaves fewer columns than in the paper on most "
    "stand-ins. Our search ends the visit of a column at its first path, that of the paper visits "
    "whole columns. With as many columns left as in the paper and whole columns at the same time, "
    "direction optimisation gains most, but less than in the paper; grafting does not gain more. "
    "*Rate.*"
)
_REST_OF_PARTS = (
    "Grafting gains most on networks, as in the paper, but less. It saves what phases repeat, and "
    "the result has the phases, levels and entries by direction of each search. Unknown: what the "
    "paper's processors, 40 threads and its own graphs would change. With a processor of another "
    "kind, direction optimisation gained more on one thread (a result in the git history)."
)


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
