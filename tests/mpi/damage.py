# SPDX-License-Identifier: BSD-3-Clause
"""Cases in which something is wrong on some rank: all ranks raise the same error, none hangs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from itertools import product
from unittest import mock

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import btfperm
from btfperm import _core
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.halo import Halo
from btfperm.testing import assert_structurally_nonsingular
from btfperm.transversal import certificate_mpi
from tests.mpi import inputs

COMM = MPI.COMM_WORLD
LAST = COMM.size - 1
BY_MESSAGES = {"backend": "mpi", "algorithm": "ms-bfs"}  # also on one rank


def raised(kind, call):
    """The text of the error of this kind that `call` raises."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def matched_problem(A):
    """A problem over ranks with a maximum matching and its cover."""
    P = btfperm.as_pattern(A, comm=COMM)
    t = btfperm.maximum_transversal(P, backend="mpi", gather=False)
    from btfperm.backends.mpi.problem import DistributedProblem

    problem = DistributedProblem(P)
    problem.row_match[:], problem.col_match[:] = t.row_match, t.col_match
    problem.row_in_cover[:], problem.col_in_cover[:] = t.row_in_cover, t.col_in_cover
    problem.proven = True
    return problem


def case_the_certificate_finds_a_wrong_pair():
    problem = matched_problem(inputs.full(6, 6))
    matched = np.flatnonzero(problem.col_match >= 0)
    if COMM.rank == LAST and matched.size:
        problem.col_match[matched[0]] = -1
    prove = certificate_mpi.prove
    text = raised(btfperm.DefectError, lambda: prove(problem, problem, None, 1, None))
    assert "in two pairs" in text


def case_the_certificate_finds_a_wrong_cover():
    for entries, part in ((1, "rows and columns for"), (2, "neither its row nor its column")):
        problem = matched_problem(inputs.full(4, 3))
        covers = problem.col_in_cover
        if COMM.size > 1 and entries == 2:  # the right size, at wrong places
            problem.row_in_cover[:], covers[:] = 0, 0
            first = problem.rows.first
            problem.row_in_cover[: max(0, min(3 - first, problem.rows.size))] = 1
        elif covers.size:
            covers[:] = 1 - covers
        call = partial(certificate_mpi.prove, problem, problem, None, 1, None)
        text = raised(btfperm.DefectError, call)
        assert part in text or COMM.size == 1, text


def case_a_wrong_message_fails_the_certificate():
    """Rows that receive a wrong number of the column that proposes to them are matched to it; the
    certificate refuses their pairs."""
    send = Halo.to_owners

    def wrong(self, ghosts, *fields):
        got = send(self, ghosts, *fields)
        got.items[:, 1:] = 0
        return got

    Halo.to_owners = wrong
    try:
        A = sp.csc_array(np.fliplr(np.eye(8)))  # on several ranks, rows of other ranks are needed
        call = partial(
            btfperm.maximum_transversal, A, comm=COMM, backend="mpi", initializer="greedy"
        )
        if COMM.size > 1:
            assert "in two pairs" in raised(btfperm.DefectError, call)
    finally:
        Halo.to_owners = send


def case_a_rank_out_of_memory():
    def call():
        with Exchange.of(COMM).guarded():
            if COMM.rank == LAST:
                raise MemoryError("no room")
            Exchange.of(COMM).barrier()

    assert raised(MemoryError, call) == "no room"
    assert btfperm.structural_rank(inputs.full(3, 2), comm=COMM, backend="mpi") == 2


def case_wrong_rows_of_one_rank():
    """If one rank gives wrong rows or columns, all ranks raise the same error."""
    starts = [1, 1] if COMM.rank == LAST else [0, 1]
    shape = (COMM.size, COMM.size)
    for make in (btfperm.DistributedPattern.from_rows, btfperm.DistributedPattern.from_columns):
        call = partial(make, COMM, starts, [0], shape, first=COMM.rank)
        assert "indptr must ascend from 0" in raised(btfperm.InvalidMatrixError, call)


def case_a_failure_right_after_another_call():
    """A rank that has left a call may fail in the next one while other ranks are still in the first
    call. For these ranks the first call succeeds, and the second one raises the error."""
    for k in range(12):
        with Exchange.of(COMM).guarded():
            pass

        def fail(k=k):
            with Exchange.of(COMM).guarded():
                if COMM.rank == k % COMM.size:
                    raise btfperm.UnreadableInputError(f"call {k}")

        assert raised(btfperm.UnreadableInputError, fail) == f"call {k}"


def case_two_ranks_fail():
    """The error of the lowest rank is raised everywhere."""

    def call():
        with Exchange.of(COMM).guarded():
            raise btfperm.UnreadableInputError(f"rank {COMM.rank}")

    assert raised(btfperm.UnreadableInputError, call) == "rank 0"


@contextmanager
def no_room(exchange):
    """The last rank has no memory for what it receives."""

    def fail(*_, **__):
        raise MemoryError("no room")

    names = ("gather_all", "from_all", "move", "sums") if exchange.rank == LAST else ()
    vars(exchange).update(dict.fromkeys(names, fail))
    try:
        yield
    finally:
        for name in names:
            del vars(exchange)[name]


def case_a_rank_fails_in_a_method():
    """If a rank fails in a method that the caller calls, all ranks raise the error. The next call
    succeeds, with the same result as without the failure."""
    A = sp.csc_array(inputs.random_matrix(5) + 3 * sp.eye_array(*inputs.random_matrix(5).shape))
    P = inputs.as_distributed_rows(A, COMM, values=True)
    d = btfperm.dulmage_mendelsohn(P, backend="mpi", gather=False)
    w = btfperm.weighted_transversal(P, backend="mpi", gather=False)
    graph = sp.csc_array(np.ones((9, 9)) - np.eye(9))
    m = btfperm.match(graph, comm=COMM, gather=False)
    Q = inputs.as_distributed_rows(A, COMM)
    calls = (
        *(d.gather, d.transversal.gather, d.block_sizes, w.gather, w.scales, m.gather, Q.on_host),
        *(lambda: Q.row_lists, lambda: Q.selected(Q.indices >= 0)),
        partial(btfperm.structural_rank, Q, backend="mpi"),
    )
    for k, call in enumerate(calls):
        with no_room(P.exchange):
            assert COMM.size == 1 or raised(MemoryError, call) == "no room", k
        call()
    assert d.gather() == btfperm.dulmage_mendelsohn(A, drop_zeros=False)
    assert Q.on_host() == btfperm.as_pattern(A)


def case_a_rank_fails_before_it_releases_memory():
    """In the decomposition, the other ranks have released the list of shared rows before the last
    rank fails; the next calls exchange it again on all ranks."""
    A = inputs.random_matrix(5)
    P = inputs.as_distributed_rows(A, COMM)
    btfperm.maximum_transversal(P, backend="mpi")
    forget = Halo.forget_shared

    def fail(self):
        if COMM.rank == LAST:
            raise MemoryError("no room")
        forget(self)

    Halo.forget_shared = fail
    try:
        call = partial(btfperm.dulmage_mendelsohn, P, **BY_MESSAGES)
        assert raised(MemoryError, call) == "no room"
    finally:
        Halo.forget_shared = forget
    assert np.array_equal(call().col_perm, btfperm.dulmage_mendelsohn(A, drop_zeros=False).col_perm)
    assert btfperm.structural_rank(P, backend="mpi") == btfperm.structural_rank(A)


def case_a_rank_fails_while_it_numbers_its_ghosts():
    """The last rank fails before or after it overwrites the numbers of the whole matrix. The next
    calls find the entries, also where a copy of the whole pattern exists."""
    number = _core.ranks.number_ghosts
    A = inputs.random_matrix(5)
    for has_whole, is_after, error in product(
        (False, True), (False, True), (MemoryError, KeyboardInterrupt)
    ):

        def fail(*given, is_after=is_after, error=error):
            if COMM.rank == LAST:
                if is_after:
                    number(*given)
                raise error("no room")
            return number(*given)

        P = inputs.as_distributed_rows(A, COMM)
        if has_whole:
            P.on_host()
        before = P.indices.tolist()
        with mock.patch.object(_core.ranks, "number_ghosts", fail):
            raised(error, partial(btfperm.structural_rank, P, **BY_MESSAGES))
        assert P.indices.tolist() == before
        call = partial(btfperm.dulmage_mendelsohn, P, backend="mpi")
        assert np.array_equal(call().col_perm, btfperm.dulmage_mendelsohn(A).col_perm)
        assert P.indices.tolist() == before


def case_a_rank_fails_before_a_pattern_is_distributed():
    A = np.full((3, 2), "x") if COMM.rank == LAST else inputs.full(3, 2)
    call = partial(btfperm.as_pattern, A, comm=COMM)
    assert "is no matrix" in raised(btfperm.InvalidMatrixError, call)


def case_thousands_of_communicators_and_failures():
    """MPICH has about 2,000 communicators. Those of btfperm are freed, also after failures."""
    count = 2500 if COMM.size < 3 else 100  # more ranks take longer for each
    for k in range(count):
        own = COMM.Dup()
        exchange = Exchange.of(own)
        if k % 2:
            with exchange.guarded():
                pass
        own.Free()
        assert exchange.sums(1) == [COMM.size], "the caller has freed only his own"
    exchange = Exchange.of(COMM)
    for k in range(count):

        def fail(k=k):
            with exchange.guarded():
                if k % 3:
                    exchange.counts_from(np.zeros(COMM.size, dtype=np.int64))
                if COMM.rank == k % COMM.size:
                    raise MemoryError(f"call {k}")
                if k % 2:
                    exchange.broadcast({"one": 1}, root=(k + 1) % COMM.size)
                exchange.from_all(1, 2)

        assert raised(MemoryError, fail) == f"call {k}"
        if k % 100 == 0:
            assert exchange.sums(k) == [k * COMM.size]
    assert exchange is Exchange.of(COMM)


def case_a_failure_while_lists_travel():
    """If a rank fails before an exchange of lists, it cannot take part in this exchange later, so
    the ranks use a new communicator from the next call on."""
    ones = np.ones(COMM.size, dtype=np.int64)

    def lists():
        with exchange.guarded():
            items = np.full((COMM.size, 1), exchange.rank)
            if COMM.rank == LAST and fails:
                raise MemoryError("no room")
            return exchange.move(items, ones, ones)[:, 0].tolist()

    exchange = Exchange.of(COMM)
    for fails in (True, False, True, True, False):
        if fails:
            assert raised(MemoryError, lists) == "no room"
        else:
            assert lists() == list(range(COMM.size))


def case_functions_that_need_one_process():
    """Each refuses a matrix over ranks with one sentence; some gave a wrong result or a
    TypeError."""
    A = inputs.full(3, 3)
    P = inputs.as_distributed_rows(A, COMM, values=True)
    names = ("block_triangular_form", "preorder", "diagnose")
    functions = (*(getattr(btfperm, name) for name in names), assert_structurally_nonsingular)
    for function in functions:
        for call in (
            partial(function, P),
            partial(function, A, comm=COMM),
            partial(function, A, gather=False),
        ):
            text = raised(btfperm.InvalidArgumentError, call)
            assert f"{function.__name__} is not available over MPI ranks" in text
        function(A, comm=None, gather=True)
    for call in (
        partial(btfperm.weighted_transversal, A, backend="mpi", algorithm="heavy-perfect"),
        partial(btfperm.weighted_transversal, A, backend="mpi", objective="bottleneck"),
        partial(btfperm.match, A, backend="mpi"),
    ):
        assert "needs an mpi4py communicator" in raised(btfperm.InvalidArgumentError, call)


def case_what_is_no_communicator_of_one_group():
    """Each rank that gives such a communicator raises the error alone, because a communicator
    without ranks has no rank with which the others could agree on the error."""
    A = inputs.full(2, 2)
    P = btfperm.as_pattern(A, comm=COMM)
    wrong = [(MPI.COMM_NULL, "COMM_NULL, which has no ranks"), ("COMM_WORLD", "a str")]
    half = COMM.Split(COMM.rank % 2)
    if COMM.size > 1:
        between = half.Create_intercomm(0, COMM, 1 - COMM.rank % 2)
        wrong.append((between, "an intercommunicator, which has two groups of ranks"))
    for comm, part in wrong:
        for matrix in (A, P):
            call = partial(btfperm.structural_rank, matrix, comm=comm)
            sentence = f"comm must be an mpi4py communicator of one group, not {part}"
            assert raised(btfperm.InvalidArgumentError, call) == sentence
    if COMM.size > 1:
        between.Free()
    half.Free()


def case_a_rank_finds_the_notice_late():
    """One rank learns late that another rank has failed. The ranks that have failed wait for it
    only a short time, and the next call waits for it."""
    exchange = Exchange.of(COMM)
    for k in range(4):

        def late(k=k):
            with exchange.guarded():
                if COMM.rank == LAST:
                    raise MemoryError("no room")
                time.sleep(0.2 * (COMM.rank == 0))
                exchange.counts_from(np.zeros(COMM.size, dtype=np.int64))

        with inputs.changed("btfperm.backends.mpi.ranks", "_PATIENCE", 0.02):
            assert raised(MemoryError, late) == "no room"
        if k % 2:
            with exchange.guarded():
                assert exchange.sums(k) == [k * COMM.size]


class LateMessages:
    """A communicator that sends a message in the twentieth call after it, as MPI may send one only
    while its sender calls MPI again."""

    def __init__(self, comm):
        self.comm, self.waiting = comm, []

    def Isend(self, *given, **more):
        self.waiting.append([20, partial(self.comm.Isend, *given, **more)])
        return mock.Mock(Test=partial(self.progress, self.waiting[-1]))

    def Iprobe(self, *given, **more):
        self.progress()
        return self.comm.Iprobe(*given, **more)

    def Recv(self, *given, **more):
        while self.waiting:
            self.progress()
        self.comm.Recv(*given, **more)

    def progress(self, message=None):
        for each in self.waiting:
            each[0] -= 1
            if each[0] == 0:
                each.append(each[1]())
        self.waiting = [each for each in self.waiting if each[0]]
        return message is not None and message not in self.waiting and message[2].Test()


def case_messages_about_a_failure_that_are_sent_late():
    exchange = Exchange.of(COMM)
    notices, began = exchange._notices, time.monotonic()

    def call():
        with exchange.guarded():
            if COMM.rank == LAST:
                raise MemoryError("no room")

    exchange._notices = LateMessages(notices)
    try:
        assert raised(MemoryError, call) == "no room"
        exchange.leave_together()
    finally:
        exchange._notices = notices
    assert time.monotonic() - began < 4, "no rank waited in vain for five seconds"
    assert exchange.sums(1) == [COMM.size]
