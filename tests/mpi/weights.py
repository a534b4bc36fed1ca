# SPDX-License-Identifier: BSD-3-Clause
"""Cases about weighted transversals: the duals, the gap, and the exact optimum of one process."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import numpy as np
import scipy.sparse as sp
from mpi4py import MPI
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

import btfperm
from btfperm.backends.protocol import ValuedSession
from btfperm.order import order_file
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES
from btfperm.reports.verify import verify
from btfperm.results.distributed import DistributedWeightedTransversal
from btfperm.weighted import assign_mpi, certificate_mpi, moduli
from btfperm.weighted.approximate import heavy_perfect_mpi
from btfperm.weighted.diagonal import diagonals_of
from btfperm.weighted.weigh_mpi import moduli_over_ranks
from tests import families
from tests.known_answers import MATRICES
from tests.mpi import inputs
from tests.mpi.damage import raised
from tests.mpi.values import written
from tests.transversal.test_counters import undeclared

COMM = MPI.COMM_WORLD
LAST = COMM.size - 1


def with_values(A, seed, spread=3.0):
    """The matrix with random values: on several scales, with ties, or all equal."""
    rng = np.random.default_rng(seed)
    A = sp.csc_array(A, copy=True)
    A.sum_duplicates()
    kinds = (
        lambda: np.exp(spread * rng.standard_normal(A.nnz)),
        lambda: rng.integers(1, 5, A.nnz) * 1.0,
        lambda: rng.random(A.nnz) - 0.5,
        lambda: np.ones(A.nnz),
    )
    A.data = kinds[seed % len(kinds)]()
    return A


def contributions(A, kind):
    return np.log(np.abs(A.data)) if kind == "product" else np.abs(A.data)


def checked(A, comm=COMM, kind="product", **how):
    """The transversal over ranks, without any replication. Its duals are checked here against each
    entry, and its objective against the best one."""
    whole = how.pop("whole", A)
    how = {"backend": "mpi", "algorithm": "heavy-perfect", **how}
    apart = btfperm.weighted_transversal(A, objective=kind, comm=comm, gather=False, **how)
    w = apart.gather()
    A = sp.csc_array(whole)
    best = btfperm.weighted_transversal(A, objective=kind)
    assert w.structural_rank == best.structural_rank == np.count_nonzero(w.row_match >= 0)
    assert w.algorithm == "heavy-perfect" and w.transversal.backend == "mpi"
    assert tuple(w.counters)[:4] == OF_WEIGHTED_SEARCHES and not undeclared(w.counters)
    value, rows, cols = contributions(A, kind), *A.tocoo().coords
    scale = 1e-9 * (1 + np.abs(value).max(initial=0))
    scaled = value + w.row_dual[rows] + w.col_dual[cols]
    assert scaled.max(initial=-1) <= scale, "an entry exceeds its bound"
    matched = w.row_match[rows] == cols
    assert matched.sum() == w.structural_rank, "a pair is no entry"
    assert np.array_equal(w.col_match[cols[matched]], rows[matched])
    slack = -scaled[matched].sum()
    total = value[matched].sum()
    assert abs(slack - w.gap) <= A.nnz * scale and abs(total - w.objective) <= A.nnz * scale
    assert total <= best.objective + A.nnz * scale
    assert best.objective - total <= w.gap + A.nnz * scale, "the gap is too small"
    return w, best


def case_weights_of_random_matrices():
    for seed in inputs.drawn(range(8)):
        A = with_values(inputs.random_matrix(200 + seed), seed)
        for kind in ("product", "sum"):
            checked(A, kind=kind)


def case_weights_of_families():
    for k, hard in inputs.drawn(enumerate(families.small_and_hard())):
        checked(with_values(hard.A, k))
        checked(with_values(hard.A, k + 2))


def random_square(n, degree, seed):
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(0, n, n * degree), np.repeat(np.arange(n), degree)
    both = np.concatenate((rows, rng.permutation(n))), np.concatenate((cols, np.arange(n)))
    A = sp.csc_array((np.ones(both[0].size), both), shape=(n, n))
    A.sum_duplicates()
    A.data = rng.random(A.nnz) + 1e-3
    return A


def case_gap_of_a_random_matrix():
    """A gap of some per cent of an entry, and the optimum as SciPy computes it."""
    A = random_square(1500, 8, 1)
    w, _ = checked(A)
    costs = sp.csr_array((-np.log(A.data) + 1, A.indices, A.indptr), shape=A.shape)  # transposed
    rows, cols = min_weight_full_bipartite_matching(costs)
    best = -(costs[rows, cols].sum() - rows.size)
    assert -1e-8 <= best - w.objective <= w.gap + 1e-8 and w.gap < 0.03 * A.shape[0]
    assert (w.counters["bids"] >= A.shape[0] and w.counters["messages"] == 0) or COMM.size > 1


@contextmanager
def long_phases():
    """Phases end only when every column has a row."""
    with inputs.changed("btfperm.weighted.approximate.heavy_perfect_mpi", "THIN", 0):
        yield


def case_auctions_alone_match_all_columns():
    """The messages between ranks keep rows, owners and ghosts consistent until all columns are
    matched, so no search follows."""
    for seed in inputs.drawn(range(3)):
        A = with_values(random_square(60, 4, seed), 0)
        with long_phases():
            w, _ = checked(A)
        assert w.counters["searches"] == 0


def case_one_bid_in_a_step():
    """A rank makes only one bid in a step. The bid uses the last duals that the rank has received,
    although their owners may have changed them already."""
    name = "btfperm.weighted.approximate.heavy_perfect_mpi"
    with inputs.changed(name, "LEAST_STEP", 1), inputs.changed(name, "PARTS", 1 << 30):
        for seed in inputs.drawn(range(3)):
            with long_phases():
                checked(with_values(random_square(40, 5, 10 + seed), 0))


def long_chain():
    """A chain of blocks whose shifts depend on each other."""
    rng = np.random.default_rng(3)
    chain = sp.csc_array(families.renumbered(families.bidiagonal(300), "mixed").A)
    chain.data = np.exp(3 * rng.standard_normal(chain.nnz))
    return chain


def case_shifts_on_the_first_rank():
    chain = long_chain()
    checked(chain)
    with inputs.changed("btfperm.weighted.assign_mpi", "ROUNDS", 2):
        checked(chain)
    with inputs.changed("btfperm.weighted.assign_mpi", "GATHERED", 0):
        checked(chain)


def case_weights_with_more_ranks_than_columns():
    for shape in ((0, 0), (0, 3), (3, 0), (1, 1), (2, 1), (1, 2), (5, 2), (2, 5)):
        checked(with_values(inputs.full(*shape), 0))


def case_weights_on_sub_communicators():
    half = COMM.Split(COMM.rank % 2)
    for seed in range(2):
        checked(with_values(inputs.random_matrix(300 + 10 * (COMM.rank % 2) + seed), seed), half)
    half.Free()


def case_weights_of_distributed_rows():
    A = with_values(inputs.random_matrix(5), 2)
    checked(inputs.as_distributed_rows(A, COMM, values=True), comm=None, whole=A)
    text = raised(
        btfperm.InvalidMatrixError,
        lambda: btfperm.weighted_transversal(inputs.as_distributed_rows(A, COMM)),
    )
    assert "has no values" in text


def case_a_pattern_keeps_its_entries():
    """The search numbers the rows anew; the pattern of the caller is not changed by that."""
    A = with_values(random_square(40, 3, 7), 0)
    P = inputs.as_distributed_rows(A, COMM, values=True)
    before = P.indices.copy()
    btfperm.weighted_transversal(P, backend="mpi")
    assert np.array_equal(P.indices, before)
    assert P.on_host() == btfperm.as_pattern(A)


def case_the_smallest_values():
    """The slack of the last entries is below every share of the largest value."""
    A = sp.csc_array(5e-324 * np.array([[1, 1, 3], [1, 1, 3], [3, 3, 3]]).T)
    w = btfperm.weighted_transversal(A, objective="sum", comm=COMM, backend="mpi")
    assert w.structural_rank == 3 == np.count_nonzero(w.row_match >= 0)


def case_a_rank_without_room_for_the_whole_result():
    """If it fails while the ranks gather the result, all ranks raise its error."""
    whole = DistributedWeightedTransversal.gather

    def gather(self):
        if COMM.rank == LAST:
            raise MemoryError("no room")
        return whole(self)

    A = with_values(inputs.full(4, 4), 0)
    call = partial(btfperm.weighted_transversal, A, comm=COMM, backend="mpi")
    DistributedWeightedTransversal.gather = gather
    try:
        assert raised(MemoryError, call) == "no room"
    finally:
        DistributedWeightedTransversal.gather = whole


def case_small_weights_are_replicated():
    A = with_values(inputs.random_matrix(6), 0)
    for kind in ("product", "sum", "bottleneck"):
        w = btfperm.weighted_transversal(A, objective=kind, comm=COMM)
        serial = btfperm.weighted_transversal(A, objective=kind)
        assert w == serial and w.gap == serial.gap and w.algorithm == serial.algorithm
        found, expected = (each.transversal.explain() for each in (w, serial))
        assert found.get("weighted_plan") == expected.get("weighted_plan")
        assert "place over ranks" in found["decisions"]
        assert (kind == "bottleneck") == ("weighted_plan" not in found)
    scales = btfperm.weighted_transversal(A, comm=COMM, gather=False).scales()
    whole = btfperm.weighted_transversal(A).scales()
    for own, all_of_it in zip(scales, whole, strict=True):
        assert np.allclose(np.concatenate(COMM.allgather(own)), all_of_it)


def case_weights_in_files(folder):
    """The file holds the scalings, and `check` accepts it."""
    path, out = str(MATRICES / "west0479.mtx.gz"), folder / "weights.npz"
    done = order_file(
        path, [out], weights="product", algorithm="heavy-perfect", backend="mpi", comm=COMM
    )
    COMM.Barrier()
    d, w = btfperm.load(out), done.weighted.gather()
    assert np.array_equal(d.log_row_scale, w.log_row_scale)
    assert np.array_equal(d.log_col_scale, w.log_col_scale)
    assert np.array_equal(d.row_match, w.row_match) and d.row_match.min() >= 0
    assert d.meta["weights"]["algorithm"] == "heavy-perfect" and d.meta["weights"]["gap"] == w.gap
    pattern, modulus = moduli(btfperm.io.read_valued(path, drop_zeros=True))
    with np.load(out) as arrays:
        verdict = verify(pattern, dict(arrays), values=modulus, gap=w.gap)
    assert verdict.ok and "scalings" in verdict.passed, verdict
    expected = diagonals_of(pattern, modulus, w)
    for ours, theirs in zip(done.diagonals, expected, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-12)


def case_a_value_that_is_not_finite():
    """One rank has it; all raise the same error, which is that of one process."""
    A = with_values(sp.csc_array(np.tri(12)), 0)
    for bad in (np.nan, np.inf):
        A.data[-1] = bad
        texts = {
            raised(btfperm.InvalidMatrixError, partial(btfperm.weighted_transversal, A, **how))
            for how in ({}, {"comm": COMM})
        }
        assert len(texts) == 1 and "row 11, column 11 " in texts.pop()
    B = sp.coo_array(([1.0, 1.5e308 + 1.5e308j], ([0, 1], [0, 1])), shape=(2, 2))
    texts = {
        raised(btfperm.InvalidMatrixError, partial(btfperm.weighted_transversal, B, **how))
        for how in ({}, {"comm": COMM})
    }
    assert len(texts) == 1 and "row 1, column 1 (counted from 0) is too large" in texts.pop()


def case_zeros_are_never_matched(folder):
    path = written(
        folder / "zeros.mtx",
        "%%MatrixMarket matrix coordinate real general\n"
        "2 2 5\n1 1 0\n2 1 1\n1 2 3\n2 2 2\n2 2 -2\n",
    )
    w = btfperm.weighted_transversal(path, comm=COMM, backend="mpi")
    assert w.row_match.tolist() == [1, 0] and abs(np.exp(w.objective) - 3) < 1e-12


def solved(A):
    """A matrix over ranks with its weighted matching."""
    P = moduli_over_ranks(A, COMM)
    d = btfperm.dulmage_mendelsohn(P, backend="mpi", gather=False)
    w = btfperm.weighted_transversal(A, comm=COMM, backend="mpi", gather=False)
    session = ValuedSession(P, "weighted", np.log(P.values), d)
    found = assign_mpi.DistributedWeights(session, 1)
    for name in ("row_match", "col_match", "row_dual", "col_dual"):
        getattr(found, name)[:] = getattr(w, name)
    return found


def case_the_certificate_finds_wrong_duals():
    A = with_values(random_square(40, 3, 2), 0)
    certificate_mpi.prove(solved(A))
    for name in ("row_dual", "col_dual"):
        for wrong in (0.5, np.nan):
            found = solved(A)
            owner = COMM.allgather(getattr(found, name).size).index(
                max(COMM.allgather(getattr(found, name).size))
            )
            if COMM.rank == owner:
                getattr(found, name)[0] += wrong
            call = partial(certificate_mpi.prove, found)
            assert "not feasible" in raised(btfperm.DefectError, call)


def case_the_certificate_finds_wrong_pairs_and_unmatched_rows():
    found = solved(with_values(random_square(20, 3, 4), 0))
    found.rank += 1
    text = raised(btfperm.DefectError, partial(certificate_mpi.prove, found))
    found.rank -= 1
    assert f"matched {found.rank} entries of {found.rank + 1}" in text
    if COMM.rank == LAST and found.col_match.size > 1:
        found.col_match[:2] = found.col_match[1::-1]
    if COMM.allreduce(int(COMM.rank == LAST and found.col_match.size > 1)):
        text = raised(btfperm.DefectError, partial(certificate_mpi.prove, found))
        assert "no entry" in text
    for A in (np.ones((4, 3)), np.ones((3, 4))):
        found = solved(with_values(sp.csc_array(A), 0))
        has_more_rows = A.shape[0] > A.shape[1]
        match = found.row_match if has_more_rows else found.col_match
        dual = found.row_dual if has_more_rows else found.col_dual
        dual[match < 0] -= 1
        text = raised(btfperm.DefectError, partial(certificate_mpi.prove, found))
        assert "not the largest of its block" in text


def case_a_wrong_auction_fails_the_certificate():
    """A dual that the search sets wrongly on each rank."""
    search = heavy_perfect_mpi.heavy_perfect

    def wrong(part, budget):
        counters = search(part, budget)
        part.row_dual[:1] += 1.0
        return counters

    heavy_perfect_mpi.heavy_perfect = wrong
    try:
        A = with_values(random_square(30, 3, 5), 0)
        call = partial(btfperm.weighted_transversal, A, comm=COMM, backend="mpi")
        assert "not feasible" in raised(btfperm.DefectError, call)
    finally:
        heavy_perfect_mpi.heavy_perfect = search


def case_refused_weights():
    A = with_values(inputs.full(4, 4), 0)
    for how in (
        {"backend": "gpu"},
        {"backend": "mpi", "algorithm": "mc64"},
        {"backend": "mpi", "objective": "bottleneck"},
        {"objective": "bottleneck", "algorithm": "mc64"},
        {"objective": "none"},
    ):
        raised(btfperm.InvalidArgumentError, partial(_weigh, A, how))


def _weigh(A, how):
    return btfperm.weighted_transversal(A, comm=COMM, **how)


def case_limits_of_weights():
    """The search for the structural rank visits fewer entries than the auction, so the limit ends
    the weighted search."""
    A = with_values(random_square(300, 5, 6), 0)
    edges = _weigh(A, {"backend": "mpi"}).counters["edges"]
    how = {"backend": "mpi", "max_work": edges - 1}
    text = raised(btfperm.LimitReachedError, partial(_weigh, A, how))
    assert "the weighted search was stopped by max_work" in text


def case_limits_of_shifts():
    """Each round of shifts passes over all entries between blocks; one rank needs one round."""
    chain, how = long_chain(), {"backend": "mpi"}
    with inputs.changed("btfperm.weighted.assign_mpi", "GATHERED", 0):
        edges = _weigh(chain, how).counters["edges"]
        assert (edges > 10 * chain.nnz) == (COMM.size > 1)
        if COMM.size > 1:
            how["max_work"] = edges - 1
            text = raised(btfperm.LimitReachedError, partial(_weigh, chain, how))
            assert "the weighted search was stopped by max_work" in text


def case_the_backend_is_obeyed_after_a_whole_copy():
    """A copy of the whole matrix from an earlier call does not decide where the next one runs."""
    A = with_values(random_square(40, 3, 7), 0)
    P = inputs.as_distributed_rows(A, COMM, values=True)
    P.on_host()

    def whole(*_):
        raise AssertionError("analysed whole on each rank")

    with inputs.changed("btfperm.dulmage_mendelsohn.decompose_mpi", "sliced", whole):
        assert btfperm.dulmage_mendelsohn(P, backend="mpi").structural_rank == 40
        w = btfperm.weighted_transversal(P, backend="mpi", gather=False)
    assert w.algorithm == "heavy-perfect"
    assert btfperm.weighted_transversal(P).algorithm == "mc64"
