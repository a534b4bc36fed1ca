# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a measurement: ``mpiexec -n P python -m benchmarks.mpi.worker FILE OUT REPEATS``.

The first rank prints one JSON object for each repetition, from the file to the permutations.
"""

from __future__ import annotations

import json
import sys
import time


def main(path: str, output: str, repeats: str) -> None:
    from mpi4py import MPI

    from btfperm.order import order_file

    comm = MPI.COMM_WORLD
    for _ in range(1 + int(repeats)):  # the first is a warm-up
        comm.Barrier()
        begin = time.perf_counter()
        backend = "mpi" if comm.size > 1 else "auto"  # also for matrices that each rank could hold
        done = order_file(path, [output], comm=comm, backend=backend)
        comm.Barrier()
        seconds = time.perf_counter() - begin
        if comm.rank == 0:
            row = {"seconds": seconds, "stages": done.seconds, "rank": done.transversal.size}
            print(json.dumps(row | dict(done.transversal.counters)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
