# SPDX-License-Identifier: BSD-3-Clause
"""Local max compared with the other algorithms of its paper: weight relative to GPA, times, edges
per round.

The paper is Birn, Osipov, Sanders, Schulz, Sitchinava, "Efficient parallel and external matching",
Euro-Par 2013: Delaunay graphs, random geometric graphs and random graphs of 2^x vertices, and, with
``--set real``, symmetric matrices with the moduli of their values as weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.cases import Case, names
from benchmarks.papers.graph_codes import MANY, Code, median, timed, usable
from benchmarks.papers.weighted_graphs import Graph, loaded, matrix_of
from benchmarks.regret.rows import measured, stored_names
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    known,
    milliseconds,
    paragraphs,
)

GPA, LOCAL_MAX, HEM, HEM_RANDOM = "gpa", "local-max", "hem", "hem, random order"
RBM_THREADS = 4  # as in the paper's figure 5
CODES = (
    Code(GPA, "gpa"),
    Code("greedy", "greedy"),
    Code(LOCAL_MAX, "local-max"),
    Code(HEM, "hem"),
    Code(HEM_RANDOM, "hem", {"order": "random"}),
    Code("red-blue", "red-blue"),
    Code("red-blue, 4 threads", "red-blue", threads=RBM_THREADS),
    Code("local-max, all cores", "local-max", threads=MANY),
    Code("local-max, GPU", "local-max", backend="gpu"),
    Code("red-blue, GPU", "red-blue", backend="gpu"),
)


def cases(which: str, _: Path) -> list[Case]:
    """The generated graphs of a set; the kind is the family."""
    return [Case(name, family_of(name), _only_by_name) for name in names("paper-004", which)]


def family_of(name: str) -> str:
    """The family of a graph: ``random 16`` for ``random:18:16``."""
    family, _, *more = name.split(":")
    return " ".join([family, *more])


def _only_by_name() -> Any:
    raise OSError("this graph is made by its name")


def run(cases: list[Case], options: Options) -> Section:
    """Times and weights of all codes on each graph."""
    codes = usable(CODES)
    graphs = loaded([case for case in cases if case.name not in stored_names(options)])
    present = [case for case in cases if case.name in graphs]

    def measure(case: Case) -> Row:
        graph = graphs.pop(case.name)
        return {"kind": case.kind, **measure_graph(graph, codes, options)}

    rows = measured(present, options, measure, outcome)
    data = {"gpu": gpu(codes), "threads": MANY, "limit": options.limit, "rows": rows}
    if data["gpu"] is None:
        del data["gpu"]
    return Section("Local max and its rivals", markdown(data), data, [])


def gpu(codes: list[Code]) -> str | None:
    """The GPU, if a code uses it."""
    return machine.gpu() if any(code.backend == "gpu" for code in codes) else None


def measure_graph(graph: Graph, codes: list[Code], options: Options) -> Row:
    """Median seconds, weight, size and rounds of each code; for local-max and red-blue also the
    edges left by round."""
    found = timed(matrix_of(graph), codes, options.repeats, options.limit)
    runs = {name: result for name, (_, result) in found.items()}
    return {
        "matrix": graph.name,
        "n": graph.n,
        "edges": graph.edges,
        "turns": min(len(seconds) for seconds, _ in found.values()),
        "median": {name: median(seconds) for name, (seconds, _) in found.items()},
        "weight": {name: float(f"{r.weight:.8g}") for name, r in runs.items()},
        "size": {name: r.size for name, r in runs.items()},
        "rounds": {name: r.rounds for name, r in runs.items()},
        "left": {n: r.left for n, r in runs.items() if n in (LOCAL_MAX, "red-blue")},
    }


def outcome(row: Row) -> str:
    """The line that is printed when a graph is done."""
    times = [f"{name} {milliseconds(s)}" for name, s in row["median"].items()]
    return f"{row['matrix']}: {', '.join(times)} ms"


def lighter(row: Row, name: str) -> float:
    """By how many percent the matching of a code is lighter than that of GPA."""
    return 100 * (1 - float(row["weight"][name]) / float(row["weight"][GPA]))


def left_per_round(row: Row, name: str = LOCAL_MAX) -> float | None:
    """The share of the edges that a round of a code leaves: the geometric mean over those of the
    first twelve rounds that leave edges. None if the first round leaves none."""
    shares = [share for share in row["left"].get(name, ()) if share > 0]
    return float(shares[-1] ** (1 / len(shares))) if shares else None


def markdown(data: dict[str, Any]) -> str:
    """The tables: weight relative to GPA, times, rounds."""
    rows = data["rows"]
    codes = list(dict.fromkeys(name for row in rows for name in row["median"]))
    others = [name for name in codes if name != GPA]
    return paragraphs(
        "### Percent lighter than GPA",
        by_matrix(
            ["n", "edges", *others],
            rows,
            lambda row: [
                f"{row['n']:,}",
                f"{row['edges']:,}",
                *(f"{lighter(row, name):.2f}" if name in row["weight"] else "" for name in others),
            ],
        ),
        "### The algorithm alone, ms",
        by_matrix(
            codes,
            rows,
            lambda row: [
                milliseconds(row["median"][n]) if n in row["median"] else "" for n in codes
            ],
        ),
        "### Rounds of local-max, and the percentage of edges that a round leaves",
        by_matrix(
            ["rounds", "mean", "after the first", "second", "third"],
            rows,
            lambda row: [
                str(row["rounds"][LOCAL_MAX]),
                known(left_per_round(row), lambda x: digits(100 * x)),
                *(digits(100 * x) for x in (row["left"][LOCAL_MAX] + [0.0] * 3)[:3]),
            ],
        ),
    )
