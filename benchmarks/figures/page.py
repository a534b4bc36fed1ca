# SPDX-License-Identifier: BSD-3-Clause
"""What all figures share: size, type, colours that survive a grey printer, caption, files."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH = 7.2  # inches: a printed page between its margins

# Okabe and Ito's colours and a few more; a line also has a dash and a marker, a bar a hatch.
_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#7F7F7F", "#8C6D1F", "#882255", "#332288"),
)
_MARKERS = "os^DvPX*<>"
_DASHES = ("-", "--", "-.", ":")
_HATCHES = ("", "////", "\\\\", "xxx", "---", "|||", "++", "//", "xx")

_STYLE: Any = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "hatch.linewidth": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "btfperm",
}
mpl.rcParams.update(_STYLE)


def blank(height: float, columns: int = 1, **subplots: Any) -> tuple[Figure, list[Axes]]:
    """A figure of the page's width with its axes side by side."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False, **subplots)
    return figure, list(axes[0])


def line(index: int) -> dict[str, Any]:
    """Colour, dash and marker of the index-th line of a plot."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "linestyle": _DASHES[index % len(_DASHES)],
        "marker": _MARKERS[index % len(_MARKERS)],
    }


OURS = {"color": "black", "linestyle": "-", "marker": "", "linewidth": 2.2}


def bar(index: int) -> dict[str, Any]:
    """Colour and hatch of the index-th kind of bar."""
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "hatch": _HATCHES[index % len(_HATCHES)],
        "edgecolor": "white",
        "linewidth": 0.4,
    }


def on_threads(count: int) -> str:
    """As it stands in titles and labels."""
    return "one thread" if count == 1 else f"{count} threads"


def graph_name(facts: dict[str, Any]) -> str:
    """The paper's name of a graph; a star for its stand-in with rows and columns permuted."""
    if facts["stands_for"] is None:
        return str(facts["matrix"])
    return f"{facts['stands_for']}{' *' if '_rcp' in facts['matrix'] else ''}"


def label_bars(ax: Axes, names: list[str]) -> None:
    """Names under groups of bars, slanted where they would touch."""
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    ax.grid(axis="x", visible=False)
    ax.set_xlim(-0.6, len(names) - 0.4)


def separate_classes(ax: Axes, classes: list[str]) -> None:
    """A dashed line between groups of bars of different classes, and the name of each above."""
    start = 0
    for end in range(1, len(classes) + 1):
        if end == len(classes) or classes[end] != classes[start]:
            ax.text(
                *((start + end - 1) / 2, 1.0, classes[start]),
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=7.5,
            )
            if end < len(classes):
                ax.axvline(end - 0.5, color="#888888", linestyle="--", linewidth=0.8)
            start = end


def save(figure: Figure, stem: Path, report: dict[str, Any]) -> Path:
    """Add a caption with machine and date, and write STEM.svg: the same bytes from the same
    data."""
    on = report["machine"]
    busy = "" if on["quiet"] else ", busy"
    gpus = [data["gpu"].split(" (")[0] for data in report["sections"].values() if "gpu" in data]
    where = "; ".join([*gpus, f"{on['cpu']}, {on['cores']} cores{busy}"])
    caption = f"{where}; btfperm "
    caption += f"{report['versions']['btfperm']}, {report['date'][:10]}. {report['command']}"
    figure.supxlabel("\n".join(textwrap.wrap(caption, 118)), fontsize=6.5, color="#555555")
    path = stem.with_name(stem.name + ".svg")
    figure.savefig(path, metadata={"Date": None})
    return path
