# SPDX-License-Identifier: BSD-3-Clause
"""The figures of three papers, from results of `published`, `serial-codes`, `paper-000`,
`paper-001` and `paper-003`.

In the docstrings, "grafting" is the paper Azad et al. (IPDPS 2015), "GPU-BFS" Deveci et al.
(Euro-Par 2013), and "G-PR" Deveci et al. (ICPP 2013).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from benchmarks import drawing
from benchmarks.papers import counters, gpu_tables
from benchmarks.papers import grafting_tables as tables
from benchmarks.papers.ranking import FAN, GRAFT, PUSH, entry
from benchmarks.report import Row, digits, geometric_mean

Data = dict[str, Any]

SIDE_BY_SIDE = 12  # with more graphs, the panel of many threads is below that of one thread
BARS = ("MS-BFS", "with direction", "with grafting", "with both: ms-bfs-graft")
PAIRS = (
    ("apfb-wr ct", "pothen-fan"),
    ("apfb-wr ct", "hopcroft-karp"),
    ("g-pr-shr adaptive:0.7", "push-relabel"),
)


# -- published: grafting ---------------------------------------------------------------------------


def relative_speed(data: Data) -> Figure | None:
    """Figure 3: the speed of three searches on each graph, relative to the slowest of the three.
    The time of a stopped search is the limit. The time of a serial algorithm is that on one thread
    in both panels."""
    panels = []
    for threads in _thread_counts(data):
        found = _entries(data, (GRAFT, PUSH, FAN), threads, lambda row: row["overran"])
        panels += [(threads, found)] if found else []
    if not panels:
        return None
    below = max(len(found) for _, found in panels) > SIDE_BY_SIDE
    height = 2.8 * len(panels) if below else 3.6
    figure, axes = drawing.blank(height, len(panels), below=below, sharey=True)
    for ax, (count, found) in zip(axes, panels, strict=True):
        times = [[row["median"] or data["limit"] for row in rows] for _, rows in found]
        series = {
            name: [max(each) / each[k] for each in times]
            for k, name in enumerate((GRAFT, PUSH, FAN))
        }
        drawing.bars(ax, [_graph_name(graph) for graph, _ in found], series, 0.81)
        drawing.separate_classes(ax, [graph["class"] for graph, _ in found])
        drawing.logarithmic(ax, "y", 2)
        ax.set_title(drawing.on(count), pad=14)
    for ax in axes if below else axes[:1]:
        ax.set_ylabel("speed relative to the slowest")
    return drawing.legend(figure, axes[0], 3)


def class_ranking(data: Data) -> Figure | None:
    """For each class, the geometric mean of the time of each search over that of the fastest search
    on the same graph. The time of a stopped search is the limit, and the mean is marked ≥."""
    panels = [(t, n, _class_means(data, t, n)) for t in _thread_counts(data)
              if (n := tables.algorithms(data, t))]  # fmt: skip
    panels = [panel for panel in panels if np.isfinite(panel[2][0]).any()]
    if not panels:
        return None
    kinds = tables.classes(data)
    figure, axes = drawing.blank(0.3 * len(panels[0][1]) + 1.4, len(panels))
    worst = max(2, *(np.nanmax(means) for _, _, (means, _) in panels))
    for ax, (count, names, (means, bounds)) in zip(axes, panels, strict=True):
        ax.imshow(means, norm=LogNorm(1, worst), cmap="Greys", aspect="auto")
        for (row, column), mean in np.ndenumerate(means):
            if np.isfinite(mean):
                ax.text(
                    *(column, row, ("≥" if bounds[row, column] else "") + digits(mean)),
                    ha="center",
                    va="center",
                    color="white" if np.log(mean) > 0.5 * np.log(worst) else "black",
                    fontweight="bold" if mean == np.nanmin(means[:, column]) else "normal",
                )
        ax.set_xticks(range(len(kinds)), kinds)
        ax.set_yticks(range(len(names)), names)
        ax.grid(visible=False)
        ax.tick_params(length=0)
        ax.set_title(drawing.on(count) + (", those that use them" if count > 1 else ""))
    return figure


def _class_means(data: Data, threads: int, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays with a row for each search and a column for each class: the mean slow-down, and
    whether it is a lower bound because a search was stopped."""
    kinds = tables.classes(data)
    ratios: dict[tuple[int, int], list[float]] = {}
    bounds = np.zeros((len(names), len(kinds)), bool)
    runs = {name: tables.select(data, name, threads) for name in names}
    for graph in data["matrices"]:
        rows = {n: run[graph["matrix"]] for n, run in runs.items() if graph["matrix"] in run}
        rows = {n: row for n, row in rows.items() if counters.searched(row) or row["overran"]}
        times = {name: row["median"] or data["limit"] for name, row in rows.items()}
        for name, time in times.items():
            place = names.index(name), kinds.index(graph["class"])
            ratios.setdefault(place, []).append(time / min(times.values()))
            bounds[place] |= rows[name]["overran"]
    means = np.full(bounds.shape, np.nan)
    for place, values in ratios.items():
        means[place] = geometric_mean(values)
    return means, bounds


def counted(data: Data) -> Figure | None:
    """Figure 1: visited edges, phases and mean length of the augmenting paths, for five searches on
    one graph of each class. A stopped search has no bar."""
    graphs = [g for g in data["matrices"] if g["stands_for"] in counters.ALL]
    runs = {name: tables.of_paper(data, name) for name in counters.COMPARED}
    if not graphs or not all(runs.values()):
        return None
    panels = (
        ("edges read, in entries", counters.edges_per_entry),
        ("phases", counters.phases),
        ("mean length of paths, edges", counters.mean_path),
    )
    figure, axes = drawing.blank(2.9, len(panels))
    for ax, (title, figure_of) in zip(axes, panels, strict=True):
        series = {
            name: [
                figure_of(run[g["matrix"]]) or math.nan if g["matrix"] in run else math.nan
                for g in graphs
            ]
            for name, run in runs.items()
        }
        drawing.bars(ax, [_graph_name(graph) for graph in graphs], series, 0.8)
        heights = [h for each in series.values() for h in each if h > 0]
        ax.set_yscale("log")
        ax.set_ylim(bottom=0.6 * min(heights, default=1.0))
        ax.set_title(title)
    return drawing.legend(figure, axes[0], len(runs))


def search_rate(data: Data) -> Figure | None:
    """Figure 4: millions of edges per second of two searches on many threads, and their ratio."""
    threads = data["threads"][-1]
    found = _entries(data, (GRAFT, FAN), threads, lambda _: False)
    if not found:
        return None
    rates = [[counters.edges_and_rate(row)[1] for row in rows] for _, rows in found]
    figure, (ax,) = drawing.blank(3.0)
    series = {name: [each[k] for each in rates] for k, name in enumerate((GRAFT, FAN))}
    drawing.bars(ax, [_graph_name(graph) for graph, _ in found], series, 0.8)
    for k, each in enumerate(rates):
        ratio = f"{each[0] / each[1]:.2g}"
        ax.text(k, max(each), ratio, ha="center", va="bottom", fontsize=7)
    drawing.separate_classes(ax, [graph["class"] for graph, _ in found])
    drawing.logarithmic(ax, "y")
    most, least = max(map(max, rates)), min(map(min, rates))
    ax.set_ylim(max(0.7 * least, most / 1e3), 2 * most)
    ax.set_ylabel(f"million edges a second, {drawing.on(threads)}")
    return drawing.legend(figure, ax, 2)


def step_shares(data: Data) -> Figure | None:
    """Figure 6: the share of each step in the time of ms-bfs-graft, on many threads."""
    threads = data["threads"][-1]
    rows = tables.select(data, GRAFT, threads)
    found = [
        (graph, shares)
        for graph in _by_class(data)
        if graph["matrix"] in rows and (shares := tables.step_shares(rows[graph["matrix"]]))
    ]
    if not found:
        return None
    figure, (ax,) = drawing.blank(3.0)
    floor = np.zeros(len(found))
    for index, step in enumerate(counters.STEPS):
        heights = np.array([100 * shares[step] for _, shares in found])
        ax.bar(range(len(found)), heights, 0.7, bottom=floor, label=step, **drawing.bar(index))
        floor += heights
    drawing.label_bars(ax, [_graph_name(graph) for graph, _ in found])
    drawing.separate_classes(ax, [graph["class"] for graph, _ in found])
    ax.set_ylim(0, 100)
    ax.set_ylabel(f"% of the time of all steps, {drawing.on(threads)}")
    return drawing.legend(figure, ax, len(counters.STEPS))


def contributions(data: Data) -> Figure | None:
    """Figure 7: the speed-up over multi-source BFS by direction optimisation and by tree grafting.
    Geometric means for each class."""
    means = {kind: tables.worth(data, kind) for kind in tables.classes(data)}
    means = {kind: each for kind, each in means.items() if not math.isnan(each[-1])}
    if not means:
        return None
    figure, (ax,) = drawing.blank(2.8)
    series = {name: [each[k] for each in means.values()] for k, name in enumerate(BARS)}
    for drawn in drawing.bars(ax, list(means), series, 0.8):
        ax.bar_label(drawn, fmt="%.2g", fontsize=7, padding=1)
    ax.set_ylabel(f"speed-up over MS-BFS, {drawing.on(data['threads'][-1])}")
    return drawing.legend(figure, ax, len(BARS))


def graft_scaling(data: Data) -> Figure | None:
    """Figure 5: the speed-up of ms-bfs-graft over one thread, as the mean of each class."""
    counts = data["threads"]
    means: dict[str, list[float]] = {}
    for kind in tables.classes(data):
        names = [g["matrix"] for g in data["matrices"] if g["class"] == kind]
        runs = [tables.select(data, GRAFT, count) for count in counts]
        whole = [n for n in names if all(n in run and counters.searched(run[n]) for run in runs)]
        if whole and len(counts) > 1:
            means[kind] = [
                geometric_mean([runs[0][n]["median"] / run[n]["median"] for n in whole])
                for run in runs
            ]
    if not means:
        return None
    figure, (ax,) = drawing.blank(3.0)
    for index, (kind, speeds) in enumerate(means.items()):
        ax.plot(counts, speeds, label=kind, **drawing.line(index))
    ax.plot(counts, counts, color="#AAAAAA", linewidth=0.8, zorder=0)
    drawing.logarithmic(ax, "xy", 2)
    ax.set_xticks(counts, [str(count) for count in counts])
    ax.set(xlabel="threads", ylabel="speed-up over one thread")
    return drawing.legend(figure, ax, len(means))


def frontiers(data: Data) -> Figure | None:
    """Figure 8: the size of the frontier by level in the first two phases after the first one, with
    grafting and without."""
    found = next(iter(data.get("frontiers", {}).values()), None)
    if found is None:
        return None
    figure, axes = drawing.blank(2.8, 2, sharey=True)
    for phase, ax in enumerate(axes, 1):
        for index, (name, sizes) in enumerate(found.items()):
            shown = phases_of(sizes)[phase : phase + 1]
            for each in shown:
                ax.plot(range(1, len(each) + 1), each, label=name, **drawing.line(index))
        ax.set(title=f"phase {phase + 1}", xlabel="level")
    axes[0].set_ylabel("columns in the frontier")
    return drawing.legend(figure, axes[0], 2)


def phases_of(sizes: Sequence[int]) -> list[list[int]]:
    """The sizes of the levels of each phase. In the list `sizes`, a 0 ends a phase.

    >>> phases_of([3, 1, 0, 2, 0])
    [[3, 1], [2]]
    """
    phases: list[list[int]] = [[]]
    for size in sizes:
        if size:
            phases[-1].append(size)
        else:
            phases.append([])
    return phases[:-1]


# -- paper-000 and paper-003 ----------------------------------------------------------------------


def individual_speed_up(data: Data) -> Figure | None:
    """GPU-BFS, figure 5, and G-PR, figure 4: the speed-up of the paper's best variant over its
    sequential peers on each graph. A pale bar is a lower bound, because the peer was stopped."""
    rows = sorted(data["rows"], key=lambda row: (row.get("n", 0), row["matrix"]))
    pairs = [pair for pair in PAIRS if pair[0] in data.get("variants", ())]
    if not pairs or not any(row.get("sequential") for row in rows):
        return None
    figure, (ax,) = drawing.blank(3.8)
    for index, (variant, peer) in enumerate(pairs):
        label = f"{variant} over {peer}"
        for k, row in enumerate(rows):
            if variant in row["median"]:
                alone = row.get("sequential", {})
                gain = alone.get(peer, data["limit"]) / row["median"][variant]
                style = drawing.bar(index) | ({} if peer in alone else {"alpha": 0.35})
                place = k + 0.27 * (index - (len(pairs) - 1) / 2)
                name = label if peer in alone else None
                ax.bar(place, gain - 1, 0.27, bottom=1, label=name, **style)
                label = "" if peer in alone else label  # one line in the legend
    ax.axhline(1, color="#888888", linewidth=0.8)
    drawing.logarithmic(ax, "y")
    drawing.label_bars(ax, [row["matrix"] for row in rows])
    ax.set_ylabel(f"speed-up (pale: at least, stopped after {data['limit']:g} s)")
    return drawing.legend(figure, ax, len(pairs))


def relabelling(data: Data) -> Figure | None:
    """G-PR, figure 1: geometric means of the times of its three versions with each relabelling
    strategy, on the natural and on the permuted graphs. The time of a stopped search is the limit,
    and the mean is marked ≥."""
    versions = ("g-pr-first", "g-pr-noshr", "g-pr-shr")
    names = [name for name in data.get("variants", ()) if name.startswith(versions)]
    found = {name.partition(" ")[2] for name in names}
    strategies = sorted(found, key=lambda w: (w.partition(":")[0], float(w.partition(":")[2] or 0)))
    complete = [row for row in data["rows"] if set(names) <= set(row.get("counters", names))]
    sets = dict(gpu_tables.sets(complete))
    panels = [label for label in ("natural", "permuted") if label in sets]
    if len(strategies) < 2 or not panels:
        return None
    figure, axes = drawing.blank(3.2, len(panels))
    for ax, label in zip(axes, panels, strict=True):
        for index, version in enumerate(versions):
            groups = [k for k, word in enumerate(strategies) if f"{version} {word}" in names]
            means = [
                gpu_tables.mean_time(sets[label], f"{version} {strategies[k]}", data["limit"])
                for k in groups
            ]
            places = [k + 0.27 * (index - 1) for k in groups]
            ax.bar(places, [1e3 * m for m, _ in means], 0.27, label=version, **drawing.bar(index))
            for place, (mean, whole) in zip(places, means, strict=True):
                if not whole:
                    ax.annotate("≥", (place, 1e3 * mean), ha="center", va="bottom")
        drawing.label_bars(ax, [word.replace(":", " ") for word in strategies])
        ax.set_title(f"{label}, {len(sets[label])} graphs")
        ax.margins(y=0.1)
    axes[0].set_ylabel("geometric mean of the search, ms")
    return drawing.legend(figure, axes[0], 3)


def levels(data: Data) -> Figure | None:
    """GPU-BFS, figure 2: levels of the search in each phase, on the two graphs on which the numbers
    of phases of the variants differ most and least."""

    def curves(row: Row) -> dict[str, list[int]]:
        each = {name: c.get("levels_by_phase") for name, c in row["counters"].items()}
        return {name: levels for name, levels in each.items() if levels}

    def spread(row: Row) -> float:
        phases = [len(each) for each in curves(row).values()]
        return max(phases) / min(phases)

    rows = [row for row in data["rows"] if len(curves(row)) > 1 and not row["stopped"]]
    if not rows:
        return None
    rows.sort(key=spread)
    shown = [rows[-1], rows[0]][: min(2, len(rows))]
    figure, axes = drawing.blank(3.2, len(shown))
    for ax, row in zip(axes, shown, strict=True):
        for index, (name, each) in enumerate(curves(row).items()):
            x = range(1, len(each) + 1)
            ax.plot(x, each, label=name, **drawing.sparse(drawing.line(index), x))
        drawing.logarithmic(ax, "xy")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_minor_formatter(lambda *_: "")
        ax.set(title=row["matrix"], xlabel="phase")
    axes[0].set_ylabel("levels")
    return drawing.legend(figure, axes[0], 4)


# -- parts -----------------------------------------------------------------------------------------


def _entries(
    data: Data, names: Sequence[str], threads: int, enough: Callable[[Row], bool]
) -> list[tuple[Row, list[Row]]]:
    """The graphs on which each of `names` has searched, or has a row that `enough` accepts; and
    these rows."""
    found = []
    for graph in _by_class(data):
        here = [r for r in data["rows"] if r["matrix"] == graph["matrix"] and not r["options"]]
        rows = [row for name in names if (row := entry(here, name, threads))]
        if len(rows) == len(names) and all(counters.searched(r) or enough(r) for r in rows):
            found.append((graph, rows))
    return found


def _by_class(data: Data) -> list[Row]:
    """The facts of the graphs, sorted by class. In a class, graphs in their own order come
    first."""
    classes = tables.classes(data)
    return sorted(
        data["matrices"],
        key=lambda facts: (classes.index(facts["class"]), "_rcp" in facts["matrix"]),
    )


def _thread_counts(data: Data) -> list[int]:
    return sorted({1, data["threads"][-1]})


def _graph_name(facts: Row) -> str:
    """The paper's name of a graph. A star marks the stand-in whose rows and columns are
    permuted."""
    if facts["stands_for"] is None:
        return str(facts["matrix"])
    return f"{facts['stands_for']}{' *' if '_rcp' in facts['matrix'] else ''}"
