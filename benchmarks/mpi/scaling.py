# SPDX-License-Identifier: BSD-3-Clause
"""Strong and weak scaling over MPI ranks, from the file to the permutations.

Strong scaling: each matrix of the set on each number of ranks. Weak scaling: random matrices with
about five entries per column. They have, for each rank, as many columns as the first matrix of the
set, but at most 10^7 columns on the largest number of ranks. A measurement that belongs to both is
not repeated. `prediction.py` has a model of the time.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cases import Case, only
from benchmarks.mpi.launcher import launcher
from benchmarks.report import Options, Row, Section, paragraphs, table

__all__ = ["measured", "run"]


def run(matrices: list[Case], options: Options) -> Section:
    """Median seconds and counters of each matrix on each number of ranks (`options.counts`)."""
    ranks = sorted(set(options.counts)) or [1, 2, 4]
    start = launcher()
    rows: list[Row] = []
    complaints: list[str] = []
    columns = max((case.load().shape[1] for case in matrices[:1]), default=1000)
    columns = min(columns, 10**7 // ranks[-1])
    lines = [(case.name, "strong", ranks) for case in matrices]
    lines += [(f"er_{columns * count}_d5.0", "weak", [count]) for count in ranks]
    done: dict[tuple[str, int, str, int], Row] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "matrix.mtx")
        for name, kind, counts in lines:
            ways = [(name, count, *way) for count in counts for way in _ways(kind, count)]
            entries = None
            for key in ways:
                if key not in done:  # a weak row may be a strong one
                    entries = _written(name, matrices, file) if entries is None else entries
                    _, count, backend, threads = key
                    row: Row = {"ranks": count, "entries": entries}
                    row |= {"backend": backend, "threads": threads}
                    try:
                        found = measured(
                            [*start, "-n", str(count)], file, options, backend, threads
                        )
                    except (subprocess.SubprocessError, OSError, ValueError) as error:
                        complaints.append(f"{name} on {count} ranks: {error}")
                        continue
                    done[key] = row | found
                    options.say(f"{name}, {count} ranks, {backend}: {found['seconds']:.2f} s")
                rows.append({"matrix": name, "kind": kind} | done[key])
    return _section(rows, complaints)


def _written(name: str, matrices: list[Case], file: Path) -> int:
    """Writes a matrix to a file, and returns the number of its entries."""
    return int(only([name], matrices)[0].written(file).nnz)


def _ways(kind: str, ranks: int) -> list[tuple[str, int]]:
    """Backend and number of threads (0: all cores) of each measurement on this number of ranks."""
    if ranks == 1:
        return [("auto", 0), ("auto", 1)] if kind == "strong" else [("auto", 0)]
    return [("mpi", 0), ("auto", 0)]


def measured(
    launch: list[str],
    file: Path,
    options: Options,
    backend: str,
    threads: int = 0,
    initializer: str = "auto",
) -> Row:
    """The medians of the repetitions of one measurement, and the counters of the last
    repetition."""
    output = str(file.with_suffix(".npz"))
    worker = [sys.executable, "-m", "benchmarks.mpi.worker", str(file), output, backend]
    done = subprocess.run(
        [*launch, *worker, str(max(options.repeats, 1)), str(threads), initializer],
        capture_output=True,
        text=True,
        timeout=600 + options.limit,
        check=False,
    )
    samples = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")][1:]
    if not samples:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ValueError(last)
    seconds = [sample["seconds"] for sample in samples]
    counters: Row = samples[-1]
    return counters | {"seconds": statistics.median(seconds), "samples": seconds}


def _section(rows: list[Row], complaints: list[str]) -> Section:
    for name in {row["matrix"] for row in rows}:
        found = {row["rank"] for row in rows if row["matrix"] == name}
        if len(found) > 1:
            complaints.append(f"{name}: different ranks {sorted(found)}")
    head = ["matrix", "ranks", "way", "s", "of 1 rank", "exchanges", "MB sent", "MB a rank"]
    head += ["share", "MB of all"]
    text = paragraphs(
        "Medians of the time from the file to `perm.npz`. The way is the backend. `mpi` is the "
        "engine over ranks, also for small matrices. `auto` uses the serial engine on one rank. On "
        "several ranks of one machine, `auto` lets the first rank search on all cores, or each "
        "rank analyse the whole matrix if it is small. *1 thread* is one rank on one thread; other "
        "rows use all cores. *of 1 rank* is the speed relative to one rank on one thread; rows for "
        "weak scaling have *weak*. The memory is the peak memory of a rank beyond its memory "
        "before the call, the largest of all ranks; *of all* is the sum over the ranks. A *share* "
        "is the memory of a run on one rank, divided by the number of ranks; the column has the "
        "memory in shares.",
        table(head, list(_cells(rows))),
    )
    return Section("MPI ranks", text, {"rows": rows}, complaints)


def _cells(rows: list[Row]) -> Iterator[list[str]]:
    one = {
        row["matrix"]: row["seconds"] for row in rows if row["ranks"] == 1
    }  # the last is on 1 thread
    memory = {row["matrix"]: row["grown_bytes"] for row in rows if row["ranks"] == 1}
    for row in rows:
        share = "-"
        if row["matrix"] in memory:
            share = f"{row['grown_bytes'] * row['ranks'] / memory[row['matrix']]:.2f}"
        is_strong = row["kind"] == "strong" and row["matrix"] in one
        ratio = f"{one[row['matrix']] / row['seconds']:.2f}" if is_strong else row["kind"]
        yield [
            f"`{row['matrix']}`",
            str(row["ranks"]),
            "1 thread" if row.get("threads") == 1 else row.get("backend", "mpi"),
            f"{row['seconds']:.2f}",
            ratio,
            f"{row['exchanges']:,}",
            f"{row['bytes_sent'] / 1e6:.1f}",
            f"{row['grown_bytes'] / 1e6:.0f}",
            share,
            f"{row['sum_bytes'] / 1e6:.0f}" if "sum_bytes" in row else "-",
        ]
