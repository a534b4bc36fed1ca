# SPDX-License-Identifier: BSD-3-Clause
"""`heavy-perfect` against the exact search and an oracle: always a maximum transversal, and the
reported gap is never smaller than the true one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm import _core
from btfperm.backends.gpu import device
from btfperm.weighted.certificate import prove
from tests.faults.test_allocation import each_failure
from tests.known_answers import known_answers, read
from tests.oracles.plain_weighted import best_transversal
from tests.weighted.test_threads import of_blocks
from tests.weighted.test_weighted_transversal import check_matching, hard, valued

each_objective = pytest.mark.parametrize("objective", ["product", "sum"])


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def heavy(A, **options):
    return btfperm.weighted_transversal(A, algorithm="heavy-perfect", **options)


def check_against_the_best(A, w, best):
    """The matching is what it claims to be, and `best` exceeds it by at most the gap."""
    moduli = check_matching(A, w)
    total = np.log(moduli).sum() if w.kind == "product" else moduli.sum()
    rounding = 1e-10 * (1.0 + abs(best) + abs(total))
    assert w.objective == pytest.approx(total, abs=rounding)
    assert w.gap >= 0
    assert best - w.gap - rounding <= w.objective <= best + rounding
    if w.kind == "product":
        check_bounds(A, w)


def check_bounds(A, w):
    """Scaled entries are at most 1, and the logarithms of the matched ones add up to at least
    -gap."""
    A = sp.coo_array(A)
    stays = A.data != 0
    rows, cols, modulus = A.row[stays], A.col[stays], np.abs(A.data[stays])
    scaled = np.log(modulus) + w.log_row_scale[rows] + w.log_col_scale[cols]
    assert scaled.max(initial=-1.0) <= 1e-10
    assert -scaled[w.row_match[rows] == cols].sum() <= w.gap + 1e-9


def test_the_check_fails_on_wrong_results():
    A = hard("log-normal", 2500)
    w = heavy(A)
    best = btfperm.weighted_transversal(A).objective
    check_against_the_best(A, w, best)
    assert 0 < best - w.objective < w.gap
    with pytest.raises(AssertionError):  # a gap that is too small
        check_against_the_best(A, w, w.objective + 1.01 * w.gap)
    with pytest.raises(AssertionError):  # better than the best
        check_against_the_best(A, w, w.objective - 1e-3)
    scaled = A.copy()
    scaled.data *= 1.001
    with pytest.raises(AssertionError):  # the scalings of another matrix
        check_bounds(scaled, w)


@each_objective
@given(A=valued())
def test_small_matrices_of_any_shape_and_rank(objective, A):
    w = heavy(sp.csc_array(A), objective=objective)
    rank, best = best_transversal(A, objective)
    assert w.structural_rank == rank
    check_against_the_best(A, w, best)


@each_objective
@pytest.mark.parametrize("kind", ["log-normal", "wide", "four values", "one value"])
def test_an_auction_is_close_to_the_best(kind, objective):
    """If all values are equal, the exact search is used."""
    A = hard(kind, 2500)
    exact = btfperm.weighted_transversal(A, objective=objective)
    w = heavy(A, objective=objective, threads=1)
    check_against_the_best(A, w, exact.objective)
    assert (w.counters["bids"] > 0) == (kind != "one value")
    assert exact.objective - w.objective <= 2e-3 * (abs(exact.objective) + exact.structural_rank)
    assert w.algorithm == "heavy-perfect" and "nearly the largest" in repr(w)


def test_the_gap_of_sums_near_overflow():
    """A power of 2 changes nothing but the unit of the objective, of the gap and of the duals."""
    A = sp.csc_array(hard("log-normal", 2500))
    A.data /= 2.0 ** np.frexp(np.abs(A.data).max())[1]
    w = heavy(A, objective="sum", threads=1)
    large = heavy(A * 2.0**1005, objective="sum", threads=1)
    assert w.gap > 1e-9
    assert (large.objective, large.gap) == (w.objective * 2.0**1005, w.gap * 2.0**1005)
    assert np.array_equal(large.row_dual, w.row_dual * 2.0**1005)


@pytest.mark.usefixtures("everything_shared")
@pytest.mark.parametrize("kind", ["log-normal", "four values"])
def test_rounds_give_the_same_result_for_every_number_of_threads(kind):
    A = hard(kind, 1500)
    alone = heavy(A, threads=1)
    assert alone.counters["rounds"] > 0
    check_against_the_best(A, alone, btfperm.weighted_transversal(A).objective)
    for threads in (2, 4):
        w = heavy(A, threads=threads)
        assert w == alone and (w.gap, w.counters) == (alone.gap, alone.counters)


@pytest.mark.usefixtures("everything_shared")
@each_objective
def test_blocks_give_the_same_result_for_every_number_of_threads(objective):
    A = of_blocks(3)
    alone = heavy(A, objective=objective, threads=1)
    exact = btfperm.weighted_transversal(A, objective=objective)
    check_against_the_best(A, alone, exact.objective)
    for threads in (2, 4):
        w = heavy(A, objective=objective, threads=threads)
        assert w == alone and (w.gap, w.counters) == (alone.gap, alone.counters)


@pytest.mark.parametrize("known", known_answers(), ids=lambda known: known.name)
def test_real_matrices(known):
    A = read(known.name)
    if A.nnz == 0 or A.dtype == bool:
        pytest.skip("has no values")
    A = sp.csc_array(A)
    A.eliminate_zeros()
    exact = btfperm.weighted_transversal(A)
    w = heavy(A)
    assert w.structural_rank == exact.structural_rank
    check_against_the_best(A, w, exact.objective)
    assert exact.objective - w.objective <= 5e-3 * exact.structural_rank


def price_war(n=1200, rivals=60):
    """`rivals` columns compete for `rivals` - 1 rows with equal values; their other entries are
    e^5 times smaller. With the step that suits the other `n` columns, the rivals would make very
    many bids."""
    A = hard("log-normal", n).tocoo()
    rng = np.random.default_rng(4)
    dense = np.indices((rivals - 1, rivals)).reshape(2, -1)
    links = rng.integers(0, n, (2, 3 * rivals))  # rows and columns that connect both parts
    rows = [A.row, n + dense[0], links[0], n + np.arange(3 * rivals) % (rivals - 1)]
    cols = [A.col, n + dense[1], n + np.arange(3 * rivals) % rivals, links[1]]
    data = [A.data**1e-4, np.ones(dense.shape[1]), np.full(6 * rivals, np.exp(-5.0))]
    rows, cols = [*rows, [n + rivals - 1]], [*cols, [0]]  # a row for the column that loses
    rows, cols = [*rows, [n + rivals - 1]], [*cols, [1]]
    places = np.concatenate(rows), np.concatenate(cols)
    return sp.csc_array((np.concatenate([*data, [np.exp(-5.0)] * 2]), places))


def test_the_work_of_an_auction_is_limited():
    """Shortest augmenting paths match the columns that are left."""
    A = price_war()
    exact = btfperm.weighted_transversal(A)
    w = heavy(A)
    assert w.counters["searches"] > 0 and w.counters["bids"] > 0
    assert w.counters["edges"] < 200 * A.nnz  # 950 nnz without the limit
    check_against_the_best(A, w, exact.objective)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_widest_range(threads):
    rng = np.random.default_rng(5)
    A = hard("log-normal", 1600)
    A.data *= 10.0 ** rng.integers(-290, 290, A.nnz)
    w = heavy(A, threads=threads)
    assert w.counters["bids"] > 0
    check_against_the_best(A, w, btfperm.weighted_transversal(A).objective)
    B = np.array([[1e-300, 1e300], [1e300, 1e300]])
    assert heavy(B).objective == pytest.approx(2 * np.log(1e300))


@pytest.mark.parametrize("shape", [(400, 500), (500, 400), (450, 450)])
def test_rectangular_and_singular(shape):
    rng = np.random.default_rng(2)
    A = sp.random(*shape, 0.008, random_state=rng, format="csc")
    A.data = np.exp(rng.normal(size=A.nnz))
    exact = btfperm.weighted_transversal(A)
    assert exact.structural_rank < min(shape)
    check_against_the_best(A, heavy(A), exact.objective)


def test_stored_zeros_are_never_matched():
    A, n = hard("log-normal", 1600), 1600
    plain = heavy(A)
    assert plain.counters["bids"] > 0
    rows = np.concatenate([A.tocoo().row, np.arange(n)])
    cols = np.concatenate([A.tocoo().col, (np.arange(n) + 1) % n])
    data = np.concatenate([A.data, np.zeros(n)])
    with_zeros = sp.coo_array((data, (rows, cols)), shape=A.shape)
    assert heavy(btfperm.as_valued(with_zeros)).gap >= 0
    assert heavy(with_zeros) == plain


@pytest.mark.usefixtures("everything_shared")
def test_limits_and_failed_allocations():
    A = hard("log-normal", 1600)
    whole = heavy(A)
    edges = whole.counters["edges"]
    assert whole.counters["bids"] > 0
    for share in (0.4, 0.7, 0.95):
        with pytest.raises(btfperm.LimitReachedError, match="weighted search was stopped"):
            heavy(A, max_work=int(share * edges))

    small = hard("log-normal", 100)

    def call():
        assert heavy(small, threads=2).structural_rank == 100

    assert each_failure(call) > 0


def test_algorithms_by_name():
    A = hard("log-normal", 50)
    assert btfperm.weighted_transversal(A, algorithm="mc64") == btfperm.weighted_transversal(A)
    with pytest.raises(btfperm.InvalidArgumentError, match="there are auto, mc64, heavy-perfect"):
        btfperm.weighted_transversal(A, algorithm="auction")
    with pytest.raises(btfperm.InvalidArgumentError, match="has one algorithm"):
        heavy(A, objective="bottleneck")
    rows = btfperm.algorithms(package="weighted")
    names = [row.name for row in rows if not row.of_graphs]
    assert names == ["mc64", *["heavy-perfect"] * 3]  # on the CPU, on a GPU and over ranks


def test_only_a_request_needs_a_gpu(monkeypatch):
    monkeypatch.setattr(device, "why_not", lambda *_: "none was planted")
    A = hard("log-normal", 50)
    assert heavy(A).structural_rank == heavy(A, backend="cpu").structural_rank == 50
    with pytest.raises(btfperm.BackendUnavailableError, match="none was planted"):
        heavy(A, backend="gpu")


def test_64_bit_indices():
    A = hard("log-normal", 1600)
    V = btfperm.as_valued(A)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    n = A.shape[0]
    arrays = [np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n)]
    blocks = [x.astype(np.int64) for x in (d.row_perm, d.col_perm, d.row_blocks, d.col_blocks)]
    columns = V.pattern.indptr.astype(np.int64), V.pattern.indices.astype(np.int64)
    _core.weighted.heavy_perfect(n, *columns, np.log(np.abs(V.values)), *blocks, *arrays)
    w = heavy(A)
    assert np.array_equal(arrays[0], w.row_match) and np.array_equal(arrays[2], w.row_dual)


def test_the_certificate_bounds_worse_matchings():
    """Duals that are not feasible are refused. A worse matching has a larger gap, and is refused if
    it must be the best one."""
    A = np.array([[1.0, 10.0, 0.0], [4.0, 2.0, 0.0], [3.0, 0.0, 5.0]])
    V = btfperm.as_valued(A)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    w = btfperm.weighted_transversal(A)
    worse = np.array([0, 1, 2], np.int32)
    duals = w.row_dual.copy(), w.col_dual.copy()
    proof = prove(V.pattern, np.log(V.values), d, worse, worse, *duals, exact=False)
    assert proof.total == pytest.approx(np.log(10.0))
    assert proof.gap == pytest.approx(np.log(20.0))
    with pytest.raises(btfperm.DefectError, match="below its bound"):
        prove(V.pattern, np.log(V.values), d, worse, worse, *duals)
    duals[0][1] += 1e-10  # within the tolerance of rounding errors, which count in the gap
    proof = prove(V.pattern, np.log(V.values), d, worse, worse, *duals, exact=False)
    assert w.objective - proof.total <= proof.gap <= np.log(20.0) + 1e-9
    duals[0][1] += 1e-3
    with pytest.raises(btfperm.DefectError, match="not feasible"):
        prove(V.pattern, np.log(V.values), d, worse, worse, *duals, exact=False)
