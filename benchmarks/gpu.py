# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms on a GPU, as their papers report them: all variants after one cheap matching.

Pattern and start are on the device, and the time of the search alone counts, as in Deveci, Kaya,
Uçar, Çatalyürek (Euro-Par 2013) and in Deveci, Kaya, Uçar, Çatalyürek (ICPP 2013). The graphs are
named by recipe: random ones, power laws, meshes and roads, natural and permuted. What does not end
within the limit stops with a legal matching, and its size is shown.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

import btfperm
from benchmarks.candidates import CORES
from benchmarks.cases import Case, generated
from benchmarks.contest import Options, Section
from benchmarks.machine import need_gpu
from benchmarks.tables import digits, geometric_mean, milliseconds, table
from btfperm import _core, backends
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.gpu.device import describe
from btfperm.backends.protocol import Session
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm

NAMES = {
    "tiny": "er:7:3 del:7 del:7+rcp",
    "quick": "er:14:3 er:14:8 kron:12 rmat:14:30 del:14 del:14+rcp rgg:14 rgg:14+rcp road:128",
    "field": "er:18:3 er:18:8 kron:16 rmat:18:30 del:18 del:18+rcp rgg:18 rgg:18+rcp road:1000",
    "large": """er:22:3 er:22:8 kron:20 kron:21 rmat:22:30 del:20 del:22 del:23 del:24 rgg:22 rgg:24
        road:4000 hex:4000 del:20+rcp del:22+rcp del:23+rcp del:24+rcp rgg:22+rcp road:4000+rcp
        hex:4000+rcp""",
}
HARDEST = 20  # or half of a set that has fewer
SEQUENTIAL = ("hopcroft-karp", "pothen-fan", "push-relabel")  # the papers' peers, on one core
# No algorithm of the papers ends on these within a minute, but for two of push-relabel.
HOPELESS = ("hex:4000", "hex:4000+rcp", "del:24+rcp")
HOPELESS_LIMIT = 2.0  # seconds
_TINY = np.eye(3)
# The numbers that stand for k in a form such as adaptive:k; `--relabel` names more of them.
NUMBERS = {"adaptive:k": ("adaptive:0.7",), "fixed:k": ("fixed:10",)}

Row = dict[str, Any]


class Variant(NamedTuple):
    """An algorithm with one of its words."""

    name: str
    row: btfperm.Algorithm
    options: dict[str, float | str]


def cases(which: str) -> list[Case]:
    """The graphs of a set."""
    return generated(NAMES[which].split())


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
    for row in btfperm.algorithms():
        if row.backend != "gpu" or row.is_initializer:
            continue
        worded = [(option.name, form) for option in row.options for form in option.forms]
        for name, form in worded:
            for word in words(form, more):
                found.append(Variant(f"{row.name} {word}", row, {name: word}))
        if not worded:
            found.append(Variant(row.name, row, {}))
    return found


def published(more: Sequence[str] = ()) -> list[Variant]:
    """Those of the papers: ours is measured by ``engine.py``, from its own start."""
    return [variant for variant in variants(more) if variant.row.reference != "btfperm"]


def asked_for(field: list[Variant], options: Options) -> list[Variant]:
    """Those of the algorithms named on the command line; all where none is."""
    named = [variant for variant in field if variant.row.name in options.algorithms]
    return named or field


def run(cases: list[Case], options: Options) -> Section:
    """Times and counters of every variant on each graph; each matching proven on the host.

    Raises
    ------
    OSError : there is no GPU that works
    """
    need_gpu()
    everyone = published(options.relabel)
    field, rows, complaints = asked_for(everyone, options), [], []
    alone = _sequential(cases, options) if field == everyone else {}
    for variant in field:  # compiles its kernels, which must not count
        btfperm.maximum_transversal(_TINY, algorithm=variant.row.name, initializer="none")
    for case in cases:
        row, wrong = _measured(case, field, options)
        row["sequential"] = alone.get(case.name, {})
        rows.append(row)
        complaints += [f"{case.name}: {what}" for what in wrong]
        times = [f"{name} {milliseconds(s)}" for name, s in row["median"].items()]
        options.say(f"{case.name}: {', '.join(times)} ms")
    data = {"gpu": describe(), "limit": options.limit, "variants": _names(field), "rows": rows}
    return Section("Algorithms on a GPU", markdown(data), data, complaints)


def _names(field: list[Variant]) -> list[str]:
    return [variant.name for variant in field]


def _sequential(cases: list[Case], options: Options) -> dict[str, dict[str, float]]:
    """Seconds of the sequential searches after the same cheap matching, as far as they end within
    the limit: several graphs at a time, each on its own core."""
    with ThreadPoolExecutor(max(1, CORES // 2)) as pool:
        found = pool.map(lambda case: _alone(case, options.limit), cases)
        return dict(zip([case.name for case in cases], found, strict=True))


def _alone(case: Case, limit: float) -> dict[str, float]:
    pattern, found = btfperm.as_pattern(case.load()), {}
    for name in SEQUENTIAL:
        t = btfperm.maximum_transversal(
            pattern, algorithm=name, initializer="greedy", threads=1, time_limit=limit
        )
        if t.maximum:
            found[name] = float(t.seconds["search"])
    return found


def _measured(case: Case, field: list[Variant], options: Options) -> tuple[Row, list[str]]:
    import cupy

    pattern = btfperm.as_pattern(case.load())
    host = Problem.empty(pattern)
    greedy = btfperm.registry.find("greedy", initializer=True)
    run_algorithm(greedy, host, Request(pattern.nnz, threads=1))
    start = host.size
    problem = backends.get("gpu").adopt(Session(pattern), host, None)
    begin = time.perf_counter()
    _ = problem.by_rows  # the papers' graphs come with both orientations
    cupy.cuda.Device().synchronize()
    row_lists = time.perf_counter() - begin
    kept = problem.row_match.copy(), problem.col_match.copy()
    row: Row = {
        "matrix": case.name,
        "kind": case.kind,
        "n": pattern.n,
        "nnz": pattern.nnz,
        "start": start,
        "row_lists": row_lists,
        **{key: {} for key in ("seconds", "median", "stopped", "counters")},
    }
    sizes, wrong = {}, []
    limit = limit_on(case.name, options.limit)
    for variant in field:
        seconds: list[float] = []
        for _ in range(options.repeats + 1):  # the first is a warm-up
            problem.row_match[...], problem.col_match[...] = kept
            cupy.cuda.Device().synchronize()
            request = Request(pattern.nnz, time_limit=limit, options=variant.options)
            begin = time.perf_counter()
            outcome = run_algorithm(variant.row, problem, request)
            cupy.cuda.Device().synchronize()
            seconds.append(time.perf_counter() - begin)
            if outcome.stopped_by or sum(seconds) > options.limit:
                break
        row["counters"][variant.name] = outcome.counters
        if outcome.stopped_by:
            row["stopped"][variant.name] = problem.size
        else:
            row["seconds"][variant.name] = seconds[1:] or seconds
            row["median"][variant.name] = statistics.median(seconds[1:] or seconds)
            sizes[variant.name] = problem.size
        wrong += _wrong(problem.on_host(), variant.name, stopped=bool(outcome.stopped_by))
    row["rank"] = max(sizes.values(), default=None)
    if len(set(sizes.values())) > 1:
        wrong.append(f"different sizes: {sizes}")
    return row, wrong


def limit_on(name: str, limit: float) -> float:
    """Seconds after which a search on this graph was stopped."""
    return min(limit, HOPELESS_LIMIT) if name in HOPELESS else limit


def _wrong(found: Problem, name: str, *, stopped: bool) -> list[str]:
    """What the proof on the host objects to."""
    if _core.check_matching(*found.matched)[0]:
        return [f"{name}: no matching"]
    found.row_in_cover.fill(0)
    if not stopped and not _core.find_cover(*found.matched, found.row_in_cover, threads=CORES):
        return [f"{name}: not maximum"]
    return []


# -- tables ----------------------------------------------------------------------------------------


def markdown(data: dict[str, Any]) -> str:
    """Times, geometric means by set, the sequential peers, phases and launches."""
    rows, names, limit = data["rows"], data["variants"], data["limit"]
    return "\n\n".join(
        [
            f"{data['gpu']}. Columns and row lists are on the device before, as the papers' graphs "
            f"come with both. A search is not repeated any more after {limit:g} s in all.",
            "### Search after the cheap matching, ms",
            f"`>`: stopped after {limit:g} s ({HOPELESS_LIMIT:g} s on "
            f"{', '.join(HOPELESS)}), so many "
            "pairs short of the largest matching of all.",
            table(
                ["matrix", "n", "nnz", "start", *names],
                [
                    [
                        f"`{row['matrix']}`",
                        f"{row['n']:,}",
                        f"{row['nnz']:,}",
                        f"{row['start'] / row['n']:.1%}",
                        *(_time(row, name) for name in names),
                    ]
                    for row in rows
                ],
            ),
            "### Geometric means, ms",
            "What was stopped counts at the limit (`>`); hardest: those on which the best variant "
            f"is slowest, {HARDEST}, or half where there are fewer than twice as many.",
            table(
                ["set", "matrices", *names], [_means(*group, names, limit) for group in sets(rows)]
            ),
            *_peers(rows, limit),
            "### Phases, or relabels / launches of the search kernel, or levels of the relabels",
            table(
                ["matrix", *names],
                [[f"`{row['matrix']}`", *(_phases(row, name) for name in names)] for row in rows],
            ),
            *work(rows, names),
        ]
    )


def _peers(rows: list[Row], limit: float) -> list[str]:
    """Nothing, where none was run beside the variants or none has ended."""
    if not any(row["sequential"] for row in rows):
        return []
    return [
        "### Sequential searches on one core of the host, ms",
        f"After the same start, several at a time, within {limit:g} s.",
        table(
            ["matrix", *SEQUENTIAL, "best variant over the best of them"],
            [
                [
                    f"`{row['matrix']}`",
                    *(_ended(row["sequential"], name) for name in SEQUENTIAL),
                    _gain(row),
                ]
                for row in rows
            ],
        ),
    ]


def work(rows: list[Row], names: list[str]) -> list[str]:
    """Tables of the paths of searches that walk them, and of the pushes of those that push."""
    kinds = (
        ("Paths walked / their mean length / the longest, in edges:", "path_edges", _paths),
        ("Pushes / executions of their kernel / relabels / levels of these:", "pushes", _pushes),
    )
    parts = []
    for title, key, cell in kinds:
        who = [name for name in names if any(key in _counters(row, name) for row in rows)]
        if who:
            body = [
                [f"`{row['matrix']}`", *(cell(_counters(row, name)) for name in who)]
                for row in rows
            ]
            parts += [title, table(["matrix", *who], body)]
    if not parts:
        return []
    where = "Of the last run of each; of a stopped one, up to then."
    return ["### Pushes, relabels, levels, path lengths", where, *parts]


def _time(row: Row, name: str) -> str:
    if name in row["median"]:
        return milliseconds(row["median"][name])
    best = row["rank"] or max(row["stopped"].values())
    return f"> {best - row['stopped'][name]:,}"


def _ended(seconds: dict[str, float], name: str) -> str:
    return milliseconds(seconds[name]) if name in seconds else ">"


def _gain(row: Row) -> str:
    if not row["sequential"] or not row["median"]:
        return ""
    return f"{min(row['sequential'].values()) / min(row['median'].values()):.1f}"


def _phases(row: Row, name: str) -> str:
    counters = row["counters"][name]
    return (
        f"{counters.get('phases', counters.get('relabels', '-'))} / {counters.get('levels', '-')}"
    )


def _counters(row: Row, name: str) -> dict[str, Any]:
    """Empty where the variant was not run."""
    counters: dict[str, Any] = row["counters"].get(name, {})
    return counters


def _paths(counters: dict[str, Any]) -> str:
    if "path_edges" not in counters:
        return ""
    paths = counters["paths_walked"]
    mean = digits(counters["path_edges"] / paths) if paths else "-"
    return f"{paths:,} / {mean} / {counters['longest_path']:,}"


def _pushes(counters: dict[str, Any]) -> str:
    if "pushes" not in counters:
        return ""
    return " / ".join(f"{counters[key]:,}" for key in ("pushes", "loops", "relabels", "levels"))


def sets(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    """As the papers' tables: natural, permuted, and the hardest of each."""
    groups = {
        "natural": [row for row in rows if not _is_permuted(row)],
        "permuted": [row for row in rows if _is_permuted(row)],
        "all": rows,
    }
    for name, group in list(groups.items()):
        count = min(HARDEST, len(group) // 2)
        if count:
            by_best = sorted(group, key=lambda row: min(row["median"].values(), default=1e9))
            groups[f"{name}, hardest"] = by_best[-count:]
    return [(name, group) for name, group in groups.items() if group]


def _is_permuted(row: Row) -> bool:
    return row["matrix"].endswith(("+rcp", "_rcp"))


def mean_time(rows: list[Row], name: str, limit: float) -> tuple[float, bool]:
    """The variant's geometric mean in seconds, and whether it has ended on all: what was stopped
    counts at the limit."""
    times = [row["median"].get(name, limit_on(row["matrix"], limit)) for row in rows]
    return geometric_mean(times), all(name in row["median"] for row in rows)


def _means(label: str, rows: list[Row], names: list[str], limit: float) -> list[str]:
    cells = [label, str(len(rows))]
    for name in names:
        mean, whole = mean_time(rows, name, limit)
        cells.append(f"{'' if whole else '>'}{milliseconds(mean)}")
    return cells
