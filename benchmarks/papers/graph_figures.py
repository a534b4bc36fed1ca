# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the two papers on matchings in graphs, from results of their sections.

Comments call the paper Fagginger Auer and Bisseling (2012) "RBM", and the paper Birn et al.
(Euro-Par 2013) "local max".
"""

from __future__ import annotations

import re
from typing import Any

from matplotlib.figure import Figure

from benchmarks import drawing
from benchmarks.papers.paper_002 import PAIRS, WHERE
from benchmarks.papers.paper_004 import lighter
from benchmarks.report import Row

Data = dict[str, Any]

SEQUENTIAL = ("gpa", "greedy", "local-max", "hem", "hem, random order", "red-blue")
PARALLEL = (
    *("gpa", "local-max", "red-blue, 4 threads", "local-max, all cores"),
    *("local-max, GPU", "red-blue, GPU"),
)


# -- RBM -------------------------------------------------------------------------------------------


def matched_share(data: Data) -> Figure | None:
    """Figure 2: the matched share of the vertices by round, on the six largest graphs."""
    name = "alg. 3, random, all cores"
    rows = sorted(data["rows"], key=lambda row: -row["edges"])[:6]
    if not rows:
        return None
    figure, (ax,) = drawing.blank(3.2)
    for index, row in enumerate(rows):
        shares = [0.0, *row["share"][name]]
        label = f"{row['matrix']} ({row['edges']:,})"
        ax.plot(range(len(shares)), shares, label=label, **drawing.line(index))
    ax.set(xlabel="rounds", ylabel="matched vertices over all vertices")
    return drawing.legend(figure, ax, 3)


def probability(data: Data) -> Figure | None:
    """Figure 3. Left: size, weight and time for each p, in percent of the range from the least to
    the largest value. Right: the share matched in the first round, and its prediction by equation
    (2)."""
    points = next((row["p"] for row in data["rows"] if "p" in row), None)
    if points is None:
        return None
    figure, (left, right) = drawing.blank(3.0, 2)
    x = [point["p"] for point in points]
    for index, key in enumerate(("size", "weight", "seconds")):
        values = [point[key] for point in points]
        low, high = min(values), max(values)
        scaled = [100 * (value - low) / max(high - low, 1e-30) for value in values]
        left.plot(x, scaled, label=key, **drawing.line(index))
    left.set(xlabel="p", ylabel="% of the range")
    left.legend()
    right.plot(x, [point["first"] for point in points], label="observed", **drawing.line(0))
    right.plot(x, [point["theory"] for point in points], label="equation (2)", **drawing.line(1))
    right.set(xlabel="p", ylabel="matched in the first round")
    right.legend()
    return figure


def threads(data: Data) -> Figure | None:
    """Figure 4: time of random matching on several threads, relative to one, on the eight largest
    graphs."""
    rows = [row for row in data["rows"] if len(row["scaling"]) > 1]
    rows = sorted(rows, key=lambda row: -row["edges"])[:8]
    if not rows:
        return None
    figure, (ax,) = drawing.blank(3.2)
    for index, row in enumerate(rows):
        counts = [int(count) for count in row["scaling"]]
        times = [seconds / row["scaling"]["1"] for seconds in row["scaling"].values()]
        ax.plot(counts, times, label=row["matrix"], **drawing.line(index))
    ax.plot(counts, [1 / count for count in counts], color="#AAAAAA", linewidth=0.8, zorder=0)
    drawing.logarithmic(ax, "xy", 2)
    ax.set(xlabel="threads", ylabel="time relative to one thread")
    return drawing.legend(figure, ax, 4)


def ratios(data: Data) -> Figure | None:
    """Figure 5: size, weight and speed of algorithm 3 relative to the serial algorithms, over the
    number of edges. The bars are one standard deviation over the random orders."""
    rows = sorted(data["rows"], key=lambda row: row["edges"])
    if not rows:
        return None
    figure = Figure(figsize=(drawing.WIDTH, 4.8), layout="constrained")
    axes = figure.subplots(2, 3)
    for ax, (parallel, serial, what) in zip(axes.flat, PAIRS, strict=True):
        for index, where in enumerate(WHERE):
            key = f"{what}: {parallel}, {where} / {serial}"
            found = [(row["edges"], *row["ratios"][key]) for row in rows if key in row["ratios"]]
            if found:
                x, y, deviation = zip(*found, strict=True)
                style = {**drawing.line(index), "linestyle": "", "label": where}
                ax.errorbar(x, y, yerr=deviation, elinewidth=0.7, **style)
        drawing.logarithmic(ax, "xy" if what == "speed" else "x")
        ax.axhline(1, color="#888888", linewidth=0.8)
        ax.set_title(f"{what}, {parallel} / {serial}", fontsize=7.5)
    for ax in axes[1]:
        ax.set_xlabel("edges")
    return drawing.legend(figure, axes[0][0], 2)


# -- local max -------------------------------------------------------------------------------------


def families(data: Data) -> dict[str, list[Row]]:
    """The graphs of each family, by size. Real matrices are one family. Stars are left out, because
    the paper does not draw them, and so is a family of which only one graph was measured, because
    one point makes no curve."""
    found: dict[str, list[Row]] = {}
    for row in sorted(data["rows"], key=lambda row: row["n"]):
        generated = re.fullmatch(r"(delaunay|rgg|random:\d+):?.*", row["matrix"])
        kind = row["kind"] if generated else "real matrices"
        if not row["matrix"].startswith("star"):
            found.setdefault(kind, []).append(row)
    return {kind: rows for kind, rows in found.items() if len(rows) > 1}


def quality(data: Data) -> Figure | None:
    """Figures 2, 3 and 6 to 9, left: weight relative to GPA. Real matrices are sorted by this
    ratio, separately for each algorithm."""

    def points(rows: list[Row], name: str) -> list[tuple[float, float]]:
        values = [1 - lighter(row, name) / 100 for row in rows if name in row["weight"]]
        if rows and rows[0]["kind"]:
            return list(zip([row["n"] for row in rows], values, strict=True))
        return list(enumerate(sorted(values), 1))

    return _panels(data, SEQUENTIAL[1:], points, "weight over that of GPA", logarithmic="x")


def times(data: Data) -> Figure | None:
    """Figures 2, 3 and 6 to 9, right: time for each edge over the number of vertices."""
    return _panels(data, SEQUENTIAL, _per_edge, "ns for each edge", logarithmic="xy")


def gpu_times(data: Data) -> Figure | None:
    """Figures 5, 10 and 11: time for each edge on one thread, on several threads and on a GPU."""
    if not any("local-max, GPU" in row["median"] for row in data["rows"]):
        return None
    return _panels(data, PARALLEL, _per_edge, "ns for each edge", logarithmic="xy")


def _per_edge(rows: list[Row], name: str) -> list[tuple[float, float]]:
    return [
        (row["n"], 1e9 * row["median"][name] / row["edges"])
        for row in rows
        if name in row["median"] and row["edges"]
    ]


def _panels(
    data: Data, names: tuple[str, ...], points: Any, label: str, *, logarithmic: str
) -> Figure | None:
    groups = families(data)
    if not groups:
        return None
    columns = min(3, len(groups))
    lines = -(-len(groups) // columns)
    figure = Figure(figsize=(drawing.WIDTH, 0.7 + 2.1 * lines), layout="constrained")
    axes = figure.subplots(lines, columns, squeeze=False)
    for ax, (kind, rows) in zip(axes.flat, groups.items(), strict=False):
        for index, name in enumerate(names):
            found = points(rows, name)
            if found:
                x, y = zip(*found, strict=True)
                ax.plot(x, y, label=name, **drawing.sparse(drawing.line(index), x))
        drawing.logarithmic(ax, logarithmic if rows[0]["kind"] else logarithmic[1:], 10)
        ax.set_title(kind)
        ax.set_xlabel("vertices" if rows[0]["kind"] else "matrices, by the ratio")
    for ax in axes.flat[len(groups) :]:
        ax.set_visible(False)
    for line in axes:
        line[0].set_ylabel(label)
    return drawing.legend(figure, axes[0][0], 3)
