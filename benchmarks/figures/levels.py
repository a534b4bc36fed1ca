# SPDX-License-Identifier: BSD-3-Clause
"""Launches of the search kernel in each phase, as figure 2 of Deveci, Kaya, Uçar, Çatalyürek
(Euro-Par 2013): a search that stops at the first free rows needs more phases, each of fewer."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import page

PANELS = 2


def draw(data: dict[str, Any]) -> Figure | None:
    """Two graphs: where the variants differ most in the number of phases, and where least."""
    rows = [row for row in data["rows"] if len(_curves(row)) > 1 and not row["stopped"]]
    if not rows:
        return None
    rows.sort(key=_spread)
    shown = [rows[-1], rows[0]][: min(PANELS, len(rows))]
    figure, axes = page.blank(3.2, len(shown))
    for ax, row in zip(axes, shown, strict=True):
        for index, (name, levels) in enumerate(_curves(row).items()):
            look = page.line(index) | {"markevery": max(1, len(levels) // 8)}
            ax.plot(range(1, len(levels) + 1), levels, label=name, **look)
        ax.set_xscale("log")
        ax.set_yscale("log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(lambda x, _: f"{x:g}")
            axis.set_minor_formatter(lambda *_: "")
        ax.set_title(row["matrix"])
        ax.set_xlabel("phase")
    axes[0].set_ylabel("launches of the search kernel")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _curves(row: dict[str, Any]) -> dict[str, list[int]]:
    counters = row["counters"].items()
    return {name: c["levels_by_phase"] for name, c in counters if c.get("levels_by_phase")}


def _spread(row: dict[str, Any]) -> float:
    phases = [len(levels) for levels in _curves(row).values()]
    return max(phases) / min(phases)
