# SPDX-License-Identifier: BSD-3-Clause
"""Local max over MPI ranks, as in figure 4 of Birn et al. (Euro-Par 2013).

The graphs are random geometric graphs whose edges have random weights. As in the paper, a rank owns
vertices with consecutive numbers. Each graph is measured in two orders. In the order of strips of
the plane, most edges join vertices of one rank; with ``+shuffled``, the order is random. The
seconds are those of the stage `match` of ``btfperm.match(G, comm=comm)``, the largest of all ranks:
from the lists of each rank to the matching, without the check.
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case, names
from benchmarks.generators.assemble import SEED
from benchmarks.mpi.launcher import launcher
from benchmarks.papers.weighted_graphs import make, matrix_of
from benchmarks.report import Options, Row, Section, digits, milliseconds, paragraphs, table

RANKS = (1, 2, 4, 8, 16)
SHUFFLED = "+shuffled"


def cases(which: str, _: Path) -> list[Case]:
    """The graphs of a set, by name."""
    return [Case(name, "mesh", _only_by_name) for name in names("mpi-local-max", which)]


def _only_by_name() -> Any:
    raise OSError("this graph is made by its name")


def graph_of(name: str) -> Any:
    """The graph of that name as a symmetric CSC matrix with random weights."""
    graph = make(name.removesuffix(SHUFFLED))
    shuffled = name.endswith(SHUFFLED)
    return matrix_of(graph, np.random.default_rng(SEED).permutation(graph.n) if shuffled else None)


def run(cases: list[Case], options: Options) -> Section:
    """Median seconds, rounds and messages of each graph on each number of ranks."""
    ranks = sorted(set(options.counts)) or list(RANKS)
    start = launcher()
    rows: list[Row] = []
    complaints: list[str] = []
    ends = time.monotonic() + options.within
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if time.monotonic() > ends:
                break
            A = graph_of(case.name)
            for part in ("indptr", "indices", "data"):
                np.save(Path(folder, f"{part}.npy"), getattr(A, part))
            for count in ranks:
                worker = [sys.executable, "-m", "benchmarks.mpi.local_max", folder]
                try:
                    found = _measured([*start, "-n", str(count), *worker], count, options)
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


def _measured(command: list[str], ranks: int, options: Options) -> Row:
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
    if row["ranks"] != ranks:
        raise ValueError(f"{command[0]} started {ranks} processes of {row['ranks']} ranks")
    return row | {"median": statistics.median(row["seconds"])}


def gains(data: dict[str, Any], matrix: str) -> list[float]:
    """The time on each number of ranks but the last, over the time on the next one."""
    rows = [row for row in data["rows"] if row["matrix"] == matrix]
    return [one["median"] / two["median"] for one, two in itertools.pairwise(rows)]


def markdown(data: dict[str, Any]) -> str:
    """The table: seconds, the gain of each doubling of the ranks, rounds, and bytes sent."""
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
        "Median milliseconds of the matching. *Gain* is the time on the number of ranks before, "
        "divided by the time on this number. *MB* is what all ranks together send, also while they "
        "read the graph.",
        table(["matrix", "edges", "ranks", "ms", "gain", "rounds", "MB"], body),
    )


def main(folder: str, repeats: str) -> None:
    """One rank of a measurement. The first rank prints one JSON object."""
    from mpi4py import MPI
    from scipy.sparse import csc_array

    import btfperm

    comm = MPI.COMM_WORLD
    indptr, indices, data = (
        np.load(Path(folder, f"{x}.npy")) for x in ("indptr", "indices", "data")
    )
    n = len(indptr) - 1
    A = csc_array((data, indices, indptr), shape=(n, n))
    seconds, sent, rounds, size = [], 0, 0, 0
    for turn in range(1 + int(repeats)):  # the first is a warm-up
        comm.Barrier()
        m: Any = btfperm.match(A, comm=comm, algorithm="local-max", seed=turn)
        seconds.append(comm.allreduce(m.seconds["match"], MPI.MAX))
        sent, rounds, size = m.counters.get("bytes_sent", 0), m.rounds, m.size
    if comm.rank == 0:
        found = {"ranks": comm.size, "seconds": seconds[1:], "rounds": rounds, "size": size}
        print(json.dumps(found | {"bytes_sent": sent}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
