# SPDX-License-Identifier: BSD-3-Clause
"""Compares ``auto`` with the best choice on a machine with a GPU: the CPU, or a search on the GPU.

The time is that of the whole call: copies, initial matching, search, certificate, and the transfer
of the answer to the device that holds the matrix. *Candidates* are the choice of ``auto`` on the
CPU, on all cores, and each search of `SEARCHES` on the GPU. *Warm* is a process that has used the
GPU before; all measurements are warm. *Cold* is a fresh process; its time is the warm time, plus
the time that CUDA takes to start if the call uses the GPU. The latter is measured in other
processes. *Resident* means that the matrix and the answer are on the GPU; only the searches on the
GPU are candidates then.

``sets.toml`` lists the matrices. The half `fit` was used to make the rules; the half `unseen` was
not. `unseen` also has each real matrix in another form (`unseen_form`), which was never timed
before. ``--half`` measures only one half.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import machine
from benchmarks.cases import ALL, Case, generated, names, real
from benchmarks.generators.assemble import pattern, rcp
from benchmarks.generators.counted import made_on_device
from benchmarks.regret import rows as stored
from benchmarks.regret.gpu_report import CPU, HALVES, SEARCHES, half_of, report
from benchmarks.regret.rows import AUTO
from benchmarks.report import Options, Row, Section, milliseconds
from benchmarks.timing import synchronised

USES_THREADS = 1_000_000  # entries
LEAST_LIMIT, MOST_LIMIT = 0.05, 1.5  # seconds
PATIENCE = 2.0  # times the best time so far, after which a search on the GPU is stopped
LONG = 0.3  # seconds; once the samples of a call have taken longer in all, it is not repeated
NEAR = 2.0  # times the best time of the warm-up; only calls up to it are repeated
PAUSE_SECONDS = 5e-3  # after it, the threads of a call sleep and do not slow down the next call
_STARTING = (
    "import time, numpy as np; A = np.eye(3); import btfperm; call = btfperm.maximum_transversal; "
    "call(A, backend='cpu'); begin = time.perf_counter(); call(A, backend='gpu'); "
    "middle = time.perf_counter(); call(A, backend='gpu'); "
    "print(2 * middle - begin - time.perf_counter())"
)


def cases(which: str, folder: Path) -> list[Case]:
    """The matrices of the named set under ``default``. The set ``all`` has the generated matrices,
    and the real matrices in both forms if their folder exists.

    The matrices with a colon in their name are made on the GPU and come last. The others are in a
    random order: if the time is over before all are measured, those measured are a random sample.
    """
    if which != ALL:
        return generated(names("default", which))
    made = generated(
        [n for part in ("fit", "fit_later", "unseen") for n in names("regret-gpu", part)]
    )
    found = [
        Case(case.name, case.kind, partial(made_on_device, case.name)) if ":" in case.name else case
        for case in made
    ]
    kept = real(folder) if (folder / "index.csv").exists() else []
    everything = [*kept, *map(unseen_form, kept), *found]
    return sorted(everything, key=lambda c: (":" in c.name, zlib.crc32(c.name.encode())))


def unseen_form(case: Case) -> Case:
    """A real matrix with its rows and its columns in random orders. A square matrix is also
    transposed; if the CRC-32 of its name is even, its rows and columns get the same random order,
    which preserves a diagonal."""
    name = f"{case.name}, in another form"
    return Case(name, case.kind, lambda: _changed(case.load(), case.name), path=case.path)


def _changed(A: sp.csc_array, name: str) -> sp.csc_array:
    m, n = A.shape
    drawn = f"{name}, a third time"
    if m != n:
        return rcp(A, drawn)
    number = zlib.crc32(drawn.encode())
    if number % 2:
        return rcp(sp.csc_array(A.T), drawn)
    C, p = A.tocoo(), np.random.default_rng(number).permutation(n)
    return pattern(p[C.col], p[C.row], A.shape)


def run(cases: list[Case], options: Options) -> Section:
    """Measures the matrices that are not yet in the store, and reports on all matrices in the
    store. Raises OSError without a GPU."""
    machine.gpu()
    if options.half not in (None, *HALVES):
        raise ValueError(f"--half is one of {', '.join(HALVES)}")
    start_up = starting()
    call = partial(_search, made_on_device("er:20:8"))
    _race(call, SEARCHES, 1, 0)  # loads the kernels and allocates pinned memory
    chosen = [case for case in cases if options.half in (None, half_of(case.name))]
    rows = stored.measured(chosen, options, partial(measure, repeats=options.repeats), _outcome)
    section = report(rows, start_up)
    if options.rules:
        stored.write_beside_the_rules(section.data["rules"])
    return section


def _outcome(row: Row) -> str:
    """A line on a measured matrix. The times of unseen matrices must not be seen while rules are
    made."""
    times = [f"{name} {milliseconds(t)}" for name, t in row["takes"].items()]
    fit = half_of(row["matrix"]) == HALVES[0]
    return f"{row['matrix']}: {', '.join(times) if fit else 'measured'}"


def starting() -> float:
    """Seconds by which the first search on a GPU in a fresh process takes longer than the second
    one, if the compiled kernels are on disk already."""
    command = [sys.executable, "-c", _STARTING]
    done = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(4)]
    return statistics.median([float(each.stdout) for each in done][1:])  # the first may compile


def measure(case: Case, repeats: int) -> Row:
    """Seconds of `auto` and of every candidate that was not stopped, on one matrix, which is first
    on the host and then on the GPU."""
    import cupy

    from btfperm.pattern import as_pattern
    from btfperm.pattern.features import ratios, sample

    P = as_pattern(case.load())
    here = _race(partial(_search, P), SEARCHES, repeats, P.nnz)
    near = [name for name in SEARCHES if name in here["takes"]]
    arrays = None, cupy.asarray(P.indices), cupy.asarray(P.indptr)
    call = partial(_search, as_pattern(arrays, shape=P.shape))
    there = _race(call, near or SEARCHES[:1], repeats, P.nnz)
    if here["rank"] != there["rank"]:
        raise RuntimeError(f"{case.name}: ranks {here['rank']}, {there['rank']}")
    m, n = P.shape
    known = {"rows": m, "cols": n, "entries": P.nnz}
    return {
        "matrix": case.name,
        "real": case.path is not None,
        "nnz": P.nnz,
        "features": {**known, **ratios(m, n, P.nnz), **sample(P)},
        **here,
        "resident": there,
    }


def _search(A: Any, **named: Any) -> Any:
    from btfperm import maximum_transversal

    return maximum_transversal(A, **named)


def _race(call: Callable[..., Any], searches: Sequence[str], repeats: int, nnz: int) -> Row:
    """The rank, the rules that `auto` followed, and the times and counters of `auto` and of the
    candidates."""
    calls: dict[str, Callable[..., Any]] = {
        CPU: partial(call, backend="cpu"),
        **{name: partial(call, backend="gpu", **_asked(name)) for name in searches},
        AUTO: call,
    }
    found: dict[str, Any] = {}
    first: dict[str, float] = {}
    for name, each in calls.items():  # a warm-up
        wait = None
        if name in searches:
            least = min(first[done] for done in found if found[done].maximum)
            wait = min(max(PATIENCE * least, LEAST_LIMIT), MOST_LIMIT)
        found[name], first[name] = synchronised(partial(each, time_limit=wait))
    finished = [name for name in found if found[name].maximum]
    most = NEAR * min(first[name] for name in finished)
    samples = {name: [first[name]] if first[name] > LONG else [] for name in finished}
    gc.disable()
    for turn in range(repeats):
        for name in finished:
            far = first[name] > most and name != AUTO
            if (turn and far) or sum(samples[name]) > LONG:
                continue
            samples[name].append(synchronised(calls[name])[1])
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
        "counters": {
            name: {k: v for k, v in found[name].counters.items() if isinstance(v, int)}
            for name in searches
        },
        "stages": {name: found[name].seconds for name in (CPU, searches[0], AUTO)},
        "seconds": samples,
        "takes": {name: statistics.median(taken) for name, taken in samples.items()},
    }


def _asked(search: str) -> dict[str, str]:
    """The options of a call that runs `search`, which is "algorithm" or "algorithm,
    initializer"."""
    algorithm, _, start = search.partition(", ")
    return {"algorithm": algorithm, **({"initializer": start} if start else {})}
