# SPDX-License-Identifier: BSD-3-Clause
"""The counters of the searches (edges, phases and path lengths), and a paper's statements about
them.

Section II E and figure 1 of Azad, Buluç, Pothen (IPDPS 2015, see `grafting.py`) compare five
searches on one core, on one graph of each class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.papers.stand_ins import stands_for
from benchmarks.report import Row

ALL = ("kkt_power", "cit-Patents", "wikipedia")
PERFECT, DEFICIENT = ALL[:1], ALL[1:]
STEPS = {
    "top-down": "top_down_us",
    "bottom-up": "bottom_up_us",
    "augment": "augment_us",
    "graft": "graft_us",
    "statistics": "statistics_us",
}
COMPARED = ("ss-dfs", "ss-bfs", "pothen-fan", "ms-bfs", "hopcroft-karp")
# Options with which a search is that of the paper. Without them, ss-dfs is MC21.
OF_PAPER = {"ss-dfs": {"close": 1.0}}


def searched(row: Row) -> bool:
    """Whether columns were unmatched after the initial matching, and the search finished."""
    return bool(row["seconds"]) and row["counters"].get("edges", 0) > 0


def edges_and_rate(row: Row) -> tuple[float, float]:
    """Visited edges, and millions of edges per second."""
    edges = float(row["counters"]["edges"])
    return edges, edges / max(row["median"], 1e-9) / 1e6


def step_seconds(row: Row) -> dict[str, float]:
    """Seconds of each step of ms-bfs-graft; empty for other algorithms."""
    times = {name: row["counters"].get(counter, 0) * 1e-6 for name, counter in STEPS.items()}
    return times if any(times.values()) else {}


def seconds_of_steps(row: Row) -> float:
    """Seconds of all steps together: the search without the computation of the row lists."""
    return sum(step_seconds(row).values())


def edges_per_entry(row: Row) -> float | None:
    """The mean number of visits of an entry. None if there was no search or it did not finish."""
    return row["counters"]["edges"] / row["nnz"] if searched(row) else None


def phases(row: Row) -> float | None:
    """The number of phases, each a search and an augmentation. None for push-relabel, which has
    none."""
    rounds = row["counters"].get("phases", 0)
    return float(rounds) if searched(row) and rounds else None


def mean_path(row: Row) -> float | None:
    """Mean length of the augmenting paths, in edges. None for push-relabel, which has none."""
    length = row["counters"].get("path_edges", 0)
    return length / row["counters"]["augmentations"] if length else None


class Statement(NamedTuple):
    """A statement of the paper: on each of `graphs`, the counter `figure` of every search in `less`
    is less than the one of every search in `more`, or not more with `or_equal`."""

    words: str
    figure: Callable[[Row], float | None]
    less: tuple[str, ...]
    more: tuple[str, ...]
    graphs: tuple[str, ...] = ALL
    or_equal: bool = False


_MULTI, _SINGLE = ("pothen-fan", "ms-bfs"), ("ss-dfs", "ss-bfs")
_STATEMENTS = (
    Statement(
        "pothen-fan and ms-bfs read fewer edges than hopcroft-karp",
        edges_per_entry, _MULTI, ("hopcroft-karp",),
    ),
    Statement(
        "pothen-fan reads the fewest edges",
        edges_per_entry, ("pothen-fan",), (*_SINGLE, "ms-bfs", "hopcroft-karp"), PERFECT,
    ),
    Statement(
        "multi-source reads fewer edges than single-source",
        edges_per_entry, _MULTI, _SINGLE, PERFECT,
    ),
    Statement(
        "ss-bfs reads the fewest edges",
        edges_per_entry, ("ss-bfs",), ("ss-dfs", *_MULTI, "hopcroft-karp"), DEFICIENT,
    ),
    Statement(
        "pothen-fan, ss-bfs and ms-bfs read fewer edges than ss-dfs and hopcroft-karp",
        edges_per_entry, (*_MULTI, "ss-bfs"), ("ss-dfs", "hopcroft-karp"),
    ),
    Statement(
        "multi-source needs fewer phases than single-source",
        phases, _MULTI, _SINGLE,
    ),
    Statement(
        "ms-bfs needs fewer phases than hopcroft-karp",
        phases, ("ms-bfs",), ("hopcroft-karp",),
    ),
    Statement(
        "ms-bfs needs no more phases than pothen-fan",
        phases, ("ms-bfs",), ("pothen-fan",), DEFICIENT, or_equal=True,
    ),
    Statement(
        "hopcroft-karp finds the shortest paths",
        mean_path, ("hopcroft-karp",), (*_SINGLE, *_MULTI), or_equal=True,
    ),
    Statement(
        "breadth-first paths are shorter than depth-first ones",
        mean_path, ("ss-bfs", "ms-bfs", "hopcroft-karp"), ("ss-dfs", "pothen-fan"),
    ),
    Statement(
        "multi-source breadth-first paths are shorter than single-source ones",
        mean_path, ("ms-bfs",), ("ss-bfs",),
    ),
    Statement(
        "multi-source depth-first paths are shorter than single-source ones",
        mean_path, ("pothen-fan",), ("ss-dfs",),
    ),
)  # fmt: skip


def statements(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Each statement on each of its graphs, if all searches that it names finished. If a graph was
    measured in several orders, the first one is used. If a search ran with and without the options
    in `OF_PAPER`, the run with them is used."""
    by_graph: dict[str, dict[str, Row]] = {}
    first: dict[str, str] = {}
    for row in rows:
        paper = stands_for(row["matrix"])
        if not paper or first.setdefault(paper.graph, row["matrix"]) != row["matrix"]:
            continue
        if row["threads"] != 1 or not searched(row):
            continue
        found = by_graph.setdefault(paper.graph, {})
        if row["options"] and row["options"] == OF_PAPER.get(row["algorithm"]):
            found[row["algorithm"]] = row
        elif not row["options"]:
            found.setdefault(row["algorithm"], row)
    results = []
    for statement in _STATEMENTS:
        for graph in statement.graphs:
            values = {
                name: statement.figure(by_graph.get(graph, {}).get(name, _NOTHING))
                for name in (*statement.less, *statement.more)
            }
            figures = {name: value for name, value in values.items() if value is not None}
            if len(figures) == len(values):
                less = max(figures[n] for n in statement.less)
                more = min(figures[n] for n in statement.more)
                holds = less < more or (statement.or_equal and less == more)
                results.append(
                    {"words": statement.words, "graph": graph, "figures": figures, "holds": holds}
                )
    return results


def not_judged(found: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """The pairs (statement, graph) that `statements` left out because a search did not finish."""
    judged = {(each["words"], each["graph"]) for each in found}
    every = [(each.words, graph) for each in _STATEMENTS for graph in each.graphs]
    return [each for each in every if each not in judged]


_NOTHING: Row = {"seconds": [], "counters": {}}
