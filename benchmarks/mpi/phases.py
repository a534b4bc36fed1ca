# SPDX-License-Identifier: BSD-3-Clause
"""Seconds, waits and peak memory of each phase of a call over MPI ranks.

For each matrix of the set and each number of ranks (`options.counts`), `btfperm.order.order_file`
is called once on the file, after a call on a tiny matrix. *wait* is the part of the seconds in
which a rank waits for messages of other ranks: the largest and the smallest of all ranks. *CPU s*
is the processor time of all threads of a rank, the largest of all ranks. *peak MB* is the peak
memory of a rank in a phase, beyond its memory before the call, the largest of all ranks. A phase
contains the phases that are indented below it. ``--threads`` sets the threads of a rank (default:
all cores). One rank also uses the engine over ranks. Several ranks are measured with the backend
``mpi``, which exchanges messages, and with ``auto``. For a large matrix on one machine, ``auto``
lets the first rank search alone; its phases are *gather*, *search of the first rank* and *blocks of
the first rank*.

``mpiexec -n P python -m benchmarks.mpi.phases FILE OUT.npz THREADS [BACKEND]`` is one such call;
the first rank prints one JSON object. THREADS is 0 for all cores; BACKEND is ``mpi`` by default.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.cases import Case, generated, names
from benchmarks.mpi.launcher import launcher
from benchmarks.mpi.worker import resident_bytes
from benchmarks.report import Options, Row, Section, paragraphs, table

_MPI = "btfperm.backends.mpi"
_DM = "btfperm.dulmage_mendelsohn"
PHASES = {
    "read": [("btfperm.order", "as_pattern")],
    "  parse": [("btfperm.io.read_mpi", "_read_range"), ("btfperm.io.read_mpi", "_read_packed")],
    "  owners": [("btfperm.pattern.distributed", "balanced_slices")],
    "  send entries": [("btfperm.pattern.distributed", "routed")],
    "search": [("btfperm.order", "matched")],
    "  start": [],
    "  augment": [],
    "  gather": [("btfperm.pattern.distributed", "DistributedPattern.on_first_rank")],
    "  search of the first rank": [("btfperm.transversal", "maximum_transversal")],
    "  certificate": [(f"{_MPI}.backend", "Mpi.prove")],
    "decompose": [("btfperm.order", "decompose_session")],
    "  blocks of the first rank": [("btfperm.dulmage_mendelsohn.decompose_cpu", "decompose")],
    "  digraph": [(f"{_DM}.decompose_mpi", "digraph_of_matching")],
    "  coarse": [(f"{_DM}.decompose_mpi", "coarse_parts")],
    "  strong components": [(f"{_DM}.decompose_mpi", "find_square")],
    "    on one rank": [(f"{_DM}.fine_square.find_square_mpi", "_finish_on_one_rank")],
    "  reversed lists": [(f"{_DM}.fine_square.digraph_mpi", "LocalLists.reversed")],
    "  connected": [(f"{_DM}.decompose_mpi", "connected_parts")],
    "  order": [(f"{_DM}.decompose_mpi", "_ordered")],
    "write": [("btfperm.io.save_mpi", "save_distributed")],
}
"""The functions of each phase. The functions of the phases start and search are those of the
algorithms that the plan chooses."""


class Watch:
    """Seconds, waits and peaks of the phases of this rank."""

    def __init__(self) -> None:
        self.open: list[list[float]] = []  # waiting seconds and peak of each phase that runs
        self.found: dict[str, list[float]] = {name: [0.0] * 4 for name in PHASES}

    def timed(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        """Returns `run`, wrapped so that its time is added to the phase, unless this phase runs
        already."""
        running = False

        def call(*args: Any, **options: Any) -> Any:
            nonlocal running
            if running:
                return run(*args, **options)
            running = True
            self._restart_peak()
            mine = [0.0, 0.0]
            self.open.append(mine)
            begin = time.perf_counter(), time.process_time()
            try:
                return run(*args, **options)
            finally:
                running = False
                self._restart_peak()
                self.open.pop()
                total = self.found[name]
                total[0] += time.perf_counter() - begin[0]
                total[1] += mine[0]
                total[2] += time.process_time() - begin[1]
                total[3] = max(total[3], mine[1])

        return call

    def waiting(self, wait: Callable[..., Any]) -> Callable[..., Any]:
        """Returns `Ranks.wait`, wrapped so that its time is added to the waits of all phases that
        run."""

        def call(*args: Any, **options: Any) -> None:
            begin = time.perf_counter()
            try:
                wait(*args, **options)
            finally:
                waited = time.perf_counter() - begin
                for each in self.open:
                    each[0] += waited

        return call

    def _restart_peak(self) -> None:
        """Records the peak so far for all phases that run, and resets the peak that the system
        measures."""
        peak = _peak_bytes()
        for each in self.open:
            each[1] = max(each[1], peak)
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        except OSError:  # the peak then includes earlier phases
            return


def _peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def install(watch: Watch) -> None:
    """Replaces the functions of the phases by timed functions."""
    from btfperm.backends.mpi.backend import Mpi
    from btfperm.backends.mpi.ranks import Ranks

    for name, functions in PHASES.items():
        for module, path in functions:
            owner: Any = importlib.import_module(module)
            *outer, last = path.split(".")
            for part in outer:
                owner = getattr(owner, part)
            setattr(owner, last, watch.timed(name, getattr(owner, last)))
    Ranks.wait = watch.waiting(Ranks.wait)  # type: ignore[method-assign]
    run: Any = Mpi.run
    of_family = {
        "initial": watch.timed("  start", run),
        "search": watch.timed("  augment", run),
    }

    def by_family(self: Any, row: Any, *args: Any, **options: Any) -> Any:
        family = "initial" if row.family == "initial" else "search"
        return of_family[family](self, row, *args, **options)

    Mpi.run = by_family  # type: ignore[method-assign]


def cases(which: str, _: Path) -> list[Case]:
    """The matrices of mpi-scaling."""
    return generated(names("mpi-scaling", which))


def run(cases: list[Case], options: Options) -> Section:
    """The phases of each matrix on each number of ranks."""
    rows: list[Row] = []
    complaints: list[str] = []
    start = launcher()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "matrix.mtx")
        for case in cases:
            A = case.written(file)
            counts = sorted(set(options.counts)) or [1, 2, 4]
            ways = [(count, way) for count in counts for way in ("mpi", "auto")[: 1 + (count > 1)]]
            for count, way in ways:
                words = [str(file), str(file.with_suffix(".npz")), str(options.threads or 0), way]
                line = [*start, "-n", str(count), sys.executable, "-m", __name__, *words]
                done = subprocess.run(line, capture_output=True, text=True, check=False)
                found = [json.loads(text) for text in done.stdout.splitlines() if text[:1] == "{"]
                if not found:
                    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                    complaints.append(f"{case.name} on {count} ranks, {way}: {last}")
                    continue
                rows.append({"matrix": case.name, "entries": int(A.nnz), **found[-1]})
                options.say(f"{case.name}, {count} ranks, {way}: {rows[-1]['seconds']:.2f} s")
    return Section("Phases over MPI ranks", markdown(rows), {"rows": rows}, complaints)


def markdown(rows: list[Row]) -> str:
    """One table for each call."""
    parts = []
    for row in rows:
        lines = [
            [each["phase"].replace("  ", "- "), *(f"{value:.3f}" for value in each["values"])]
            for each in row["phases"]
        ]
        parts += [
            f"`{row['matrix']}`, {row['ranks']} ranks, `{row['backend']}`: {row['seconds']:.3f} s",
            table(["phase", "s", "wait, most", "wait, least", "CPU s", "peak MB"], lines),
        ]
    return paragraphs(*parts)


def main(file: str, out: str, threads: str, backend: str = "mpi") -> None:
    """One rank of a call."""
    from mpi4py import MPI

    from btfperm.order import order_file

    comm = MPI.COMM_WORLD
    with tempfile.TemporaryDirectory() as folder:  # a first call, for imports and connections
        tiny = Path(comm.bcast(folder), "tiny.mtx")
        if comm.rank == 0:
            tiny.write_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n")
        comm.Barrier()
        order_file(tiny, comm=comm, backend="mpi")
        comm.Barrier()
    watch = Watch()
    install(watch)
    before = resident_bytes()
    comm.Barrier()
    begin = time.perf_counter()
    # With `ms-bfs`, one rank uses the engine over ranks, too.
    how: dict[str, Any] = {"algorithm": "ms-bfs"} if backend == "mpi" else {}
    done = order_file(file, [out], comm=comm, backend=backend, threads=int(threads) or None, **how)
    comm.Barrier()
    seconds = time.perf_counter() - begin
    rows: list[Row] = []
    for name, own in watch.found.items():
        parts = comm.allgather([own[0], own[1], own[2], max(own[3] - before, 0.0)])
        if any(part[0] for part in parts):
            columns = list(zip(*parts, strict=True))
            waits = max(columns[1]), min(columns[1])
            values = [max(columns[0]), *waits, max(columns[2]), max(columns[3]) / 1e6]
            rows.append({"phase": name, "values": [round(value, 4) for value in values]})
    if comm.rank == 0:
        record: dict[str, Any] = {
            "ranks": comm.size,
            "backend": backend,
            "seconds": seconds,
            "stages": done.seconds,
        }
        record |= {"phases": rows, "counters": dict(done.transversal.counters)}
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
