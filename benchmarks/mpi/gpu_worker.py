# SPDX-License-Identifier: BSD-3-Clause
"""One rank of a measurement on GPUs: ``mpiexec -n P python -m benchmarks.mpi.gpu_worker GRAPH WHERE
REPEATS CAP``.

Each rank makes the graph on its GPU and keeps its own columns in host memory; of a random graph
``er:X:d``, it makes only these, in pieces. With WHERE ``gpu`` or ``cpu``, the
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

from benchmarks.generators.counted import er_columns, make_on_device

_PIECE = 1 << 25  # columns of a random graph that are made at a time


def main(graph: str, where: str, repeats: str, cap: str) -> None:
    import cupy
    from mpi4py import MPI

    import btfperm

    comm = MPI.COMM_WORLD
    cupy.cuda.Device(comm.rank % cupy.cuda.runtime.getDeviceCount()).use()
    pool = cupy.get_default_memory_pool()
    how: dict[str, Any] = {"backend": "gpu"}
    A: Any
    if where == "engine":
        A = make_on_device(graph)
    elif where == "host":
        A = random_graph(graph) if graph.startswith("er:") else make_on_device(graph).on_host()
    else:
        A = random_part(graph, comm) if graph.startswith("er:") else part_of(graph, comm)
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


def random_columns(graph: str, rank: int, ranks: int) -> tuple[Any, Any, int, int]:
    """The columns of a rank of a graph ``er:X:d`` in host memory: indptr from 0 on, indices, the
    first column, and the order of the matrix."""
    import cupy

    pool = cupy.get_default_memory_pool()
    exponent, degree = graph.split(":")[1:]
    n = 2 ** int(exponent)
    first, last = n * rank // ranks, n * (rank + 1) // ranks
    indptr, parts = np.zeros(last - first + 1, dtype=np.int64), []
    for begin in range(first, last, _PIECE):
        end = min(begin + _PIECE, last)
        starts, items = er_columns(cupy, int(exponent), float(degree), begin, end)
        target = indptr[begin - first : end - first + 1]
        target[1:] = starts[1:].get() + target[0]
        parts.append(items.get())
        del starts, items
        pool.free_all_blocks()
    return indptr, np.concatenate(parts), first, n


def random_graph(graph: str) -> Any:
    """The whole pattern of a graph ``er:X:d`` in host memory."""
    import btfperm

    indptr, indices, _, n = random_columns(graph, 0, 1)
    return btfperm.as_pattern((None, indices, indptr), shape=(n, n))


def random_part(graph: str, comm: Any) -> Any:
    """The columns that this rank owns of a graph ``er:X:d``. They are sorted and free of
    duplicates, so that the ranks need not exchange and sort them, which would take minutes for two
    billion entries."""
    from btfperm import DistributedPattern
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.slices import even_slices
    from btfperm.pattern.arrays import index_type

    indptr, indices, _, n = random_columns(graph, comm.rank, comm.size)
    exchange = Exchange.of(comm)
    with exchange.guarded():
        nnz = exchange.sums(indices.size)[0]
    return DistributedPattern._made(
        shape=(n, n),
        indptr=indptr,
        name=graph,
        _source={},
        row_slices=even_slices(n, comm.size, comm.rank),
        col_slices=even_slices(n, comm.size, comm.rank),
        exchange=exchange,
        width=index_type((n, n), 0),
        _nnz=nnz,
        _copies={"indices": indices},
        values=None,
    )


def part_of(graph: str, comm: Any) -> Any:
    """The columns that this rank owns of another graph."""
    import btfperm

    A = make_on_device(graph)
    n = A.shape[1]
    first, last = n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size
    starts = A.indptr[first : last + 1].get().astype(np.int64)
    items = A.indices[int(starts[0]) : int(starts[-1])].get()
    return btfperm.DistributedPattern.from_columns(
        comm, starts - starts[0], items, A.shape, first=first
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
