# SPDX-License-Identifier: BSD-3-Clause
"""Why a result differs from its paper: sentences for the pages, computed from the counters of a
result.

Some sentences use a model of the time, a sum of parts with nonnegative coefficients, which is
fitted to the rows of a result. Each case is divided by its time, so that the fit minimizes relative
errors. A sentence states the largest error of its model.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.report import Row, geometric_mean

Reals = npt.NDArray[np.float64]

# Graphs are grouped by the mean number of entries in a column: least, bound, and the words for it.
DENSITIES = ((0, 4, "fewer than 4"), (4, 10, "4 to 10"), (10, 40, "10 to 40"), (40, 10**9, "more"))
MIN_EDGES = 100_000  # least number of entries in steps of one direction whose rate is used


def fitted(parts: Sequence[Sequence[float]], seconds: Sequence[float]) -> tuple[Reals, float]:
    """The nonnegative seconds of each part that fit the `seconds` of all cases best, and the
    largest relative error. parts[k] has the numbers of each part in case k."""
    from scipy.optimize import nnls

    scaled: Reals = np.array(parts, float) / np.array(seconds, float)[:, None]
    costs, _ = nnls(scaled, np.ones(len(scaled)))
    return costs, float(np.abs(scaled @ costs - 1).max())


def _span(values: Sequence[float], form: str = ".2g") -> str:
    """``0.5 (0.2 to 0.9)``: the geometric mean, the least and the largest."""
    mean = geometric_mean(list(values))
    if len(values) == 1:
        return f"{mean:{form}}"
    return f"{mean:{form}} ({min(values):{form}} to {max(values):{form}})"


# -- paper 000, table 1: CT and MT -----------------------------------------------------------------


def of_ct_and_mt(rows: list[Row], algorithms: Sequence[str]) -> str:
    """Sentences on the rates of MT and CT by the length of the columns."""
    groups: dict[str, list[float]] = {}
    visited = []
    for row in rows:
        length = row["nnz"] / row["n"]
        group = next(words for low, high, words in DENSITIES if low <= length < high)
        for name in algorithms:
            ct, mt = f"{name} ct", f"{name} mt"
            if ct in row["median"] and mt in row["median"]:
                edges = row["counters"][mt]["edges"] / row["counters"][ct]["edges"]
                visited.append(edges)
                groups.setdefault(group, []).append(row["median"][mt] / row["median"][ct] / edges)
    if not groups:
        return ""
    found = ", ".join(
        f"{_span(groups[words])} with {words}" for *_, words in DENSITIES if words in groups
    )
    return (
        "Neither CT nor MT is faster on all graphs. In the geometric mean, MT visits "
        f"{geometric_mean(visited):.2f} times as many entries as CT, so their times differ because "
        "the time for each entry differs. The ratio of this time, MT over CT, depends on the mean "
        f"number of entries in a column: {found}. A thread of CT loads the levels of eight columns "
        "at once, and a thread of MT has a single column. Each level inspects all columns, so CT "
        "is faster if columns are short. If columns are long, CT has too few threads (65,536) for "
        "an H100, which runs up to 270,336 threads at the same time; the paper's GPU runs up to "
        "21,504. With more entries (`kron`), a likely reason for equal times is the longest "
        "column, which one thread visits in both versions. The effect of the number of threads was "
        "derived from the code and not measured with a profiler. "
    )


# -- paper 003, figure 1: lists of active columns, and shrinking them ------------------------------


def gain(mean: dict[str, float], words: list[str], one: str, other: str) -> str:
    """By how many percent the mean time of one version exceeds that of another, least and most."""
    gains = [100 * (mean[f"{one} {word}"] / mean[f"{other} {word}"] - 1) for word in words]
    return f"{min(gains):.0f} to {max(gains):.0f}"


def of_lists(rows: list[Row], versions: Sequence[str], words: Sequence[str]) -> str:
    """Sentences on the cost of a loop of each version, the share of loops in the time, and the
    number of loops, on the graphs on which most searches finished; empty if there are none."""
    first, plain, shrinking = versions
    names = [f"{version} {word}" for version in versions for word in words]
    rows = [row for row in rows if 2 * len(row["median"].keys() & names) > len(names)]
    if not rows:
        return ""
    costs, errors = [], []
    shares: dict[str, list[float]] = {version: [] for version in versions}
    for row in rows:
        cost, error = _of_loops(row, versions, words)
        costs.append((row["n"], cost))
        errors.append(error)
        for version in versions:
            shares[version] += [
                cost[version] * row["counters"][name]["loops"] / row["median"][name]
                for word in words
                if (name := f"{version} {word}") in row["median"]
            ]
    large = [cost for n, cost in costs if n >= 1 << 22 and min(cost.values()) > 0]
    small = [cost for n, cost in costs if n < 1 << 21 and min(cost.values()) > 0]
    loops = _ratios(rows, words, first, plain, "loops")
    again = _ratios(rows, words, plain, shrinking, "loops")
    return (
        "A model explains the times. For each graph it has a constant, a time for each level of a "
        "relabelling and a time for each relabelling, which are the same for all versions, and a "
        "time for each loop, which differs between the versions. A loop is one execution of the "
        f"push kernel. The error of the model is at most {max(errors):.0%}, "
        f"on most graphs at most {statistics.median(errors):.0%}. By this model, a loop with lists "
        f"takes {_span([c[plain] / c[first] for c in large])} of the time of a loop without lists "
        "on the graphs with at least 4 million columns, so the lists save time; with a million "
        f"columns, it takes {_span([c[plain] / c[first] for c in small])}, because two launches "
        "replace one. Two causes reduce the gain. First, loops take "
        f"{statistics.median(shares[first]):.0%} of the time of g-pr-first in the median; the "
        "relabellings take the rest, and the lists do not change them. Second, the versions with "
        f"lists often need more loops: g-pr-first needs {_span(loops)} times the loops of "
        "g-pr-noshr. A likely reason is that in g-pr-first a displaced column can push in the same "
        "launch, while a list holds it for the next loop. Shrinking the lists changes little: a "
        f"loop of g-pr-shr takes {_span([c[shrinking] / c[plain] for c in large])} times as long "
        "as a loop of g-pr-noshr, so launches and polls determine its time, not the length of the "
        "list. Most of the differences are chance: races between pushes decide the number of "
        f"loops, and g-pr-noshr, which pushes by the same rules, needs {_span(again)} times the "
        "loops of g-pr-shr. "
    )


def _of_loops(
    row: Row, versions: Sequence[str], words: Sequence[str]
) -> tuple[dict[str, float], float]:
    """The seconds of a loop of each version on one graph, and the largest relative error of the
    model."""
    parts, seconds = [], []
    for k, version in enumerate(versions):
        for word in words:
            name = f"{version} {word}"
            if name in row["median"]:
                counts = row["counters"][name]
                loops = [0.0] * len(versions)
                loops[k] = counts["loops"]
                parts.append([1.0, counts["levels"], counts["relabels"], *loops])
                seconds.append(row["median"][name])
    costs, error = fitted(parts, seconds)
    return dict(zip(versions, map(float, costs[3:]), strict=True)), error


def _ratios(rows: list[Row], words: Sequence[str], one: str, other: str, key: str) -> list[float]:
    """The counter `key` of one version over that of another, for all cases in which both
    finished."""
    return [
        row["counters"][a][key] / row["counters"][b][key]
        for row in rows
        for word in words
        if (a := f"{one} {word}") in row["median"] and (b := f"{other} {word}") in row["median"]
    ]


# -- paper 001, figure 1: entries of a phase ------------------------------------------------------


def of_phases(rows: Sequence[Row]) -> str:
    """Sentences on each graph: the number of augmenting paths that the initial matching leaves, the
    share of all entries that ss-bfs visits for each path, and the shares that pothen-fan and ms-bfs
    visit in each phase."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["counters"].get("augmentations"):
            found.setdefault(row["matrix"], {})[row["algorithm"]] = row
    parts = []
    for name, each in found.items():
        if not {"ss-bfs", "pothen-fan", "ms-bfs"} <= each.keys():
            continue
        counts = {code: row["counters"] for code, row in each.items()}
        nnz, paths = each["ms-bfs"]["nnz"], counts["ss-bfs"]["augmentations"]
        share = {
            code: counts[code]["edges"] / number / nnz
            for code, number in (
                ("ss-bfs", paths),
                *((code, counts[code]["phases"]) for code in ("pothen-fan", "ms-bfs")),
            )
        }
        phases = [counts[code]["phases"] for code in ("pothen-fan", "ms-bfs")]
        parts.append(
            f"on `{name}`, {paths:,} paths, {share['ss-bfs']:.2g}, and {share['pothen-fan']:.2g} "
            f"and {share['ms-bfs']:.2g} in {phases[0]} and {phases[1]} phases"
        )
    if not parts:
        return ""
    return (
        "The following list has for each graph the number of augmenting paths that the initial "
        "matching leaves, the share of all entries that ss-bfs visits for each path, and the "
        f"shares that pothen-fan and ms-bfs visit in each phase: {'; '.join(parts)}. ss-bfs does "
        "not visit the rows of a search without a path again, but it visits the same rows again "
        "for each path. So it visits more entries than ms-bfs if it visits a large part of the "
        "graph for each path, or if there are many paths. "
    )


# -- paper 001, section V B: variation -------------------------------------------------------------


def of_variation(rows: dict[str, dict[str, Row]]) -> str:
    """Sentences on psi, the variation of the times. `rows` has, by algorithm and graph, the rows
    with at least three runs."""
    parts = []
    for name, each in rows.items():
        if not each:
            continue
        whole = {graph: _psi(row["seconds"]) for graph, row in each.items()}
        rest = [
            _psi(sorted(row["seconds"])[:-1]) for row in each.values() if len(row["seconds"]) > 3
        ]
        worst = max(whole, key=whole.__getitem__)
        runs = each[worst]["seconds"]
        without = (
            f"{statistics.mean(rest):.1f} % without the longest run of each graph; " if rest else ""
        )
        parts.append(
            f"{name} {statistics.mean(whole.values()):.1f} % on {len(whole)} graphs, "
            f"{statistics.median(whole.values()):.1f} % in the median, {without}the largest is "
            f"{whole[worst]:.0f} % on `{worst}` ({1e3 * min(runs):.0f} to {1e3 * max(runs):.0f} ms "
            f"in {len(runs)} runs)"
        )
    return f"The means of psi on all graphs with at least three runs: {'; '.join(parts)}. "


def _psi(runs: Sequence[float]) -> float:
    return 100 * statistics.pstdev(runs) / statistics.mean(runs)


def of_work(rows: Sequence[Row]) -> dict[str, list[float]]:
    """For each algorithm, psi of the visited entries in each row that stores the entries of every
    run."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if len(row.get("edges", ())) > 2 and not row["options"]:
            found.setdefault(row["algorithm"], []).append(_psi(row["edges"]))
    return found


# -- paper 001, figure 7: rates by direction -------------------------------------------------------


def rates(rows: list[Row], small: int = 2_000_000) -> str:
    """The rate of bottom-up steps over the rate of top-down steps without direction optimisation,
    as text: on graphs with fewer than `small` entries, and on larger graphs."""
    found: dict[bool, list[float]] = {True: [], False: []}
    for row in rows:
        for start in row["starts"].values():
            plain, directed = (start["searches"].get(part) for part in ("neither", "direction"))
            if plain and directed and (us := directed["counters"].get("bottom_up_us")):
                down = plain["counters"]["edges"] / plain["counters"]["top_down_us"]
                ratio = directed["counters"]["bottom_up_edges"] / us / down
                found[row["nnz"] < small].append(ratio)
    return " and ".join(_span(each) for each in found.values() if each)


def of_directions(rows: list[Row]) -> str:
    """Sentences on the rates of top-down and bottom-up steps, and on the entries that bottom-up
    steps save, for groups of graphs."""
    slower: list[dict[str, Any]] = []
    more: list[dict[str, Any]] = []
    unmet: list[dict[str, Any]] = []
    for row in rows:
        for start, found in row["starts"].items():
            plain, directed = (found["searches"].get(part) for part in ("neither", "direction"))
            if not plain or not directed:
                continue
            case = {"graph": row["matrix"], "start": start}
            counts = directed["counters"]
            down = plain["counters"]["edges"] / plain["counters"]["top_down_us"]
            case["fewer"] = plain["counters"]["edges"] / counts["edges"]
            up = counts.get("bottom_up_edges", 0)
            if up < MIN_EDGES:
                unmet.append(case)
                continue
            case["rate"] = up / counts["bottom_up_us"] / down
            (slower if case["fewer"] > 1 else more).append(case)
    if not slower or not more:
        return ""
    return (
        f"The result has the rates of both directions. On {_graphs(slower)}, direction "
        f"optimisation visits {_span([c['fewer'] for c in slower])} times fewer entries, but "
        f"bottom-up steps visit entries at {_span([c['rate'] for c in slower])} of the rate of the "
        "top-down steps that they replace. Nearly all entries of those top-down steps lead to "
        "visited rows, so that for an entry the step reads one byte of a table in the caches. A "
        "bottom-up step reads the position of each unvisited row in the row lists, and for each "
        f"entry the root of a column and whether its tree has a path. On {_graphs(more)}, "
        f"bottom-up steps are as fast or faster ({_span([c['rate'] for c in more])} of the rate), "
        f"but the search visits {_span([1 / c['fewer'] for c in more])} times as many entries. A "
        "likely reason is that a bottom-up step visits the whole list of a row without a neighbour "
        "in an active tree. "
        + (
            f"On {_graphs(unmet)}, no level meets the condition for a bottom-up step. "
            if unmet
            else ""
        )
    )


def _graphs(cases: Sequence[dict[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(f"`{case['graph']}`" for case in cases))


# -- paper 004, figure 11: rounds on a GPU ---------------------------------------------------------


def of_rounds(rows: list[Row], codes: Sequence[tuple[str, str]], compared: list[Row]) -> str:
    """Sentences on a model of the times on a GPU: a constant, a time for each round and a time for
    each edge. `codes` are pairs of a code on the GPU and the same code on the CPU, whose rows store
    the shares of edges left. `compared` are graphs, the sparsest first; the sentences state their
    rounds."""
    costs, parts = {}, []
    for name, _ in codes:
        cases = [row for row in rows if name in row["median"] and row["kind"] != "star"]
        if len(cases) < 6:
            return ""
        times = [row["median"][name] for row in cases]
        counts = [[1.0, row["rounds"][name], row["edges"]] for row in cases]
        costs[name], error = fitted(counts, times)
        constant, each_round, each_edge = costs[name]
        parts.append(
            f"{name.removesuffix(', GPU')} {1e3 * constant:.2f} ms, {1e6 * each_round:.0f} µs for "
            f"each round and {1e9 * each_edge:.2f} ns for each edge (error at most {error:.0%})"
        )
    rounds = {name: [row["rounds"][name] for row in compared] for name, _ in codes}
    later = [sum(row["left"][codes[0][1]]) for row in compared]
    one, two = (name for name, _ in codes)
    by_model = [
        float(np.dot(costs[two], [1.0, row["rounds"][two], row["edges"]]))
        / float(np.dot(costs[one], [1.0, row["rounds"][one], row["edges"]]))
        for row in compared
    ]
    return (
        "A model of the times on all graphs but stars has a constant, a time for each round and a "
        f"time for each edge: {'; '.join(parts)}. From the sparsest graph to the "
        f"densest, local-max has {_list(rounds[one])} rounds and red-blue {_list(rounds[two])}, "
        "whose number of rounds does not grow in this way. By "
        f"the model, local-max is {_list(by_model)} times as fast as red-blue on these graphs. The "
        f"edges in later rounds explain little, because they are only {_list(later)} of all edges. "
        "The time of a round includes its grid barriers. In the paper, one thread of red-blue "
        "visits the whole list of a vertex, so red-blue is slow on long lists; here the threads of "
        "a warp share a long list. "
    )


def _list(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.3g}" for number in numbers)
