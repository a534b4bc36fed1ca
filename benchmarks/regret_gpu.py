# SPDX-License-Identifier: BSD-3-Clause
"""How far ``auto`` is behind the best choice where a GPU is found: the CPU, or a search there.

``python -m benchmarks.regret_gpu --store FILE`` measures what is not in FILE yet and reports on
what is. The whole call counts: copies, start, search, proof, the answer where the matrix is.
*Candidates* are what ``auto`` takes on the CPU, on all cores, and each search of `SEARCHES` on the
GPU, behind the start that it gets there when it is named. *Warm* is a process in which a GPU is at
work already, as these are measured; *cold* is a fresh one: what starting CUDA takes, measured in
processes of their own, counts for all that use the GPU; with ``--fresh NAME`` a matrix is measured
in fresh processes, too. *Resident* are matrices that live on the GPU, and so do the answers: there
the searches of the GPU are the candidates. ``regret_gpu_cases.py`` says which matrices are taken,
and which half of them was not looked at while rules were made; ``--half`` measures one.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine, rule_worth
from benchmarks.cases import Case, kept, only
from benchmarks.contest import Options
from benchmarks.generators.on_device import made_on_device
from benchmarks.regret_gpu_cases import HALVES, every_case, half_of
from benchmarks.regret_gpu_report import AUTO, CPU, GPU, SEARCHES, Row, report
from benchmarks.report import Report
from benchmarks.tables import milliseconds

USES_THREADS = 1_000_000  # entries
LEAST_LIMIT, MOST_LIMIT = 0.05, 1.5  # seconds
PATIENCE = 2.0  # times the best so far: what a search on the GPU is waited for
LONG = 0.3  # seconds: after so many, a call is not repeated
NEAR = 2.0  # times the best in the warm-up: worth repeating
PAUSE_SECONDS = 5e-3  # after this the threads of a call have stopped waiting for the next
_STARTING = (
    "import time, numpy as np; A = np.eye(3); import btfperm; call = btfperm.maximum_transversal; "
    "call(A, backend='cpu'); begin = time.perf_counter(); call(A, backend='gpu'); "
    "middle = time.perf_counter(); call(A, backend='gpu'); "
    "print(2 * middle - begin - time.perf_counter())"
)
_FRESH = (
    "import sys, time; from pathlib import Path; from benchmarks.cases import reader; "
    "import btfperm; P = btfperm.as_pattern(reader(Path(sys.argv[1]))()); "
    "begin = time.perf_counter(); btfperm.maximum_transversal(P, backend=sys.argv[2]); "
    "print(time.perf_counter() - begin)"
)


def starting() -> float:
    """Seconds that a fresh process takes for its first search on a GPU beyond those of a second
    one, with the kernels on disk already."""
    seconds = [_printed(_STARTING) for _ in range(4)]  # the first may compile
    return statistics.median(seconds[1:])


def _printed(program: str, *arguments: str) -> float:
    command = [sys.executable, "-c", program, *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(case: Case, repeats: int) -> Row:
    """Seconds of `auto` and of every candidate that is not hopeless, on one matrix, from the host
    and from the GPU."""
    from btfperm import maximum_transversal
    from btfperm.pattern import as_pattern
    from btfperm.pattern.features import look, ratios

    pattern = as_pattern(case.load())
    call = functools.partial(maximum_transversal, pattern)
    here = _race(call, SEARCHES, repeats, pattern.nnz)
    near = [name for name in SEARCHES if name in here["takes"]]
    call = functools.partial(maximum_transversal, on_gpu(pattern))
    there = _race(call, near or SEARCHES[:1], repeats, pattern.nnz)
    if here["rank"] != there["rank"]:
        raise RuntimeError(f"{case.name}: ranks {here['rank']}, {there['rank']}")
    m, n = pattern.shape
    known = {"rows": m, "cols": n, "entries": pattern.nnz}
    return {
        "matrix": case.name,
        "real": case.path is not None,
        "nnz": pattern.nnz,
        "features": {**known, **ratios(m, n, pattern.nnz), **look(pattern)},
        **here,
        "resident": there,
    }


def on_gpu(pattern: Any) -> Any:
    """The same pattern, living on the current GPU."""
    import cupy

    from btfperm.pattern import as_pattern

    arrays = None, cupy.asarray(pattern.indices), cupy.asarray(pattern.indptr)
    return as_pattern(arrays, shape=pattern.shape)


def _race(call: Callable[..., Any], searches: Sequence[str], repeats: int, nnz: int) -> Row:
    """Rank, rules of `auto`, times and counters of it and of the candidates."""
    import cupy

    calls: dict[str, Callable[..., Any]] = {
        CPU: functools.partial(call, backend="cpu"),
        **{name: functools.partial(call, backend="gpu", **_asked(name)) for name in searches},
        AUTO: call,
    }
    found, first = {}, {}
    for name in calls:  # a warm-up
        wait = None
        if name in searches:
            least = min(first[done] for done in found if found[done].maximum)
            wait = min(max(PATIENCE * least, LEAST_LIMIT), MOST_LIMIT)
        found[name], first[name] = _timed(functools.partial(calls[name], time_limit=wait), cupy)
    finished = [name for name in found if found[name].maximum]
    most = NEAR * min(first[name] for name in finished)
    samples = {name: [first[name]] if first[name] > LONG else [] for name in finished}
    gc.disable()
    for turn in range(repeats):
        for name in finished:
            far = first[name] > most and name != AUTO
            if (turn and far) or sum(samples[name]) > LONG:
                continue
            samples[name].append(_timed(calls[name], cupy)[1])
            if nnz >= USES_THREADS:
                time.sleep(PAUSE_SECONDS)
    gc.enable()
    ranks = {found[name].structural_rank for name in finished}
    if len(ranks) != 1:
        raise RuntimeError(f"ranks {ranks}")
    decisions = found[AUTO].explain()["decisions"]
    return {
        "rank": ranks.pop(),
        "threads": found[CPU].explain()["features"]["threads"],
        "rules": {what: [d["rule"], d["choice"]] for what, d in decisions.items()},
        "why": found[AUTO].choice,
        "counters": {name: _numbers(found[name].counters) for name in searches},
        "stages": {name: found[name].seconds for name in (CPU, searches[0], AUTO)},
        "seconds": samples,
        "takes": {name: statistics.median(taken) for name, taken in samples.items()},
    }


def _asked(search: str) -> dict[str, str]:
    """`search`: an algorithm, perhaps with a start."""
    algorithm, _, start = search.partition(", ")
    return {"algorithm": algorithm, **({"initializer": start} if start else {})}


def _timed(call: Callable[..., Any], cupy: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    found = call()
    cupy.cuda.get_current_stream().synchronize()
    return found, time.perf_counter() - begin


def _numbers(counters: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in counters.items() if isinstance(count, int)}


def fresh(case: Case) -> dict[str, float]:
    """Seconds in fresh processes, which have read the matrix already."""
    from btfperm.pattern import as_pattern

    pattern = as_pattern(case.load())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pattern.npz"
        np.savez(path, indptr=pattern.indptr, indices=pattern.indices, shape=pattern.shape)
        return {backend: _printed(_FRESH, str(path), backend) for backend in (CPU, GPU, AUTO)}


def main() -> None:
    """Measure what the store has not, while the time lasts; report on what it has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret_gpu", description=__doc__)
    parser.add_argument("--store", type=Path, required=True, help="a row of JSON for each matrix")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no matrix later")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--matrices", type=Path, default=Path("../shared/matrices"))
    parser.add_argument("--kept", type=Path, metavar="DIR", help="generated matrices are kept here")
    parser.add_argument("--keep", action="store_true", help="put the figures beside the rules")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every time")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the tables that are printed")
    parser.add_argument("--half", choices=HALVES, help="measure this one")
    parser.add_argument("--only", action="append", metavar="NAME", help="measured (again)")
    parser.add_argument("--fresh", action="append", default=[], metavar="NAME", help="see above")
    options = parser.parse_args()
    head = machine.describe(module="benchmarks.regret_gpu")
    for warning in machine.warnings(head):
        print(f"warning: {warning}", file=sys.stderr)
    ends = time.monotonic() + options.seconds
    rows = {}
    if options.store.exists():
        start_up, *stored = map(json.loads, options.store.read_text().splitlines())
        rows = {row["matrix"]: row for row in stored}
    else:
        start_up = starting()
        options.store.write_text(f"{start_up}\n")
    cases = every_case(options.matrices)
    cases = only(options.only, cases) if options.only else cases
    cases = [case for case in cases if options.half in (None, half_of(case.name))]
    # If time is short, what was measured is a fair part.
    cases.sort(key=lambda case: (":" in case.name, zlib.crc32(case.name.encode())))
    if options.kept:
        of_host = [case for case in cases if ":" not in case.name]
        there = {case.name: case for case in kept(of_host, options.kept)}
        cases = [there.get(case.name, case) for case in cases]
    with options.store.open("a") as store:
        call = functools.partial(_search, made_on_device("er:20:8"))
        _race(call, SEARCHES, 1, 0)  # loads the kernels, takes pinned memory
        for case in cases:
            if (options.only or case.name not in rows) and time.monotonic() < ends:
                row = measure(case, options.repeats)
                if case.name in options.fresh:
                    row["fresh"] = fresh(case)
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


def _search(A: Any, **named: Any) -> Any:
    from btfperm import maximum_transversal

    return maximum_transversal(A, **named)


if __name__ == "__main__":
    main()
