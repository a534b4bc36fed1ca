# SPDX-License-Identifier: BSD-3-Clause
"""Red-blue matching compared with the serial algorithms of its paper, over random orders of the
vertices.

The paper is Fagginger Auer, Bisseling, "A GPU algorithm for greedy graph matching", 2012. Its
algorithms 1 and 2 are ``random-greedy`` and ``greedy``, algorithms 3 and 4 ``red-blue``. Each
permutation of the vertices is the same for all codes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case, names
from benchmarks.generators.assemble import SEED
from benchmarks.papers.graph_codes import MANY, Code, Run, means, usable
from benchmarks.papers.graph_codes import run as run_code
from benchmarks.papers.paper_004 import gpu
from benchmarks.papers.weighted_graphs import Graph, loaded, matrix_of
from benchmarks.regret.rows import measured, stored_names
from benchmarks.report import Options, Row, Section, by_matrix, digits, paragraphs
from benchmarks.scaling import counts

ORDERS = 32
P_VALUES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.53406, 0.55, 0.6, 0.7, 0.8, 0.9, 0.95)
SWEPT = "grid"  # the family whose largest graph is ecology1, on which the paper varies p
RANDOM, WEIGHTED = {"select": "random"}, {"select": "weighted"}
CODES = (
    Code("alg. 1, random", "random-greedy", RANDOM),
    Code("alg. 1, weighted", "random-greedy", WEIGHTED),
    Code("alg. 2, weighted", "greedy"),
    Code("alg. 3, random, all cores", "red-blue", RANDOM, MANY),
    Code("alg. 3, weighted, all cores", "red-blue", WEIGHTED, MANY),
    Code("alg. 3, random, GPU", "red-blue", RANDOM, backend="gpu"),
    Code("alg. 3, weighted, GPU", "red-blue", WEIGHTED, backend="gpu"),
)
# The plots of figure 5: a parallel code, the serial code it is compared with, and the quantity.
PAIRS = (
    ("alg. 3, random", "alg. 1, random", "size"),
    ("alg. 3, weighted", "alg. 1, weighted", "weight"),
    ("alg. 3, weighted", "alg. 2, weighted", "weight"),
    ("alg. 3, random", "alg. 1, random", "speed"),
    ("alg. 3, weighted", "alg. 1, weighted", "speed"),
    ("alg. 3, weighted", "alg. 2, weighted", "speed"),
)
WHERE = ("all cores", "GPU")


def cases(which: str, _: Path) -> list[Case]:
    """The generated graphs of a set."""
    return [Case(name, name.split(":")[0], _only_by_name) for name in names("paper-002", which)]


def _only_by_name() -> Any:
    raise OSError("this graph is made by its name")


def run(cases: list[Case], options: Options) -> Section:
    """All codes on random orders of each graph; `options.limit` bounds the seconds of a graph."""
    codes = usable(CODES)
    graphs = loaded([case for case in cases if case.name not in stored_names(options)])
    present = [case for case in cases if case.name in graphs]
    grids = [name for name in graphs if name.split(":")[0] == SWEPT]
    swept = max(grids, key=lambda name: graphs[name].edges, default=None)

    def measure(case: Case) -> Row:
        graph = graphs.pop(case.name)
        row = measure_graph(graph, case.kind, codes, options)
        if case.name == swept:
            row["p"] = sweep(graph)
        return row

    rows = measured(present, options, measure, outcome)
    data = {"gpu": gpu(codes), "threads": MANY, "limit": options.limit, "rows": rows}
    if data["gpu"] is None:
        del data["gpu"]
    return Section("Red-blue matching", markdown(data), data, [])


def measure_graph(graph: Graph, kind: str, codes: Sequence[Code], options: Options) -> Row:
    """Means and standard deviations over the orders of the seconds and of the ratios in `PAIRS`."""
    rng, begin = np.random.default_rng(SEED), time.monotonic()
    runs: dict[str, list[Run]] = {code.name: [] for code in codes}
    for number in range(ORDERS + 1):  # the first order is a warm-up
        if number > 1 and time.monotonic() - begin > options.limit:
            break
        A = matrix_of(graph, rng.permutation(graph.n))
        for code in codes:
            result = run_code(A, code, seed=number)
            runs[code.name] = [*(runs[code.name] if number > 1 else []), result]
    return {
        "matrix": graph.name,
        "kind": kind,
        "n": graph.n,
        "edges": graph.edges,
        "degree": float(f"{2 * graph.edges / graph.n:.3g}"),
        "orders": len(runs[codes[0].name]),
        "seconds": {name: means([r.seconds for r in each]) for name, each in runs.items()},
        "ratios": ratios(runs),
        "share": {name: each[-1].share for name, each in runs.items() if name.startswith("alg. 3")},
        "scaling": scaling(A),
    }


def ratios(runs: dict[str, list[Run]]) -> dict[str, list[float]]:
    """Mean and standard deviation of each ratio of figure 5 for which both codes ran."""
    found = {}
    for parallel, serial, what in PAIRS:
        for where in WHERE:
            own, other = runs.get(f"{parallel}, {where}"), runs[serial]
            if own:
                pairs = zip(own, other, strict=True)
                found[f"{what}: {parallel}, {where} / {serial}"] = means(
                    [_ratio(one, base, what) for one, base in pairs]
                )
    return found


def _ratio(one: Run, base: Run, what: str) -> float:
    if what == "speed":
        return base.seconds / max(one.seconds, 1e-9)
    return float(getattr(one, what) / getattr(base, what))


def scaling(A: Any) -> dict[str, float]:
    """Seconds of random matching by algorithm 3 on 1, 2, 4, ... threads, each the least of three
    runs."""
    found = {}
    for threads in counts(MANY):
        code = Code("", "red-blue", RANDOM, threads)
        least = min(run_code(A, code, seed=k).seconds for k in range(3))
        found[str(threads)] = float(f"{least:.3g}")
    return found


def sweep(graph: Graph) -> list[dict[str, float]]:
    """Size, weight, seconds and the share matched in the first round for each p of figure 3."""
    A = matrix_of(graph, np.random.default_rng(SEED).permutation(graph.n))
    found = []
    for p in P_VALUES:
        weighted = run_code(A, Code("", "red-blue", {"p": p}, MANY))
        randomly = run_code(A, Code("", "red-blue", {"p": p, **RANDOM}, MANY))
        found.append(
            {
                "p": p,
                "size": randomly.size,
                "weight": float(f"{weighted.weight:.8g}"),
                "seconds": float(f"{randomly.seconds:.3g}"),
                "rounds": randomly.rounds,
                "first": randomly.share[0],
                "theory": round(first_share(p), 5),
            }
        )
    return found


def first_share(p: float) -> float:
    """Equation (2): the share of vertices that the first round matches in a large random graph."""
    return 2 * (1 - p) * (1 - math.exp(-p / (1 - p)))


def outcome(row: Row) -> str:
    """The line that is printed when a graph is done."""
    each = [f"{name} {mean:.3g}" for name, (mean, _) in row["ratios"].items()]
    return f"{row['matrix']}, {row['orders']} orders: {', '.join(each)}"


def markdown(data: dict[str, Any]) -> str:
    """The tables: the ratios of figure 5, the matched share by round, the speed-up on several
    threads, and the results for each p."""
    rows = data["rows"]
    names_of = list(dict.fromkeys(name for row in rows for name in row["ratios"]))
    shares = list(dict.fromkeys(name for row in rows for name in row["share"]))
    threads = list(dict.fromkeys(count for row in rows for count in row["scaling"]))
    swept = [point for row in rows for point in row.get("p", [])]
    return paragraphs(
        "### Ratios over the orders: mean ± standard deviation",
        by_matrix(
            ["n", "edges", "orders", *names_of],
            rows,
            lambda row: [
                *(f"{row['n']:,}", f"{row['edges']:,}", str(row["orders"])),
                *(_with_error(row["ratios"].get(name)) for name in names_of),
            ],
        ),
        "### Matched share of the vertices after rounds 1 to 6",
        by_matrix(
            shares,
            rows,
            lambda row: [
                ", ".join(f"{x:.3f}" for x in row["share"].get(n, [])[:6]) for n in shares
            ],
        ),
        "### Speed-up of random matching on several threads over one",
        by_matrix(
            threads,
            rows,
            lambda row: [
                digits(row["scaling"]["1"] / row["scaling"][c]) if c in row["scaling"] else ""
                for c in threads
            ],
        ),
        "### The probability p" if swept else "",
        by_matrix(
            ["size", "weight", "s", "rounds", "first round", "equation (2)"],
            [{"matrix": f"p = {point['p']:g}", **point} for point in swept],
            lambda point: [
                f"{point['size']:,}",
                f"{point['weight']:.6g}",
                digits(point["seconds"]),
                str(point["rounds"]),
                *(f"{point[key]:.4f}" for key in ("first", "theory")),
            ],
        )
        if swept
        else "",
    )


def _with_error(value: list[float] | None) -> str:
    return "" if value is None else f"{value[0]:.3g} ± {value[1]:.2g}"
