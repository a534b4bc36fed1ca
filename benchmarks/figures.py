# SPDX-License-Identifier: BSD-3-Clause
"""Figures: ``python -m benchmarks.figures RESULT.json [OUT_DIR]`` draws those of a result.

`KINDS` lists the figures: the section, the name, the title, and the function `draw`, which takes
the data of the section and returns a figure, or None where the data do not suffice. Files are SVG,
and with the same version of Matplotlib the same data give the same bytes.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from benchmarks import drawing
from benchmarks.papers import contest_figures as contests
from benchmarks.papers import counters, entrants
from benchmarks.papers import figures as papers
from benchmarks.papers import graph_figures as graphs
from benchmarks.peers import ours
from benchmarks.report import Row, geometric_mean

Data = dict[str, Any]

WIDEST = 1000.0  # a performance profile ends at this ratio, and does not show larger ones
BEST = drawing.BEST

# -- profiles and scaling --------------------------------------------------------------------------


def performance_profile(data: Data) -> Figure | None:
    """A point (x, y) means that on a share y of the matrices the method takes at most x times as
    long as the fastest method on the same matrix. A stopped run counts as slower than any x. The
    runs of btfperm without a proof are left out."""
    times = _medians(data)
    names = [name for name in _methods(times) if name != ours.UNPROVEN]
    if not times or len(names) < 2:
        return None
    least = [min((t[n] for n in names if n in t), default=np.inf) for t in times]
    ratios = {
        name: np.sort([t.get(name, np.inf) / best for t, best in zip(times, least, strict=True)])
        for name in names
    }
    widest = min(WIDEST, 1.2 * max(r for each in ratios.values() for r in each if np.isfinite(r)))
    figure, (ax,) = drawing.blank(3.4)
    for index, (name, each) in enumerate(ratios.items()):
        done = each[each <= widest]
        x = np.concatenate([[1.0], done, [widest]])
        y = np.concatenate([[0.0], np.arange(1, len(done) + 1), [len(done)]]) / len(times)
        y[0] = np.mean(each <= 1.0)
        style = drawing.OURS if name in (ours.NAME, "guided-displacement") else drawing.line(index)
        ax.step(x, y, where="post", label=name, **drawing.sparse(style, x))
    drawing.logarithmic(ax, "x")
    ax.set_xlim(1, widest)
    drawing.shares(ax, len(times), "time over that of the fastest on the same matrix")
    return figure


def speed_up_profile(data: Data) -> Figure | None:
    """A point (x, y): on a part y of the matrices the time of the peer is at least x times that of
    btfperm. Matrices on which the peer did not finish are at the right edge; those on which btfperm
    did not finish are left out."""
    times = [each for each in _medians(data) if ours.NAME in each]
    peers = [name for name in _methods(times) if name not in (ours.NAME, ours.UNPROVEN)]
    if not times or not peers:
        return None

    def gain(each: Mapping[str, float], among: Sequence[str]) -> float:
        return min((each[p] for p in among if p in each), default=np.inf) / each[ours.NAME]

    curves = {peer: [gain(each, [peer]) for each in times] for peer in peers}
    curves[BEST] = [gain(each, peers) for each in times]
    return drawing.gains(curves, "speed-up of btfperm, proof included, over the peer")


def scaling(data: Data) -> Figure | None:
    """Figure 5 of Azad et al. (2015): the speed-up over the same algorithm on one thread (the least
    number of threads in the data), geometric mean of each class; one panel for each of the first
    three algorithms. Only matrices measured on all numbers of threads count."""
    curves = _scaling_curves(data["rows"])
    if not curves:
        return None
    algorithms = list(dict.fromkeys(algorithm for algorithm, _ in curves))[:3]
    figure, axes = drawing.blank(3.2, len(algorithms), sharey=True)
    for ax, algorithm in zip(axes, algorithms, strict=True):
        for index, kind in enumerate(dict.fromkeys(kind for _, kind in curves)):
            points = curves.get((algorithm, kind), {})
            ax.plot(list(points), list(points.values()), label=kind, **drawing.line(index))
        counts = sorted({threads for points in curves.values() for threads in points})
        ax.plot(counts, counts, color="#AAAAAA", linewidth=0.8, zorder=0)
        drawing.logarithmic(ax, "xy", 2)
        ax.set_xticks(counts, [str(count) for count in counts])
        ax.set(title=algorithm, xlabel="threads")
    axes[0].set_ylabel("speed-up over one thread, geometric mean")
    return drawing.legend(figure, axes[0], 6)


def _scaling_curves(rows: list[Row]) -> dict[tuple[str, str], dict[int, float]]:
    times: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        runs: Any = row.get("medians", row["seconds"])  # older results have one run
        if row["seconds"] and None not in runs:
            key = row["algorithm"], row["class"], row["matrix"]
            times.setdefault(key, {})[row["threads"]] = statistics.median(runs)
    counts = sorted({t for each in times.values() for t in each})
    ratios: dict[tuple[str, str], dict[int, list[float]]] = {}
    for (algorithm, kind, _), each in times.items():
        if len(each) == len(counts) > 1:
            group = ratios.setdefault((algorithm, kind), {t: [] for t in counts})
            for threads in counts:
                group[threads].append(each[counts[0]] / each[threads])
    return {k: {t: geometric_mean(v) for t, v in group.items()} for k, group in ratios.items()}


def _medians(data: Data) -> list[dict[str, float]]:
    """Seconds of each method on each matrix. In the section `published`, only searches count that
    were requested by name, ran on one thread with the default options, ended within the limit, and
    visited an edge."""
    if "orders" not in data:
        return [row["median"] for row in data["rows"] if row["median"]]
    times: dict[str, dict[str, float]] = {}
    for row in data["rows"]:
        plain = row["threads"] == 1 and not row["options"] and counters.searched(row)
        if plain and row["algorithm"] not in (entrants.AUTO, entrants.START):
            times.setdefault(row["matrix"], {})[row["algorithm"]] = row["median"]
    return list(times.values())


def _methods(times: list[dict[str, float]]) -> list[str]:
    return list(dict.fromkeys(name for each in times for name in each))


def over_ranks(data: Data) -> Figure | None:
    """The predicted seconds of each matrix on each number of ranks, and those measured with a core
    for each rank."""
    if not data.get("curves"):
        return None
    figure, (ax,) = drawing.blank(3.4)
    for index, name in enumerate(dict.fromkeys(row["matrix"] for row in data["curves"])):
        own = [row for row in data["curves"] if row["matrix"] == name]
        style = drawing.line(index)
        x, y = [row["ranks"] for row in own], [row["seconds"] for row in own]
        ax.plot(x, y, label=name, color=style["color"], linestyle=style["linestyle"])
        known = [r for r in data["rows"] if r["matrix"] == name and r["ranks"] <= data["cores"]]
        x, y = [row["ranks"] for row in known], [row["seconds"] for row in known]
        ax.plot(x, y, linestyle="none", color=style["color"], marker=style["marker"])
    drawing.logarithmic(ax, "xy")
    ax.set(xlabel="ranks", ylabel="seconds; markers: measured, lines: predicted")
    return drawing.legend(figure, ax, 4)


class Kind(NamedTuple):
    """A figure of a section: its name in the file's name, its title, and its function."""

    section: str
    name: str
    title: str
    draw: Callable[[Data], Figure | None]


_PROFILE = "How often, and by how much, each method is slower than the best"
KINDS = (
    Kind("matching", "performance-profile", _PROFILE, performance_profile),
    Kind("matching", "speed-up-profile", "Speed-up of btfperm over each peer", speed_up_profile),
    Kind("decomposition", "performance-profile", _PROFILE, performance_profile),
    Kind("published", "performance-profile", _PROFILE, performance_profile),
    Kind(
        "published",
        "relative-speed",
        "Speed relative to the slowest",
        papers.relative_speed,
    ),
    Kind(
        "published",
        "class-ranking",
        "Mean slow-down by class",
        papers.class_ranking,
    ),
    Kind("published", "counters", "Edges, phases and path lengths", papers.counted),
    Kind("published", "search-rate", "Search rate", papers.search_rate),
    Kind("published", "step-shares", "Share of each step of ms-bfs-graft", papers.step_shares),
    Kind("published", "contributions", "Direction optimisation and grafting", papers.contributions),
    *(
        Kind(section, name, title, draw)
        for section in ("paper-000", "paper-003")
        for name, title, draw in (
            ("performance-profile", _PROFILE, contests.contest_profile),
            ("gpu-speed-up", "Speed-up over one core", contests.contest_speed_up),
            ("individual-speed-up", "Speed-up by graph", papers.individual_speed_up),
            ("relabelling", "Relabelling strategies of G-PR", papers.relabelling),
            ("levels", "Launches of the search kernel by phase", papers.levels),
        )
    ),
    Kind("serial-codes", "counters", "Edges, phases and path lengths", papers.counted),
    Kind("paper-001", "relative-speed", "Speed relative to the slowest", papers.relative_speed),
    Kind("paper-001", "search-rate", "Search rate", papers.search_rate),
    Kind("paper-001", "step-shares", "Share of each step of ms-bfs-graft", papers.step_shares),
    Kind("paper-001", "contributions", "Direction and grafting", papers.contributions),
    Kind("paper-001", "graft-scaling", "Speed-up on several threads", papers.graft_scaling),
    Kind("paper-001", "frontiers", "Sizes of the frontiers", papers.frontiers),
    Kind("paper-002", "rounds", "Matched share by round", graphs.matched_share),
    Kind("paper-002", "probability", "The probability p", graphs.probability),
    Kind("paper-002", "threads", "Random matching on several threads", graphs.threads),
    Kind("paper-002", "ratios", "Red-blue beside the serial algorithms", graphs.ratios),
    Kind("paper-004", "quality", "Weight relative to GPA", graphs.quality),
    Kind("paper-004", "times", "Times", graphs.times),
    Kind("paper-004", "gpu-times", "Times on the CPU and on a GPU", graphs.gpu_times),
    Kind("scaling", "scaling", "Speed-up with the number of threads", scaling),
    Kind("mpi-model", "ranks", "Time over MPI ranks", over_ranks),
)


def draw(report: dict[str, Any], stem: Path) -> list[tuple[str, Path]]:
    """Draw the figures of the sections of a report as STEM-NAME.svg: title and path of each."""
    drawn = []
    for kind in KINDS:
        if kind.section in report["sections"]:
            figure = kind.draw(report["sections"][kind.section])
            if figure is not None:
                path = stem.with_name(f"{stem.name}-{kind.name}.svg")
                drawing.save(figure, path, report)
                drawn.append((kind.title, path))
    return drawn


def main(arguments: list[str]) -> int:
    """Draw the figures of one result beside it, or in another folder."""
    if not 1 <= len(arguments) <= 2:
        print("python -m benchmarks.figures RESULT.json [OUT_DIR]", file=sys.stderr)
        return 2
    source = Path(arguments[0])
    folder = Path(arguments[1]) if len(arguments) == 2 else source.parent
    folder.mkdir(parents=True, exist_ok=True)
    for title, path in draw(json.loads(source.read_text()), folder / source.stem):
        print(f"{path}: {title}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
