# SPDX-License-Identifier: BSD-3-Clause
"""The matching algorithms for graphs that two papers compare, and their timed calls.

Only the algorithm is timed. The graph is in memory before the call, for a GPU in the memory of the
device. The check after each call is not timed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import btfperm
from benchmarks.timing import CORES, PAUSE_SECONDS
from btfperm.path.request import Request
from btfperm.registry import find
from btfperm.weighted.graph_certificate import GUARANTEES, check_matching

MANY = CORES
FIRST_ROUNDS = 12  # a row stores shares after each of these rounds, see `Run`


@dataclass(frozen=True)
class Code:
    """A line of a table: an algorithm with its options, threads and backend."""

    name: str
    algorithm: str
    options: Mapping[str, float | str] = field(default_factory=dict)
    threads: int = 1
    backend: str = "cpu"


class Run(NamedTuple):
    """The result of a run whose matching was checked: seconds, and the quantities that the papers
    plot."""

    seconds: float
    weight: float
    size: int
    share: list[float]  # the share of the vertices that are matched after each of the first rounds
    left: list[float]  # the share of the edges that join unmatched vertices after each of them
    rounds: int


def usable(codes: Sequence[Code]) -> list[Code]:
    """The codes that this machine can run. Codes for a GPU need a GPU."""
    from btfperm.backends.gpu import device

    on_gpu = device.why_not() is None
    return [code for code in codes if code.backend == "cpu" or (on_gpu and _has_gpu_row(code))]


def _has_gpu_row(code: Code) -> bool:
    rows = btfperm.algorithms("graph")
    return any((row.name, row.backend) == (code.algorithm, "gpu") for row in rows)


def run(A: Any, code: Code, seed: int = 0) -> Run:
    """One call on a symmetric CSC matrix with positive weights."""
    if code.backend == "gpu":
        return _on_gpu(A, code, seed)
    pattern, weight = btfperm.as_pattern(A), A.data
    row = find(code.algorithm, initializer=False, package="weighted.graph", backend="cpu")
    request = Request(threads=code.threads, seed=seed, options=code.options)
    mate, round_of = (np.empty(pattern.n, pattern.indices.dtype) for _ in range(2))
    named = dict(row.in_numbers(request.options_of(row)))
    dual = np.empty(pattern.n)
    begin = time.perf_counter()
    _, rounds, *_ = row.load()(
        *(pattern.indptr, pattern.indices, weight, mate, round_of, dual),
        threads=request.threads,
        seed=request.seed,
        options=named,
    )
    seconds = time.perf_counter() - begin
    if code.threads > 1:
        time.sleep(PAUSE_SECONDS)
    guarantee = GUARANTEES.get(row.name)
    check = check_matching(pattern, weight, mate, round_of, rounds, guarantee)
    return _run(seconds, check, rounds)


def _on_gpu(A: Any, code: Code, seed: int) -> Run:
    import cupy

    there = tuple(cupy.asarray(array) for array in (A.data, A.indices, A.indptr))
    how: Any = {"algorithm": code.algorithm, "options": code.options, "seed": seed}
    m = btfperm.match(there, shape=A.shape, backend="gpu", **how)
    return _run(m.seconds["match"], m, m.rounds)


def _run(seconds: float, found: Any, rounds: int) -> Run:
    shares = [round(float(x), 5) for x in found.matched_share[:FIRST_ROUNDS]]
    left = [round(float(x) / max(found.edges, 1), 5) for x in found.edges_left[:FIRST_ROUNDS]]
    return Run(seconds, found.weight, found.size, shares, left, rounds)


def timed(
    A: Any, codes: Sequence[Code], repeats: int, limit: float
) -> dict[str, tuple[list[float], Run]]:
    """The seconds of each code and its last run. The codes take turns. No turn starts after `limit`
    seconds. The first turn is a warm-up unless it is the only one."""
    found: dict[str, tuple[list[float], Run]] = {}
    begin = time.monotonic()
    for turn in range(repeats + 1):
        for code in codes:
            result = run(A, code, seed=turn)
            seconds = found[code.name][0] if turn > 1 else []
            found[code.name] = ([*seconds, result.seconds], result)
        if time.monotonic() - begin > limit:
            break
    return found


def median(seconds: Sequence[float]) -> float:
    """The median, rounded to three significant digits."""
    return float(f"{statistics.median(seconds):.3g}")


def means(values: Sequence[float]) -> list[float]:
    """Mean and standard deviation, rounded to four significant digits."""
    each: npt.NDArray[np.float64] = np.array(values, float)
    return [float(f"{x:.4g}") for x in (each.mean(), each.std())]
