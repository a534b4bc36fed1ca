# SPDX-License-Identifier: BSD-3-Clause
"""The cases of ranks with GPUs, all in one start of the launcher, as those of ``cases.py``:
``mpiexec -n P python -m tests.emulated_gpu -m tests.mpi.gpu_cases REPORT FOLDER``. Without
`tests.emulated_gpu` they run on the GPUs of the machine."""

from __future__ import annotations

import ctypes
import sys
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI
from scipy.sparse.csgraph import structural_rank

import btfperm
from btfperm.transversal.owned_trees_gpu import DeviceTrees
from tests import families
from tests.mpi import first_gpu, inputs
from tests.mpi.cases import COMM, run_cases, same_blocks
from tests.mpi.damage import LAST, raised
from tests.mpi.first_gpu import EMULATED, no_room

GRAFTING = {"algorithm": "ms-bfs", "options": {"alpha": 1e6}}


def on_gpus(A, **how):
    d = same_blocks(A, device="gpu", **how)
    assert ", GPUs (" in d.transversal.device
    return d.transversal


class FakeNccl:
    """NCCL between emulated devices: a group exchanges by MPI."""

    NCCL_UINT8, NCCL_INT32, NCCL_INT64 = np.uint8, np.int32, np.int64
    NcclError = ArithmeticError
    transfers = 0
    identity: object = tuple(range(-64, 64))

    def get_version(self):
        return 1

    def get_unique_id(self):
        return self.identity

    def groupStart(self):
        self.waiting = []

    def groupEnd(self):
        MPI.Request.Waitall([request() for request in self.waiting])
        type(self).transfers += len(self.waiting)

    def NcclCommunicator(self, ranks, identity, rank):
        assert (ranks, identity, rank) == (COMM.size, self.identity, COMM.rank)

        def later(start):
            def put(place, count, kind, peer, stream):
                size = count * np.dtype(kind).itemsize
                words = (ctypes.c_char * size).from_address(place)
                self.waiting.append(lambda: start([words, MPI.BYTE], peer, 77))

            return put

        return SimpleNamespace(send=later(COMM.Isend), recv=later(COMM.Irecv), abort=lambda: None)


def case_random_matrices():
    for seed in inputs.drawn(range(6)):
        on_gpus(inputs.random_matrix(seed))
        for initializer in ("greedy", "none"):
            on_gpus(inputs.random_matrix(seed), initializer=initializer)


def case_families():
    hard_families = (
        families.renumbered(families.chain(24), "mixed"),
        families.bidiagonal(30),
        families.surplus_path(20, wide=True),
        families.surplus_path(20, wide=False),
        families.deadtree(40, 1),
        families.empty_lines(40, 1),
        families.hubs_and_leaves(3, 30, 1),
    )
    for hard in inputs.drawn(hard_families):
        on_gpus(hard.A)
    for shape in ((0, 0), (0, 3), (3, 0), (1, 1), (5, 2)):
        same_blocks(inputs.full(*shape), device="gpu")


def case_own_blocks():
    """The GPU of each rank finds a maximum matching of its rows and columns, which `auto` chooses,
    or, if it has no room for that, takes unmatched rows."""
    for seed in inputs.drawn(range(60, 63)):
        A = inputs.random_matrix(seed)
        t = on_gpus(A)
        assert t.initializer == "own-blocks"
        how = {"backend": "mpi", "device": "gpu", "initializer": "own-blocks", "gather": False}
        P = btfperm.as_pattern(A, comm=COMM)
        with inputs.no_search():
            t = btfperm.maximum_transversal(P, **how, options={"rounds": 0})
            own = sp.csc_array(A)[t.rows.start : t.rows.stop, t.cols.start : t.cols.stop]
            most = structural_rank(own) if own.nnz else 0
            assert np.count_nonzero(t.col_match >= 0) == most
            with inputs.changed("btfperm.transversal.own_block_gpu", "_searched", no_room):
                t = btfperm.maximum_transversal(P, **how, options={"rounds": 0})
        assert most <= 2 * np.count_nonzero(t.col_match >= 0)
    deterministic = on_gpus(inputs.random_matrix(60), deterministic=True)
    assert deterministic.initializer != "own-blocks"


def case_small_steps():
    """The steps of the search are so small that columns wait for later steps, and long lists are
    sent through the memory of the hosts."""
    with inputs.small_steps(), inputs.long_lists():
        for seed in inputs.drawn(range(40, 43)):
            found = on_gpus(inputs.random_matrix(seed), initializer="none").device
            assert COMM.size == 1 or not EMULATED or "by host memory" in found


def case_long_lists():
    """The trees have more roots of other ranks than there is room for at first, many trees end in
    one step, and a phase grafts trees."""
    rng = np.random.default_rng(1)
    n = 400
    A = families.random_rectangle(n, n, 3, 1).A
    with inputs.small_tables():
        t = on_gpus(A[:, rng.permutation(n)], initializer="none")
    counters = t.counters  # the first rank finishes a search of many thin steps
    assert counters["gathered_edges"] or counters["augmentations"] == t.structural_rank
    grafted = on_gpus(families.deadtree(300, 1).A, initializer="none", **GRAFTING).counters
    assert grafted["gathered_edges"] or grafted["grafts"]


def case_nccl():
    """Two ranks with a GPU each exchange long lists by NCCL."""
    if COMM.size != 2 or not EMULATED:
        return
    from cupy import cuda

    cuda.nccl, comm = FakeNccl(), COMM.Dup()
    try:
        with inputs.long_lists():
            for seed in (0, 5, 7):
                A = inputs.random_matrix(seed)
                t = on_gpus(A, comm=comm, initializer="none", **GRAFTING)
                assert "by NCCL" in t.device
        assert FakeNccl.transfers > 30
    finally:
        del cuda.nccl
        comm.Free()


def case_the_identity_of_nccl_as_bytes():
    """CuPy 14 returns bytes, and accepts nothing else."""
    if COMM.size != 2 or not EMULATED:
        return
    from cupy import cuda

    cuda.nccl, comm = FakeNccl(), COMM.Dup()
    cuda.nccl.identity = bytes(range(128, 256))
    try:
        with inputs.long_lists():
            t = on_gpus(inputs.random_matrix(5), comm=comm, initializer="none", **GRAFTING)
        assert "by NCCL" in t.device
    finally:
        del cuda.nccl
        comm.Free()


class NcclOfOneRank(FakeNccl):
    """The last rank cannot start NCCL, and the others would wait for it."""

    def NcclCommunicator(self, ranks, identity, rank):
        if COMM.rank == LAST:
            raise self.NcclError("no socket")
        time.sleep(3600)


def case_nccl_starts_on_some_ranks_only():
    if COMM.size != 2 or not EMULATED:
        return
    from cupy import cuda

    cuda.nccl = NcclOfOneRank()
    how = {"comm": COMM.Dup(), "backend": "mpi", "device": "gpu", "initializer": "none"}
    search = partial(btfperm.maximum_transversal, inputs.full(4, 4), **how)
    try:
        text = raised(btfperm.BackendUnavailableError, search)
        assert "NCCL failed (no socket); set BTFPERM_NCCL=0" in text
    finally:
        del cuda.nccl
    assert search().maximum
    how["comm"].Free()


def case_a_rank_without_room():
    """If the memory of one GPU does not suffice, all ranks raise the same error."""
    import cupy

    grow = DeviceTrees.grow

    def out_of_memory(self, lines, depth, most):
        if COMM.rank == LAST and self._head:
            raise cupy.cuda.memory.OutOfMemoryError(9, 10)
        return grow(self, lines, depth, most)

    A = families.chain(40).A[:, ::-1]
    how = {"backend": "mpi", "device": "gpu", "initializer": "none"}
    DeviceTrees.grow = out_of_memory
    try:
        text = raised(
            btfperm.BackendUnavailableError,
            lambda: btfperm.maximum_transversal(A, comm=COMM, **how),
        )
    finally:
        DeviceTrees.grow = grow
    assert text.startswith(f"rank {LAST}: device ") and "; leave out device=" in text
    on_gpus(A)


def case_the_device_is_named():
    A = inputs.full(3, 3)
    for device in (0, "gpu", COMM.rank % 2 if EMULATED else 0, 0):
        d = btfperm.maximum_transversal(A, comm=COMM, backend="mpi", device=device)
        assert d.maximum and ", GPUs (" in d.device
    none = partial(btfperm.maximum_transversal, A, comm=COMM, backend="mpi", device=99)
    assert "there is no GPU 99" in raised(btfperm.BackendUnavailableError, none)


CASES = {
    name.removeprefix("case_"): case
    for module in (sys.modules[__name__], first_gpu)
    for name, case in vars(module).items()
    if name.startswith("case_")
}

if __name__ == "__main__":
    run_cases(CASES, *sys.argv[1:])
