# SPDX-License-Identifier: BSD-3-Clause
"""The search over MPI ranks with a GPU each, compared with one GPU and with ranks on CPU cores.

The graphs are made on the GPUs. Two ranks with a GPU each match each graph in two ways: with
``auto``, the first rank gathers the graph on its GPU; with ``backend="mpi"``, the ranks exchange
lists by NCCL. The same graph is matched by one rank with ``auto``, and by one process from host
memory. The first graph is also matched by one rank with ``backend="mpi"``, by two ranks that
exchange lists through the memory of the host, by the engine for one GPU on a graph that is there
already, by two ranks without GPUs, and under limits on the memory of a GPU. These limits decrease
until one GPU does not suffice. All runs that finish must find the same size. After ``--within``
seconds, no graph and no limit is measured any more.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, names
from benchmarks.machine import gpu
from benchmarks.mpi.launcher import launcher
from benchmarks.report import Options, Row, Section, digits, paragraphs, table

__all__ = ["cases", "measured", "not_on_the_host", "run"]

WAYS = {
    "2 GPUs, auto": (2, "auto", {}),
    "1 GPU, auto": (1, "auto", {}),
    "one process": (1, "host", {}),
    "2 GPUs, NCCL": (2, "gpu", {}),
    "1 GPU": (1, "gpu", {}),
    "2 GPUs, host memory": (2, "gpu", {"BTFPERM_NCCL": "0"}),
    "engine for one GPU": (1, "engine", {}),
    "2 CPU cores": (2, "cpu", {}),
}
ONLY_FIRST = ("1 GPU", "2 GPUs, host memory", "engine for one GPU", "2 CPU cores")
_LIMITS = 6  # limits at most; each halves the range of limits under which only two GPUs may suffice


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name; they are made on the device."""
    return [Case(name, "", not_on_the_host) for name in names("mpi-gpu", which)]


def not_on_the_host() -> Any:
    raise OSError("this graph is made on a GPU")


def run(cases: list[Case], options: Options) -> Section:
    """Median seconds of each stage. Raises OSError without a GPU or MPI."""
    device, complaints = gpu(), []
    rows: list[Row] = []
    begin = time.monotonic()
    for case in cases:
        for way, (ranks, where, environment) in WAYS.items():
            if way in ONLY_FIRST and case is not cases[0]:
                continue
            if time.monotonic() - begin > options.within:
                options.say(f"{case.name}, {way}: left out, the time is over")
                continue
            found = measured(case.name, ranks, where, environment, options)
            rows.append({"matrix": case.name, "way": way, "ranks": ranks} | found)
            options.say(f"{case.name}, {way}: {found}")
        if case is cases[0] and time.monotonic() - begin <= options.within:
            rows += _capped(case.name, rows, options)
    for name in {str(row["matrix"]) for row in rows}:
        sizes = {row["rank"] for row in rows if row["matrix"] == name and "rank" in row}
        if len(sizes) != 1:
            complaints.append(f"{name}: different ranks {sorted(sizes)}")
    failed = [row for row in rows if "error" in row and "cap" not in row]
    complaints += [f"{row['matrix']}, {row['way']}: {row['error']}" for row in failed]
    return Section("MPI ranks with GPUs", _text(rows), {"device": device, "rows": rows}, complaints)


def _capped(name: str, rows: list[Row], options: Options) -> list[Row]:
    """Runs on one and on two GPUs under a limit on the memory of each GPU.

    The first limit is the mean of the memory of one GPU and the memory of each of two GPUs, both
    without a limit. CuPy keeps memory that it has freed, so one GPU may need less than it had.
    While one GPU finishes under the limit, the next limit is the mean of the memory of two GPUs and
    of one GPU under the limits so far. If one GPU does not need more memory than each of two, the
    next limit is smaller than both.
    """
    used = {row["way"]: row.get("gpu_bytes", 0) for row in rows if row["matrix"] == name}
    one, two = used.get("1 GPU", 0), used.get("2 GPUs, NCCL", 0)
    if not 0 < two < one:
        return []
    found: list[Row] = []

    def held(ranks: int, cap: int) -> int | None:
        """The largest memory that a GPU used under a limit; None if the limit does not suffice."""
        way = "1 GPU" if ranks == 1 else "2 GPUs, NCCL"
        row = measured(name, ranks, "gpu", {}, options, cap)
        options.say(f"{name}, {way}, at most {cap} bytes: {row}")
        found.append({"matrix": name, "way": way, "ranks": ranks, "cap": cap} | row)
        return None if "error" in row else min(cap, row["gpu_bytes"])

    for _ in range(_LIMITS):
        is_between = one - two > two // 32
        cap = (one + two) // 2 if is_between else min(one, two) * 7 // 8
        one_held = held(1, cap)
        two_held = held(2, cap) if one_held is None or not is_between else two
        if one_held is None or two_held is None:
            break
        one, two = one_held, two_held
    return found


def measured(
    name: str,
    ranks: int,
    where: str,
    environment: dict[str, str],
    options: Options,
    cap: int = 0,
) -> Row:
    """The medians of the repetitions of one launch, or its error."""
    repeats = "1" if where == "cpu" or cap else str(options.repeats)
    worker = [sys.executable, "-m", "benchmarks.mpi.gpu_worker", name, where, repeats, str(cap)]
    try:
        done = subprocess.run(
            [*launcher(), "-n", str(ranks), *worker],
            capture_output=True,
            text=True,
            timeout=options.limit,
            check=False,
            env={**os.environ, **environment},
        )
        output, errors = done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        output, errors = _text_of(late.stdout), f"not done within {options.limit:g} s"
    samples = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if any("error" in sample for sample in samples):
        return {"error": next(sample["error"] for sample in samples if "error" in sample)}
    if len(samples) < 2:
        return {"error": (errors.strip().splitlines() or ["no message"])[-1]}
    stages = {
        stage: statistics.median(sample["stages"].get(stage, 0.0) for sample in samples[1:])
        for stage in ("start", "search", "certificate")
    }
    seconds = statistics.median(sample["seconds"] for sample in samples[1:])
    last = samples[-1]
    same = {k: last[k] for k in ("rank", "device", "gpu_bytes", "proven", "counters", "rules")}
    warm_up = {"first_call": samples[0]["seconds"]}
    return {"seconds": seconds, "stages": stages, "samples": len(samples) - 1} | warm_up | same


def _text_of(output: bytes | str | None) -> str:
    return output.decode() if isinstance(output, bytes) else output or ""


def _text(rows: list[Row]) -> str:
    head = ["matrix", "where", "limit MB", "ms", "start ms", "search ms", "certificate ms"]
    head += ["first call ms", "GPU MB", "steps", "exchanges", "MB sent"]
    return paragraphs(
        "Medians of the time from an empty matching to the certificate of the maximum one, after a "
        "warm-up, the first call. `GPU MB` is the largest memory that CuPy has allocated on a GPU; "
        "if the first rank gathers the graph, the graph itself is not part of it. With a limit, a "
        "run that needs more fails. The initializer is the one that `auto` chooses. If the first "
        "rank gathers the graph (`auto`), the search contains all its steps; in the other runs "
        "over ranks, the CPU checks the certificate.",
        table(head, [_cells(row) for row in rows]),
    )


def _cells(row: Row) -> list[str]:
    first = [f"`{row['matrix']}`", row["way"], f"{row['cap'] / 1e6:.0f}" if "cap" in row else "-"]
    if "error" in row:
        return [*first, "out of memory" if "cap" in row else "failed", *["-"] * 8]
    counters = row["counters"]
    return [
        *first,
        *(digits(s * 1e3) for s in (row["seconds"], *row["stages"].values(), row["first_call"])),
        f"{row['gpu_bytes'] / 1e6:.0f}",
        f"{counters.get('levels', 0):,}",
        f"{counters.get('exchanges', 0):,}",
        f"{counters.get('bytes_sent', 0) / 1e6:.1f}",
    ]
