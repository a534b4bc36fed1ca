# SPDX-License-Identifier: BSD-3-Clause
"""Weighted transversals against oracles, and their scalings against the matrix itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

import btfperm
from tests.known_answers import known_answers, read
from tests.oracles.plain_weighted import best_transversal

KINDS = ("product", "sum", "bottleneck")
each_kind = pytest.mark.parametrize("kind", KINDS)


def check_scalings(A, w, tolerance=1e-10):
    """Scaled entries are at most 1, and 1 where they are matched."""
    A = sp.coo_array(A)
    stays = A.data != 0
    rows, cols, modulus = A.row[stays], A.col[stays], np.abs(A.data[stays])
    scaled = np.log(modulus) + w.log_row_scale[rows] + w.log_col_scale[cols]
    assert scaled.max(initial=-1.0) <= tolerance
    matched = w.row_match[rows] == cols
    assert matched.sum() == w.structural_rank
    assert np.abs(scaled[matched]).max(initial=0.0) <= tolerance


def moduli_at(A, rows, cols):
    if not rows.size:
        return np.zeros(0)
    values = sp.csr_array(A)[rows, cols]  # sparse or not, by the version of SciPy
    values = values.toarray() if sp.issparse(values) else np.asarray(values)
    return np.abs(values).astype(float).ravel()


def check_matching(A, w):
    rows = np.flatnonzero(w.row_match >= 0)
    assert rows.size == w.structural_rank
    assert np.array_equal(w.col_match[w.row_match[rows]], rows)
    assert np.count_nonzero(w.col_match >= 0) == rows.size
    return moduli_at(A, rows, w.row_match[rows])


@st.composite
def valued(draw):
    """A dense matrix of up to 6 x 6 with zeros; few different values, or values of all sizes."""
    m, n = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    number = draw(
        st.sampled_from(
            [
                st.sampled_from([0, 1, 2]),
                st.floats(-10, 10, allow_nan=False).map(lambda x: x if abs(x) > 1e-6 else 0.0),
                st.sampled_from([0, 1e-300, 1e-10, -1.0, 1e10, 1e300]),
                st.complex_numbers(max_magnitude=5).map(lambda z: z if abs(z) > 1e-6 else 0),
            ]
        )
    )
    entries = draw(st.lists(number, min_size=m * n, max_size=m * n))
    return np.array(entries).reshape(m, n)


@each_kind
@given(A=valued())
def test_no_other_transversal_is_better(kind, A):
    w = btfperm.weighted_transversal(sp.csc_array(A), objective=kind)
    rank, objective = best_transversal(A, kind)
    assert w.structural_rank == rank
    assert w.objective == pytest.approx(objective, rel=1e-9, abs=1e-9)
    assert 0 <= w.gap <= 1e-9 * max(1.0, abs(objective))
    moduli = check_matching(A, w)
    if kind == "product":
        assert np.log(moduli).sum() == pytest.approx(objective, rel=1e-9, abs=1e-9)
        check_scalings(A, w)


@pytest.mark.parametrize("case", range(40))
def test_square_matrices_of_full_rank_as_in_scipy(case):
    """SciPy minimizes the sum of positive weights."""
    rng = np.random.default_rng(case)
    n = int(rng.integers(20, 200))
    A = sp.random(n, n, 4 / n, random_state=rng, format="csc")
    A.data = [np.exp(rng.normal(size=A.nnz)), 2.0 ** rng.integers(0, 3, A.nnz)][case % 2]
    A = sp.csc_array(A + sp.eye_array(n, format="csr")[rng.permutation(n)])
    costs = A.copy()
    costs.data = 10.0 + np.log(A.data.max()) - np.log(A.data)
    rows, cols = min_weight_full_bipartite_matching(sp.csr_array(costs))
    w = btfperm.weighted_transversal(A)
    assert w.objective == pytest.approx(np.log(moduli_at(A, rows, cols)).sum(), rel=1e-11, abs=1e-9)
    check_scalings(A, w)
    total = btfperm.weighted_transversal(A, objective="sum")
    costs.data = 1.0 + A.data.max() - A.data
    rows, cols = min_weight_full_bipartite_matching(sp.csr_array(costs))
    assert total.objective == pytest.approx(moduli_at(A, rows, cols).sum(), rel=1e-11)


def hard(kind, n=800):
    """A permutation and 4 n random places: many columns compete for the same rows."""
    rng = np.random.default_rng(7)
    rows = np.concatenate([rng.permutation(n), rng.integers(0, n, 4 * n)])
    cols = np.concatenate([np.arange(n), rng.integers(0, n, 4 * n)])
    values = {
        "log-normal": np.exp(rng.normal(size=5 * n)),
        "wide": np.exp(10 * rng.normal(size=5 * n)),
        "four values": 2.0 ** rng.integers(0, 4, 5 * n),
        "one value": np.ones(5 * n),
    }[kind]
    A = sp.coo_array((values, (rows, cols)), shape=(n, n)).tocsc()
    A.data = np.minimum(A.data, values.max())  # duplicates are added up
    return A


@pytest.mark.parametrize("kind", ["log-normal", "wide", "four values", "one value"])
def test_matrices_with_long_searches(kind):
    """An auction shortens the longest searches, and the duals prove the optimum."""
    A = hard(kind, 1600)
    w = btfperm.weighted_transversal(A)
    assert (w.counters["bids"] > 0) == (kind in ("log-normal", "wide"))
    dense = A.toarray()
    logarithms = np.log(dense, out=np.full(dense.shape, -1e6), where=dense > 0)
    rows, cols = linear_sum_assignment(logarithms, maximize=True)  # the sparse one may never end
    assert w.objective == pytest.approx(np.log(moduli_at(A, rows, cols)).sum(), rel=1e-10, abs=1e-7)
    check_scalings(A, w)


@pytest.mark.parametrize("kind", ["log-normal", "wide", "four values"])
def test_prices_are_refined_after_an_auction(kind):
    """A few exchanges turn the matching of the auction into the best one, so hardly any search
    follows. A new start from the prices of the auction would leave a fifth of the columns to
    searches."""
    A = hard(kind, 20_000)
    w = btfperm.weighted_transversal(A)
    assert w.counters["bids"] > A.shape[0] and w.counters["searches"] < 20
    assert w.counters["edges"] < 60 * A.nnz
    check_scalings(A, w)


def two_values(n):
    """Most columns have several entries of the larger value."""
    A = hard("one value", n)
    A.data = 2.0 ** np.random.default_rng(1).integers(0, 2, A.nnz)
    return A


def test_an_auction_where_most_columns_have_several_best_choices():
    A = two_values(10_000)
    w = btfperm.weighted_transversal(A)
    assert w.counters["bids"] > 0 and w.counters["edges"] < 120 * A.nnz
    check_scalings(A, w)


def test_long_searches_among_equal_values():
    """A maximum matching of the tight entries replaces the searches."""
    A = hard("one value", 10_000)
    w = btfperm.weighted_transversal(A)
    assert w.counters["edges"] > 10 * A.nnz and w.counters["bids"] == 0
    assert w.structural_rank == 10_000 and w.objective == w.gap == 0
    check_scalings(A, w)


@pytest.mark.parametrize("n_removed", [4, 16])
def test_a_few_searches_of_different_lengths_need_no_auction(n_removed):
    """In a grid without a few of its rows and columns, each search visits a part of the grid."""
    rng = np.random.default_rng(0)
    k = 180
    line = sp.diags_array([np.ones(k - 1)] * 2, offsets=[-1, 1])
    A = sp.csr_array(sp.kron(sp.eye_array(k), line) + sp.kron(line, sp.eye_array(k)))
    A.data = rng.uniform(0.1, 0.99, A.nnz)
    A = sp.csr_array(A + sp.eye_array(k * k))
    rows, cols = (
        np.setdiff1d(np.arange(k * k), rng.choice(k * k, n_removed, replace=False))
        for _ in range(2)
    )
    A = sp.csc_array(A[rows][:, cols])
    w = btfperm.weighted_transversal(A)
    assert w.counters["searches"] > 0 and w.counters["bids"] == 0
    assert w.counters["edges"] < (4 + n_removed) * A.nnz
    check_scalings(A, w)


@pytest.mark.parametrize("n_blocks", [1, 2])
@pytest.mark.parametrize("algorithm", ["mc64", "heavy-perfect"])
def test_a_few_dense_rows_of_large_values(n_blocks, algorithm):
    """All columns have their largest entries in a few rows, so the rows choose first, as in the
    transposed matrix. Otherwise, most columns would need a search."""
    rng, n = np.random.default_rng(11), 600
    parts = []
    for _ in range(n_blocks):
        A = sp.random(n, n, 4 / n, random_state=rng, format="lil")
        A[rng.permutation(n), np.arange(n)] = rng.uniform(1, 2, n)
        for i in range(5):
            A[i] = rng.uniform(10, 11, n)
        parts.append(A)
    A = sp.csc_array(sp.block_diag(parts))
    w = btfperm.weighted_transversal(A, algorithm=algorithm)
    t = btfperm.weighted_transversal(sp.csc_array(A.T), algorithm=algorithm)
    assert w.counters["searches"] == t.counters["searches"] < A.shape[0] / 3
    assert w.counters["bids"] == 0 and np.array_equal(w.row_match, t.col_match)
    costs = sp.csr_array(A)
    costs.data = 4.0 - np.log(costs.data)
    best = np.log(A[min_weight_full_bipartite_matching(costs)]).sum()
    assert w.objective == pytest.approx(best, rel=1e-12)
    check_scalings(A, w)


def test_an_auction_obeys_its_budget():
    A = hard("log-normal", 1600)
    edges = btfperm.weighted_transversal(A).counters["edges"]
    # The limit is reached in the first searches, in the auction, or in the refinement and the
    # searches after it.
    for share in (0.3, 0.5, 0.7, 0.9):
        with pytest.raises(btfperm.LimitReachedError, match="weighted search was stopped"):
            btfperm.weighted_transversal(A, max_work=int(share * edges))


@pytest.mark.parametrize("known", known_answers(), ids=lambda known: known.name)
def test_real_matrices(known):
    A = read(known.name)
    if A.nnz == 0 or A.dtype == bool:
        pytest.skip("has no values")
    A = sp.csc_array(A)
    A.eliminate_zeros()
    w = btfperm.weighted_transversal(A)
    assert w.structural_rank == btfperm.structural_rank(A)
    moduli = check_matching(A, w)
    assert np.log(moduli).sum() == pytest.approx(w.objective, rel=1e-9, abs=1e-9)
    check_scalings(A, w, tolerance=1e-9)
    smallest = btfperm.weighted_transversal(A, objective="bottleneck")
    assert check_matching(A, smallest).min(initial=np.inf) == smallest.objective
    assert smallest.objective >= moduli.min(initial=np.inf)


def test_blocks_are_scaled_together():
    """Entries outside the diagonal blocks are at most 1, too, whatever their size."""
    n = 200
    rng = np.random.default_rng(3)
    A = np.triu(np.exp(rng.normal(size=(n, n)) * 20)) * (rng.random((n, n)) < 0.1)
    A[np.arange(n), np.arange(n)] = 1.0
    A = A[rng.permutation(n)][:, rng.permutation(n)]
    w = btfperm.weighted_transversal(A)
    check_scalings(A, w, tolerance=1e-8)
    assert w.counters["searches"] == 0  # each block is one entry


def test_a_long_path_of_equal_values():
    """A cycle has two perfect matchings; the product of their entries decides."""
    n = 100_000
    rows = np.concatenate([np.arange(n), (np.arange(n) + 1) % n])
    cols = np.concatenate([np.arange(n), np.arange(n)])
    data = np.concatenate([np.full(n, 1.0), np.full(n, 2.0)])
    A = sp.csc_array((data, (rows, cols)), shape=(n, n))
    w = btfperm.weighted_transversal(A)
    assert w.objective == pytest.approx(n * np.log(2.0))
    assert np.array_equal(w.col_match, (np.arange(n) + 1) % n)


def test_the_widest_range():
    A = np.array([[1e-300, 1e300], [1e300, 1e300]])
    w = btfperm.weighted_transversal(A)
    assert w.objective == pytest.approx(2 * np.log(1e300))
    r, c = w.scales()
    assert np.allclose((r[:, None] * A * c)[[0, 1], [1, 0]], 1.0)
    far = np.array([[1e-300, 0, 0], [1e300, 1e-300, 0], [0, 1e300, 1e-300]])
    w = btfperm.weighted_transversal(far)
    check_scalings(far, w)
    with pytest.raises(btfperm.InvalidArgumentError, match="beyond double precision"):
        w.scales()
    with pytest.raises(btfperm.InvalidArgumentError, match="no scalings"):
        btfperm.weighted_transversal(far, objective="sum").scales()


def test_sums_that_would_overflow():
    A = np.full((3, 3), 1e308)
    A[0, 0] = A[1, 1] = A[2, 2] = 1.7e308
    w = btfperm.weighted_transversal(A, objective="sum")
    assert w.row_match.tolist() == [0, 1, 2]


# The best transversal has the entries 0.5, 3 and 0.1 and the sum 3.6; the next best sum is 2.5.
CLOSE = np.array([[1, 1, 0.5], [0.1, 3, 1], [0.1, 0.5, 0]])


def test_the_objective_is_summed_exactly():
    """Many successive additions of equal numbers are rounded in the same direction."""
    n = 300_000
    w = btfperm.weighted_transversal(sp.diags_array(np.full(n, 67.3), format="csc"))
    assert w.objective == pytest.approx(n * np.log(67.3), rel=1e-15)


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-16, 1.0, 1e16, 1e300])
def test_the_largest_sum_of_small_and_of_large_values(scale):
    A = CLOSE * scale
    w = btfperm.weighted_transversal(A, objective="sum")
    assert w.objective == pytest.approx(best_transversal(A, "sum")[1], rel=1e-12)
    assert w.gap <= 1e-12 * A.max()


@pytest.mark.parametrize("unit", [1e-200, 1e-16, 1e16, 1e200])
def test_the_largest_sum_in_blocks_of_different_scales(unit):
    """The values of other blocks, and of entries between blocks, do not matter."""
    A = np.zeros((7, 7))
    A[:3, :3], A[3:6, 3:6], A[6, 6] = CLOSE, CLOSE * unit, 1.0
    A[0, 6] = 1e300
    w = btfperm.weighted_transversal(A, objective="sum")
    best = best_transversal(CLOSE, "sum")[1]
    for first, scale in ((0, 1.0), (3, unit)):
        rows = np.arange(first, first + 3)
        assert A[rows, w.row_match[rows]].sum() == pytest.approx(best * scale, rel=1e-12)


@given(A=valued(), power=st.integers(-300, 300))
def test_a_power_of_two_scales_the_sum_exactly(A, power):
    A = np.where(np.abs(A) < 1e-100, 0, A)
    A = np.where(np.abs(A) > 1e100, 1e100, A)
    w = btfperm.weighted_transversal(A, objective="sum")
    scaled = btfperm.weighted_transversal(A * 2.0**power, objective="sum")
    assert np.array_equal(w.row_match, scaled.row_match)
    assert scaled.objective == w.objective * 2.0**power


@pytest.mark.parametrize("terms", ["below 1", "above 1", "both", "ascending", "huge ones first"])
def test_the_objective_is_an_exact_sum(terms):
    """Rounding errors do not add up, whatever the signs of the logarithms and their order."""
    u = np.random.default_rng(1).uniform(0.1, 1, 20_000)
    values = {
        "below 1": u,
        "above 1": 1 / u,
        "both": np.random.default_rng(2).permutation(np.concatenate([u, 1 / u])),
        "ascending": np.sort(u),
        "huge ones first": np.concatenate([[1e-300] * 50, 1 - u / 1e9, [1e300] * 50]),
    }[terms]
    w = btfperm.weighted_transversal(sp.diags_array(values, format="csc"))
    logs, eps = np.log(values), np.finfo(float).eps
    exact = math.fsum(logs)
    bound = eps * abs(exact) + values.size * eps**2 * math.fsum(np.abs(logs))
    assert abs(w.objective - exact) <= bound < abs(logs.cumsum()[-1] - exact)
