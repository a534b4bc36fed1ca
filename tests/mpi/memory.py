# SPDX-License-Identifier: BSD-3-Clause
"""The largest request of memory of any rank in a call by messages, in bytes:
``python -m tests.mpi.memory FILE [waste]`` on several ranks, with the library of
``largest_request.cpp`` in ``LD_PRELOAD``.

With ``waste``, each rank allocates an array with 32 bits for each row of the matrix, so that a test
can check that this is noticed.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

from btfperm.dulmage_mendelsohn import decompose_mpi
from btfperm.order import order_file
from tests.mpi.inputs import changed

COMM = MPI.COMM_WORLD
TINY = "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n"


def wasteful(coarse_parts):
    def call(graph, in_unmatched_row, match):
        assert np.ones(graph.exchange.sums(match[0].size)[0], dtype=np.int32).all()
        return coarse_parts(graph, in_unmatched_row, match)

    return call


def main(file: str, waste: str = "") -> None:
    request = ctypes.CDLL(None).largest_request
    request.restype = ctypes.c_size_t
    tiny = Path(file).with_suffix(".tiny.mtx")
    if COMM.rank == 0:
        tiny.write_text(TINY, encoding="ascii")
    COMM.Barrier()
    order_file(tiny, comm=COMM, backend="mpi")  # the MPI library allocates its buffers
    if waste:
        decompose_mpi.coarse_parts = wasteful(decompose_mpi.coarse_parts)
    request()
    # The first rank would gather the rest of this matrix, which is small.
    with (
        changed("btfperm.transversal.augmenting.ms_bfs_mpi", "GATHERED", 1 << 12),
        changed("btfperm.dulmage_mendelsohn.fine_square.find_square_mpi", "GATHERED", 1 << 12),
    ):
        order_file(file, [f"{file}.npz"], comm=COMM, backend="mpi")
    largest = COMM.allreduce(request(), MPI.MAX)
    if COMM.rank == 0:
        print(largest, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
