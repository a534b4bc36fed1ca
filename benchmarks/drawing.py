# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of all figures: size, type, colours that differ in grey print, caption, file."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH = 7.2  # inches: a printed page between its margins
BEST = "the best of them"  # a curve with the style of btfperm

# Okabe and Ito's colours and a few more; a line also has a dash and a marker, a bar a hatch.
_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#7F7F7F", "#8C6D1F", "#882255", "#332288"),
)
_MARKERS, _DASHES = "os^DvPX*<>", ("-", "--", "-.", ":")
_HATCHES = ("", "////", "\\\\", "xxx", "---", "|||", "++", "//", "xx")
OURS = {"color": "black", "linestyle": "-", "marker": "", "linewidth": 2.2}
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


def on(count: int) -> str:
    return "one thread" if count == 1 else f"{count} threads"


def blank(
    height: float, columns: int = 1, *, below: bool = False, **subplots: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of the page's width with its axes side by side, or one `below` the other."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    shape = (columns, 1) if below else (1, columns)
    return figure, list(figure.subplots(*shape, squeeze=False, **subplots).flat)


def line(index: int) -> dict[str, Any]:
    """Colour, dash and marker of the index-th line of a plot."""
    looks = {"color": _COLOURS, "linestyle": _DASHES, "marker": _MARKERS}
    return {name: each[index % len(each)] for name, each in looks.items()}


def sparse(style: dict[str, Any], x: Any) -> dict[str, Any]:
    """The style, with at most 15 markers."""
    return style | {"markevery": max(1, len(x) // 8)}


def bar(index: int) -> dict[str, Any]:
    """Colour and hatch of the index-th kind of bar."""
    looks = {"color": _COLOURS, "hatch": _HATCHES}
    style: dict[str, Any] = {name: each[index % len(each)] for name, each in looks.items()}
    return style | {"edgecolor": "white", "linewidth": 0.4}


def bars(ax: Axes, names: list[str], series: Mapping[str, Sequence[float]], width: float) -> Any:
    """Groups of bars, `width` wide, with a name below each group."""
    each, drawn = width / len(series), []
    for index, (label, heights) in enumerate(series.items()):
        places = [k + each * (index - (len(series) - 1) / 2) for k in range(len(names))]
        drawn.append(ax.bar(places, heights, each, label=label, **bar(index)))
    label_bars(ax, names)
    return drawn


def label_bars(ax: Axes, names: list[str]) -> None:
    """Writes slanted names under groups of bars."""
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    ax.grid(axis="x", visible=False)
    ax.set_xlim(-0.6, len(names) - 0.4)


def separate_classes(ax: Axes, classes: list[str]) -> None:
    """Draws a dashed line between groups of bars of different classes, and writes the name of each
    class above."""
    ends = [k for k in range(1, len(classes)) if classes[k] != classes[k - 1]]
    for start, end in zip([0, *ends], [*ends, len(classes)], strict=True):
        across = ax.get_xaxis_transform()
        middle = (start + end - 1) / 2
        ax.text(
            *(middle, 1.0, classes[start]), transform=across, ha="center", va="bottom", fontsize=7.5
        )
        if end < len(classes):
            ax.axvline(end - 0.5, color="#888888", linestyle="--", linewidth=0.8)


def gains(curves: Mapping[str, Sequence[float]], label: str) -> Figure:
    """The profile of speed-ups, one curve for each key: y is the part of the matrices on which the
    speed-up is at least x."""
    finite = [gain for each in curves.values() for gain in each if 0 < gain < np.inf]
    least, most = min([*finite, 1.0]) / 1.2, max([*finite, 1.0]) * 1.2
    count = len(next(iter(curves.values())))
    figure, (ax,) = blank(3.5)
    for index, (name, each) in enumerate(curves.items()):
        x = np.sort(np.clip(each, least, most))
        y = np.append(1 - np.arange(len(x)) / len(x), 0.0)
        style = OURS if name == BEST else line(index)
        ax.step(np.append(x, x[-1]), y, where="pre", label=name, **sparse(style, x))
    ax.axvline(1, color="#888888", linewidth=0.8)
    logarithmic(ax, "x", 2)
    ax.set_xlim(least, most)
    shares(ax, count, label)
    return figure


def shares(ax: Axes, count: int, label: str) -> None:
    ax.set_ylim(0, 1.02)
    ax.set(xlabel=label, ylabel=f"part of the {count} matrices")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def logarithmic(ax: Axes, which: str, base: int = 10) -> None:
    """Makes the axes logarithmic, with plain numbers."""
    for name in which:
        getattr(ax, f"set_{name}scale")("log", base=base)
        getattr(ax, f"{name}axis").set_major_formatter(lambda value, _: f"{value:g}")


def legend(figure: Figure, ax: Axes, columns: int) -> Figure:
    handles = ax.get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper center", ncols=columns)
    return figure


def save(figure: Figure, path: Path, report: dict[str, Any]) -> None:
    """Add a caption with machine, date and command, and write the file."""
    on = report["machine"]
    busy = "" if on["quiet"] else ", busy"
    gpus = [data["gpu"].split(" (")[0] for data in report["sections"].values() if "gpu" in data]
    where = "; ".join([*gpus, f"{on['cpu']}, {on['cores']} cores{busy}"])
    version, day = report["versions"]["btfperm"], report["date"][:10]
    caption = f"{where}; btfperm {version}, {day}. {report['command']}"
    figure.supxlabel("\n".join(textwrap.wrap(caption, 118)), fontsize=6.5, color="#555555")
    figure.savefig(path, metadata={"Date": None})
