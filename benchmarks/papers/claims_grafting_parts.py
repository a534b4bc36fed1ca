# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on tree grafting about direction optimisation and grafting (figure
7), compared with results of the section grafting-parts."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.papers import causes
from benchmarks.papers.claims import Claim, Data, Item, yes_or_no
from benchmarks.papers.grafting_parts import STARTS, factors, groups
from benchmarks.papers.paper_001 import worth_factors
from benchmarks.papers.stand_ins import CLASSES, stands_for
from benchmarks.report import Row, digits, geometric_mean, milliseconds, table


def of_parts(data: Data, parts: Data | None, alone: Data | None, small: Data | None) -> Item:
    """Figure 7. `data` is the result of paper-001 on all graphs; `parts` is a result of the section
    grafting-parts, which has several starts and whole columns; `alone` is one of grafting-parts on
    one thread; `small` is one of paper-001 on smaller graphs."""
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
    claims += _of_networks(body)
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
    """A claim holds if the gain, rounded to the paper's digits, is at least the paper's."""
    return [
        yes_or_no(f"direction optimisation gains 1.6 on average ({where})",
                  direction >= 1.55, digits(direction)),
        yes_or_no(f"grafting gains 3 in addition ({where})", grafting >= 2.5, digits(grafting)),
    ]  # fmt: skip


def _of_networks(body: list[list[str]]) -> list[Claim]:
    """The claim about the gain by grafting on networks, whose matching number is low. `body` has
    the lines of the table."""
    gains = [float(line[5]) for line in body if line[0].startswith("networks")]
    if not gains:
        return []
    return [
        yes_or_no(
            "graphs with a low matching number (networks) gain 7.8 by grafting",
            max(gains) >= 7.75,
            f"{digits(min(gains))} to {digits(max(gains))}, by start, columns and order",
        )
    ]


def _of_group(rows: list[Row], start: str, whole: bool) -> list[float] | None:
    """The number of graphs; the speed-up of direction optimisation, and the additional speed-up by
    grafting; and how many times fewer entries each of them visits."""
    direction, both = (factors(rows, start, part, whole) for part in ("direction", "both"))
    if direction is None or both is None:
        return None
    return [
        direction["graphs"],
        direction["speed-up"], both["speed-up"] / direction["speed-up"],
        direction["fewer entries"], both["fewer entries"] / direction["fewer entries"],
    ]  # fmt: skip


def _of_classes(data: Data) -> tuple[list[list[str]], list[Claim]]:
    """The lines of the table for each class of the section paper-001, after Karp-Sipser, and the
    claims about the mean of all graphs."""
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
    """A sentence on the searches that were disturbed in the run from which the table is."""
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
        f"The table has the steps of the second of two runs. For {len(slow)} of {len(found)} "
        "searches, this run took more than twice as long as the first one. The difference is "
        f"largest on `{graph}` ({name}, start {start}: {first} ms and {last} ms). "
        + ("Without this graph, the gains by direction optimisation and grafting in these lines "
        f"are {digits(numbers[1])}{gains}. "
           if numbers else "")
    )  # fmt: skip


def _on_one_thread(alone: Data | None, many: Data) -> str:
    """Sentences that compare the gains on one thread with those in `many`, on the graphs of both
    results."""
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
        f"*Threads.* Both numbers of threads were measured on the same machine, on {names}. The "
        "four numbers are for columns until a path and whole columns after Karp-Sipser, and for "
        f"the same two with the paper's start: {'; '.join(sentences)}. A bottom-up step has "
        f"{causes.rates(alone['rows'])} times the rate of top-down steps on one thread, and "
        f"{causes.rates(many['rows'])} times on {many['threads']}. So the number of threads does "
        "not explain the difference from the paper: both parts gain about as much on one thread as "
        "on many. "
    )


def _of_sizes(data: Data, small: Data | None) -> str:
    """Sentences that compare how many times fewer entries the parts visit in both results, on the
    graphs that both have."""
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
        millions([row["nnz"] for row in each["rows"] if _key(row["matrix"]) in common])
        for each in (data, small)
    ]
    return (
        f"*Size.* On {len(common)} graphs that were measured in two sizes, direction optimisation, "
        f"and both parts, visit {large} times fewer entries with {sizes[0]} million entries on "
        f"{data['threads'][-1]} threads, and {little} times with {sizes[1]} million on "
        f"{small['threads'][-1]} threads (start karp-sipser). So the size does not explain the "
        "difference from the paper in this range. The paper's graphs have up to 530 million edges; "
        "such sizes were not measured. "
    )


def _key(matrix: str) -> tuple[str, bool]:
    """The paper's graph that a matrix stands for, and whether the order of the matrix is random."""
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
    "The statements are judged by the steps of the search without the computation of the row "
    "lists, because the paper's graphs come with row lists. The first lines of the table are about "
    "all stand-ins, the other lines about those on which possible causes were tested. *Start and "
    "columns.* Karp-Sipser leaves fewer columns than in the paper on most stand-ins. Our search "
    "ends the visit of a column when it finds a path; the search of the paper visits whole "
    "columns. If as many columns are left as in the paper and whole columns are visited, direction "
    "optimisation gains most, but less than in the paper; grafting does not gain more. *Rate.*"
)
_REST_OF_PARTS = (
    "Grafting gains most on networks, as in the paper, but less than there. It saves visits that "
    "each phase would repeat; the result has the phases, levels and entries by direction of each "
    "search. It is unknown how much the paper's processors, its 40 threads and its graphs would "
    "change."
)


def millions(sizes: Sequence[int]) -> str:
    """``8.3 to 17``: the least and the largest number of entries in millions."""
    return f"{min(sizes) / 1e6:.2g} to {max(sizes) / 1e6:.2g}"
