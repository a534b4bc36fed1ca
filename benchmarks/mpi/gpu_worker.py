# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a measurement on GPUs: ``mpiexec -n P python -m benchmarks.mpi.gpu_worker GRAPH WHERE
REPEATS CAP``.

Each rank makes the graph on its GPU and keeps its own columns. With WHERE ``gpu`` or ``cpu``, the
ranks search on GPUs or on CPU cores by messages; with ``auto``, ranks with GPUs choose the
algorithm by rules. With WHERE ``engine`` or ``host``, the engine for one GPU searches in one
process, in the graph on the GPU or in host memory. The first rank prints a JSON object for the
warm-up and for each repetition, or the error. CAP is the largest number of bytes that CuPy may
allocate on a GPU; 0 is no limit.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np


def main(graph: str, where: str, repeats: str, cap: str) -> None:
    import cupy
    from mpi4py import MPI

    import btfperm
    from benchmarks.generators.counted import make_on_device

    comm = MPI.COMM_WORLD
    cupy.cuda.Device(comm.rank % cupy.cuda.runtime.getDeviceCount()).use()
    pool = cupy.get_default_memory_pool()
    A: Any = make_on_device(graph)
    how: dict[str, Any] = {"backend": "gpu"}
    if where == "host":
        A = A.on_host()
    elif where != "engine":
        A = part_of(A, comm)
        how = {"backend": "auto" if where == "auto" else "mpi", "gather": False}
        how |= {} if where == "cpu" else {"device": "gpu"}
    pool.free_all_blocks()
    if int(cap):
        pool.set_limit(size=int(cap))
    for _ in range(1 + int(repeats)):
        comm.Barrier()
        begin = time.perf_counter()
        try:
            t = btfperm.maximum_transversal(A, **how)
        except btfperm.BackendUnavailableError as error:
            if comm.rank == 0:
                print(json.dumps({"error": str(error)}), flush=True)
            return
        comm.Barrier()
        seconds = time.perf_counter() - begin
        used = comm.allreduce(pool.total_bytes(), MPI.MAX)
        if comm.rank == 0:
            row = {"seconds": seconds, "stages": t.seconds, "rank": t.structural_rank}
            row |= {"device": t.device, "gpu_bytes": used, "proven": t.maximum}
            rules = t.explain()["decisions"].items()
            row["rules"] = {what: decision["rule"] for what, decision in rules}
            print(json.dumps(row | {"counters": dict(t.counters)}), flush=True)


def part_of(A: Any, comm: Any) -> Any:
    """The columns that this rank owns of the pattern `A` on a device."""
    import btfperm

    n = A.shape[1]
    first, last = n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size
    starts = A.indptr[first : last + 1].get().astype(np.int64)
    items = A.indices[int(starts[0]) : int(starts[-1])].get()
    return btfperm.DistributedPattern.from_columns(
        comm, starts - starts[0], items, A.shape, first=first
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
