# SPDX-License-Identifier: BSD-3-Clause
"""Local max over MPI ranks, as in figure 4 of Birn et al. (Euro-Par 2013).

The graphs are random geometric graphs with random weights of their edges. As in the paper, a rank
owns vertices of consecutive numbers. Each graph is measured in the order of its strips, in which
most edges join vertices of one rank, and in a random order (``_rcp``). What runs is the initial
matching `local-max` over ranks: it matches rows with columns of the matrix of the graph, and each
entry has a random weight. So it matches in the bipartite graph with two vertices for each vertex.
The seconds are those of the matching, with the sorting of the lists by weight, without reading.
"""

from __future__ import annotations

import itertools
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.report import Options, Row, Section, digits, milliseconds, paragraphs, table

RANKS = (1, 2, 4, 8, 16)


def run(cases: list[Case], options: Options) -> Section:
    """Median seconds, rounds and messages of each graph on each number of ranks."""
    ranks = sorted(set(options.counts)) or list(RANKS)
    beside = str(Path(sys.executable).parent)
    launcher = shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")
    if launcher is None:
        raise ValueError("there is no mpiexec on this machine: pip install 'btfperm[mpi]'")
    rows: list[Row] = []
    complaints: list[str] = []
    ends = time.monotonic() + options.within
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if time.monotonic() > ends:
                break
            A = case.load()
            np.save(Path(folder, "indptr.npy"), A.indptr)
            np.save(Path(folder, "indices.npy"), A.indices)
            for count in ranks:
                worker = [sys.executable, "-m", "benchmarks.mpi.local_max", folder]
                try:
                    found = _measured([launcher, "-n", str(count), *worker], options)
                except (subprocess.SubprocessError, OSError, ValueError) as error:
                    complaints.append(f"{case.name} on {count} ranks: {error}")
                    continue
                rows.append({"matrix": case.name, "n": A.shape[1], "edges": A.nnz // 2, **found})
                options.say(f"{case.name}, {count} ranks: {rows[-1]['median']:.3f} s")
            sizes = {row["size"] for row in rows if row["matrix"] == case.name}
            complaints += (
                [f"{case.name}: different sizes {sorted(sizes)}"] if len(sizes) > 1 else []
            )
    data = {"ranks": ranks, "rows": rows}
    return Section("Local max over MPI ranks", markdown(data), data, complaints)


def _measured(command: list[str], options: Options) -> Row:
    done = subprocess.run(
        [*command, str(max(options.repeats, 1))],
        capture_output=True,
        text=True,
        timeout=120 + options.limit,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise ValueError((done.stderr.strip().splitlines() or ["no message"])[-1])
    row: Row = lines[-1]
    return row | {"median": statistics.median(row["seconds"])}


def gains(data: dict[str, Any], matrix: str) -> list[float]:
    """The time on half as many ranks over that on each number of ranks, from the second on."""
    rows = [row for row in data["rows"] if row["matrix"] == matrix]
    return [one["median"] / two["median"] for one, two in itertools.pairwise(rows)]


def markdown(data: dict[str, Any]) -> str:
    """One table: seconds, the gain of each doubling, rounds, and bytes sent."""
    body = []
    for name in dict.fromkeys(row["matrix"] for row in data["rows"]):
        rows = [row for row in data["rows"] if row["matrix"] == name]
        gained = ["-", *map(digits, gains(data, name))]
        for row, gain in zip(rows, gained, strict=True):
            body.append(
                [
                    f"`{name}`",
                    f"{row['edges']:,}",
                    str(row["ranks"]),
                    milliseconds(row["median"]),
                    gain,
                    str(row["rounds"]),
                    digits(row["bytes_sent"] / 1e6),
                ]
            )
    return paragraphs(
        "Median milliseconds of the matching with the sorting of the lists; gain: the time on the "
        "number of ranks before over this one; MB: sent by all ranks together.",
        table(["matrix", "edges", "ranks", "ms", "gain", "rounds", "MB"], body),
    )


def main(folder: str, repeats: str) -> None:
    """One rank of a measurement. The first rank prints one JSON object."""
    from mpi4py import MPI

    import btfperm
    from btfperm.backends.mpi.problem import DistributedProblem
    from btfperm.path.request import Request
    from btfperm.path.run import run_algorithm

    comm = MPI.COMM_WORLD
    indptr = np.load(Path(folder, "indptr.npy"), mmap_mode="r")
    indices = np.load(Path(folder, "indices.npy"), mmap_mode="r")
    n = len(indptr) - 1
    first, last = (n * (comm.rank + k) // comm.size for k in (0, 1))
    own = np.asarray(indptr[first : last + 1], np.int64)
    pattern = btfperm.DistributedPattern.from_columns(
        comm, own - own[0], np.asarray(indices[own[0] : own[-1]]), (n, n), first=first
    )
    row = btfperm.registry.find("local-max", initializer=True, backend="mpi")
    seconds, sent, rounds, size = [], 0, 0, 0
    for turn in range(1 + int(repeats)):  # the first is a warm-up
        problem = DistributedProblem(pattern)
        problem.row_lists  # noqa: B018  collective: both orientations come before the time
        pattern.exchange.transferred()
        comm.Barrier()
        begin = time.perf_counter()
        outcome = run_algorithm(row, problem, Request(pattern.nnz, seed=turn))
        comm.Barrier()
        seconds.append(time.perf_counter() - begin)
        sent = pattern.exchange.transferred()["bytes_sent"]
        counters: Any = outcome.counters
        rounds, size = int(counters["rounds"]), problem.size
    if comm.rank == 0:
        found = {"ranks": comm.size, "seconds": seconds[1:], "rounds": rounds, "size": size}
        print(json.dumps(found | {"bytes_sent": sent}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
