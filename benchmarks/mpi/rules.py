# SPDX-License-Identifier: BSD-3-Clause
"""The rules of ``auto`` over MPI ranks: the choice of each rule compared with the other choice.

Each matrix is analysed from its file to the permutations, on one rank and on two ranks, with
``auto`` and with ``backend="mpi"``; the latter also with the other initializer. ``explain()`` of a
run names the rule that was applied, so a matrix supports only a rule whose conditions hold on it.
A large matrix, which ``auto`` does not analyse whole on each rank, is measured only on two ranks
and only with the initializer that the rule chooses.

`first-rank` uses all cores of the machine; `regret/support.py` reads the result.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.mpi.launcher import launcher
from benchmarks.mpi.scaling import measured
from benchmarks.report import Options, Row, Section, digits, paragraphs, table
from btfperm.path.rules import place_over_ranks

__all__ = ["run"]

OTHER = {"greedy": "karp-sipser", "karp-sipser": "greedy"}
PLACE, START, SEARCH = "place over ranks", "start on mpi", "algorithm on mpi"


def run(cases: list[Case], options: Options) -> Section:
    """One row for each rule that was applied to a matrix: the seconds of both choices."""
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            file = Path(folder, "matrix.mtx")
            A = case.written(file)
            is_small = place_over_ranks(A.shape, A.nnz, 2) == "cpu"
            try:
                for row in _compared(file, options, is_small=is_small):
                    rows.append({"matrix": case.name, "entries": int(A.nnz), **row})
                    options.say(f"{case.name}, {row['decision']}, {row['rule']}: {_gain(row)}")
            except (subprocess.SubprocessError, OSError, ValueError) as error:
                complaints.append(f"{case.name}: {error}")
    return Section("Rules over MPI ranks", _markdown(rows), {"rows": rows}, complaints)


def _compared(file: Path, options: Options, *, is_small: bool) -> Iterator[Row]:
    def measure(ranks: int, backend: str, initializer: str = "auto") -> Row:
        start = [*launcher(), "-n", str(ranks)]
        return measured(start, file, options, backend, options.threads or 0, initializer)

    if is_small:
        alone = measure(1, "auto")
        yield _row(PLACE, 1, alone, measure(1, "mpi"), ("cpu", "mpi"))
    auto, messages = measure(2, "auto"), measure(2, "mpi")
    if not is_small:
        yield _row(START, 2, auto, messages, ("first-rank", "ms-bfs"))
        yield _row(SEARCH, 2, auto, messages, ("first-rank", "ms-bfs"))
        return
    yield _row(PLACE, 2, auto, messages, ("cpu", "mpi"))
    chosen = messages["initializer"]
    other = measure(2, "mpi", OTHER[chosen])
    yield _row(START, 2, messages, other, (chosen, OTHER[chosen]))


def _row(decision: str, ranks: int, chosen: Row, other: Row, choices: tuple[str, str]) -> Row:
    return {
        "decision": decision,
        "rule": chosen["rules"][decision],
        "ranks": ranks,
        "choices": choices,
        "seconds": [chosen["seconds"], other["seconds"]],
        "samples": [chosen["samples"], other["samples"]],
    }


def _gain(row: Row) -> str:
    chosen, other = row["seconds"]
    return digits(other / chosen)


def _markdown(rows: list[Row]) -> str:
    head = ["decision", "rule", "ranks", "matrix", "choice", "s", "other", "s", "gain"]
    body: list[list[Any]] = [
        [
            row["decision"],
            row["rule"],
            str(row["ranks"]),
            f"`{row['matrix']}`",
            row["choices"][0],
            digits(row["seconds"][0]),
            row["choices"][1],
            digits(row["seconds"][1]),
            _gain(row),
        ]
        for row in sorted(rows, key=lambda row: (row["decision"], row["rule"], row["ranks"]))
    ]
    return paragraphs(
        "Medians of the time from the file to `perm.npz`. *gain* is the time of the other choice "
        "over the time of the rule's choice.",
        table(head, body),
    )
