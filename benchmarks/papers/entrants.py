# SPDX-License-Identifier: BSD-3-Clause
"""The *entrants* of a comparison, and the stored data of their runs. Entrants are all searches of
the registry on one thread, those that can use several threads also on many, and ms-bfs-graft with
its parts switched off."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import btfperm
from benchmarks.cases import Case
from benchmarks.papers.stand_ins import stands_for
from benchmarks.peers import ours
from benchmarks.report import Row, milliseconds
from benchmarks.timing import CORES, Answer, Call, Method, Notes, Outcome
from btfperm.registry import find

Matching = npt.NDArray[np.integer[Any]]

START = "karp-sipser"  # the paper's initial matching, from which every search begins
AUTO = "auto"  # the default of btfperm, with the initial matching that it chooses
GRAFT = "ms-bfs-graft"
# Both parts of ms-bfs-graft off, direction optimisation alone, grafting alone.
SWITCHES = (
    {"direction": 0.0, "graft": 0.0},
    {"direction": 1.0, "graft": 0.0},
    {"direction": 0.0, "graft": 1.0},
)


class Run(NamedTuple):
    """The result of one call: the matching, the seconds that count, and the counters."""

    problem: Any
    seconds: float
    counters: Mapping[str, Any]


@dataclass(frozen=True)
class Entrant:
    """One line of the tables: an algorithm, its number of threads, and the options that differ from
    the defaults."""

    algorithm: str
    threads: int
    options: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        switched = [f"{key} {value:g}" for key, value in self.options]
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return ", ".join([self.algorithm, *switched, threads])

    @property
    def method(self) -> Method:
        """The method of the timing loop. Its data are the matrix and the initial matching of all
        searches.

        The time of a search does not include the initial matching. The time of `auto` is that of
        its initial matching and its search; the time of Karp-Sipser is that of the initial
        matching. The first result of each search is checked: its matching must be maximum.
        """
        prepare = {AUTO: self._auto, START: self._start}.get(self.algorithm, self._search)
        return Method(
            self.name,
            prepare,
            _proven_rank if self.algorithm != START else lambda _: {},
            ours.absent(),
            counted=lambda run, _: float(run.seconds),
            notes=lambda run: {k: float(v) for k, v in run.counters.items() if isinstance(v, int)},
        )

    def _search(self, data: tuple[Any, Matching]) -> Call:
        from btfperm.pattern import as_pattern
        from btfperm.transversal.given import given_problem

        pattern, start = as_pattern(data[0]), data[1]
        return lambda: self._timed(pattern, given_problem(pattern, start), initializer=False)

    def _start(self, data: tuple[Any, Matching]) -> Call:
        from btfperm.backends.cpu.problem import Problem
        from btfperm.pattern import as_pattern

        pattern = as_pattern(data[0])
        return lambda: self._timed(pattern, Problem.empty(pattern), initializer=True)

    def _timed(self, pattern: Any, problem: Any, *, initializer: bool) -> Run:
        from btfperm.path.request import Request
        from btfperm.path.run import run_algorithm

        request = Request(threads=self.threads, options=dict(self.options))
        row = find(self.algorithm, initializer=initializer)
        begin = time.perf_counter()
        counters = run_algorithm(row, problem, request).counters
        return Run(problem, time.perf_counter() - begin, counters)

    def _auto(self, data: tuple[Any, Matching]) -> Call:
        from btfperm.pattern import as_pattern

        pattern = as_pattern(data[0])

        def call() -> Run:
            found = btfperm.maximum_transversal(pattern, threads=self.threads, backend="cpu")
            return Run(found, found.seconds["start"] + found.seconds["search"], found.counters)

        return call


def _proven_rank(run: Run) -> Answer:
    """The rank. Raises DefectError if the matching is not maximum."""
    from btfperm.transversal.certificate import prove

    if isinstance(run.problem, btfperm.Transversal):
        return {"rank": run.problem.structural_rank}
    prove(run.problem, run.problem, None, 1)
    return {"rank": run.problem.size}


def entrants(threads: int | None, chosen: Sequence[str] = ()) -> list[Entrant]:
    """First all algorithms on one thread. Then, on `threads` (default: all cores), the algorithms
    that can use several threads, and ms-bfs-graft with parts switched off.

    With `chosen`, only these algorithms and Karp-Sipser, and ms-bfs-graft only with all its parts.
    """
    many = threads or CORES
    searches = [row for row in btfperm.algorithms(package="transversal") if not row.is_initializer]
    wanted = [find(name, initializer=False) for name in chosen if name != AUTO] or searches
    parallel = {START: find(START, initializer=True).parallel}
    parallel |= {row.name: row.parallel for row in wanted if row.backend == "cpu"}
    if not chosen or AUTO in chosen:
        parallel[AUTO] = True
    field = [Entrant(name, 1) for name in parallel]
    if many > 1:
        field += [Entrant(name, many) for name, can in parallel.items() if can]
    if not chosen:
        field += [Entrant(GRAFT, many, tuple(switch.items())) for switch in SWITCHES]
    return field


def starting_matching(A: Any) -> Matching:
    """The row of each column that Karp-Sipser matches, on one thread. A child process computes it,
    because the process that forks the workers must have started no threads."""
    with multiprocessing.get_context("fork").Pool(1) as child:
        return child.apply(_matched_by_start, (A,))


def _matched_by_start(A: Any) -> Matching:
    run = Entrant(START, 1)._start((A, np.empty(0, np.int32)))()
    return np.asarray(run.problem.col_match)


def rows_of(
    case: Case, A: Any, field: Sequence[Entrant], outcomes: Mapping[str, Outcome]
) -> list[Row]:
    """One row for each entrant that ran: the seconds and the visited entries of each run, and the
    counters of the last run."""
    return [
        {
            "matrix": case.name,
            "nnz": int(A.nnz),
            "class": case.kind,
            "algorithm": entrant.algorithm,
            "threads": entrant.threads,
            "options": dict(entrant.options),
            "seconds": [_short(s) for s in outcome.seconds],
            "median": _short(outcome.median) if outcome.seconds else None,
            "edges": [int(note["edges"]) for note in outcome.notes if "edges" in note],
            "counters": _counters(outcome.notes[-1]) if outcome.notes else {},
            "overran": outcome.overran and not outcome.seconds,
            "reason": outcome.reason,
        }
        for entrant in field
        if (outcome := outcomes.get(entrant.name)) is not None
    ]


def outcome(row: Row) -> str:
    """The line that is printed when a matrix is done."""
    times = [
        f"{each['algorithm']} {each['threads']}: {milliseconds(each['median'])}"
        for each in row["rows"]
        if each["median"] is not None and not each["options"]
    ]
    return f"{row['matrix']}: {', '.join(times)} ms"


def facts(case: Case, A: Any, start: Matching, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """The properties of a graph (degrees, and the share of vertices that can be matched), and those
    of the paper's graph for which it stands."""
    m, n = A.shape
    rank = max((o.answer["rank"] for o in outcomes.values() if "rank" in o.answer), default=None)
    paper = stands_for(case.name)
    maximal = _share(200 * int((start >= 0).sum()), m + n)
    maximum = None if rank is None else _share(200 * rank, m + n)
    return {
        "matrix": case.name,
        "class": case.kind,
        "stands_for": paper.graph if paper else None,
        "shape": [m, n],
        "nnz": int(A.nnz),
        "rank": rank,
        "degree": _share(A.nnz, n),
        "maximal": maximal,
        "maximum": maximum,
        "left": None if maximum is None else round(maximum - maximal, 2),
        "paper": paper.figures if paper else None,
    }


def _counters(notes: Notes) -> dict[str, int]:
    return {name: int(value) for name, value in notes.items() if not name.startswith("start_")}


def _short(seconds: float) -> float:
    """Four digits, the precision of times on a shared machine."""
    return float(f"{seconds:.4g}")


def _share(part: float, whole: float) -> float:
    return round(part / whole, 2) if whole else 0.0
