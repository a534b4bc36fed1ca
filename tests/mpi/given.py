# SPDX-License-Identifier: BSD-3-Clause
"""Cases in which the ranks are given different things: all ranks raise the same error, which names
what each of them was given, and the next call succeeds."""

from __future__ import annotations

from functools import partial

import numpy as np
from mpi4py import MPI

import btfperm
from btfperm.backends.mpi.agreement import call_text, differences
from btfperm.order import order_file
from tests.mpi import inputs
from tests.mpi.damage import raised

COMM = MPI.COMM_WORLD
FIRST = COMM.rank == 0
LINES = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n"
REFUSED = "all ranks must make the same call with the same arguments, but "


def agreed(call, *parts, comm=COMM):
    """The error of the call, which must be the same on all ranks and contain the parts."""
    text = raised(btfperm.InvalidArgumentError, call)
    assert len(set(comm.allgather(text))) == 1, text
    assert text.startswith(REFUSED) and all(part in text for part in parts), text
    assert btfperm.structural_rank(inputs.full(3, 2), comm=comm, backend="mpi") == 2


def others(comm=COMM):
    """The end of a sentence about the ranks other than the first."""
    return {2: "rank 1", 3: "ranks 1 and 2"}.get(comm.size, "ranks 1, 2, 3")


def written(folder):
    """Two files with the same matrix."""
    files = folder / "a.mtx", folder / "b.mtx"
    if FIRST:
        for file in files:
            file.write_text(LINES)
    COMM.Barrier()
    return files


def case_different_kinds_of_input(folder):
    if COMM.size == 1:
        return
    a, b = written(folder)
    A = inputs.full(3, 3)
    P = inputs.as_distributed_rows(A, COMM, values=True)
    file, whole = f"the file {a}", "a whole matrix of shape (3, 3)"
    parts = "a DistributedPattern of shape (3, 3)"
    for first, last, words in (
        (a, A, (file, whole)),
        (A, str(a), (whole, file)),
        (str(a), b, (file, f"the file {b}")),
        (A, P, (whole, parts)),
        (P, a, (parts, file)),
        (A, inputs.full(3, 2), (whole, "a whole matrix of shape (3, 2)")),
        ((None, [0], [0, 1]), A, ("a (data, indices, indptr) triple", whole)),
    ):
        given = first if FIRST else last
        text = f"is {words[0]} on rank 0, and {words[1]} on {others()}"
        for function in (
            *(btfperm.structural_rank, btfperm.maximum_transversal, btfperm.dulmage_mendelsohn),
            *(btfperm.weighted_transversal, btfperm.match, btfperm.as_pattern),
        ):
            name = "G" if function is btfperm.match else "A"
            agreed(partial(function, given, comm=COMM), f"{name} {text}")
    agreed(partial(order_file, a if FIRST else b, comm=COMM), "path is the file", str(b))


def case_a_matrix_and_its_parts_without_comm():
    """The communicator of the parts is the one that the other ranks give."""
    if COMM.size == 1:
        return
    A = inputs.full(3, 3)
    P = inputs.as_distributed_rows(A, COMM)
    how = {} if FIRST else {"comm": COMM}
    call = partial(btfperm.dulmage_mendelsohn, P if FIRST else A, **how)
    agreed(call, "A is a DistributedPattern of shape (3, 3) on rank 0, and a whole matrix of shape")


def case_different_options(folder):
    if COMM.size == 1:
        return
    a, _ = written(folder)
    A = inputs.full(3, 3)
    for name, first, last, function in (
        ("gather", True, False, btfperm.maximum_transversal),
        ("gather", True, False, btfperm.weighted_transversal),
        ("gather", False, True, btfperm.match),
        ("algorithm", "ms-bfs", "first-rank", btfperm.dulmage_mendelsohn),
        ("initializer", "greedy", "local-max", btfperm.structural_rank),
        ("backend", "mpi", "cpu", btfperm.structural_rank),
        ("device", "gpu", 0, btfperm.structural_rank),
        ("options", {"a": 1}, {"a": 2}, btfperm.structural_rank),
        ("threads", 1, 2, btfperm.structural_rank),
        ("seed", np.int64(1), 2, btfperm.structural_rank),
        ("drop_zeros", True, False, btfperm.structural_rank),
        ("deterministic", True, False, btfperm.structural_rank),
        ("time_limit", 5.0, None, btfperm.structural_rank),
        ("objective", "sum", "product", btfperm.weighted_transversal),
        ("weights", "ones", "moduli", btfperm.match),
        ("no_such", 1, 2, btfperm.structural_rank),
    ):
        call = partial(function, A, comm=COMM, **{name: first if FIRST else last})
        agreed(call, f"{name} is ", "on rank 0, and ", f" on {others()}")
    for name, first, last in (
        ("weights", "product", None),
        ("convention", "matlab", "klu"),
        ("solver", "klu", None),
        ("outputs", [folder / "p.npz"], []),
    ):
        agreed(partial(order_file, a, comm=COMM, **{name: first if FIRST else last}), f"{name} is ")
    d = btfperm.dulmage_mendelsohn(A, comm=COMM, gather=False)
    agreed(partial(d.save, folder / f"{min(COMM.rank, 1)}.npz"), "path is the file ", "0.npz on")
    how = {"algorithm": "ms-bfs", "no_such": 3} if FIRST else {"algorithm": "ms-bfs"}
    agreed(partial(btfperm.dulmage_mendelsohn, A, comm=COMM, **how), "no_such is 3 on rank 0, and ")


def case_what_may_differ(folder):
    """A rank may give defaults explicitly, its own bound on the time, and another watcher."""
    a, _ = written(folder)
    d = btfperm.dulmage_mendelsohn(str(a) if FIRST else a, comm=COMM, time_limit=9)
    assert d.structural_rank == 3
    explicit = {"drop_zeros": None, "algorithm": "auto", "seed": None, "watcher": lambda _: None}
    how = {"time_limit": 500.0 + COMM.rank, "backend": "mpi"} | (explicit if FIRST else {})
    assert btfperm.structural_rank(inputs.full(3, 2), comm=COMM, **how) == 2
    starts = np.zeros(1, np.int64)
    shape = (3, 3) if FIRST else np.array([3, 3])
    P = btfperm.DistributedPattern.from_rows(COMM, starts, [], shape, first=0)
    assert P.shape == (3, 3)


def case_different_functions(folder):
    if COMM.size == 1:
        return
    a, _ = written(folder)
    A = inputs.full(3, 3)
    first, last = (btfperm.maximum_transversal, btfperm.match)
    text = "the function is maximum_transversal on rank 0, and match on"
    agreed(partial(first if FIRST else last, A, comm=COMM), text)
    d = btfperm.dulmage_mendelsohn(A, comm=COMM, gather=False)
    save = partial(d.save, folder / "p.npz")
    agreed(d.gather if FIRST else save, "the function is gather on rank 0, and save on")
    make = btfperm.DistributedPattern
    starts = np.zeros(1, np.int64)
    for call in (
        partial(make.from_rows if FIRST else make.from_columns, COMM, starts, [], (3, 3), first=0),
        partial(make.from_rows, COMM, starts, [], (3, 3 if FIRST else 4), first=0),
        partial(btfperm.as_pattern, a, comm=COMM) if FIRST else partial(order_file, a, comm=COMM),
    ):
        agreed(call)


def case_sub_communicators_and_duplicates(folder):
    """The two halves of the communicator differ, which is no error; within one half, it is. A
    duplicate of the communicator of a matrix is no other communicator."""
    a, b = written(folder)
    half = COMM.Split(COMM.rank % 2)
    mine = (a, b)[COMM.rank % 2]
    assert btfperm.structural_rank(mine, comm=half) == 3
    if half.size > 1:
        A = inputs.full(3, 3)
        call = partial(btfperm.structural_rank, mine if half.rank == 0 else A, comm=half)
        agreed(call, f"A is the file {mine} on rank 0", comm=half)
    P = inputs.as_distributed_rows(inputs.full(3, 3), COMM)
    copy = COMM.Dup()
    assert btfperm.structural_rank(P, comm=copy) == 3
    if COMM.size > 1:
        given = P if FIRST else inputs.full(3, 3)
        agreed(partial(btfperm.structural_rank, given, comm=copy), "a DistributedPattern")
        given = P if FIRST else inputs.as_distributed_rows(inputs.full(3, 3), MPI.COMM_SELF)
        text = "comm of the matrix is a duplicate on rank 0, and one with other ranks on"
        agreed(partial(btfperm.structural_rank, given, comm=copy), text)
    alone = partial(btfperm.structural_rank, P, comm=MPI.COMM_SELF)
    if COMM.size > 1:
        assert "other ranks than comm=" in raised(btfperm.InvalidArgumentError, alone)
    copy.Free()
    half.Free()


def case_a_rank_fails_while_it_describes_its_arguments():
    """The other ranks already wait for the description."""

    class Wrong:
        @property
        def shape(self):
            raise MemoryError("no room")

    given = Wrong() if COMM.rank == COMM.size - 1 else inputs.full(3, 3)
    call = partial(btfperm.structural_rank, given, comm=COMM)
    assert raised(MemoryError, call) == "no room"
    assert btfperm.structural_rank(inputs.full(3, 2), comm=COMM) == 2


def case_many_ranks_in_a_message():
    texts = ['["match", {"seed": "1"}]'] + ['["match", {}]'] * 15
    said = "seed is 1 on rank 0, and the default on ranks 1, 2, 3 and 12 others"
    assert differences(texts) == said


def case_long_sequences_of_different_lengths():
    texts = [call_text("order_file", {"outputs": list(range(n))}) for n in (5, 6)]
    said = "outputs is (0, 1, 2, 2 others) on rank 0, and (0, 1, 2, 3 others) on rank 1"
    assert differences(texts) == said
