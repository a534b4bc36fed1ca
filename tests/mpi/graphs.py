# SPDX-License-Identifier: BSD-3-Clause
"""Cases about matchings in graphs: those of one process, on every number of ranks."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI

import btfperm
from btfperm.weighted import match_mpi
from btfperm.weighted.graph import local_max_mpi
from tests.mpi import inputs
from tests.mpi.damage import raised
from tests.mpi.values import written
from tests.transversal.test_counters import undeclared

COMM = MPI.COMM_WORLD
FACTS = ("weight", "size", "edges", "rounds", "maximal", "locally_dominant")


def random_graph(n, edges, seed):
    """A symmetric matrix with weights that are distinct, have ties, or are all equal."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, edges))
    kinds = (rng.random(edges) + 1e-3, rng.integers(1, 4, edges) * 1.0, np.ones(edges))
    A = sp.csc_array((kinds[seed % 3], (u, v)), shape=(n, n))
    A.sum_duplicates()
    return sp.csc_array(A.maximum(A.T))


def same_matching(G, comm=COMM, **how):
    """The matching, the rounds and the counts of one process; a bound that holds."""
    apart = btfperm.match(G, comm=comm, gather=False, **how)
    m = apart.gather()
    options = {"limit": 0, **how.pop("options", {})}
    serial = btfperm.match(G, options=options, **how)
    assert np.array_equal(m.mate, serial.mate)
    for name in FACTS:
        ours, theirs = getattr(m, name), getattr(serial, name)
        assert np.isclose(ours, theirs, rtol=1e-12), (name, ours, theirs)
    assert np.array_equal(m.edges_left, serial.edges_left)
    assert np.allclose(m.matched_share, serial.matched_share)
    assert m.backend == "mpi" and m.maximal and m.locally_dominant and apart.n == m.n
    assert not undeclared(m.counters)
    pairs = np.concatenate(comm.allgather(apart.pairs()))
    assert np.array_equal(pairs, serial.pairs())
    A = sp.coo_array(G)
    u, v = A.coords
    off = u != v
    covered = m.dual[u[off]] + m.dual[v[off]]
    weight = np.ones(off.sum()) if how.get("weights") == "ones" else A.data[off]
    assert (covered >= weight * (1 - 1e-12)).all() and (m.dual >= 0).all()
    assert m.weight <= m.upper_bound <= 2 * m.weight * (1 + 1e-12)
    return m


def case_local_max_is_that_of_one_process():
    for seed in range(9):
        n = (1, 5, 30, 60)[seed % 4]
        G = random_graph(n, 3 * n, seed)
        for ties in ("fixed", "renewed"):
            same_matching(G, options={"ties": ties}, seed=seed)


def case_rows_are_matched_to_columns():
    """A matrix of any shape is a bipartite graph, as in one process."""
    for seed, shape in enumerate(((1, 1), (7, 12), (40, 9), (30, 30), (0, 3), (3, 0))):
        B = sp.random_array(shape, density=0.2, rng=seed, format="csc")
        B.data += 1e-3
        for weights in ("values", "ones"):
            how = {"bipartite": True, "weights": weights, "seed": seed}
            apart = btfperm.match(B, comm=COMM, gather=False, **how)
            m, serial = apart.gather(), btfperm.match(B, options={"limit": 0}, **how)
            assert np.array_equal(m.mate, serial.mate) and m.edges == B.nnz
            assert np.isclose(m.weight, serial.weight) and m.n == sum(shape)
            assert m.weight <= m.upper_bound * (1 + 1e-12)
    B = sp.csc_array(np.array([[1.0, 2.0], [3.0, -4.0]]))
    match = partial(btfperm.match, B, comm=COMM, bipartite=True)
    assert "row 1, column 1" in raised(btfperm.InvalidMatrixError, match)
    assert match(weights="moduli").weight == 5


def case_local_max_on_a_path_of_increasing_weights():
    """In each round only one edge is heavier than its neighbours, so there are as many rounds as
    matched edges."""
    weight = np.arange(1.0, 40)
    G = sp.diags_array([weight, weight], offsets=[-1, 1], shape=(40, 40), format="csc")
    assert same_matching(G).rounds == 20


def case_the_bound_is_half_of_the_largest_weights():
    """In a complete graph of equal weights, the duals of the mates bound the weight by twice as
    much as half of the largest weight at each vertex."""
    for n in (2, 6, 9):
        G = sp.csc_array(3.0 * (1 - np.eye(n)))
        m = same_matching(G)
        assert m.upper_bound <= 3 * n / 2 * (1 + 1e-9), (n, m.upper_bound)


def case_graphs_of_all_kinds(folder):
    for n in (0, 1, 3):
        same_matching(sp.csc_array((n, n)))
    G = random_graph(20, 50, 1)
    same_matching(G, weights="ones")
    path = written(
        folder / "graph.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n2 1\n3 2\n4 3\n2 2\n",
    )
    m = btfperm.match(str(path), comm=COMM)
    assert m == btfperm.match(str(path)) and m.weight == 2
    P = inputs.as_distributed_rows(G, COMM, values=True)
    assert btfperm.match(P) == btfperm.match(G, options={"limit": 0})
    loops = G.tolil()
    loops.setdiag(np.nan)  # the diagonal is ignored
    mates = [btfperm.match(each, comm=COMM).mate for each in (sp.csc_array(loops), G)]
    assert np.array_equal(*mates)
    huge = sp.csc_array(G * 1e300)
    assert np.array_equal(btfperm.match(huge, comm=COMM).mate, btfperm.match(G, comm=COMM).mate)


def case_graphs_on_sub_communicators():
    half = COMM.Split(COMM.rank % 2)
    same_matching(random_graph(40, 100, 50 + COMM.rank % 2), half)
    half.Free()


def case_refused_graphs():
    """All ranks raise the error of one process."""
    G = random_graph(12, 40, 1).tolil()
    G[2, 11], G[11, 2] = 3.0, 3.0
    other, alone, negative = G.copy(), G.copy(), G.copy()
    other[2, 11] = 4.0
    alone[2, 11] = 0
    negative[11, 2] = negative[2, 11] = -1.0
    for A in (other, alone, negative, sp.csc_array(np.ones((2, 3)))):
        A = sp.csc_array(A)
        A.eliminate_zeros()
        texts = [
            raised(btfperm.InvalidMatrixError, partial(btfperm.match, A, **how))
            for how in ({}, {"comm": COMM})
        ]
        assert texts[0] == texts[1]
    G = sp.csc_array(G)
    for how in ({"algorithm": "gpa"}, {"options": {"limit": 2}}, {"backend": "gpu"}, {"memory": 1}):
        raised(btfperm.InvalidArgumentError, partial(btfperm.match, G, comm=COMM, **how))


def case_the_first_of_several_faults():
    """The message is about the same entry as in one process, whatever the kinds of the faults."""
    for seed in inputs.drawn(range(40)):
        rng = np.random.default_rng(seed)
        A = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) < 0.4))
        A = A + np.triu(A, 1).T
        for _ in range(seed % 4 + 1):
            i, j = rng.integers(0, 12, 2)
            A[i, j] = rng.choice([np.nan, np.inf, -1.0, 0.0, 7.0])
        texts = []
        for how in ({}, {"comm": COMM}):
            try:
                btfperm.match(sp.csc_array(A), **how)
                texts.append("")
            except btfperm.InvalidMatrixError as error:
                texts.append(str(error))
        assert texts[0] == texts[1], seed


def case_the_checks_of_graphs_find_wrong_matchings():
    """The checks refuse the result of a search that forgets a pair, and of one that matches a
    vertex twice."""
    search = local_max_mpi.local_max

    def forgetful(graph, *how):
        counters = search(graph, *how)
        graph.mate.fill(-1)
        return counters

    def wrong(graph, *how):
        counters = search(graph, *how)
        graph.mate[graph.mate >= 0] = graph.mate.max(initial=0)
        return counters

    G = random_graph(30, 100, 3)
    for planted, part in ((forgetful, "not maximal"), (wrong, "has another mate")):
        local_max_mpi.local_max = planted
        try:
            assert part in raised(btfperm.DefectError, partial(btfperm.match, G, comm=COMM))
        finally:
            local_max_mpi.local_max = search


def case_the_checks_of_graphs_find_wrong_duals():
    bound = match_mpi.judge_duals
    found = []

    def seen(total, excess, n, largest, negative, where):
        found.append((total, excess, n, negative))
        return bound(total, excess + 1, n, largest, negative, where)

    match_mpi.judge_duals = seen
    try:
        call = partial(btfperm.match, random_graph(30, 100, 4), comm=COMM)
        assert "not feasible" in raised(btfperm.DefectError, call)
    finally:
        match_mpi.judge_duals = bound
    # On a rank that learned of the failure first, there is nothing.
    found = next(of_rank for of_rank in COMM.allgather(found) if of_rank)
    assert found[0][2] == 30 and not found[0][3] and found[0][1] < 1e-12


def case_limits_of_graphs():
    m = btfperm.match(random_graph(60, 300, 0), comm=COMM, max_work=1)
    assert m.stopped_by == "max_work" and m.rounds == 1 and not m.maximal
