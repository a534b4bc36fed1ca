# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms on a GPU as their papers report them: all variants after one cheap matching.

Pattern and initial matching are on the device, and the time of the search alone counts, as in
Deveci, Kaya, Uçar, Çatalyürek (Euro-Par 2013) and in Deveci, Kaya, Uçar, Çatalyürek (ICPP 2013).
The graphs are random ones, power laws, meshes and roads, in their own order and permuted. A search
that does not end within the limit stops with a legal matching, whose size is shown.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import btfperm
from benchmarks import machine
from benchmarks.cases import Case
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

HARDEST = 20  # or half of a set that has fewer
SEQUENTIAL = ("hopcroft-karp", "pothen-fan", "push-relabel")  # the papers' peers, on one core
# No algorithm of the papers ends on these within a minute, except two of push-relabel.
HOPELESS = ("hex:4000", "hex:4000+rcp", "del:24+rcp")
HOPELESS_LIMIT = 2.0  # seconds
# The numbers that stand for k in a form such as adaptive:k; `--relabel` names more of them.
NUMBERS = {"adaptive:k": ("adaptive:0.7",), "fixed:k": ("fixed:10",)}


class Variant(NamedTuple):
    """An algorithm with one of its words."""

    name: str
    row: btfperm.Algorithm
    options: dict[str, float | str]


def words(form: str, more: Sequence[str] = ()) -> list[str]:
    """The form itself; or, where it ends in ``:k``, the word with each number, and those of `more`
    with other ones, by number."""
    if form not in NUMBERS:
        return [form]
    family = form.removesuffix("k")
    asked = {*NUMBERS[form], *(word for word in more if word.startswith(family))}
    return sorted(asked, key=lambda word: float(word.removeprefix(family)))


def variants(more: Sequence[str] = ()) -> list[Variant]:
    """Every search on a GPU, once for each word that it can be given, and for those of `more`."""
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


def published(more: Sequence[str] = ()) -> list[Variant]:
    """Those of the papers. The section `engine` measures ours, from its own initial matching."""
    return [variant for variant in variants(more) if variant.row.reference != "btfperm"]


def asked_for(field: list[Variant], options: Options) -> list[Variant]:
    """The variants of the algorithms named on the command line; all if it names none."""
    return [v for v in field if v.row.name in options.algorithms] or field


def run(cases: list[Case], options: Options) -> Section:
    """Times and counters of every variant on each graph, and a proof of each matching on the host;
    OSError without a GPU."""
    device = machine.gpu()
    everyone = published(options.relabel)
    field, rows, complaints = asked_for(everyone, options), [], []
    alone: dict[str, dict[str, float]] = {}
    if field == everyone:  # several graphs at a time, each on its own core
        with ThreadPoolExecutor(max(1, CORES // 2)) as pool:
            found = pool.map(lambda case: _sequential(case, options.limit), cases)
            alone = dict(zip([case.name for case in cases], found, strict=True))
    for variant in field:  # compiles its kernels, which must not count
        btfperm.maximum_transversal(np.eye(3), algorithm=variant.row.name, initializer="none")
    for case in cases:
        row, wrong = _measured(case, field, options)
        rows.append({**row, "sequential": alone.get(case.name, {})})
        complaints += [f"{case.name}: {what}" for what in wrong]
        times = [f"{name} {milliseconds(s)}" for name, s in row["median"].items()]
        options.say(f"{case.name}: {', '.join(times)} ms")
    names = [variant.name for variant in field]
    data = {"gpu": device, "limit": options.limit, "variants": names, "rows": rows}
    return Section("Algorithms on a GPU", markdown(data), data, complaints)


def _sequential(case: Case, limit: float) -> dict[str, float]:
    """Seconds of the sequential searches, after the same cheap matching, that end within the
    limit."""
    pattern, found = btfperm.as_pattern(case.load()), {}
    for name in SEQUENTIAL:
        t = btfperm.maximum_transversal(
            pattern, algorithm=name, initializer="greedy", threads=1, time_limit=limit
        )
        if t.maximum:
            found[name] = float(t.seconds["search"])
    return found


def _measured(case: Case, field: list[Variant], options: Options) -> tuple[Row, list[str]]:
    pattern = btfperm.as_pattern(case.load())
    host = Problem.empty(pattern)
    greedy = btfperm.registry.find("greedy", initializer=True)
    run_algorithm(greedy, host, Request(pattern.nnz, threads=1))
    problem = backends.get("gpu").adopt(Session(pattern), host, None)
    # The papers' graphs come with both orientations.
    _, row_lists = synchronised(lambda: problem.by_rows)
    initial = problem.row_match.copy(), problem.col_match.copy()
    row: Row = {
        "matrix": case.name,
        "kind": case.kind,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "start": host.size,
        "row_lists": row_lists,
        **{key: {} for key in ("seconds", "median", "stopped", "counters")},
    }
    sizes, wrong = {}, []
    limit = limit_on(case.name, options.limit)
    for name, algorithm, words_given in field:
        seconds: list[float] = []
        for _ in range(options.repeats + 1):  # the first is a warm-up
            problem.row_match[...], problem.col_match[...] = initial
            request = Request(pattern.nnz, time_limit=limit, options=words_given)
            outcome, spent = synchronised(partial(run_algorithm, algorithm, problem, request))
            seconds.append(spent)
            if outcome.stopped_by or sum(seconds) > options.limit:
                break
        row["counters"][name] = outcome.counters
        if outcome.stopped_by:
            row["stopped"][name] = problem.size
        else:
            row["seconds"][name] = seconds[1:] or seconds
            row["median"][name] = statistics.median(seconds[1:] or seconds)
            sizes[name] = problem.size
        wrong += _wrong(problem.on_host(), name, stopped=bool(outcome.stopped_by))
    row["rank"] = max(sizes.values(), default=None)
    if len(set(sizes.values())) > 1:
        wrong.append(f"different sizes: {sizes}")
    return row, wrong


def limit_on(name: str, limit: float) -> float:
    """Seconds after which a search on this graph was stopped."""
    return min(limit, HOPELESS_LIMIT) if name in HOPELESS else limit


def _wrong(found: Problem, name: str, *, stopped: bool) -> list[str]:
    """The objections of the certificate on the host."""
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
    """Times, geometric means by set, the sequential peers, phases and launches."""
    rows, names, limit = data["rows"], data["variants"], data["limit"]

    def times(row: Row) -> list[str]:
        facts = [f"{row['n']:,}", f"{row['nnz']:,}", f"{row['start'] / row['n']:.1%}"]
        return [*facts, *(_time(row, name) for name in names)]

    def alone(row: Row) -> list[str]:
        spent = row["sequential"]
        gain = ""
        if spent and row["median"]:
            gain = f"{min(spent.values()) / min(row['median'].values()):.1f}"
        return [*(milliseconds(spent[n]) if n in spent else ">" for n in SEQUENTIAL), gain]

    peers = any(row["sequential"] for row in rows)
    return paragraphs(
        f"{data['gpu']}. Columns and row lists are on the device before, as the papers' graphs "
        f"come with both. A search is not repeated any more after {limit:g} s in all.",
        "### Search after the cheap matching, ms",
        f"`>`: stopped after {limit:g} s ({HOPELESS_LIMIT:g} s on {', '.join(HOPELESS)}); the "
        "number is how many matched entries fewer it had than the largest matching.",
        by_matrix(["n", "nnz", "start", *names], rows, times),
        "### Geometric means, ms",
        "What was stopped counts at the limit (`>`); hardest: those on which the best variant "
        f"is slowest, {HARDEST}, or half where there are fewer than twice as many.",
        table(["set", "matrices", *names], [_means(*group, names, limit) for group in sets(rows)]),
        "### Sequential searches on one core of the host, ms" if peers else "",
        f"After the same start, several at a time, within {limit:g} s." if peers else "",
        by_matrix([*SEQUENTIAL, "best variant over the best of them"], rows, alone)
        if peers
        else "",
        "### Phases, or relabels / levels of the searches, or of the relabels",
        by_matrix(names, rows, lambda row: [_phases(row["counters"][name]) for name in names]),
        *work(rows, names),
    )


def work(rows: list[Row], names: list[str]) -> list[str]:
    """Tables of the paths that searches augment along, and of the pushes of the others."""
    kinds = (
        ("Paths walked / their mean length / the longest, in edges:", "path_edges", _paths),
        ("Pushes / executions of their kernel / relabels / levels of these:", "pushes", _pushes),
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
    where = "Of the last run of each; of a stopped one, up to then."
    return ["### Pushes, relabels, levels, path lengths", where, *parts]


def _time(row: Row, name: str) -> str:
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
    """As the papers' tables: natural, permuted, and the hardest of each."""
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
    """The variant's geometric mean in seconds, in which a stopped search counts at the limit, and
    whether all its searches ended."""
    times = [row["median"].get(name, limit_on(row["matrix"], limit)) for row in rows]
    return geometric_mean(times), all(name in row["median"] for row in rows)


def _means(label: str, rows: list[Row], names: list[str], limit: float) -> list[str]:
    means = [mean_time(rows, name, limit) for name in names]
    cells = [f"{'' if whole else '>'}{milliseconds(mean)}" for mean, whole in means]
    return [label, str(len(rows)), *cells]
