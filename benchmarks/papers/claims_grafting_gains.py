# SPDX-License-Identifier: BSD-3-Clause
"""The statements of the paper on tree grafting about the gain of MS-BFS-Graft over its rivals, by
class of graphs and number of threads, and about classes of graphs with a low matching number."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from benchmarks.papers import counters, ranking
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.claims import Claim, Data, counted, mean_text, yes_or_no
from benchmarks.papers.ranking import FAN, GRAFT, PUSH
from benchmarks.papers.stand_ins import stands_for
from benchmarks.report import Row, digits, geometric_mean, milliseconds

# Section V A: mean speed-up over push-relabel and over pothen-fan, on one core and on 40 cores.
MEANS = {"one": (5.7, 4.8), "many": (7.5, 11.4)}
EASY, LOW = "scientific", "networks"  # the classes with a high and with a low matching number
RATES = {"wikipedia": 12, "web-Google": 10}  # V C: rate over that of pothen-fan
# V D: the least speed-up for each core is 9 on 40 cores and 7 on 24 cores.
LEAST_BY_CORE = 9 / 40


def _on(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def of_class(each: Row, more: str = "") -> list[Claim]:
    """The claims about the order of the three searches in a class, and about the gains. `each` is
    a verdict of `ranking.orders`."""
    where = f"{each['class']}, {_on(each['threads'])}{more}"
    gains = {rival: ours["speed_up"] for rival, ours in each["ours"].items()}
    if not each["paper_order"]:  # the paper states no improvement
        ours = ", ".join(f"{digits(gain)} over {rival}" for rival, gain in gains.items())
        return [Claim(f"{where}: no improvement", float(each["holds"]), ours)]
    order = ", ".join(each["order"])
    claims = [Claim(f"{where}: {', '.join(each['paper_order'])}", float(each["holds"]), order)]
    for rival, paper in each["paper"].items():
        words = f"{where}: {digits(paper)} times faster than {rival}"
        claims.append(yes_or_no(words, gains[rival] >= paper, digits(gains[rival])))
    return claims


def _by_cores(orders: Sequence[Row], cores: str) -> list[Row]:
    return [each for each in orders if (each["threads"] == 1) == (cores == "one")]


def _mean_gain(group: Sequence[Row], rival: str) -> float:
    return statistics.mean([float(each["ours"][rival]["speed_up"]) for each in group])


def of_means(orders: Sequence[Row]) -> list[Claim]:
    """The claims about the mean speed-up over each rival, on one thread and on many, and about
    where the gain is larger."""
    claims, found = [], {}
    for cores, means in MEANS.items():
        group = _by_cores(orders, cores)
        for rival, paper in zip((PUSH, FAN), means, strict=True) if group else ():
            ours = found[cores, rival] = _mean_gain(group, rival)
            words = f"mean of the classes, {_on(group[0]['threads'])}: {digits(paper)} over {rival}"
            claims.append(yes_or_no(words, ours >= paper, digits(ours)))
    for rival in (PUSH, FAN):
        if ("one", rival) in found and ("many", rival) in found:
            one, many = found["one", rival], found["many", rival]
            words = f"the mean gain over {rival} is larger on many threads than on one"
            claims.append(yes_or_no(words, many > one, f"{digits(many)} and {digits(one)}"))
    return claims + [each for cores in MEANS for each in _by_class(orders, cores)]


def _by_class(orders: Sequence[Row], cores: str) -> list[Claim]:
    """The claim that the gains are larger in the second and third class of graphs."""
    group = {each["class"]: each["ours"] for each in _by_cores(orders, cores)}
    if EASY not in group or len(group) < 2:
        return []
    larger = [
        ours[rival]["speed_up"] > group[EASY][rival]["speed_up"]
        for kind, ours in group.items()
        if kind != EASY
        for rival in ours
    ]
    on = _on(_by_cores(orders, cores)[0]["threads"])
    words = f"the gains are larger on scale-free graphs and networks than on {EASY} graphs, {on}"
    return [counted(words, larger, "gains")]


def of_copurchases(data: Data) -> list[Claim]:
    """The claim about amazon0312, on which the order of the searches depends on the threads."""
    many = data["threads"][-1]
    graph = next(
        (m["matrix"] for m in data["matrices"] if m["stands_for"] == "amazon0312"), None
    )  # fmt: skip
    rows = [row for row in data["rows"] if row["matrix"] == graph and not row["options"]]
    names = (FAN, GRAFT, PUSH)
    times = []
    for threads in (1, many):
        found = {name: ranking.entry(rows, name, threads) for name in names}
        ran = {name: row for name, row in found.items() if row is not None}
        times.append({k: data["limit"] if r["overran"] else r["median"] for k, r in ran.items()})
    if many == 1 or min(len(each) for each in times) < len(names):
        return []
    slowest, fastest = (
        max(times[0], key=times[0].__getitem__),
        min(times[1], key=times[1].__getitem__),
    )
    holds = slowest == fastest == FAN
    ours = "; ".join(
        ", ".join(f"{name} {milliseconds(seconds)}" for name, seconds in each.items()) + " ms"
        for each in times
    )
    words = f"amazon0312: {FAN} is the slowest on one thread and the fastest on {many}"
    return [yes_or_no(words, holds, ours)]


def of_rates(pairs: Sequence[tuple[Row, float]]) -> list[Claim]:
    """The claims about the rates on graphs with a low matching number. `pairs` has the ratio of the
    rates of ms-bfs-graft and pothen-fan on each graph."""
    low = [ratio for row, ratio in pairs if row["class"] == LOW]
    others = [ratio for row, ratio in pairs if row["class"] != LOW]
    claims = []
    if low and others:
        means = [geometric_mean(low), geometric_mean(others)]
        words = f"the ratio is larger for graphs with a low matching number ({LOW})"
        ours = f"{digits(means[0])}, on the others {digits(means[1])}"
        claims.append(yes_or_no(words, means[0] > means[1], ours))
    for graph, paper in RATES.items():
        found = [ratio for row, ratio in pairs if _stands_for(row) == graph]
        if found:
            words = f"{paper} times higher on {graph}"
            claims.append(yes_or_no(words, geometric_mean(found) >= paper, mean_text(found)))
    return claims


def _stands_for(row: Row) -> str:
    paper = stands_for(row["matrix"])
    return paper.graph if paper else ""


def speed_ups(data: Data, name: str = GRAFT) -> list[float]:
    """The speed-ups of a search on all threads over one thread. Push-relabel has another
    relabelling frequency on one thread, as in the paper."""
    one, all_threads = (tables.select(data, name, count) for count in (1, data["threads"][-1]))
    return [
        one[graph]["median"] / row["median"]
        for graph, row in all_threads.items()
        if graph in one and _finished(row) and _finished(one[graph])
    ]


def _finished(row: Row) -> bool:
    return counters.searched(row) and not row["overran"]


def of_scaling(data: Data) -> list[Claim]:
    """The claims about the least speed-up, the speed-ups of the rivals, and hyperthreading."""
    many = data["threads"][-1]
    own = speed_ups(data)
    if not own:
        return []
    claims = [
        yes_or_no("at least 9 on 40 cores and 7 on 24 on every graph, so 0.23 for each core",
                  min(own) / many >= LEAST_BY_CORE,
                  f"at least {digits(min(own))}, so {digits(min(own) / many)} for each core")
    ]  # fmt: skip
    for rival in (PUSH, FAN):
        found = speed_ups(data, rival)
        if found:
            means = [statistics.mean(own), statistics.mean(found)]
            ours = f"{digits(means[0])} and {digits(means[1])} on average"
            words = f"the speed-up is larger than that of {rival}"
            claims.append(yes_or_no(words, means[0] > means[1], ours))
    words = "a second thread on each core gains 22 % and 19 %"
    return [*claims, Claim(words, None, "the machine has one thread for each core")]


def of_steps(data: Data) -> list[Claim]:
    """The claims about the time of the steps by matching number."""
    rows = tables.select(data, GRAFT, data["threads"][-1]).values()
    shares: dict[str, list[dict[str, float]]] = {}
    for row in rows:
        found = tables.step_shares(row) if counters.searched(row) else None
        if found:
            shares.setdefault(row["class"], []).append(found)
    if EASY not in shares or LOW not in shares:
        return []

    def mean(kind: str, steps: Sequence[str]) -> float:
        return statistics.mean(sum(each[step] for step in steps) for each in shares[kind])

    claims = []
    for words, steps, more, less in (
        ("graphs with a high matching number spend a larger share on the search",
         ("top-down", "bottom-up"), EASY, LOW),
        ("graphs with a low matching number spend more on augmenting and grafting",
         ("augment", "graft"), LOW, EASY),
    ):  # fmt: skip
        means = {kind: mean(kind, steps) for kind in (more, less)}
        ours = ", ".join(f"{kind} {share:.0%}" for kind, share in means.items())
        claims.append(yes_or_no(words, means[more] > means[less], ours))
    return claims


def of_path_lengths(rows: Sequence[Row], order: str) -> list[Claim]:
    """The claim that searches from several sources shorten the paths of depth-first searches more
    than those of breadth-first ones. `rows` are those of one graph in one order; a run with the
    options of the paper replaces one without."""
    found = {
        row["algorithm"]: counters.mean_path(row)
        for row in sorted(rows, key=lambda row: bool(row["options"]))
        if row["options"] in ({}, counters.OF_PAPER.get(row["algorithm"])) and _finished(row)
    }
    lengths = [found.get(name) or 0.0 for name in ("ss-dfs", FAN, "ss-bfs", "ms-bfs")]
    if not all(lengths):
        return []
    deep, wide = lengths[0] / lengths[1], lengths[2] / lengths[3]
    words = "multi-source shortens depth-first paths more than breadth-first ones"
    return [
        yes_or_no(f"{words} ({order})", deep > wide, f"{digits(deep)} and {digits(wide)} times")
    ]
