# SPDX-License-Identifier: BSD-3-Clause
"""Cases in which the first of several ranks with GPUs searches for the others; see
``gpu_cases.py``."""

from __future__ import annotations

import itertools
import os
import warnings
from functools import partial
from unittest.mock import patch

import numpy as np
from mpi4py import MPI

import btfperm
from btfperm.backends.gpu.backend import Gpu
from btfperm.backends.gpu.device import free_memory
from btfperm.backends.gpu.problem import bytes_of_search
from btfperm.backends.gpu.staging import Ring
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.gpu_handles import bytes_beside_entries
from btfperm.backends.threads import usable_cores
from tests.mpi import inputs
from tests.mpi.cases import same_blocks
from tests.mpi.damage import raised

COMM = MPI.COMM_WORLD
EMULATED = "BTFPERM_EMULATED" in os.environ


def no_room(*_, **__):
    raise btfperm.BackendUnavailableError("no room")


def case_the_gpu_of_the_first_rank():
    """Without backend="mpi", the first rank gathers the matrix on its GPU if there is room for a
    search, searches and decomposes there, and the others receive their parts."""
    for seed in inputs.drawn(range(200, 206)):
        A = inputs.random_matrix(seed)
        t = same_blocks(A, backend="auto", device="gpu").transversal
        is_first = t.explain()["decisions"]["algorithm on mpi"]["rule"] == "one gpu"
        assert is_first == (t.algorithm == "first-rank") == inputs.on_one_machine()
        assert is_first == (t.initializer == "none") == (", GPU of the first rank (" in t.device)
    ranks_here = Exchange.of(COMM).ranks_here
    assert Ring.of_this_process().most_threads <= max(1, usable_cores() // ranks_here)
    P = btfperm.as_pattern(A, comm=COMM)
    limited = btfperm.maximum_transversal(P, device="gpu", time_limit=1e-9)
    assert limited.stopped_by == "time_limit" or limited.maximum
    for how in ({"backend": "mpi"}, {"deterministic": True}, {"initializer": "greedy"}):
        assert ", GPUs (" in btfperm.maximum_transversal(P, device="gpu", **how).device
    how = {"backend": "mpi", "algorithm": "first-rank", "device": "gpu"}
    t = btfperm.maximum_transversal(P, **how)
    assert t.initializer == "none" and ", GPU of the first rank (" in t.device


def case_the_gpu_of_the_first_rank_has_too_little_memory():
    """Then each rank searches on its own GPU; what the other ranks have does not count."""
    import cupy

    A, pool = inputs.skewed_matrix(1_000, seed=5), cupy.get_default_memory_pool()
    P = btfperm.as_pattern(A, comm=COMM)
    needed = bytes_of_search(A.shape, A.nnz, 2, 4) + bytes_beside_entries(A.shape, 4)
    for free, is_first in ((needed, True), (needed - 1, False)):
        with inputs.changed("btfperm.backends.gpu.device", "free_memory", lambda free=free: free):
            t = btfperm.maximum_transversal(P, device="gpu")
        if inputs.on_one_machine():
            assert (t.algorithm == "first-rank") == is_first
            assert (t.explain()["features"]["first_gpu"] >= 1) == is_first
    if EMULATED:
        pool.set_limit(needed - 1)
        try:
            assert free_memory() == needed - 1
        finally:
            pool.set_limit(0)
    with inputs.changed("btfperm.backends.mpi.backend", "memory_left", lambda: 1):
        assert btfperm.maximum_transversal(P, device="gpu").algorithm != "first-rank"


def case_the_gpu_of_the_first_rank_fails():
    """A search that fails there ends the call on all ranks; a decomposition that fails there runs
    on the CPU."""
    if not inputs.on_one_machine():
        return
    A = inputs.skewed_matrix(1_000, seed=6)
    P = btfperm.as_pattern(A, comm=COMM)
    search = partial(btfperm.dulmage_mendelsohn, P, device="gpu")
    with patch.object(Gpu, "run", no_room):
        text = raised(btfperm.BackendUnavailableError, search)
    assert "on its GPU (no room): use backend='mpi'" in text
    with (
        patch.object(Gpu, "decompose", no_room),
        warnings.catch_warnings(record=True) as found,
    ):
        warnings.simplefilter("always")
        same_blocks(A, backend="auto", device="gpu")
    assert len(found) == (COMM.rank == 0)


def case_the_matrix_on_the_gpu_has_wider_numbers():
    """The matrix of more than 2^31 entries has 64-bit numbers on the GPU, and 32-bit numbers on the
    ranks."""
    module = "btfperm.transversal.whole_matrix_gpu"
    with inputs.changed(module, "index_type", lambda *_: np.int64):
        for seed in (3, 5_000):
            A = inputs.skewed_matrix(seed, seed=seed)
            t = same_blocks(A, backend="auto", device="gpu").transversal
            assert t.row_match.dtype == np.int32
            assert (t.algorithm == "first-rank") == inputs.on_one_machine()


def case_gathered_through_host_memory():
    """If a handle of the memory of a GPU cannot be made or opened, or the user turns it off, the
    first rank receives the matrix in host memory."""
    import cupy

    runtime = cupy.cuda.runtime
    sent, move = [], Exchange.move

    def counted(exchange, items, *counts):
        sent.append(items.size if exchange.rank else 0)
        return move(exchange, items, *counts)

    def refused(*_):
        raise runtime.CUDARuntimeError(217)  # peer access is not supported

    for name, off in itertools.product(("", "ipcOpenMemHandle", "ipcGetMemHandle"), (False, True)):
        P = btfperm.as_pattern(inputs.skewed_matrix(1_000, seed=7), comm=COMM)
        sent.clear()
        with (
            patch.dict(vars(runtime), {name: refused} if name else {}),
            patch.object(Exchange, "move", counted),
            patch.dict(os.environ, {"BTFPERM_NCCL": "0"} if off else {}),
        ):
            t = btfperm.maximum_transversal(P, device="gpu", gather=False)
        assert t.maximum and t.structural_rank == btfperm.structural_rank(P)
        if inputs.on_one_machine():
            # the columns, and their ends; a real GPU may refuse to share its memory
            of_matrix = sum(COMM.allgather(sum(sent)))
            own = P.indices.size + P.indptr.size - 1 if COMM.rank else 0
            through_host = sum(COMM.allgather(own)) if name or off else 0
            assert of_matrix == through_host or not (EMULATED or name or off)
