# SPDX-License-Identifier: BSD-3-Clause
"""How far ``auto`` is behind the best choice where a GPU is found: the CPU, or a search there.

``python -m benchmarks.regret_gpu --store FILE`` measures what is not in FILE yet and reports on
what is. Matrices are on the host, and the whole call counts: copies, start, search, proof, the
answer back on the host. *Candidates* are what ``auto`` takes on the CPU, on all cores, and each
search of `SEARCHES` on the GPU, behind the start that ``auto`` takes there. *Warm* is a process in
which a GPU is at work already, as these are measured; *cold* is a fresh one: what starting CUDA
takes, measured in processes of their own, counts for all that use the GPU. Halves as in regret.py.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gc
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine, rule_worth
from benchmarks.cases import Case, generated, kept, only, real
from benchmarks.contest import Options, Section
from benchmarks.regret import HALVES, half_of
from benchmarks.report import Report
from benchmarks.tables import geometric_mean, milliseconds, table

AUTO, CPU = "auto", "cpu"
ONE_THREAD = "cpu, one thread"  # what a machine with few cores would take; once
SEARCHES = ("apfb-wr", "g-pr-shr")
CPU_START = "g-pr-shr, greedy on the cpu"  # a start that is copied, to compare
DECISIONS = ("place", "start on gpu", "algorithm on gpu")
HOPELESS = 3.0  # times the CPU: not worth waiting for
LEAST_LIMIT = 0.05  # seconds
LONGEST = 20.0
LONG = 1.0  # seconds: after so many, a call is not repeated
NEAR = 1.5  # times the best before: worth another look
PAUSE_SECONDS = 5e-3  # after this the threads of a call have stopped waiting for the next
LEAST_REAL = 1_000_000  # entries of a real matrix
_FRESH = (
    "import time, numpy as np; A = np.eye(3); import btfperm; call = btfperm.maximum_transversal; "
    "call(A, backend='cpu'); begin = time.perf_counter(); call(A, backend='gpu'); "
    "middle = time.perf_counter(); call(A, backend='gpu'); "
    "print(2 * middle - begin - time.perf_counter())"
)

MATRICES = """
    er_1e6_d2.7 er_1e6_d5.0 er_3e6_d2.7 er_3e6_d5.0 er_6e6_d3.5 er:20:3 er:22:3 er:20:8 er:22:8
    kron:16 kron:18 kron:20 rmat_s20 rmat_s21 rmat:18:30 rmat:20:30 rmat:22:30
    del:20 del:20+rcp del:22 del:22+rcp rgg:20 rgg:20+rcp rgg:22 rgg:22+rcp rgg_n_2_20_rcp
    road:2000 road:4000 road_2048 road_2048_rcp hex:1000 grid3d_64 grid3d_128 grid3d_128_rcp
    circuit_3e6 tri_3e6 bandtri_2e6 kkt_3e6 kkt_sing_2e6 chain_2e6 chain_2e6_rcp chains_500x10000
    deadtree_1e6 arrow_3e6 hessenberg_3000 rect_wide_2e6 rect_tall_2e6 trace_n20 copapers_300000
    citations_1000000 crawl_1000000
"""

Row = dict[str, Any]


def every_case(matrices: Path, keep: Path | None) -> list[Case]:
    """The generated matrices above, and the larger of the real ones where the folder is there."""
    made = generated(MATRICES.split())
    made = kept(made, keep) if keep else made
    if not (matrices / "index.csv").exists():
        return made
    with (matrices / "index.csv").open(newline="") as index:
        large = {row["name"] for row in csv.DictReader(index) if int(row["nnz"]) >= LEAST_REAL}
    return made + [case for case in real(matrices) if case.name in large]


def starting() -> float:
    """Seconds that a fresh process takes for its first search on a GPU beyond those of a second
    one, with the kernels on disk already."""
    seconds = []
    for _ in range(4):  # the first may compile
        ended = subprocess.run(
            [sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True
        )
        seconds.append(float(ended.stdout))
    return statistics.median(seconds[1:])


def measure(case: Case, repeats: int, before: Row | None = None) -> Row:
    """Seconds of `auto` and of every candidate that is not hopeless, on one matrix; where it has
    been measured `before`, of `auto` and of what came near the best then."""
    from btfperm import maximum_transversal
    from btfperm.pattern import as_pattern
    from btfperm.pattern.features import look, ratios

    pattern = as_pattern(case.load())
    call = functools.partial(maximum_transversal, pattern)
    calls: dict[str, Callable[..., Any]] = {
        AUTO: call,
        CPU: functools.partial(call, backend="cpu"),
        **{name: functools.partial(call, backend="gpu", algorithm=name) for name in SEARCHES},
        CPU_START: functools.partial(call, algorithm="g-pr-shr", initializer="greedy"),
    }
    if before is not None:
        most = NEAR * best_of(before)[1]
        calls = {n: c for n, c in calls.items() if n == AUTO or before["takes"].get(n, most) < most}
    found, least = {}, LONGEST
    for name in (CPU, *SEARCHES, CPU_START, AUTO):  # a warm-up
        if name not in calls:
            continue
        wait = None if name in (CPU, AUTO) else max(HOPELESS * least, LEAST_LIMIT)
        begin = time.perf_counter()
        found[name] = calls[name](time_limit=wait)
        if name == CPU:
            least = time.perf_counter() - begin
    finished = [name for name in found if found[name].maximum]
    samples: dict[str, list[float]] = {name: [] for name in finished}
    if before is None:
        begin = time.perf_counter()
        call(backend="cpu", threads=1)
        samples[ONE_THREAD] = [time.perf_counter() - begin]
    gc.disable()
    for _ in range(repeats):
        for name in finished:
            if sum(samples[name]) > LONG:
                continue
            begin = time.perf_counter()
            calls[name]()
            samples[name].append(time.perf_counter() - begin)
            time.sleep(PAUSE_SECONDS)
    gc.enable()
    ranks = {found[name].structural_rank for name in finished}
    if len(ranks) != 1:
        raise RuntimeError(f"{case.name}: ranks {ranks}")
    rank = ranks.pop()
    explained = found[AUTO].explain()
    m, n = pattern.shape
    return {
        "matrix": case.name,
        "shape": [m, n],
        "nnz": pattern.nnz,
        "rank": rank,
        "features": {
            "rows": m,
            "cols": n,
            "entries": pattern.nnz,
            **ratios(m, n, pattern.nnz),
            **look(pattern),
        },
        "left": {name: _left(found[name]) for name in found},
        "rules": {what: [d["rule"], d["choice"]] for what, d in explained["decisions"].items()},
        "stages": {name: found[name].seconds for name in found},
        "levels": {name: found[name].counters.get("levels") for name in found},
        "by_phase": {name: _by_phase(found[name])[:5] for name in found},
        "seconds": samples,
        "takes": {
            **({} if before is None else before["takes"]),
            **{name: statistics.median(taken) for name, taken in samples.items()},
        },
    }


def _left(found: Any) -> float | None:
    """The share of full rank that the search had to add, as far as it came."""
    added = found.counters.get("augmentations")
    return None if added is None else added / (min(found.shape) or 1)


def _by_phase(found: Any) -> list[int]:
    counters = found.counters
    levels: list[int] = counters.get("levels_by_phase") or counters.get("levels_by_relabel") or []
    return levels


def cold(row: Row, start_up: float) -> Row:
    """The same matrix in a fresh process."""
    takes = {
        name: seconds + (start_up if name not in (AUTO, CPU) else 0)
        for name, seconds in row["takes"].items()
    }
    place = _cold_place(row)
    takes[AUTO] = takes[CPU] if place == CPU else row["takes"][AUTO] + start_up
    return {**row, "takes": takes}


def _cold_place(row: Row) -> str:
    from btfperm.transversal import auto

    known = {**row["features"], "warm": 0, "gpus": 1, "threads": auto.usable_cores()}
    return auto._first("place", known, lambda feature: known[feature]).choice


def best_of(row: Row) -> tuple[str, float]:
    """The candidate that takes least, and how long."""
    names = [name for name in (CPU, *SEARCHES) if name in row["takes"]]
    return min(((name, row["takes"][name]) for name in names), key=lambda item: item[1])


def regret_of(row: Row) -> float:
    """How many times slower than the best `auto` is."""
    return float(row["takes"][AUTO] / best_of(row)[1])


def report(rows: Sequence[Row], start_up: float) -> Section:
    """Regret by half, warm and cold; every time; the rules."""
    states = {"warm": rows, "cold": [cold(row, start_up) for row in rows]}
    fit = [row for row in rows if half_of(row["matrix"]) == HALVES[0]]
    found = rule_worth.worth(fit, DECISIONS, _times)
    parts = [
        f"Starting CUDA in a fresh process takes {start_up:.2f} s.",
        _summary(states),
        "The whole call in a warm process, ms (`>`: not waited for):",
        _all_times(rows),
        f"Rules on the half `{HALVES[0]}`, warm:",
        rule_worth.markdown(found),
        *(f"- {objection}" for objection in rule_worth.objections(found)),
    ]
    data = {"start_up": start_up, "rows": list(rows), "rules": found}
    return Section("Regret of auto beside a GPU", "\n\n".join(parts), data)


def _summary(states: dict[str, Sequence[Row]]) -> str:
    body = []
    for state, rows in states.items():
        for half in (*HALVES, "all"):
            group = [row for row in rows if half in (half_of(row["matrix"]), "all")]
            if not group:
                continue
            worst, where = max((regret_of(row), row["matrix"]) for row in group)
            mean = geometric_mean([regret_of(row) for row in group])
            singles = [
                geometric_mean(
                    [min(r["takes"].get(n, math.inf) / best_of(r)[1], HOPELESS) for r in group]
                )
                for n in (CPU, *SEARCHES)
            ]
            body.append(
                [state, half, str(len(group)), f"{mean:.3f}", f"{worst:.2f}", f"`{where}`"]
                + [f"{single:.2f}" for single in singles]
            )
    head = ["process", "half", "matrices", "regret", "worst", "on"]
    return table([*head, *(f"always {name}" for name in (CPU, *SEARCHES))], body)


def _all_times(rows: Sequence[Row]) -> str:
    names = (AUTO, CPU, *SEARCHES, CPU_START)
    body = [
        [
            *(f"`{row['matrix']}`", half_of(row["matrix"]), f"{row['nnz']:,}"),
            *(_cell(row, name) for name in names),
            f"{regret_of(row):.2f}",
        ]
        for row in rows
    ]
    return table(["matrix", "half", "entries", *names, "regret"], body)


def _cell(row: Row, name: str) -> str:
    return milliseconds(row["takes"][name]) if name in row["takes"] else ">"


def _times(what: str, row: Row) -> dict[str, float]:
    """Seconds of each choice of a decision."""
    takes = row["takes"]
    searches = {name: takes[name] for name in SEARCHES if name in takes}
    if what == "place":
        return {CPU: takes[CPU], "gpu": min(searches.values(), default=math.inf)}
    if what == "start on gpu":
        names = {"greedy": "g-pr-shr", "greedy on the cpu": CPU_START}
        return {choice: takes[name] for choice, name in names.items() if name in takes}
    return searches


def main() -> None:
    """Measure what the store has not, while the time lasts; report on what it has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret_gpu", description=__doc__)
    parser.add_argument("--store", type=Path, required=True, help="a row of JSON for each matrix")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no matrix later")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--matrices", type=Path, default=Path("../shared/matrices"))
    parser.add_argument("--kept", type=Path, metavar="DIR", help="generated matrices are kept here")
    parser.add_argument("--keep", action="store_true", help="put the figures beside the rules")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every sample")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the tables that are printed")
    parser.add_argument("--before", type=Path, metavar="FILE", help="a store: see measure()")
    parser.add_argument("--only", action="append", metavar="NAME", help="measured (again)")
    options = parser.parse_args()
    head = machine.describe(module="benchmarks.regret_gpu")
    ends = time.monotonic() + options.seconds
    rows, before = {}, {}
    if options.before:
        _, *stored = map(json.loads, options.before.read_text().splitlines())
        before = {row["matrix"]: row for row in stored}
    if options.store.exists():
        start_up, *stored = map(json.loads, options.store.read_text().splitlines())
        rows = {row["matrix"]: row for row in stored}
    else:
        start_up = starting()
        options.store.write_text(f"{start_up}\n")
    cases = every_case(options.matrices, options.kept)
    cases = only(options.only, cases) if options.only else cases
    with options.store.open("a") as store:
        for case in cases:
            if (options.only or case.name not in rows) and time.monotonic() < ends:
                row = measure(case, options.repeats, before.get(case.name))
                rows[case.name] = row
                seen = half_of(case.name) == HALVES[0]
                times = [f"{name} {milliseconds(t)}" for name, t in row["takes"].items()]
                print(f"{case.name}: {', '.join(times) if seen else 'measured'}", flush=True)
                print(json.dumps(row), file=store, flush=True)
    done = report(list(rows.values()), start_up)
    print(done.markdown)
    about = Options("all", options.matrices, options.repeats, LEAST_LIMIT, [AUTO], None, print)
    result = Report(head, about)
    result.add("regret_gpu", done)
    result.write(options.json, options.markdown, None)
    if options.keep:
        rule_worth.keep(done.data["rules"], head)


if __name__ == "__main__":
    main()
