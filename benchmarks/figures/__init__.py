# SPDX-License-Identifier: BSD-3-Clause
"""Figures from results, as the papers draw them; one kind a module.

``python -m benchmarks.figures RESULT.json [OUT_DIR]`` draws those of a result again, as SVG.
A module's `draw` takes the data of its section and returns a figure, or None where the data do
not suffice. Matplotlib is loaded when the first figure is drawn.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """A figure of a section: the module that draws it, how its file and its caption end."""

    section: str
    module: str
    title: str


KINDS = (
    Kind("matching", "performance_profile", "How often, and by how much, each is behind the best"),
    Kind("matching", "speed_up_profile", "How often btfperm is how many times faster"),
    Kind("decomposition", "performance_profile", "How often, and by how much, each is behind"),
    Kind("published", "performance_profile", "Searches on one thread: how far behind the best"),
    Kind("published", "relative_speed", "Speed relative to the slowest of three"),
    Kind("published", "class_ranking", "Mean slow-down against the best, by class"),
    Kind("published", "counters", "Edges, phases and path lengths"),
    Kind("published", "search_rate", "Search rate"),
    Kind("published", "step_shares", "Where ms-bfs-graft spends its time"),
    Kind("published", "contributions", "What direction optimisation and grafting are worth"),
    Kind("gpu", "performance_profile", "How often, and by how much, each is behind the best"),
    Kind("gpu", "gpu_speed_up", "How often each is how many times faster than one core"),
    Kind("gpu", "individual_speed_up", "How many times faster than one core, graph by graph"),
    Kind("gpu", "relabelling", "What it is worth when G-PR relabels"),
    Kind("gpu", "levels", "Launches of the search kernel by phase"),
    Kind("scaling", "scaling", "Speed-up with the number of threads"),
)


def draw(report: dict[str, Any], stem: Path, say: Callable[[str], None]) -> list[tuple[str, Path]]:
    """Draw what the report's sections have figures for: STEM-MODULE.svg.

    Returns the title and the path of each.
    """
    kinds = [kind for kind in KINDS if kind.section in report["sections"]]
    if kinds and importlib.util.find_spec("matplotlib") is None:
        say("no figures: matplotlib is not installed (pip install 'btfperm[bench]')")
        return []
    drawn = []
    for kind in kinds:
        page = importlib.import_module("benchmarks.figures.page")
        module = importlib.import_module(f"benchmarks.figures.{kind.module}")
        figure = module.draw(report["sections"][kind.section])
        if figure is not None:
            file = stem.with_name(f"{stem.name}-{kind.module.replace('_', '-')}")
            drawn.append((kind.title, page.save(figure, file, report)))
    return drawn
