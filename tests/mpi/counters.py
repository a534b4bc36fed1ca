# SPDX-License-Identifier: BSD-3-Clause
"""Cases about the counters of a result: they hold what the ranks sent in the call that made it."""

from __future__ import annotations

import resource
from unittest.mock import Mock

import numpy as np
from mpi4py import MPI

import btfperm
from btfperm import registry
from btfperm.backends.mpi.exchange import Exchange
from btfperm.order import order_file
from tests import families
from tests.mpi import inputs

COMM = MPI.COMM_WORLD
MIB = 1 << 20
WAYS = (
    {"backend": "mpi", "algorithm": "ms-bfs", "initializer": "greedy"},
    {"backend": "mpi", "algorithm": "first-rank"},
)


def sent_by(call):
    """(result of a call, the messages of all ranks in it, their bytes). The call is observed where
    a rank passes its items to MPI."""
    own = [0, 0]
    count = Exchange.count_moved

    def counting(exchange, sent, width, size):
        count(exchange, sent, width, size)
        others = np.delete(sent, exchange.rank)
        own[0] += int(np.count_nonzero(others))
        own[1] += int(others.sum()) * width * size

    Exchange.count_moved = counting
    try:
        result = call()
    finally:
        Exchange.count_moved = count
    return result, *COMM.allreduce(np.array(own), MPI.SUM).tolist()


def case_counters_of_one_call(folder):
    """A decomposition counts the messages of the search and of the blocks. The next result does
    not count them, nor those that wrote and gathered the first one."""
    P = btfperm.as_pattern(families.renumbered(families.chain(500), "mixed").A, comm=COMM)
    for how in WAYS:
        search, *of_search = sent_by(
            lambda how=how: btfperm.maximum_transversal(P, gather=False, **how)
        )
        d, *of_both = sent_by(lambda how=how: btfperm.dulmage_mendelsohn(P, gather=False, **how))
        for t, expected in ((search, of_search), (d.transversal, of_both)):
            assert [t.counters["messages"], t.counters["bytes_sent"]] == expected, how
        assert (of_both[0] > of_search[0]) == (COMM.size > 1), "the decomposition sends messages"
        assert d.meta["counters"] == d.transversal.counters
        d.save(folder / "counted.npz")
        d.gather()
        again = btfperm.maximum_transversal(P, gather=False, **how).counters
        for name in ("exchanges", "collectives", "messages", "bytes_sent", "all_to_alls"):
            assert again[name] == search.counters[name], name


def case_counters_after_a_failed_call():
    """A call that fails leaves nothing to the counters of the next one."""
    A, how = inputs.skewed_matrix(300, seed=4), {"comm": COMM, "gather": False, **WAYS[0]}
    before = btfperm.maximum_transversal(A, **how).counters

    def fails(*_, **__):
        raise btfperm.ResourceMissingError("no room")

    try:
        with inputs.changed("btfperm.results.distributed", "new_result", fails):
            btfperm.maximum_transversal(A, **how)
    except btfperm.ResourceMissingError:
        pass
    after = btfperm.maximum_transversal(A, **how).counters
    for name in ("exchanges", "collectives", "messages", "bytes_sent"):
        assert after[name] == before[name], name


def case_counters_of_a_file(folder):
    """The counters of `order_file` include the reading and the blocks, in both results."""
    path = folder / "counted.mtx"
    if COMM.rank == 0:
        path.write_text(
            "%%MatrixMarket matrix coordinate pattern general\n40 40 79\n"
            + "".join(f"{i} {i}\n" for i in range(1, 41))
            + "".join(f"{i} {i + 1}\n" for i in range(1, 40))
        )
    COMM.Barrier()
    done, messages, size = sent_by(lambda: order_file(path, comm=COMM, **WAYS[0]))
    for t in (done.transversal, done.decomposition.transversal):
        assert [t.counters["messages"], t.counters["bytes_sent"]] == [messages, size]


def case_peak_of_the_decomposition():
    """The peaks of a result include the memory of the decomposition, also on one rank."""
    step = registry.step

    def own_peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def large(package, name, backend):
        if name != "decompose":
            return step(package, name, backend)
        touched = np.ones(own_peak() + 32 * MIB, dtype=np.uint8)  # more than any step before
        return step(package, name, backend) if touched.all() else None

    before = own_peak()
    A, how = inputs.random_matrix(5), {"comm": COMM, "gather": False, **WAYS[0]}
    with inputs.changed("btfperm.backends.mpi.backend", "registry", Mock(step=large)):
        counters = btfperm.dulmage_mendelsohn(A, **how).transversal.counters
    own = counters["peak_bytes_by_rank"][COMM.rank]
    assert own >= before + 32 * MIB
    assert counters["peak_bytes"] == max(counters["peak_bytes_by_rank"])
