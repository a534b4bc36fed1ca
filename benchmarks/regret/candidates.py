# SPDX-License-Identifier: BSD-3-Clause
"""Times of ``auto`` and of every choice it could have made, on one matrix.

*Candidates* are all pairs of an initial matching and a search on one thread. If the matrix has at
least `LEAST_SHARED` entries, the pairs that can use several threads are also candidates on all
threads. If an initial matching is maximum or takes too long, only one search is run after it. The
first run of a candidate is stopped after `HOPELESS` times the best time so far, but not before
`LEAST_LIMIT`; the first run of the pair that ``auto`` chose has no limit. The candidates near the
best take turns with ``auto``, as in timing.py, but in one process, because there are dozens of
them.
"""

from __future__ import annotations

import functools
import gc
import math
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.cases import Case
from benchmarks.regret.rows import AUTO
from benchmarks.report import Row
from benchmarks.timing import CORES, PAUSE_SECONDS

HOPELESS = 3.0  # times the best time so far, after which a candidate is stopped
NEAR = 1.5  # times the best time of the first rounds; up to it, a candidate is measured again
FIRST_ROUNDS = 2
LEAST_LIMIT = 0.02  # seconds; no limit is shorter, because a process may have to wait for a core
SHORT_SECONDS = 5e-3  # seconds; a shorter call warms up the caches before each sample
SAMPLE_SECONDS = 5e-4  # seconds; a shorter call is repeated to make a sample this long
LEAST_SHARED = 20_000  # entries; with fewer, waking a thread takes as long as the search
DEFAULT = "guided-displacement"
SIDES = ("columns", "rows")

Call = Callable[..., Any]


@dataclass(frozen=True)
class How:
    """How the candidates are measured: the number of rounds, and the largest number of threads.

    `busy` is for a machine on which other processes run: the result of a candidate is the least
    processor time of its samples on one thread, because other processes only add to this time.
    """

    repeats: int
    threads: int = CORES
    busy: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        return time.thread_time if self.busy else time.perf_counter

    @property
    def figure(self) -> Callable[[list[float]], float]:
        return min if self.busy else statistics.median


def measured_apart(case: Case, how: How) -> Row:
    """Calls `measure` in its own process, because the threads that it starts do not survive a
    fork."""
    context = multiprocessing.get_context("fork")
    answer, end = context.Pipe(duplex=False)
    process = context.Process(target=lambda: end.send(measure(case, how)), daemon=True)
    process.start()
    end.close()
    try:
        row: Row = answer.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"{case.name}: the process died, {process.exitcode}") from None
    process.join()
    return row


def measure(case: Case, how: How) -> Row:
    """Seconds of `auto` and of every candidate that was not stopped, on one matrix."""
    from btfperm import maximum_transversal
    from btfperm.pattern import as_pattern

    pattern = as_pattern(case.load())

    def automatic() -> Any:
        return maximum_transversal(pattern, backend="cpu")

    found = automatic()
    decisions = found.explain()["decisions"]
    calls: dict[str, Call] = {AUTO: automatic}
    took = {AUTO: _seconds(automatic, how)}
    kept = [AUTO]  # `auto` is measured again, whatever its first call takes
    settled = set()  # initial matchings after which no other search is run: too slow or maximum
    for start, algorithm, threads in _candidates(how.threads if pattern.nnz >= LEAST_SHARED else 1):
        if (start, threads) in settled:
            continue
        own = start == found.initializer and found.algorithm in (algorithm, "none")
        call = functools.partial(
            maximum_transversal, pattern, initializer=start, algorithm=algorithm, threads=threads
        )
        limit = max(HOPELESS * min(took.values()), LEAST_LIMIT)
        first, elapsed = _first(call, math.inf if own else limit, how)
        if threads > 1:
            time.sleep(PAUSE_SECONDS)
        if first.algorithm == "none":
            settled.add((start, threads))
        if first.maximum:
            name = _name(start, first.algorithm, threads)
            calls[name] = call
            kept += [name] if own else []
            took[name] = elapsed if elapsed > SHORT_SECONDS else _seconds(call, how)
    if pattern.m != pattern.n:
        for side in SIDES:
            kept.append(f"{AUTO} from {side}")
            calls[kept[-1]] = functools.partial(_from_side, pattern, side)
            took[kept[-1]] = _seconds(calls[kept[-1]], how)
    near = HOPELESS * min(took.values())
    calls = {name: call for name, call in calls.items() if name in kept or took[name] <= near}
    samples = _take_turns(calls, took, how)
    return {
        "matrix": case.name,
        "shape": list(pattern.shape),
        "nnz": pattern.nnz,
        "rank": found.structural_rank,
        "rules": {what: [d["rule"], d["choice"]] for what, d in decisions.items()},
        "seconds": {name: [float(f"{t:.4g}") for t in taken] for name, taken in samples.items()},
        "takes": {name: how.figure(taken) for name, taken in samples.items()},
    }


def _from_side(pattern: Any, side: str) -> Any:
    """The result of `auto` with a rule that makes it search from `side` (rows or columns)."""
    from btfperm import maximum_transversal
    from btfperm.path.rules import Rule
    from btfperm.transversal.auto_table import TABLE

    rules = TABLE["side"]
    TABLE["side"] = (Rule("forced", (), side, ""),)
    try:
        return maximum_transversal(pattern, backend="cpu")
    finally:
        TABLE["side"] = rules


def _candidates(cores: int) -> Iterator[tuple[str, str, int]]:
    """Triples (initial matching, algorithm, threads). The candidates that are usually fast come
    first, so that the limit of the others is short."""
    from btfperm.registry import algorithms

    rows = [row for row in algorithms(package="transversal") if row.backend == "cpu"]
    starts = {"greedy": True, "none": False}
    starts |= {row.name: row.parallel for row in rows if row.is_initializer}
    searches = {DEFAULT: True}
    searches |= {row.name: row.parallel for row in rows if not row.is_initializer}
    for start, shares_start in starts.items():
        for search, shares_search in searches.items():
            yield start, search, 1
            if cores > 1 and (shares_start or shares_search):
                yield start, search, cores


def _first(call: Call, limit: float, how: How) -> tuple[Any, float]:
    """The result of a call and its seconds. After `limit` seconds, the call returns a partial
    result."""
    wait = limit
    while True:
        begin = how.clock()
        found = call(time_limit=None if wait == math.inf else wait)
        elapsed = how.clock() - begin
        if found.maximum or elapsed >= limit:
            return found, elapsed
        wait *= 2  # other processes used the processor for a part of the time


def _name(start: str, algorithm: str, threads: int) -> str:
    return f"{start} + {algorithm}" + ("" if threads == 1 else f" on {threads}")


def _take_turns(calls: dict[str, Call], took: dict[str, float], how: How) -> dict[str, list[float]]:
    """Samples of all calls, which take turns. After `FIRST_ROUNDS` rounds, only `auto` and the
    candidates near the best are measured further. All samples repeat their call equally often. The
    branch predictor learns a short call when it is repeated, so a call with more repetitions would
    seem faster."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    running = list(calls)
    about = min(took.values())
    several = any(" on " in name for name in calls)
    gc.disable()
    for turn in range(how.repeats):
        if turn == FIRST_ROUNDS:
            least = {name: min(taken) for name, taken in samples.items()}
            limit = NEAR * min(least.values())
            running = [name for name in running if name == AUTO or least[name] <= limit]
        for name in running:
            samples[name].append(_sample(calls[name], about, how))
            if several:
                time.sleep(PAUSE_SECONDS)
    gc.enable()
    return samples


def _sample(call: Call, about: float, how: How) -> float:
    """Seconds of one call, which takes at least `about` seconds. A short call is first run to warm
    up the caches, and is then repeated until the sample is long enough to be measured."""
    if about > SHORT_SECONDS:
        return _seconds(call, how)
    inner = math.ceil(SAMPLE_SECONDS / about)
    _seconds(call, how, inner)
    return _seconds(call, how, inner)


def _seconds(call: Call, how: How, times: int = 1) -> float:
    begin = how.clock()
    for _ in range(times):
        call()
    return (how.clock() - begin) / times
