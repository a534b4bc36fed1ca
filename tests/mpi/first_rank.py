# SPDX-License-Identifier: BSD-3-Clause
"""Cases in which the first rank searches for the ranks of its machine."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from mpi4py import MPI

import btfperm
from btfperm import backends, registry
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.protocol import FIRST_RANK, Session
from btfperm.backends.threads import usable_cores
from btfperm.io.file_hash import FileHash
from btfperm.order import order_file
from btfperm.path.request import Request
from btfperm.transversal.augmenting import first_rank_mpi
from tests.mpi import inputs
from tests.mpi.values import written
from tests.mpi.weights import random_square, with_values

COMM = MPI.COMM_WORLD


def same(A, comm=COMM):
    """Decomposes by the first rank, and compares the result with that of one process."""
    how = {"backend": "mpi", "algorithm": "first-rank"}
    apart = btfperm.dulmage_mendelsohn(A, comm=comm, gather=False, **how)
    d = apart.gather()
    assert d == btfperm.dulmage_mendelsohn(A, drop_zeros=False)
    assert d.transversal.backend == "mpi" and d.transversal.verified and d.transversal.maximum
    assert d.transversal.cover().size == d.structural_rank
    assert apart.row_perm.size <= -(-A.shape[0] // comm.size), "an even share of the positions"
    return d


def case_first_rank():
    """The first rank searches and decomposes for all; the other ranks get their parts."""
    for seed in inputs.drawn(range(100, 112)):
        A = inputs.random_matrix(seed)
        d = same(A)
        assert d.transversal.initializer == "none"
        place = d.meta["explain"]["decisions"]["decomposition"]["because"]
        assert place == "the first rank has the whole matrix since the search"
    for shape in ((0, 0), (0, 3), (3, 0), (1, 2), (5, 2)):
        same(inputs.full(*shape))
    half = COMM.Split(COMM.rank % 2)
    same(inputs.random_matrix(100 + COMM.rank % 2), half)
    half.Free()
    A = inputs.skewed_matrix(1_000, seed=1)
    how = {"comm": COMM, "backend": "mpi", "algorithm": "first-rank", "gather": False}
    t = btfperm.maximum_transversal(A, max_work=100, **how)
    assert not t.maximum and t.stopped_by == "max_work" and t.verified
    assert t.rank_bounds[0] <= btfperm.structural_rank(A) <= t.rank_bounds[1]
    assert btfperm.maximum_transversal(A, time_limit=60, **how).maximum

    def fails(*_, **__):
        raise MemoryError

    P = btfperm.as_pattern(A, comm=COMM)
    for module, name, broken in (
        ("btfperm.transversal", "maximum_transversal", fails),
        ("btfperm.dulmage_mendelsohn.decompose_mpi", "_blocks", fails),
    ):
        with (
            inputs.changed(module, name, broken),
            pytest.raises(btfperm.ResourceMissingError, match="use backend='mpi'"),
        ):
            btfperm.dulmage_mendelsohn(P, **how)
    assert btfperm.dulmage_mendelsohn(P, **how).gather() == btfperm.dulmage_mendelsohn(A)


def case_lost_marks_of_the_first_rank():
    """If a number of the matching or of the cover is lost while the first rank distributes them,
    the call ends with a DefectError."""
    P = btfperm.as_pattern(inputs.skewed_matrix(1_000, seed=1), comm=COMM)
    whole = first_rank_mpi._hand_out
    for lost, unmarked in ((np.int32, -1), (np.uint8, 0)):

        def hand_out(problem, array, slices, into, lost=lost, unmarked=unmarked):
            whole(problem, array, slices, into)
            marked = np.flatnonzero(into != unmarked)
            if into.dtype == lost and COMM.rank == 0 and slices is P.row_slices:
                into[marked[:1]] = unmarked

        with (
            inputs.changed(first_rank_mpi.__name__, "_hand_out", hand_out),
            pytest.raises(btfperm.DefectError, match="reached the ranks"),
        ):
            btfperm.maximum_transversal(P, backend="mpi", algorithm="first-rank")


def case_unverified_result_of_the_first_rank():
    """The ranks check the certificate themselves if the call in the first rank did not: a result
    that is right passes, and one that is wrong does not."""
    A = inputs.skewed_matrix(1_000, seed=1)
    P = btfperm.as_pattern(A, comm=COMM)
    how = {"backend": "mpi", "algorithm": "first-rank", "gather": False}
    whole = btfperm.maximum_transversal
    for is_wrong in (False, True):

        def unverified(*words, is_wrong=is_wrong, **options):
            t = replace(whole(*words, **options), verified=False)
            if not is_wrong:
                return t
            i = np.flatnonzero(t.row_match >= 0)[0]
            rows, cols = t.row_match.copy(), t.col_match.copy()
            rows[i], cols[t.row_match[i]] = -1, -1
            return replace(t, row_match=rows, col_match=cols)

        with inputs.changed("btfperm.transversal", "maximum_transversal", unverified):
            if is_wrong:
                with pytest.raises(btfperm.DefectError, match="failed its certificate"):
                    whole(P, **how)
            else:
                assert whole(P, **how).verified


def case_one_machine():
    """The first rank searches if all ranks are on its machine, it may use several cores, and the
    caller leaves the choice to btfperm."""
    A = sp.csc_array((np.ones(3), ([0, 1, 1], [5, 5, 3_999_999])), shape=(2, 4_000_000))
    auto = "first-rank" if usable_cores() > 1 and inputs.on_one_machine() else "ms-bfs"
    for threads, name in ((None, auto), (1, "ms-bfs")):
        P = btfperm.as_pattern(A, comm=COMM)
        t = btfperm.maximum_transversal(P, gather=False, threads=threads)
        found = t.explain()["decisions"]
        if COMM.size > 1:
            assert t.algorithm in (name, "none") and t.structural_rank == 2
            is_first = found["start on mpi"]["rule"] == "one machine"
            assert is_first == (name == "first-rank")
    t = btfperm.maximum_transversal(P, gather=False, deterministic=True)
    assert t.algorithm != "first-rank" and t.structural_rank == 2


def case_memory_of_the_first_rank():
    """The ranks search by messages if the first one has too little memory for the whole matrix.
    What other ranks have does not count."""
    A = sp.csc_array((np.ones(3), ([0, 1, 1], [5, 5, 3_999_999])), shape=(2, 4_000_000))
    needed = 10 * 3 + 45 * 4_000_002
    for left, is_first in ((needed - 1, False), (needed, True), (None, True)):

        def memory_left(left=left):
            return left if COMM.rank == 0 else 0

        with (
            inputs.changed("btfperm.backends.mpi.backend", "memory_left", memory_left),
            inputs.changed("btfperm.backends.mpi.backend", "usable_cores", lambda: 2),
        ):
            t = btfperm.maximum_transversal(btfperm.as_pattern(A, comm=COMM), gather=False)
        found = t.explain()
        if COMM.size > 1 and inputs.on_one_machine():
            assert (t.algorithm == "first-rank") == is_first and t.structural_rank == 2
            rule = found["decisions"]["start on mpi"]["rule"]
            assert (rule == "one machine") == is_first
            assert (found["features"]["first_memory"] >= 1) == is_first


def case_several_machines():
    """No rank gathers a matrix if the ranks are on several machines."""
    A, exchange = inputs.skewed_matrix(1_000, seed=2), Exchange.of(COMM)
    expected = btfperm.dulmage_mendelsohn(A)
    for ranks_here in (exchange.ranks_here, exchange.ranks_here - 1):
        with (
            inputs.nothing_small(),
            inputs.changed("btfperm.backends.mpi.backend", "usable_cores", lambda: 2),
            inputs.changed("btfperm.backends.mpi.backend", "memory_left", lambda: None),
        ):
            exchange.ranks_here, before = ranks_here, exchange.ranks_here
            try:
                d = btfperm.dulmage_mendelsohn(A, comm=COMM)
            finally:
                exchange.ranks_here = before
        is_first = COMM.size > 1 and ranks_here == COMM.size
        assert (d.transversal.algorithm == "first-rank") == is_first
        for name in ("row_perm", "col_perm", "row_blocks", "col_blocks"):
            assert np.array_equal(getattr(d, name), getattr(expected, name)), name


def case_no_room_to_gather():
    """If a rank fails while the first one gathers the matrix, all ranks raise one error, and the
    next call succeeds."""
    A = inputs.skewed_matrix(1_000, seed=3)
    P, exchange = btfperm.as_pattern(A, comm=COMM), Exchange.of(COMM)
    how = {"backend": "mpi", "algorithm": "first-rank", "gather": False}

    def fails(*_):
        raise MemoryError

    for rank in {0, COMM.size - 1}:
        if COMM.rank == rank:
            vars(exchange)["gather_to"] = fails
        try:
            with pytest.raises(btfperm.ResourceMissingError, match="use backend='mpi'"):
                btfperm.dulmage_mendelsohn(P, **how)
        finally:
            vars(exchange).pop("gather_to", None)
        assert btfperm.dulmage_mendelsohn(P, **how).gather() == btfperm.dulmage_mendelsohn(A)


def case_weights_without_gathering(folder):
    """Also if all ranks are on one machine, the search before the weighted one leaves a large
    matrix distributed."""
    A = with_values(random_square(40, 3, 7), 0)
    entries = "".join(f"{i + 1} {j + 1} {value}\n" for (i, j), value in sp.dok_array(A).items())
    head = "%%MatrixMarket matrix coordinate real general\n"
    path = written(folder / "forty.mtx", f"{head}40 40 {A.nnz}\n{entries}")

    def gathered(*_):
        raise AssertionError("the first rank gathers the matrix")

    with (
        inputs.nothing_small(),
        inputs.changed("btfperm.transversal.augmenting.first_rank_mpi", "first_rank", gathered),
        inputs.changed("btfperm.backends.mpi.backend", "usable_cores", lambda: 2),
        inputs.changed("btfperm.backends.mpi.backend", "memory_left", lambda: None),
    ):
        w = btfperm.weighted_transversal(A, comm=COMM, gather=False)
        done = order_file(str(path), [], weights="product", comm=COMM)
    assert w.structural_rank == done.weighted.structural_rank == 40
    assert w.algorithm == done.weighted.algorithm == ("heavy-perfect" if COMM.size > 1 else "mc64")


def case_one_rank():
    """With the backend "mpi", one rank searches and decomposes as one process does, unless the
    caller names more than the backend. Several ranks keep the matrix distributed."""
    A = inputs.skewed_matrix(300, seed=6)
    whole = btfperm.dulmage_mendelsohn(A)
    for how, is_free in (
        ({}, True),
        ({"threads": 1, "seed": 3}, True),
        ({"initializer": "greedy"}, False),
        ({"algorithm": "ms-bfs"}, False),
    ):
        for P in (A, btfperm.as_pattern(A, comm=COMM)):
            d = btfperm.dulmage_mendelsohn(P, comm=COMM, backend="mpi", **how)
            name = "first-rank" if is_free and COMM.size == 1 else "ms-bfs"
            for array in ("row_perm", "col_perm", "row_blocks", "col_blocks"):
                assert np.array_equal(getattr(d, array), getattr(whole, array)), (how, array)
            assert d.transversal.backend == "mpi" and d.transversal.maximum
            assert d.transversal.algorithm in (name, "none"), how
            if "algorithm" not in how:
                rule = d.transversal.explain()["decisions"]["algorithm on mpi"]["rule"]
                assert (rule == "one rank") == (name == "first-rank"), how


def case_rest():
    """Ranks that rest go on when the first rank does, or fail with it; also in later calls."""
    exchange = Exchange.of(COMM)
    for k in range(6):
        begin = time.perf_counter()

        def call(k=k):
            with exchange.guarded():
                for _ in range(2):
                    if COMM.rank == 0:
                        time.sleep(0.02)
                        if k % 3 == 2:
                            raise MemoryError("no room")
                    exchange.rest()

        if k % 3 == 2:
            with pytest.raises(MemoryError):
                call()
        else:
            call()
            assert time.perf_counter() - begin > 0.04


def case_a_core_for_the_hash():
    """While a thread hashes the file, the search and the decomposition of the first rank leave a
    core to it, unless there are few cores."""
    for cores, asked, is_hashing, expected in (
        (16, None, True, 15),
        (16, None, False, None),
        (16, 4, True, 4),
        (16, 16, True, 15),
        (4, 4, True, 4),
        (4, None, True, None),
    ):
        with inputs.changed(
            "btfperm.transversal.augmenting.first_rank_mpi", "usable_cores", lambda n=cores: n
        ):
            hashed = SimpleNamespace(is_hashing=is_hashing)
            assert first_rank_mpi.beside_hash(hashed, asked) == expected
    P = btfperm.as_pattern(inputs.full(2, 2), comm=COMM)
    assert not P.is_hashing
    until, source = threading.Event(), {}

    def waits(self, most):
        until.wait()
        source["sha256"] = "abc"

    with mock.patch.object(FileHash, "_hash", waits):
        P.set_source(source, FileHash(Path("a.mtx"), source))
        assert P.is_hashing
        until.set()
        assert P.source == {"sha256": "abc"} and not P.is_hashing


def case_mates_of_the_first_rank():
    """The first rank keeps its matching for the decomposition until another algorithm runs."""
    session = Session(btfperm.as_pattern(inputs.skewed_matrix(100, seed=7), comm=COMM))
    mpi, request = backends.get("mpi"), Request(backend="mpi")
    problem = mpi.empty(session, 1)
    for name, is_initializer in (("first-rank", False), ("greedy", True), ("first-rank", False)):
        row = registry.find(name, initializer=is_initializer, backend="mpi")
        mpi.run(row, problem, request, None, threads=1)
        kept = session.copies[FIRST_RANK]
        assert kept.has_mates != is_initializer
        assert (kept.mates is not None) == (kept.has_mates and COMM.rank == 0)
    if COMM.rank == 0:
        own = problem.row_match.size
        assert np.array_equal(kept.mates[0][:own], problem.row_match)
