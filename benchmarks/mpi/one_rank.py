# SPDX-License-Identifier: BSD-3-Clause
"""One MPI rank compared with one process: the whole command, from its start to its end.

For each matrix, ``btfperm FILE -o perm.npz`` runs in four ways in turns: without a launcher, under
``mpiexec -n 1``, and under ``mpiexec -n 1`` with ``--backend mpi``, without and with ``--algorithm
ms-bfs``. Without these options, one rank runs as one process. With ``--backend mpi``, the rank
searches and decomposes as one process does (`first-rank`), and writes the result as a rank. With
``--algorithm ms-bfs``, it uses the engine that exchanges messages between ranks. None of these ways
starts MPI, because the launcher reports that there is one rank. The same turns also measure the
start of the launcher and of MPI: one program does nothing, and another one under the launcher only
initializes and finalizes MPI.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.launch import measure
from benchmarks.mpi.launcher import launcher
from benchmarks.report import Options, Row, Section, by_matrix, digits, milliseconds, paragraphs

__all__ = ["MESSAGES", "OVER_RANKS", "run"]

PROCESS, RANK, OVER_RANKS = "one process", "one rank", "one rank, --backend mpi"
MESSAGES = "one rank, --backend mpi --algorithm ms-bfs"
EMPTY, MPI = "empty process", "empty rank"


def run(cases: list[Case], options: Options) -> Section:
    """Medians of `options.repeats` turns after a warm-up, on one thread unless the options set
    another number."""
    start = [*launcher(), "-n", "1"]
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            file = case.path or Path(folder, "matrix.mtx")
            if case.path is None:
                case.written(file)
            lines = _lines(start, file, Path(folder, "perm.npz"), options.threads or 1)
            samples: dict[str, list[float]] = {name: [] for name in lines}
            try:
                for turn in range(1 + max(options.repeats, 1)):  # the first is a warm-up
                    for name, line in lines.items():
                        seconds = measure(line, options.limit)["seconds"]
                        samples[name] += [seconds] if turn else []
            except (RuntimeError, TimeoutError) as error:
                complaints.append(f"{case.name}: {error}")
                continue
            rows.append({"matrix": case.name, "seconds": samples})
            options.say(f"{case.name}: {', '.join(_cells(rows[-1]))}")
    text = paragraphs(
        "From the start of the command to its end, in turns. The first columns are milliseconds of "
        "one process, of one rank (`mpiexec -n 1`), of one rank with `--backend mpi`, and of one "
        "rank with `--backend mpi --algorithm ms-bfs`, which also uses the engine "
        "for messages between ranks. Then follow the ratios of the medians of these three to one "
        "process, and the ratio of the fastest runs of one rank and one process. The last column "
        "is how long the launcher and MPI take to start and to end, measured with programs that do "
        "nothing else.",
        by_matrix(
            "one process, one rank, backend mpi, ms-bfs, ratio, ratio of mpi, ratio of ms-bfs, "
            "of the fastest, start of MPI",
            rows,
            _cells,
        ),
    )
    return Section("One MPI rank beside one process", text, {"rows": rows}, complaints)


def _lines(start: list[str], file: Path, output: Path, threads: int) -> dict[str, list[str]]:
    command = [sys.executable, "-m", "btfperm_cli", str(file), "-o", str(output), "--quiet"]
    command += ["--threads", str(threads)]
    empty = [sys.executable, "-c", "import btfperm"]
    with_mpi = [sys.executable, "-c", "import btfperm; from mpi4py import MPI"]
    return {
        PROCESS: command,
        RANK: [*start, *command],
        OVER_RANKS: [*start, *command, "--backend", "mpi"],
        MESSAGES: [*start, *command, "--backend", "mpi", "--algorithm", "ms-bfs"],
        EMPTY: empty,
        MPI: [*start, *with_mpi],
    }


def _cells(row: Row) -> list[str]:
    median = {name: statistics.median(times) for name, times in row["seconds"].items()}
    fastest = {name: min(times) for name, times in row["seconds"].items()}
    return [
        *(milliseconds(median[name]) for name in (PROCESS, RANK, OVER_RANKS, MESSAGES)),
        *(digits(median[name] / median[PROCESS]) for name in (RANK, OVER_RANKS, MESSAGES)),
        digits(fastest[RANK] / fastest[PROCESS]),
        milliseconds(median[MPI] - median[EMPTY]),
    ]
