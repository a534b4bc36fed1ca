# SPDX-License-Identifier: BSD-3-Clause
"""`heavy-perfect` on a GPU, on matrices small enough for an emulated device: always a maximum
transversal, and the reported gap is never smaller than the true one.

These tests also run in the suite of machines without a GPU, see
`tests/backends/test_on_emulated_gpu.py`.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.protocol import ValuedSession
from btfperm.order import order_file
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES
from btfperm.weighted.approximate import heavy_perfect_gpu
from btfperm.weighted.problem import WeightedProblem
from tests.oracles.plain_weighted import best_transversal
from tests.weighted.test_heavy_perfect import check_against_the_best, price_war
from tests.weighted.test_threads import of_blocks
from tests.weighted.test_weighted_transversal import hard

pytestmark = pytest.mark.gpu

each_objective = pytest.mark.parametrize("objective", ["product", "sum"])


@pytest.fixture(autouse=True)
def small_blocks_have_auctions(monkeypatch):
    monkeypatch.setattr(heavy_perfect_gpu, "_LEAST_ENTRIES", 0)


def heavy(A, **options):
    w = btfperm.weighted_transversal(A, algorithm="heavy-perfect", backend="gpu", **options)
    assert tuple(w.counters) == OF_WEIGHTED_SEARCHES
    return w


@each_objective
@pytest.mark.parametrize("kind", ["log-normal", "wide", "four values"])
def test_it_is_close_to_the_best(kind, objective):
    A = hard(kind, 200)
    exact = btfperm.weighted_transversal(A, objective=objective)
    w = heavy(A, objective=objective)
    check_against_the_best(A, w, exact.objective)
    assert w.counters["rounds"] > 0 and w.counters["bids"] >= 200
    assert exact.objective - w.objective <= 2e-3 * (abs(exact.objective) + exact.structural_rank)


@pytest.mark.parametrize("kind", ["dense", "sparse", "banded"])
def test_the_second_choice_bounds_a_bid(kind):
    """Several threads compare the entries of a long column. A bid that ignores the second best
    entry of another thread is too high: the gap grows, or the auction is abandoned."""
    rng = np.random.default_rng(1)
    A = np.exp(2 * rng.normal(size=(64, 64)))
    A *= {"dense": 1, "sparse": rng.random(A.shape) < 0.3, "banded": np.tri(64, k=6)}[kind]
    if kind == "banded":
        A *= np.tri(64, k=6).T
    w = heavy(sp.csc_array(A))
    assert w.counters["rounds"] > 0 and 1e-3 < w.gap < 0.25


def test_small_matrices_against_an_oracle():
    rng = np.random.default_rng(3)
    auctions = 0
    for case in range(40):
        m, n = rng.integers(1, 8, 2) if case % 2 else [int(rng.integers(2, 8))] * 2
        A = np.where(rng.random((m, n)) < 0.5, np.exp(3 * rng.normal(size=(m, n))), 0.0)
        w = heavy(sp.csc_array(A))
        rank, best = best_transversal(A, "product")
        assert w.structural_rank == rank
        check_against_the_best(A, w, best)
        auctions += w.counters["rounds"] > 0
    assert auctions > 5


def test_equal_values_have_no_auction():
    A = hard("one value", 200)
    w = heavy(A)
    assert w.counters["bids"] == 0
    assert w.gap <= 1e-12
    check_against_the_best(A, w, btfperm.weighted_transversal(A).objective)


def test_every_run_gives_the_same_result():
    A = hard("log-normal", 150)
    first = heavy(A)
    for threads in (1, 2):
        w = heavy(A, threads=threads)
        assert w == first and (w.gap, w.counters) == (first.gap, first.counters)


def test_blocks_have_auctions_of_their_own():
    """The matrix is permuted, and has blocks of one entry and entries between the blocks."""
    A = of_blocks(3)[:, ::-1]
    exact = btfperm.weighted_transversal(A)
    d = btfperm.dulmage_mendelsohn(A)
    assert d.n_blocks > 2
    w = heavy(A)
    check_against_the_best(A, w, exact.objective)
    assert w.counters["rounds"] > 0


@pytest.mark.parametrize("shape", [(60, 75), (75, 60), (70, 70)])
def test_rectangular_and_singular(shape):
    rng = np.random.default_rng(2)
    A = sp.random(*shape, 0.04, random_state=rng, format="csc")
    A.data = np.exp(rng.normal(size=A.nnz))
    exact = btfperm.weighted_transversal(A)
    assert exact.structural_rank < min(shape)
    check_against_the_best(A, heavy(A), exact.objective)


def test_the_cpu_matches_the_columns_that_are_left(monkeypatch):
    """The auction on the GPU ends at a limit on the entries, at one on the rounds, or when few
    columns are left."""
    A = hard("log-normal", 150)
    best = btfperm.weighted_transversal(A).objective
    limits = {"_MOST_PASSES": 1, "_MOST_ROUNDS": 1, "max_unmatched": lambda n: n // 10}
    for name, value in limits.items():
        with monkeypatch.context() as patch:
            patch.setattr(heavy_perfect_gpu, name, value)
            w = heavy(A)
        assert w.counters["searches"] > 0 and w.counters["bids"] > 0, name
        check_against_the_best(A, w, best)


def test_one_block_continues_alone(monkeypatch):
    """The result does not depend on the kernel that runs the rounds."""
    A = hard("log-normal", 150)
    alone = heavy(A)
    monkeypatch.setattr(heavy_perfect_gpu, "_ONE_BLOCK", 5)
    both = heavy(A)
    assert both == alone and (both.gap, both.counters) == (alone.gap, alone.counters)


def test_a_price_war_ends(monkeypatch):
    monkeypatch.setattr(heavy_perfect_gpu, "_MOST_ROUNDS", 5)
    A = price_war(n=150, rivals=20)
    w = heavy(A)
    phases, columns = 3, A.shape[1]
    assert 0 < w.counters["rounds"] <= phases * 5 * columns**0.5
    assert w.counters["searches"] > 0
    check_against_the_best(A, w, btfperm.weighted_transversal(A).objective)


def test_the_widest_range():
    rng = np.random.default_rng(5)
    A = hard("log-normal", 150)
    A.data *= 10.0 ** rng.integers(-290, 290, A.nnz)
    w = heavy(A)
    assert w.counters["bids"] > 0
    check_against_the_best(A, w, btfperm.weighted_transversal(A).objective)


def test_limits():
    A = hard("log-normal", 150)
    edges = heavy(A).counters["edges"]
    # The smallest limit may end the search for the maximum transversal already: how many entries
    # that search visits depends on the order of the threads.
    for share, stopped in ((0.3, ""), (0.7, "weighted "), (0.97, "weighted ")):
        with pytest.raises(btfperm.LimitReachedError, match=f"{stopped}search was stopped"):
            heavy(A, max_work=int(share * edges))
    with pytest.raises(btfperm.LimitReachedError):
        heavy(A, time_limit=1e-9)
    assert heavy(A, max_work=2 * edges).structural_rank == 150


def test_a_matrix_on_the_device():
    import cupyx.scipy.sparse as cs

    A = hard("log-normal", 150)
    there = heavy(cs.csc_matrix(sp.csc_matrix(A)))
    assert there == heavy(A) and isinstance(there.row_match, np.ndarray)


def test_64_bit_indices():
    A = hard("log-normal", 150)
    V = btfperm.as_valued(A)
    d = btfperm.dulmage_mendelsohn(V.pattern)
    n = A.shape[0]
    columns = V.pattern.indptr.astype(np.int64), V.pattern.indices.astype(np.int64)
    wide = btfperm.Pattern._unchecked((n, n), *columns)
    session = ValuedSession(wide, "weighted", np.log(np.abs(V.values)), d)
    problem = WeightedProblem(session, 1).on_device(session, None)
    problem.blocks = tuple(part.astype(np.int64) for part in problem.blocks)
    budget = Budget()
    heavy_perfect_gpu.heavy_perfect(problem, budget, 0, {})
    w = heavy(A)
    assert budget.stop == 0
    assert np.array_equal(problem.row_match, w.row_match)
    assert np.array_equal(problem.row_dual, w.row_dual)


def test_a_wrong_auction_is_detected(monkeypatch):
    """A matching with a pair that is no entry is refused, and wrong prices only widen the gap."""
    A = hard("log-normal", 150)
    exact = btfperm.weighted_transversal(A)
    complete = _core.weighted.complete_auction

    def plant(match=lambda rows: rows, price=lambda prices: prices):
        def planted(*arguments, **limits):
            *others, rows, prices = arguments
            return complete(*others, match(rows), price(prices), **limits)

        weighted = SimpleNamespace(complete_auction=planted)
        monkeypatch.setattr(heavy_perfect_gpu, "_core", SimpleNamespace(weighted=weighted))

    plant(match=lambda rows: np.roll(rows, 1))
    with pytest.raises(ValueError, match="no entry"):
        heavy(A)
    rng = np.random.default_rng(1)
    plant(price=lambda prices: prices + rng.normal(size=prices.size))
    w = heavy(A)
    assert w.gap > 10
    check_against_the_best(A, w, exact.objective)


def test_only_heavy_perfect_runs_there():
    A = hard("log-normal", 30)
    with pytest.raises(btfperm.InvalidArgumentError, match="mc64 runs on the cpu backend"):
        btfperm.weighted_transversal(A, backend="gpu")
    with pytest.raises(btfperm.InvalidArgumentError, match="cpu backend only"):
        btfperm.weighted_transversal(A, objective="bottleneck", backend="gpu")
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown backend"):
        btfperm.weighted_transversal(A, backend="tpu")


def test_from_a_file(tmp_path):
    from scipy.io import mmwrite

    A = hard("log-normal", 100)
    mmwrite(tmp_path / "a.mtx", A)
    how = {"weights": "product", "algorithm": "heavy-perfect"}
    done = order_file(tmp_path / "a.mtx", [tmp_path / "p.npz"], backend="gpu", **how)
    assert done.weighted.counters["rounds"] > 0
    assert btfperm.load(tmp_path / "p.npz").meta["weights"]["algorithm"] == "heavy-perfect"
    for wrong in (
        {"weights": "product"},
        {"weights": "bottleneck", "algorithm": "heavy-perfect"},
        {**how, "device": 0},
    ):
        with pytest.raises(btfperm.InvalidArgumentError, match=r"runs on the CPU"):
            order_file(tmp_path / "a.mtx", [], backend="gpu", **wrong)
