# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms on a GPU, measured as in their papers: all variants start from one cheap matching.

Pattern and initial matching are on the device, and only the search is timed, as in Deveci, Kaya,
Uçar, Çatalyürek (Euro-Par 2013) and in Deveci, Kaya, Uçar, Çatalyürek (ICPP 2013). The cheap
matching is greedy's. The graphs are random graphs, power laws, meshes and roads, some of them also
permuted. A search that does not finish within the limit stops with a valid matching; the tables
show how many matched entries this matching lacks.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import btfperm
from benchmarks import machine
from benchmarks.cases import Case, names
from benchmarks.generators.counted import made_on_device
from benchmarks.papers.gpu_tables import markdown
from benchmarks.regret.rows import checked, complaints_of
from benchmarks.report import Options, Row, Section, milliseconds
from benchmarks.timing import CORES, synchronised
from btfperm import _core, backends
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.protocol import Session
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.transversal.certificate_gpu import prove_on_device
from btfperm.transversal.given import given_problem

PHASES = 200  # the levels of only the first phases are stored
# Words for an option whose value has a parameter k; `--relabel` adds words.
NUMBERS = {"adaptive:k": ("adaptive:0.7",), "fixed:k": ("fixed:10",)}


class Variant(NamedTuple):
    """An algorithm with one value for one of its options, such as ``adaptive:0.7``."""

    name: str
    row: btfperm.Algorithm
    options: dict[str, float | str]


def words(form: str, more: Sequence[str] = ()) -> list[str]:
    """Returns the words of a form. A form without ``:k`` is the only word. A form that ends in
    ``:k`` has the words in `NUMBERS` and those in `more` with other numbers, by ascending
    number."""
    if form not in NUMBERS:
        return [form]
    family = form.removesuffix("k")
    asked = {*NUMBERS[form], *(word for word in more if word.startswith(family))}
    return sorted(asked, key=lambda word: float(word.removeprefix(family)))


def variants(more: Sequence[str] = ()) -> list[Variant]:
    """Returns every search on a GPU, once for each word of its options and for each word of
    `more`."""
    found = []
    for row in btfperm.algorithms(package="transversal"):
        if row.backend != "gpu" or row.is_initializer:
            continue
        worded = [(option.name, form) for option in row.options for form in option.forms]
        found += [
            Variant(f"{row.name} {word}", row, {name: word})
            for name, form in worded
            for word in words(form, more)
        ]
        found += [] if worded else [Variant(row.name, row, {})]
    return found


class Paper(NamedTuple):
    """What a paper compares: variants on a GPU, and searches on the CPU, on one core and on all
    cores."""

    title: str
    field: list[Variant]
    sequential: tuple[str, ...]
    multicore: tuple[str, ...]


def cases(which: str, _: Path) -> list[Case]:
    """Returns the graphs of a set, by name. The graphs are made on the GPU."""
    return [Case(name, "", _not_on_the_host) for name in names("gpu", which)]


def _not_on_the_host() -> Any:
    raise OSError("this graph is made on a GPU")


def published(more: Sequence[str] = ()) -> list[Variant]:
    """Returns the variants of published algorithms. The section `engine` measures the algorithms of
    btfperm itself, with their own initial matchings."""
    return [variant for variant in variants(more) if variant.row.reference != "btfperm"]


def asked_for(field: list[Variant], options: Options) -> list[Variant]:
    """Returns the variants of the algorithms that the command line names; all if it names none."""
    return [v for v in field if v.row.name in options.algorithms] or field


def run(cases: list[Case], options: Options, paper: Paper) -> Section:
    """Times of every variant and every peer on each graph, with the same limit, and counters of the
    variants. The matchings of the variants are checked. Raises OSError without a GPU."""
    device = machine.gpu()
    field = asked_for(paper.field, options)
    for variant in field:  # compiles the kernels, so that the compilation is not timed
        btfperm.maximum_transversal(np.eye(3), algorithm=variant.row.name, initializer="none")

    def measure(case: Case) -> tuple[Row, list[str]]:
        return _measured(case, field, paper, options)

    rows = checked(cases, options, measure, _outcome)[0]
    common = {"gpu": device, "limit": options.limit, "threads": CORES}
    return section(paper.title, common, [case.name for case in cases], rows)


def section(title: str, common: Row, wanted: Sequence[str], rows: list[Row]) -> Section:
    """The section of measured rows. `wanted` are the names of the graphs that were to be measured;
    `common` has what all rows share: GPU, limit and number of threads."""
    measured = {row["matrix"] for row in rows}
    data = {
        **common,
        "left_out": [name for name in wanted if name not in measured],
        "variants": list(dict.fromkeys(name for row in rows for name in row["counters"])),
        "rows": rows,
    }
    return Section(title, markdown(data), data, complaints_of(rows))


def joined(title: str, which: str, parts: Sequence[Row]) -> Section:
    """The section of a set from the `data` of several results that measured different graphs. The
    description of the GPU is that of the first. Raises ValueError if a graph is in two of them, or
    if limit or GPU differ."""
    common = {key: parts[0][key] for key in ("gpu", "limit", "threads")}
    for part in parts:
        if any(_model(part[key]) != _model(common[key]) for key in common):
            raise ValueError("the results differ in GPU, limit or number of threads")
    rows = {row["matrix"]: row for part in parts for row in part["rows"]}
    if len(rows) < sum(len(part["rows"]) for part in parts):
        raise ValueError("a graph is in two of the results")
    wanted = names("gpu", which)
    order = [name for name in wanted if name in rows]
    rest = [name for name in rows if name not in wanted]
    return section(title, common, wanted, [rows[name] for name in (*order, *rest)])


def _model(value: Any) -> Any:
    """The name of a GPU, without its number and its free memory; other values unchanged."""
    return value.partition(" (")[0] if isinstance(value, str) else value


def _outcome(row: Row) -> str:
    times = [f"{name} {milliseconds(s)}" for name, s in row["median"].items()]
    return f"{row['matrix']}: {', '.join(times)} ms"


@cache  # the sections of both papers use the same graphs, which take some GiB of memory
def _started(name: str) -> tuple[btfperm.Pattern, Any]:
    """Returns the graph on the host, and for each column the row in a cheap matching, or -1."""
    pattern = made_on_device(name)
    host = Problem.empty(pattern)
    greedy = btfperm.registry.find("greedy", initializer=True)
    run_algorithm(greedy, host, Request(threads=1))
    return pattern, host.col_match


def _peer(pattern: Any, start: Any, name: str, threads: int, limit: float) -> float | None:
    """Returns the seconds of a search on the CPU from `start`; None if the limit stopped it."""
    problem = given_problem(pattern, start)
    request = Request(threads=threads, time_limit=limit)
    begin = time.perf_counter()
    outcome = run_algorithm(btfperm.registry.find(name, initializer=False), problem, request)
    seconds = time.perf_counter() - begin
    return None if outcome.stopped_by else float(f"{seconds:.4g}")


def _measured(
    case: Case, field: list[Variant], paper: Paper, options: Options
) -> tuple[Row, list[str]]:
    pattern, start = _started(case.name)
    host = given_problem(pattern, start)
    problem = backends.get("gpu").adopt(Session(pattern), host, None)
    # The row lists are not timed, because the papers' graphs come with columns and row lists.
    _, row_lists = synchronised(lambda: problem.by_rows)
    row: Row = {
        "matrix": case.name,
        "kind": case.kind,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "start": host.size,
        "row_lists": row_lists,
        **{key: {} for key in ("seconds", "median", "stopped", "counters")},
    }
    # The sequential peers run at the same time as the variants on the GPU, each on its own core.
    with ThreadPoolExecutor(len(paper.sequential)) as pool:
        alone = {
            name: pool.submit(_peer, pattern, start, name, 1, options.limit)
            for name in paper.sequential
        }
        wrong = _searched(row, problem, field, options)
        row["sequential"] = {k: s for k, f in alone.items() if (s := f.result()) is not None}
    together = {name: _peer(pattern, start, name, CORES, options.limit) for name in paper.multicore}
    row["multicore"] = {name: seconds for name, seconds in together.items() if seconds is not None}
    row["peers"] = {"sequential": paper.sequential, "multicore": paper.multicore}
    return row, wrong


def _searched(row: Row, problem: Any, field: list[Variant], options: Options) -> list[str]:
    """Adds the seconds and counters of each variant to the row of the graph, and returns a sentence
    for each wrong result.

    A variant is not repeated once its own runs, with the warm-up, have taken more than
    `options.limit` seconds together."""
    initial = problem.row_match.copy(), problem.col_match.copy()
    sizes, wrong = {}, []
    for name, algorithm, words_given in field:
        seconds: list[float] = []
        for _ in range(options.repeats + 1):  # the first is a warm-up
            problem.row_match[...], problem.col_match[...] = initial
            request = Request(time_limit=options.limit, options=words_given)
            outcome, spent = synchronised(partial(run_algorithm, algorithm, problem, request))
            seconds.append(float(f"{spent:.4g}"))
            if outcome.stopped_by or sum(seconds) > options.limit:
                break
        options.say(f"  {row['matrix']}, {name}: {milliseconds(seconds[-1])} ms")
        row["counters"][name] = _shortened(outcome.counters)
        if outcome.stopped_by:
            row["stopped"][name] = problem.size
        else:
            row["seconds"][name] = seconds[1:] or seconds
            row["median"][name] = statistics.median(seconds[1:] or seconds)
            sizes[name] = problem.size
        if outcome.stopped_by or prove_on_device(problem) is None:
            wrong += _wrong(problem.on_host(), name, stopped=bool(outcome.stopped_by))
    row["rank"] = max(sizes.values(), default=None)
    if len(set(sizes.values())) > 1:
        wrong.append(f"different sizes: {sizes}")
    return wrong


def _shortened(found: Any) -> dict[str, Any]:
    """Returns the counters, with lists cut to the first `PHASES` phases, because a search may have
    thousands of phases."""
    return {k: v[:PHASES] if isinstance(v, list) else v for k, v in found.items()}


def _wrong(found: Problem, name: str, *, stopped: bool) -> list[str]:
    """Returns a sentence for each error that the certificate on the host finds."""
    if _core.transversal.check_matching(*found.matched)[0]:
        return [f"{name}: no matching"]
    found.row_in_cover.fill(0)
    if not stopped and not _core.transversal.find_cover(
        *found.matched, found.row_in_cover, threads=CORES
    ):
        return [f"{name}: not maximum"]
    return []
