# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a measurement:
``mpiexec -n P python -m benchmarks.mpi.worker FILE OUT BACKEND REPEATS [THREADS
[INITIALIZER]]``.

The first rank prints one JSON object for the warm-up and one for each repetition. A repetition is
from the file to the permutations. `grown_bytes` is the peak memory of a rank in the warm-up beyond
the memory before it, the largest of all ranks; `sum_bytes` is the sum over the ranks. THREADS is 0
for all cores,
INITIALIZER is ``auto`` by default. `rules` has the rule that was applied to each decision.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any


def main(
    path: str,
    output: str,
    backend: str,
    repeats: str,
    threads: str = "0",
    initializer: str = "auto",
) -> None:
    from mpi4py import MPI

    from btfperm.order import order_file

    comm = MPI.COMM_WORLD
    before, grown, total = resident_bytes(), 0, 0
    how: dict[str, Any] = {"backend": backend, "threads": int(threads) or None}
    how["initializer"] = initializer
    if backend == "mpi":  # otherwise, one rank searches as one process does
        how["algorithm"] = "ms-bfs"
    for _ in range(1 + int(repeats)):  # the first is a warm-up
        comm.Barrier()
        begin = time.perf_counter()
        done = order_file(path, [output], comm=comm, **how)
        comm.Barrier()
        seconds = time.perf_counter() - begin
        if not grown:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            grown, total = (comm.allreduce(peak - before, op) for op in (MPI.MAX, MPI.SUM))
        if comm.rank == 0:
            decisions = done.transversal.explain()["decisions"]
            row = {
                "seconds": seconds,
                "initializer": done.transversal.initializer,
                "rules": {what: taken["rule"] for what, taken in decisions.items()},
                "stages": done.seconds,
                "rank": done.transversal.size,
                "grown_bytes": grown,
                "sum_bytes": total,
            }
            print(json.dumps(row | dict(done.transversal.counters)), flush=True)


def resident_bytes() -> int:
    """The resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main(*sys.argv[1:])
