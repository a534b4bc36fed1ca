# SPDX-License-Identifier: BSD-3-Clause
"""The cases that `test_ranks.py` runs on several ranks, all in one start of the launcher:
``mpiexec -n P python -m tests.mpi.cases REPORT FOLDER P``. Each case is collective. The run ends
with the first case that fails. The first rank writes a JSON object: for each case that was run, the
texts of the failures on all ranks."""

from __future__ import annotations

import json
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI
from scipy.sparse.csgraph import structural_rank

import btfperm
from btfperm.reports.summary import summarize
from btfperm.transversal.initial.local_max_mpi import weights as weights_of
from tests import families
from tests.mpi import (
    added,
    counters,
    damage,
    files,
    first_rank,
    gaps,
    given,
    graphs,
    inputs,
    values,
    weights,
)
from tests.oracles.plain_dulmage_mendelsohn import dulmage_mendelsohn as plain
from tests.transversal.test_counters import undeclared

COMM = MPI.COMM_WORLD
ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks", "coarse_rows", "coarse_cols")


def same_blocks(A, comm=COMM, **how):
    """Decomposes over ranks, without any replication, and compares the arrays with those of one
    process and, for a small matrix, with those of the plain oracle. By messages, the search is
    `ms-bfs`, also on one rank, unless `how` names another one."""
    how = {"backend": "mpi", **how}
    if how["backend"] == "mpi":
        how.setdefault("algorithm", "ms-bfs")
    apart = btfperm.dulmage_mendelsohn(A, comm=comm, gather=False, **how)
    d = apart.gather()
    serial = btfperm.dulmage_mendelsohn(A, drop_zeros=False)
    for name in ARRAYS:
        assert np.array_equal(getattr(d, name), getattr(serial, name)), name
    assert d.transversal.backend == "mpi" and d.transversal.verified and d.transversal.maximum
    assert not undeclared(d.transversal.counters)
    assert d.transversal.cover().size == d.structural_rank == serial.structural_rank
    assert summarize(apart) == summarize(serial)  # sizes of blocks, whose ends other ranks may hold
    if max(A.shape) < 60:
        for name in ARRAYS:
            assert np.array_equal(getattr(d, name), getattr(plain(A), name)), (
                f"{name} of the oracle"
            )
    return d


def case_random_matrices():
    for seed in inputs.drawn(range(4)):
        same_blocks(inputs.random_matrix(seed))


def case_without_gathering_of_remainders():
    """No remainder is gathered on one rank, so searches over ranks find all components."""
    with inputs.gathered_up_to(0):
        for seed in range(20, 23):
            same_blocks(inputs.random_matrix(seed))
        same_blocks(families.triangular(30, 1).A)


def case_families():
    for hard in inputs.drawn(families.small_and_hard()):
        d = same_blocks(hard.A)
        assert hard.rank in (-1, d.structural_rank)  # -1: not known


def case_small_steps():
    """Columns wait for later steps of the search, and lists are sent and reversed in many pieces.
    All components are found by searches over ranks, which need the reversed lists."""
    with inputs.small_steps(), inputs.gathered_up_to(0):
        for seed in range(40, 43):
            same_blocks(inputs.random_matrix(seed))
        same_blocks(families.renumbered(families.surplus_path(40, wide=True), "mixed").A)


def case_local_max_is_dominant():
    """For each entry, its row or its column is matched by an entry that is at least as heavy."""
    for seed in (0, 5):
        A = inputs.random_matrix(30 + seed)
        with inputs.no_search():
            t = btfperm.maximum_transversal(
                A, comm=COMM, backend="mpi", initializer="local-max", seed=seed
            )
        rows, cols = A.tocoo().coords
        of_rows = np.where(t.row_match < 0, 0, weights_of(np.arange(A.shape[0]), t.row_match, seed))
        of_cols = np.where(t.col_match < 0, 0, weights_of(t.col_match, np.arange(A.shape[1]), seed))
        heaviest = np.maximum(of_rows[rows], of_cols[cols])
        assert (weights_of(rows, cols, seed) <= heaviest).all()
        same_blocks(A, initializer="local-max")


def karp_sipser(A, comm=COMM, **how):
    """The matching of the initializer alone, which must be legal and, unless a limit ends it,
    maximal."""
    with inputs.no_search():
        t = btfperm.maximum_transversal(
            A, comm=comm, backend="mpi", initializer="karp-sipser", **how
        )
    rows, cols = A.tocoo().coords
    matched = np.flatnonzero(t.row_match >= 0)
    mates = t.row_match[matched]
    assert np.array_equal(t.col_match[mates], matched)
    assert np.count_nonzero(t.col_match >= 0) == matched.size == t.size
    assert np.isin(matched * A.shape[1] + mates, rows.astype(np.int64) * A.shape[1] + cols).all()
    if "max_work" not in how:
        assert ((t.row_match[rows] >= 0) | (t.col_match[cols] >= 0)).all(), "not maximal"
    return t


def case_own_blocks():
    """Each rank matches as many of its own rows and columns as possible."""
    for seed in inputs.drawn(range(60, 66)):
        A = inputs.random_matrix(seed)
        P = btfperm.as_pattern(A, comm=COMM)
        with inputs.no_search():
            t = btfperm.maximum_transversal(
                P, backend="mpi", initializer="own-blocks", options={"rounds": 0}, gather=False
            )
        own = sp.csc_array(A)[t.rows.start : t.rows.stop, t.cols.start : t.cols.stop]
        assert np.count_nonzero(t.col_match >= 0) == structural_rank(own) if own.nnz else True
        same_blocks(A, initializer="own-blocks")
    for shape in ((0, 3), (1, 1), (5, 2), (7, 30)):
        same_blocks(inputs.full(*shape), initializer="own-blocks")


def case_karp_sipser():
    """The matching is maximal, and in a forest maximum."""
    for seed in inputs.drawn(range(60, 66)):
        A = inputs.random_matrix(seed)
        karp_sipser(A)
        karp_sipser(A, options={"thin_steps": 0})
        karp_sipser(A, max_work=2 * seed - 110)
        same_blocks(A, initializer="karp-sipser")
        if seed < 63:
            with inputs.small_steps():
                karp_sipser(A)
                same_blocks(A, initializer="karp-sipser")
    for shape in ((0, 3), (1, 1), (5, 2), (7, 30)):
        assert karp_sipser(inputs.full(*shape)).size == min(shape)
    for seed in inputs.drawn(range(4)):
        A = inputs.forest(seed, 40 + 300 * (seed % 2))
        t = karp_sipser(A, options={"thin_steps": 10**6})
        assert t.size == structural_rank(A), "not maximum in a forest"
        assert t.counters["start_rounds"] == 0


def case_karp_sipser_on_a_long_chain():
    """For a chain in random order, karp-sipser takes few steps, because columns of any degree
    choose rows after some thin steps. With a very large `thin_steps`, the rule alone matches the
    chain: it takes a step each time that the chain changes its owner, and all columns are
    matched."""
    A = families.renumbered(families.chain(2_000), "mixed").A
    A = A[:, 1:]  # a path: both of its ends have degree one
    hasty = karp_sipser(A).counters
    assert hasty["start_levels"] < 300
    patient = karp_sipser(A, options={"thin_steps": 10**6})
    assert patient.size == A.shape[1] and patient.counters["start_rounds"] == 0


def case_long_paths():
    """After many exchanges of few items, one rank finishes the search."""
    A = families.renumbered(families.chain(2_000), "mixed").A
    d = same_blocks(A, initializer="greedy")
    assert d.n_blocks == 2_000
    assert d.transversal.counters["gathered_edges"] == (A.nnz if COMM.size > 1 else 0)
    module = "btfperm.transversal.augmenting.ms_bfs_mpi"
    with inputs.changed(module, "GATHERED", A.nnz):  # fewer than its rows and columns
        assert sum(A.shape) > A.nnz
        d = same_blocks(A, initializer="greedy")
        assert d.transversal.counters["gathered_edges"] == 0
    counted = d.transversal.counters
    assert counted["collectives"] >= counted["all_to_alls"] >= counted["levels"] * (COMM.size > 1)
    pairs = counted["all_to_alls"] * COMM.size * (COMM.size - 1)
    assert 8 * pairs <= counted["all_to_all_bytes"] <= 10_000 * pairs
    ordered = same_blocks(families.chain(2_000).A, initializer="greedy").transversal.counters
    assert ordered["gathered_edges"] == 0 and ordered["levels"] < 40 * ordered["phases"]


def case_directions():
    """With direction=2, trees grow from the unvisited rows, which gives the same blocks. With
    direction=1, a rule chooses the direction of each step; in a matrix on which the search grafts
    trees, it then visits fewer entries than with direction=0."""
    upward = {"algorithm": "ms-bfs", "options": {"direction": 2}}
    for seed in inputs.drawn(range(80, 86)):
        A = inputs.random_matrix(seed)
        d = same_blocks(A, **upward)
        same_blocks(A, initializer="none", **upward)
        with inputs.small_steps():
            same_blocks(A, initializer="greedy", **upward)
    for A in (families.deadtree(200, 1).A, families.renumbered(families.chain(300), "mixed").A):
        same_blocks(A, **upward)
    A = inputs.skewed_matrix(1_000, seed=1)
    counted = []
    for direction in range(3):
        how = {"initializer": "karp-sipser", "algorithm": "ms-bfs"}
        with inputs.greedy_with_lists():
            d = same_blocks(A, **how, options={"direction": direction})
        counted.append(d.transversal.counters)
        assert counted[-1]["grafts"] > 0
    assert counted[0]["bottom_up_steps"] == counted[0]["bottom_up_edges"] == 0
    assert 0 < counted[1]["bottom_up_edges"] < counted[1]["edges"] < counted[0]["edges"]
    assert counted[2]["bottom_up_steps"] > counted[1]["bottom_up_steps"] > 0
    t = btfperm.maximum_transversal(A, comm=COMM, backend="mpi", initializer="greedy")
    assert t.counters["bottom_up_steps"] == 0, "greedy makes no lists by rows"
    limited = btfperm.maximum_transversal(A, comm=COMM, backend="mpi", max_work=500, **upward)
    assert limited.verified and limited.rank_bounds[0] <= d.structural_rank


def case_number_of_messages():
    """A level of the search, or a step of karp-sipser, takes about one exchange. In an exchange,
    each rank sends at most one message to each other rank."""
    chain = families.renumbered(families.chain(2_000), "mixed").A
    for A in (inputs.skewed_matrix(1_000, seed=1), chain, inputs.forest(1, 340)):
        t = btfperm.maximum_transversal(A, comm=COMM, backend="mpi", initializer="karp-sipser")
        counted = t.counters
        levels = counted.get("levels", 0) + counted["start_levels"]
        assert counted["exchanges"] <= 2 * levels + 20
        assert counted["messages"] <= counted["exchanges"] * COMM.size * (COMM.size - 1)
        assert (counted["messages"] > 0) == (COMM.size > 1)


def case_numbers_of_64_bits():
    """The code that is compiled for very large matrices runs the start, both directions of the
    search, and the decomposition."""
    with inputs.numbers_of_64_bits():
        assert btfperm.as_pattern(inputs.full(2, 2), comm=COMM).indices.dtype == np.int64
        case_random_matrices()
        for seed in (60, 80):
            A = inputs.random_matrix(seed)
            karp_sipser(A)
            for direction in (0, 2):
                how = {"algorithm": "ms-bfs", "options": {"direction": direction}}
                same_blocks(A, initializer="greedy", **how)
        with inputs.small_steps():
            same_blocks(inputs.skewed_matrix(200, seed=1), initializer="karp-sipser")


def case_more_ranks_than_columns():
    for shape in ((0, 0), (0, 3), (3, 0), (1, 1), (2, 1), (1, 2), (5, 2)):
        same_blocks(inputs.full(*shape))


def case_small_matrices_are_replicated():
    A = inputs.random_matrix(3)
    d = btfperm.dulmage_mendelsohn(A, comm=COMM)
    assert d.transversal.backend == "mpi"
    peaks = d.transversal.counters["peak_bytes_by_rank"]
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert len(peaks) == COMM.size and 0 < peaks[COMM.rank] <= own
    assert d.transversal.counters["peak_bytes"] == max(peaks)
    assert d == btfperm.dulmage_mendelsohn(A, drop_zeros=False)
    assert btfperm.structural_rank(A, comm=COMM) == d.structural_rank
    place = d.transversal.explain()["decisions"]["place over ranks"]
    assert place["rule"] == ("one rank" if COMM.size == 1 else "small")
    place = d.meta["explain"]["decisions"]["decomposition"]
    assert place["choice"] == "mpi" and place["because"].startswith("each rank has the whole")


def case_many_blocks():
    n = 30_000
    A = sp.diags_array([np.ones(n), np.ones(n - 1)], offsets=[0, -1], format="csc")
    d = btfperm.dulmage_mendelsohn(A, comm=COMM, backend="mpi")
    explained = d.transversal.explain()["decisions"]
    assert explained["start on mpi"]["choice"] == d.transversal.initializer
    assert d.transversal.initializer == ("greedy" if COMM.size > 1 else "none")
    assert d.n_blocks == n and np.array_equal(d.col_perm, np.arange(n)[::-1])
    P = btfperm.DistributedPattern.from_positions(COMM, *A[:, ::-1].tocoo().coords, A.shape)
    for _ in range(2):  # the second time with the local numbers of the search
        t = btfperm.maximum_transversal(P, backend="mpi")
        start = t.explain()["decisions"]["start on mpi"]["choice"]
        assert start == ("karp-sipser" if COMM.size > 1 else "none")


def case_sub_communicators():
    """Two halves of the ranks analyse different matrices at the same time."""
    half = COMM.Split(COMM.rank % 2)
    for seed in range(2):
        same_blocks(inputs.random_matrix(100 + 10 * (COMM.rank % 2) + seed), half)
    half.Free()


def case_distributed_rows():
    """Each rank gives a block of rows, as in PETSc and SuperLU_DIST."""
    A = inputs.random_matrix(5)
    P = inputs.as_distributed_rows(A, COMM)
    assert P.on_host() == btfperm.as_pattern(A)
    d = btfperm.dulmage_mendelsohn(inputs.as_distributed_rows(A, COMM), backend="mpi")
    assert np.array_equal(d.col_perm, btfperm.dulmage_mendelsohn(A, drop_zeros=False).col_perm)
    t = btfperm.maximum_transversal(inputs.as_distributed_rows(A, COMM), gather=False)
    assert t.row_match.size == len(t.rows) and t.gather().size == d.structural_rank


def case_states_of_a_search():
    """The numbers that a rank reports are those of its own columns."""
    n = 60
    rows, cols = np.arange(n), np.arange(n)[::-1]
    A = sp.csc_array((np.ones(n), (rows, cols)), shape=(n, n + 40))
    states = []
    how = {"comm": COMM, "backend": "mpi", "algorithm": "ms-bfs", "gather": False}
    t = btfperm.maximum_transversal(A, watcher=states.append, **how)
    assert not states[0].done and states[-1].done
    assert all(0 <= state.matched <= state.possible == len(t.cols) for state in states)
    assert states[-1].matched == np.count_nonzero(t.col_match >= 0)


def case_limits():
    A = families.deadtree(200, 1).A
    how = {"backend": "mpi", "algorithm": "ms-bfs"}
    t = btfperm.maximum_transversal(A, comm=COMM, max_work=100, **how)
    assert not t.maximum and t.stopped_by == "max_work" and t.verified
    assert t.rank_bounds[0] <= btfperm.structural_rank(A) <= t.rank_bounds[1]


def case_refused_arguments():
    A = inputs.full(3, 3)
    for how in ({"backend": "gpu"}, {"initial": [0, 1, 2]}, {"algorithm": "hkdw"}):
        try:
            btfperm.maximum_transversal(A, comm=COMM, **{"backend": "mpi", **how})
        except btfperm.InvalidArgumentError:
            continue
        raise AssertionError(how)


CASES = {
    name.removeprefix("case_"): case
    for module in (
        sys.modules[__name__],
        added,
        counters,
        first_rank,
        files,
        values,
        weights,
        graphs,
        gaps,
        damage,
        given,
    )
    for name, case in vars(module).items()
    if name.startswith("case_")
}


def run_cases(cases, report, folder, ranks=COMM.size):
    # `-W error::CATEGORY` only names classes of Python itself, so `test_ranks.py` cannot.
    warnings.filterwarnings("error", category=btfperm.DefectWarning)
    # With a launcher of another MPI, each process would be the only rank.
    failures = {"ranks": [] if COMM.size == int(ranks) else [f"{COMM.size}, not {ranks}"]}
    for name, case in cases.items():
        failure = None
        begin = time.perf_counter()
        try:
            case(*([Path(folder)] if case.__code__.co_argcount else []))
        except Exception:
            failure = traceback.format_exc()
        # If a rank fails outside a call of btfperm, the others wait for it in their next call.
        failures[name] = [text for text in COMM.allgather(failure) if text]
        if COMM.rank == 0:
            print(f"{time.perf_counter() - begin:6.2f} s {name}")
        if failures[name]:
            break
    if COMM.rank == 0:
        Path(report).write_text(json.dumps(failures), encoding="utf-8")


if __name__ == "__main__":
    run_cases(CASES, *sys.argv[1:])
