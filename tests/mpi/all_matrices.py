# SPDX-License-Identifier: BSD-3-Clause
"""Compares the results for whole matrices over ranks with those of one process. CI does not run it.

``python -m tests.mpi.all_matrices FOLDER --ranks 1 2 3 4 5 7 8 16 --seconds 600 --out RESULTS``
runs the matrices of a folder from the smallest to the largest on each number of ranks, one start of
the launcher for each number. Each number of ranks gets an equal share of the seconds that are left,
and starts no matrix after its share is over. With ``--out``, the folder RESULTS gets a dated record
of all ranks, matrices and differences, in the form of the results of ``benchmarks.run``. The exit
code is 1 if an array differs, or if a rank fails.

If FOLDER is ``families``, the matrices are those of `tests.families`, small and longer ones.

With ``--store FOLDER``, each result is stored in FOLDER as soon as it is complete, and later runs
of the same commit continue with the matrices that have no result yet. The record then has the
results of all runs, and ``--seconds 0`` only writes the record. Each algorithm needs a store of its
own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols")


def digests(d):
    """The structural rank, and a digest of each array that must not depend on the ranks."""
    import numpy as np

    found = {
        name: hashlib.sha256(np.asarray(getattr(d, name), dtype=np.int64).tobytes()).hexdigest()
        for name in ARRAYS
    }
    return found | {"structural_rank": d.structural_rank, "maximum": d.transversal.maximum}


def expected(path, store):
    """The digests of one process, which `store` keeps for the other numbers of ranks."""
    kept = Path(store, f"{path.name}.json")
    if not kept.exists():
        import btfperm

        own = digests(btfperm.dulmage_mendelsohn(path, drop_zeros=False))
        unfinished = kept.with_suffix(".part")
        unfinished.write_text(json.dumps(own), encoding="utf-8")
        unfinished.replace(kept)
    return json.loads(kept.read_text(encoding="utf-8"))


def from_first(comm, value):
    """The value of the first rank. The other ranks sleep until it arrives, so that they leave a
    core to the first rank."""
    arrived = comm.Ibarrier()
    while not arrived.Test():
        time.sleep(1e-3)
    return comm.bcast(value)


def compare(path, comm, store, algorithm):
    """The seconds over ranks; raises AssertionError where an array differs. Collective."""
    import btfperm

    begin = time.perf_counter()
    d = btfperm.dulmage_mendelsohn(str(path), comm=comm, backend="mpi", algorithm=algorithm)
    seconds, wrong = time.perf_counter() - begin, []
    if comm.rank == 0:
        own = digests(d)
        wrong = [name for name, digest in expected(path, store).items() if own[name] != digest]
    wrong = from_first(comm, wrong)
    assert not wrong, f"different: {', '.join(wrong)}"
    return seconds


def name_of(path):
    return path.name.removesuffix(".mtx.gz")


def files_of(folder):
    """The files of the matrices, from the smallest to the largest."""
    return sorted(Path(folder).glob("*.mtx.gz"), key=lambda file: (file.stat().st_size, file.name))


def work(folder, seconds, store, kept, algorithm):
    """Runs on each rank; the first one prints a line for each matrix that is not in `kept`."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    until = time.monotonic() + seconds
    for path in files_of(folder):
        if name_of(path) in kept:
            continue
        if comm.bcast(time.monotonic() > until):
            break
        try:
            found = round(compare(path, comm, store, algorithm), 3)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if comm.rank == 0:
            print(json.dumps([name_of(path), found]), flush=True)


def write_families(folder):
    """The families of the tests, each in a file: the small ones, and longer ones."""
    import gzip

    import scipy.io

    from tests import families

    longer = (
        families.renumbered(families.chain(3_000), "mixed"),
        families.bidiagonal(3_000),
        families.renumbered(families.cycle(3_000), "mixed"),
        families.renumbered(families.surplus_path(2_000, wide=True), "mixed"),
        families.renumbered(families.surplus_path(2_000, wide=False), "mixed"),
        families.deadtree(2_000, 2),
        families.empty_lines(2_000, 2),
        families.hubs_and_leaves(20, 2_000, 2),
        families.scipy_ladder(200),
        families.chains_hk(40),
        families.rivals(30, 40),
        families.stars(60, 30),
        families.dense(60, 90),
        families.full_columns(1_000, 8),
        families.hessenberg(120),
        families.triangular(2_000, 2),
        families.strip(500, 2),
        families.karp_sipser_hard(200, 20),
        families.random_rectangle(1_500, 2_500, 3, 2),
    )
    matrices = [hard.A for hard in (*families.small_and_hard(), *longer)]
    matrices += [families.local_and_deficient(2_000, 2), families.saddle_point(600, 400, 2)]
    for k, A in enumerate(matrices):
        with gzip.open(Path(folder, f"family_{k}.mtx.gz"), "wb") as file:
            scipy.io.mmwrite(file, A, field="pattern", symmetry="general")


def kept_runs(store):
    """The results in the store: for each number of ranks, the seconds of each identical matrix."""
    kept = {}
    for file in Path(store).glob("*.ranks"):
        lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        found = {name: seconds for name, seconds in lines if not isinstance(seconds, str)}
        kept[int(file.stem)] = found
    return kept


def run(given, store):
    """For each number of ranks, the seconds of each matrix, or why it failed. A matrix is not run
    again if `store` has a result for it, but it is run again after a failure."""
    record, until = kept_runs(store), time.monotonic() + given.seconds
    names = {name_of(path) for path in files_of(given.folder)}
    missing = [ranks for ranks in given.ranks if names - record.setdefault(ranks, {}).keys()]
    if given.seconds == 0:
        missing = []
    for place, ranks in enumerate(missing):
        share = max(until - time.monotonic(), 1) / (len(missing) - place)
        record[ranks] |= run_on(ranks, given, share, store, record[ranks])
    for ranks, found in sorted(record.items()):
        print(line_of(ranks, found), flush=True)
    return dict(sorted(record.items()))


def run_on(ranks, given, seconds, store, kept):
    """The results of one start of the launcher. Each result is appended to the store when it is
    complete, so a run that is ended loses only the matrix that it was working on."""
    from tests.mpi.launcher import ROOT, launcher

    program = [sys.executable, "-W", "ignore", "-m", "tests.mpi.all_matrices", given.folder]
    program += ["--work", str(store), "--seconds", str(seconds), "--algorithm", given.algorithm]
    program += ["--kept", *kept]
    found = {}
    with (
        tempfile.TemporaryFile("w+") as errors,
        Path(store, f"{ranks}.ranks").open("a", encoding="utf-8") as results,
        subprocess.Popen(
            [*launcher(), "-n", str(ranks), *program],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        late = threading.Timer(seconds + 600, process.terminate)
        late.start()
        for line in process.stdout:
            if line[:1] == "[":
                found |= [json.loads(line)]
                results.write(line)
                results.flush()
        late.cancel()
        if process.wait():
            errors.seek(0)
            found["(end)"] = f"exit code {process.returncode}: {errors.read()[-500:]}"
    return found


def failed(found):
    """What went wrong, by matrix."""
    return {name: text for name, text in found.items() if isinstance(text, str)}


def line_of(ranks, found):
    same = {name: seconds for name, seconds in found.items() if name not in failed(found)}
    return f"{ranks:3} ranks: {len(same)} identical in {sum(same.values()):.1f} s, {failed(found)}"


def of_commit(store):
    """The part of a store that belongs to the commit of this checkout."""
    from benchmarks.machine import versions

    found = store.resolve() / versions()["commit"]
    found.mkdir(parents=True, exist_ok=True)
    return found


def section_of(record, matrices, algorithm):
    """The record as a section of a benchmark."""
    from benchmarks.report import Section, paragraphs, table
    from btfperm.backends.mpi.launch import library

    rows, lines, problems = [], [], []
    for ranks, found in record.items():
        wrong = failed(found)
        same = [name for name in found if name not in wrong]
        seconds = sum(found[name] for name in same)
        rows += [
            {"ranks": ranks, "matrix": name, "same": name not in wrong, "result": result}
            for name, result in found.items()
        ]
        lines.append(
            [*map(str, (ranks, len(same), len(wrong), matrices - len(found))), f"{seconds:.1f}"]
        )
        problems += [f"{name} on {ranks} ranks: {text}" for name, text in wrong.items()]
    text = paragraphs(
        "Permutations, boundaries of the blocks and structural rank over MPI ranks, without "
        f"replication, against those of one process, on {matrices} matrices from the smallest "
        f"to the largest, with {library()} and the algorithm `{algorithm}`. *left out*: the time "
        "was over. The JSON file has the seconds of each matrix.",
        table(["ranks", "identical", "different or failed", "left out", "s"], lines),
    )
    return Section("Matrices over MPI ranks", text, {"mpi": library(), "rows": rows}, problems)


def write(given, record):
    """Writes the dated record."""
    from benchmarks.machine import describe
    from benchmarks.report import Options, Report

    head = describe(sys.argv[1:], module="tests.mpi.all_matrices")
    options = Options(given.name, Path(given.folder), 1, given.seconds, [], None, print)
    report = Report(head, options)
    report.add("mpi-identical", section_of(record, len(files_of(given.folder)), given.algorithm))
    report.write(None, None, given.out)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder")
    options.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4, 5, 7, 8, 16])
    options.add_argument("--seconds", type=float, default=600, help="for all numbers of ranks")
    options.add_argument("--out", type=Path, help="the folder of the dated record")
    options.add_argument("--name", default="real", help="the end of the name of the record")
    options.add_argument("--algorithm", default="auto", help="the search over ranks")
    options.add_argument("--store", type=Path, help="the folder that keeps the results")
    options.add_argument("--work", help=argparse.SUPPRESS)
    options.add_argument("--kept", nargs="*", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.work:
        work(given.folder, given.seconds, given.work, set(given.kept), given.algorithm)
        return
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as folder:
        if given.folder == "families":
            write_families(folder)
            given.folder = folder
        record = run(given, store if given.store is None else of_commit(given.store))
        if given.out:
            write(given, record)
    sys.exit(any(failed(found) for found in record.values()))


if __name__ == "__main__":
    main()
