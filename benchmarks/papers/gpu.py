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
from benchmarks.regret.rows import checked
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    digits,
    geometric_mean,
    milliseconds,
    paragraphs,
    table,
)
from benchmarks.timing import CORES, synchronised
from btfperm import _core, backends
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.protocol import Session
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.transversal.certificate_gpu import prove_on_device
from btfperm.transversal.given import given_problem

HARDEST = 20  # graphs; half of the graphs if a set has fewer than twice as many


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

    rows, complaints = checked(cases, options, measure, _outcome)
    names = list(dict.fromkeys(name for row in rows for name in row["counters"]))
    data = {
        "gpu": device,
        "limit": options.limit,
        "threads": CORES,
        "left_out": [case.name for case in cases if case.name not in {r["matrix"] for r in rows}],
        "variants": names,
        "rows": rows,
    }
    return Section(paper.title, markdown(data), data, complaints)


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


# -- tables ----------------------------------------------------------------------------------------


def markdown(data: dict[str, Any]) -> str:
    """The tables: times, geometric means for each set, the peers on the CPU, phases and
    launches."""
    rows, names, limit = data["rows"], data["variants"], data["limit"]

    def times(row: Row) -> list[str]:
        facts = [f"{row['n']:,}", f"{row['nnz']:,}", f"{row['start'] / row['n']:.1%}"]
        return [*facts, *(_time(row, name) for name in names)]

    by_set = [
        (label, [n for n in names if all(n in row["counters"] for row in group)], group)
        for label, group in sets(rows)
    ]
    return paragraphs(
        f"{data['gpu']}. Columns and row lists are on the device before the search, because the "
        "papers' graphs come with both. A search is not repeated once its runs have taken "
        f"{limit:g} s in all.",
        "### Search after the cheap matching, ms",
        f"`>`: stopped after {limit:g} s. The number states how many matched entries fewer the "
        "search had than the largest matching.",
        by_matrix(["n", "nnz", "start", *names], rows, times),
        "### Geometric means, ms",
        f"The time of a search that was stopped is the limit (`>`). *Hardest* are the {HARDEST} "
        "graphs on which the best variant is slowest, or half of the graphs if there are fewer "
        f"than {2 * HARDEST}.",
        table(
            ["set", "matrices", *names],
            [
                _means(label, group, names, measured_on, limit)
                for label, measured_on, group in by_set
            ],
        ),
        *_peers(rows, limit),
        "### Phases / levels of the searches; with pushes, relabellings / levels of these",
        by_matrix(names, rows, lambda row: [_phases(row["counters"].get(n, {})) for n in names]),
        *work(rows, names),
    )


def _peers(rows: list[Row], limit: float) -> list[str]:
    """The tables of the searches on the CPU."""
    parts = []
    for key, title in (("sequential", "on one core"), ("multicore", "on all cores")):
        ran = list(
            dict.fromkeys(name for row in rows for name in row.get("peers", {}).get(key, ()))
        )
        if ran:
            parts += [
                f"### Searches {title} of the host, ms",
                f"After the same initial matching, within {limit:g} s.",
                by_matrix([*ran, "best variant over the best of them"], rows, _cells(key, ran)),
            ]
    return parts


def _cells(key: str, ran: list[str]) -> Any:
    def cells(row: Row) -> list[str]:
        spent = row[key]
        gain = ""
        if spent and row["median"]:
            gain = f"{min(spent.values()) / min(row['median'].values()):.1f}"
        return [*(milliseconds(spent[n]) if n in spent else ">" for n in ran), gain]

    return cells


def work(rows: list[Row], names: list[str]) -> list[str]:
    """Returns tables of augmenting paths, and of the pushes of push-relabel searches."""
    kinds = (
        ("Augmenting paths / their mean length / the longest, in edges:", "path_edges", _paths),
        ("Pushes / executions of the kernel / relabels / levels of these:", "pushes", _pushes),
    )
    parts = []
    for title, key, cell in kinds:
        measured = [
            name for name in names if any(key in row["counters"].get(name, {}) for row in rows)
        ]

        def cells(
            row: Row, measured: list[str] = measured, key: str = key, cell: Any = cell
        ) -> list[str]:
            each = [row["counters"].get(name, {}) for name in measured]
            return [cell(counters) if key in counters else "" for counters in each]

        parts += [title, by_matrix(measured, rows, cells)] if measured else []
    if not parts:
        return []
    where = "The counters are of the last run of each search. The counters of a search that was "
    "stopped end at that time."
    return ["### Pushes, relabels, levels, path lengths", where, *parts]


def _time(row: Row, name: str) -> str:
    if name not in row["counters"]:
        return ""
    if name in row["median"]:
        return milliseconds(row["median"][name])
    best = row["rank"] or max(row["stopped"].values())
    return f"> {best - row['stopped'][name]:,}"


def _phases(counters: Row) -> str:
    phases = counters.get("phases", counters.get("relabels", "-"))
    return f"{phases} / {counters.get('levels', '-')}"


def _paths(counters: Row) -> str:
    paths = counters["paths_walked"]
    mean = digits(counters["path_edges"] / paths) if paths else "-"
    return f"{paths:,} / {mean} / {counters['longest_path']:,}"


def _pushes(counters: Row) -> str:
    return " / ".join(f"{counters[key]:,}" for key in ("pushes", "loops", "relabels", "levels"))


def sets(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """Divides the graphs into the sets of the papers' tables: natural, permuted, all, and the
    hardest graphs of each set."""
    permuted = [row for row in rows if row["matrix"].endswith(("+rcp", "_rcp"))]
    natural = [row for row in rows if row not in permuted]
    groups = {"natural": natural, "permuted": permuted, "all": rows}
    for name, group in list(groups.items()):
        count = min(HARDEST, len(group) // 2)
        if count:
            by_best = sorted(group, key=lambda row: min(row["median"].values(), default=1e9))
            groups[f"{name}, hardest"] = by_best[-count:]
    return [(name, group) for name, group in groups.items() if group]


def mean_time(rows: list[Row], name: str, limit: float) -> tuple[float, bool]:
    """Returns the geometric mean of a variant in seconds, in which a stopped search counts at the
    limit, and whether no search of the variant was stopped."""
    times = [row["median"].get(name, limit) for row in rows]
    return geometric_mean(times), all(name in row["median"] for row in rows)


def _means(
    label: str, rows: list[Row], names: list[str], measured_on: list[str], limit: float
) -> list[str]:
    cells = []
    for name in names:
        mean, whole = mean_time(rows, name, limit)
        text = f"{'' if whole else '>'}{milliseconds(mean)}"
        cells.append(text if name in measured_on else "")
    return [label, str(len(rows)), *cells]
