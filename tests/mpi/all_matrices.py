# SPDX-License-Identifier: BSD-3-Clause
"""Real matrices over ranks: the arrays must be those of one process. Not part of the tests of CI.

``python -m tests.mpi.all_matrices FOLDER --ranks 1 2 3 4 5 7 8 16 --seconds 600 --record FILE``
runs the matrices of a folder from the smallest to the largest on each number of ranks, one start of
the launcher for each number. The numbers of ranks share the seconds; no matrix is started after the
share is over. The record is a JSON object: for each number of ranks, the seconds of each matrix, or
why it failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols")


def compare(path, comm):
    """The seconds over ranks; raises AssertionError where an array differs. Collective."""
    import numpy as np

    import btfperm

    begin = time.perf_counter()
    d = btfperm.dulmage_mendelsohn(str(path), comm=comm, backend="mpi")
    seconds = time.perf_counter() - begin
    wrong = []
    if comm.rank == 0:
        serial = btfperm.dulmage_mendelsohn(path, drop_zeros=False)
        wrong = [
            name for name in ARRAYS if not np.array_equal(getattr(d, name), getattr(serial, name))
        ]
        if d.structural_rank != serial.structural_rank or not d.transversal.maximum:
            wrong.append("structural_rank")
    wrong = comm.bcast(wrong)
    assert not wrong, f"different: {', '.join(wrong)}"
    return seconds


def work(folder, seconds):
    """Runs on each rank; the first one prints a line for each matrix."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    until = time.monotonic() + seconds
    for path in sorted(Path(folder).glob("*.mtx.gz"), key=lambda file: file.stat().st_size):
        if comm.bcast(time.monotonic() > until):
            break
        try:
            found = round(compare(path, comm), 3)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if comm.rank == 0:
            print(json.dumps([path.name.removesuffix(".mtx.gz"), found]), flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder")
    options.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4, 5, 7, 8, 16])
    options.add_argument("--seconds", type=float, default=600, help="for all numbers of ranks")
    options.add_argument("--record", type=Path)
    options.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.work:
        work(given.folder, given.seconds)
        return
    from tests.mpi.launcher import ROOT, launcher

    record, until, is_wrong = {}, time.monotonic() + given.seconds, False
    for place, ranks in enumerate(given.ranks):
        share = max(until - time.monotonic(), 1) / (len(given.ranks) - place)
        program = [sys.executable, "-W", "ignore", "-m", "tests.mpi.all_matrices", given.folder]
        done = subprocess.run(
            [launcher(), "-n", str(ranks), *program, "--work", "--seconds", str(share)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=share + 600,
            check=False,
        )
        found = dict(json.loads(line) for line in done.stdout.splitlines() if line[:1] == "[")
        if done.returncode:
            found["(end)"] = f"exit code {done.returncode}: {done.stderr[-500:]}"
        failed = {name: text for name, text in found.items() if isinstance(text, str)}
        is_wrong |= bool(failed)
        total = sum(seconds for seconds in found.values() if not isinstance(seconds, str))
        print(f"{ranks:3} ranks: {len(found) - len(failed)} identical in {total:.1f} s, {failed}")
        record[ranks] = found
    if given.record:
        given.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
