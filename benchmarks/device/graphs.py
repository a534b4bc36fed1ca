# SPDX-License-Identifier: BSD-3-Clause
"""`match` on a GPU beside the same algorithms on one core, over sizes; and local max beside HEM.

``random_K`` has about 2^K vertices and the different edges among 2^(K+2) random pairs of them,
``grid_K`` is a square grid of about 2^K points, ``star_N`` has N edges at one vertex, and
``path_N`` has N edges of increasing weight: each round of local max matches one of them, so N / 2
rounds over all remaining edges would take quadratic time. Weights are uniform in (0, 1] for the
others.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import btfperm
from benchmarks import machine
from benchmarks.cases import Case, names
from benchmarks.generators.assemble import SEED
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    known,
    milliseconds,
    paragraphs,
    progress,
)
from btfperm import registry
from btfperm.backends.select import backends
from btfperm.path.request import Request
from btfperm.weighted.graph_certificate import GUARANTEES, check_matching
from btfperm.weighted.graph_input import read_graph

# Name: algorithm, backend, options.
CODES: dict[str, tuple[str, str, dict[str, str]]] = {
    "local-max, GPU": ("local-max", "gpu", {}),
    "red-blue, GPU": ("red-blue", "gpu", {}),
    "random red-blue, GPU": ("red-blue", "gpu", {"select": "random"}),
    "local-max": ("local-max", "cpu", {"model": "sequential"}),
    "red-blue": ("red-blue", "cpu", {}),
    "random red-blue": ("red-blue", "cpu", {"select": "random"}),
    "hem": ("hem", "cpu", {}),
    "greedy": ("greedy", "cpu", {}),
    "gpa": ("gpa", "cpu", {}),
}
PAIRS = ("local-max", "red-blue", "random red-blue")
LARGE = 1 << 20  # vertices; from this number on, the aims demand a far faster GPU
GAIN = ("local-max", "local-max, GPU")
ONCE = ("gpa", "greedy")  # run once, because only the weights of their matchings are used
NOTE = (
    "Medians, ms, of the algorithm alone, with the graph in memory, for a GPU in its memory. On "
    "the CPU, one thread. Each result was checked; results of a GPU on the device."
)


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name."""
    return [Case(name, name.split("_")[0], partial(make, name)) for name in names("graphs", which)]


def make(name: str) -> sp.csc_array:
    """The symmetric matrix of that name."""
    rng = np.random.default_rng(SEED)
    family, size = name.split("_")
    k = int(size)
    if family == "star":
        u, v = np.zeros(k, np.int64), np.arange(1, k + 1)
    elif family == "path":
        u, v = np.arange(k), np.arange(1, k + 1)
    elif family == "grid":
        side = math.isqrt(1 << k)
        points = np.arange(side * side).reshape(side, side)
        u = np.concatenate([points[:, :-1].ravel(), points[:-1].ravel()])
        v = np.concatenate([points[:, 1:].ravel(), points[1:].ravel()])
    else:
        u, v = rng.integers(0, 1 << k, (2, 4 << k))
        keys = np.unique(np.minimum(u, v) << k | np.maximum(u, v))
        u, v = keys >> k, keys & (1 << k) - 1
        u, v = u[u != v], v[u != v]
    n = int(v.max()) + 1
    weight = np.arange(1.0, u.size + 1) if family == "path" else 1 - rng.random(u.size)
    both = np.concatenate([u, v]).astype(np.int32), np.concatenate([v, u]).astype(np.int32)
    G = sp.coo_array((np.concatenate([weight, weight]), both), shape=(n, n)).tocsc()
    G.sort_indices()
    return G


def run(cases: list[Case], options: Options) -> Section:
    """One row for each graph."""
    rows: list[Row] = []
    complaints: list[str] = []
    has_gpu = next(each for each in backends() if each.name == "gpu").works
    codes = {name: code for name, code in CODES.items() if has_gpu or code[1] == "cpu"}
    for case in cases:
        G = case.load()
        row: Row = {"matrix": case.name, "n": G.shape[0], "edges": int(G.nnz) // 2}
        row["codes"] = _in_turns(G, codes, options)
        found = _contradictions(row)
        complaints += [f"{case.name}: {problem}" for problem in found]
        rows.append(row)
        options.say(progress(case.name, [_time(row, name) for name in codes], found))
    data = {"rows": rows, **({"gpu": machine.gpu()} if has_gpu else {})}
    return Section("Matchings in graphs on a GPU", markdown(data), data, complaints)


def _in_turns(
    G: sp.csc_array, codes: dict[str, tuple[str, str, dict[str, str]]], options: Options
) -> dict[str, Row]:
    """The median seconds after a warm-up, and the last result of each code. A code of `ONCE`, or
    whose calls have taken the limit, is not repeated. A warm-up counts if it is the only call."""
    pattern, weight = read_graph(G, "values")
    there: Any = None
    if any(backend == "gpu" for _, backend, _ in codes.values()):
        import cupyx.scipy.sparse

        there = btfperm.as_valued(cupyx.scipy.sparse.csc_matrix(sp.csc_matrix(G)))
    seconds: dict[str, list[float]] = {name: [] for name in codes}
    last: dict[str, Row] = {}
    for turn in range(options.repeats + 1):
        for name, code in codes.items():
            if sum(seconds[name]) > options.limit or (turn and name in ONCE):
                continue
            on_gpu = code[1] == "gpu"
            found = _on_gpu(there, code, turn) if on_gpu else _here(pattern, weight, code, turn)
            seconds[name].append(found.pop("seconds"))
            last[name] = found
    return {
        name: {"seconds": statistics.median(each[1:] or each), "samples": each, **last[name]}
        for name, each in seconds.items()
    }


def _on_gpu(there: Any, code: tuple[str, str, dict[str, str]], seed: int) -> Row:
    m = btfperm.match(there, algorithm=code[0], backend="gpu", options=code[2], seed=seed)
    return _result(m.seconds["match"], seed, m.rounds, m)


def _here(pattern: Any, weight: Any, code: tuple[str, str, dict[str, str]], seed: int) -> Row:
    """Runs a code on one core. The upper bound of the weight is not computed, because it would take
    most of the time."""
    row = registry.find(code[0], initializer=False, package="weighted.graph")
    request = Request(threads=1, seed=seed, options=code[2])
    mate, round_of = (np.empty(pattern.n, pattern.indices.dtype) for _ in range(2))
    arrays = pattern.indptr, pattern.indices, weight, mate, round_of, np.empty(pattern.n)
    numbers = dict(row.in_numbers(request.options_of(row)))
    begin = time.perf_counter()
    _, rounds, *_ = row.load()(*arrays, seed=seed, options=numbers)
    seconds = time.perf_counter() - begin
    guarantee = GUARANTEES[row.name]
    check = check_matching(pattern, weight, mate, round_of, rounds, guarantee)
    return _result(seconds, seed, rounds, check)


def _result(seconds: float, seed: int, rounds: int, found: Any) -> Row:
    left = [round(x / max(found.edges, 1), 5) for x in found.edges_left[:8].tolist()]
    return {
        "seconds": seconds,
        "seed": seed,
        "weight": found.weight,
        "rounds": rounds,
        "left": left,
    }


def _contradictions(row: Row) -> list[str]:
    """One sentence for each algorithm whose weight or number of rounds differs between the GPU and
    the CPU for the same seed."""
    found = []
    for name in PAIRS:
        one, other = (row["codes"].get(key) for key in (f"{name}, GPU", name))
        if one is None or other is None or one["seed"] != other["seed"]:
            continue
        same = math.isclose(one["weight"], other["weight"], rel_tol=1e-9)
        if not same or one["rounds"] != other["rounds"]:
            found.append(
                f"{name}: {one['weight']}, {one['rounds']} rounds on the GPU, "
                f"{other['weight']}, {other['rounds']} rounds on the CPU"
            )
    return found


def markdown(data: dict[str, Any]) -> str:
    """The tables: times, times for each edge and ratios."""
    rows = data["rows"]
    present = [name for name in CODES if any(name in row["codes"] for row in rows)]
    timed = [name for name in present if name not in ONCE]
    times = by_matrix(
        ["vertices", "edges", *timed],
        rows,
        lambda row: [f"{row['n']:,}", f"{row['edges']:,}", *(_time(row, name) for name in timed)],
    )
    per_edge = by_matrix(
        [f"{name}, ns an edge" for name in timed],
        rows,
        lambda row: [known(_per_edge(row, name)) for name in timed],
    )
    weights = by_matrix(
        [name for name in present if name != "gpa"],
        rows,
        lambda row: [
            known(_ratio(row, name, "gpa", "weight"), "{:.3f}".format)
            for name in present
            if name != "gpa"
        ],
    )
    where = f"{data.get('gpu', 'No GPU')}."
    return paragraphs(
        NOTE, where, summary(rows), times, per_edge, "Weights relative to GPA:", weights
    )


def summary(rows: Sequence[Row]) -> str:
    """Sentences with the figures that have aims."""
    sentences = []
    large = [row for row in rows if row["n"] >= LARGE]
    for name in PAIRS:
        ratios = [_ratio(row, name, f"{name}, GPU", "seconds") for row in large]
        found = [ratio for ratio in ratios if ratio is not None]
        if found:
            sentences.append(
                f"From 2^20 vertices on, {name} on the GPU is at least {digits(min(found))} times "
                f"as fast as on one core, in the median {digits(statistics.median(found))} times."
            )
    long = [row for row in rows if row["n"] >= LARGE // 2]
    gains = [(r, row) for row in long if (r := _ratio(row, *GAIN, "seconds")) is not None]
    if gains:
        least, row = min(gains, key=lambda each: each[0])
        sentences.append(
            f"From 2^19 vertices on, local-max on the GPU is at least {digits(least)} times as "
            f"fast (`{row['matrix']}`)."
        )
    to_hem = [_ratio(row, "local-max", "hem", "seconds") for row in rows]
    slow = [ratio for ratio in to_hem if ratio is not None]
    if slow:
        sentences.append(
            f"Sequential local max takes at most {digits(max(slow))} times as long as HEM."
        )
    return " ".join(sentences)


def _time(row: Row, name: str) -> str:
    found = row["codes"].get(name)
    return known(None if found is None else found["seconds"], milliseconds)


def _per_edge(row: Row, name: str) -> float | None:
    found = row["codes"].get(name)
    return None if found is None else 1e9 * found["seconds"] / max(row["edges"], 1)


def _ratio(row: Row, one: str, other: str, what: str) -> float | None:
    if one not in row["codes"] or other not in row["codes"]:
        return None
    return float(row["codes"][one][what] / row["codes"][other][what])
