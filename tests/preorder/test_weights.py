# SPDX-License-Identifier: BSD-3-Clause
"""Which transversal `preorder` puts on the diagonal, and what it predicts about the fill."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from types import SimpleNamespace
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import _core
from btfperm.errors import InvalidArgumentError, InvalidMatrixError, StructurallySingularError
from btfperm.ordering.inside_blocks import Symmetry
from btfperm.preorder import weights as weights_module
from btfperm.preorder.weights import Weights
from tests import strategies
from tests.known_answers import read
from tests.oracles import plain_fill, suitesparse


@pytest.fixture(scope="module")
def power_flow():
    """A Jacobian whose natural diagonal is large, and the same with its rows shuffled."""
    A = sp.csc_array(read("pfjac_case_ACTIVSg2000"))
    A.eliminate_zeros()
    return A, sp.csc_array(A[np.random.default_rng(3).permutation(A.shape[0])])


def test_auto_recovers_large_diagonal_entries(power_flow):
    natural, shuffled = power_flow
    assert btfperm.preorder(natural, solver="klu").weights == "none"
    p = btfperm.preorder(shuffled, solver="klu")
    assert p.weights == "product" and p.block_ordering == "amd"
    own = suitesparse.klu_fill(shuffled)
    assert suitesparse.klu_fill(shuffled, *p.klu[:2]) <= 0.6 * own
    pairs = abs(p.apply(shuffled).diagonal())
    plain = btfperm.preorder(shuffled, solver="klu", weights="none")
    assert np.log(pairs).sum() > np.log(abs(plain.apply(shuffled).diagonal())).sum()


def test_a_good_diagonal_needs_no_weighted_search(power_flow, monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("searched")

    natural, shuffled = power_flow
    monkeypatch.setattr(weights_module, "weigh", never)
    btfperm.preorder(natural, solver="klu")
    with pytest.raises(AssertionError, match="searched"):
        btfperm.preorder(shuffled, solver="klu")


def test_a_weighted_order_with_much_more_fill_is_not_taken(power_flow, monkeypatch):
    monkeypatch.setattr(weights_module, "FILL_MORE", 0.0)
    assert btfperm.preorder(power_flow[1], solver="klu").weights == "none"


def tree_with_weak_rows(seed):
    """The matrix of a tree. In some rows, the diagonal entry is tiny, and the entry in the next of
    these columns is large. So the transversal with the largest product leaves the diagonal, which
    causes fill."""
    rng = np.random.default_rng(seed)
    n = 20
    A = np.eye(n)
    for k in range(1, n):
        j = rng.integers(0, k)
        A[k, j] = A[j, k] = 0.5
    weak = rng.choice(n, int(rng.integers(6, 14)), replace=False)
    A[weak, weak] = 1e-6
    A[weak, np.roll(weak, 1)] = 1
    return A


def test_large_entries_may_cost_a_fifth_of_the_fill():
    ratios = []
    for seed in (5, 485, 1035, 1410):
        A = tree_with_weak_rows(seed)
        orders = {weights: btfperm.preorder(A, weights=weights) for weights in get_args(Weights)}
        fill = {weights: order.predicted_fill.total for weights, order in orders.items()}
        ratios.append(fill["product"] / fill["none"])
        assert orders["auto"].weights == ("product" if ratios[-1] <= 1.2 else "none")
    assert any(1.15 < ratio < 1.2 for ratio in ratios), "no matrix is just below the limit"
    assert any(1.2 < ratio < 1.25 for ratio in ratios), "no matrix is just above the limit"


@pytest.mark.parametrize("solver", ["klu", "superlu"])
@pytest.mark.parametrize(("diagonal", "taken"), [(0.0009, "product"), (0.0011, "none")])
def test_a_column_is_weak_below_a_thousandth(solver, diagonal, taken):
    A = tree_with_weak_rows(485)
    A[A == 1e-6] = diagonal
    assert btfperm.preorder(A, solver=solver).weights == taken


def test_when_superlu_may_have_less_fill_with_large_entries(monkeypatch):
    """At most one column in a hundred is weak, and the transversal is another one."""
    monkeypatch.setattr(weights_module, "_may_have_less_fill", lambda plain, threads: True)
    plain = SimpleNamespace(form=SimpleNamespace(shape=(600, 600), col_match=np.arange(3)))
    other, same = (SimpleNamespace(col_match=match) for match in ([2, 0, 1], [0, 1, 2]))
    assert weights_module._may_help(plain, other, 6, 1)
    assert not weights_module._may_help(plain, other, 7, 1)
    assert not weights_module._may_help(plain, same, 6, 1)


def test_when_another_transversal_may_have_less_fill(monkeypatch):
    """There are 500 rows, 5 % of 1,000 entries have no mirror image, and L + U has 5 % more numbers
    than the matrix has entries."""
    monkeypatch.setattr(weights_module, "_counted", lambda plain, threads: plain)

    def may(n, mirrored, fill):
        symmetry = None if mirrored is None else Symmetry(1_000, mirrored)
        inside = SimpleNamespace(symmetry=symmetry, fill=SimpleNamespace(total=fill))
        plain = SimpleNamespace(form=SimpleNamespace(shape=(n, n)), inside=inside)
        return weights_module._may_have_less_fill(plain, 1)

    assert may(500, 949, 1_579)
    assert not may(499, 949, 1_579)
    assert not may(500, 950, 1_579)
    assert not may(500, None, 1_579)
    assert not may(500, 949, 1_578)


@given(A=strategies.nonsingular(), seed=st.integers(0, 999))
def test_weak_columns_by_their_definition(A, seed):
    """A column is weak if its diagonal entry is small beside its largest entry in the same block;
    for KLU, after each row was divided by its largest entry in the whole matrix."""
    d = btfperm.dulmage_mendelsohn(A)
    pattern, n = d.pattern, A.shape[0]
    modulus = np.exp(np.random.default_rng(seed).normal(0, 3, pattern.nnz))
    dense = np.zeros((n, n))
    dense[pattern.indices, pattern.cols()] = modulus
    inside = d.row_block[:, None] == d.col_block
    for scaled in (False, True):
        values = dense / dense.max(axis=1, keepdims=True, initial=1e-99) if scaled else dense
        diagonal = values[d.col_match, np.arange(n)]
        expected = np.count_nonzero(
            diagonal < 0.1 * np.where(inside, values, 0).max(axis=0, initial=0)
        )
        blocks = d.row_block, d.col_block, d.col_match
        signed = modulus * np.where(np.arange(pattern.nnz) % 3, 1, -1)
        arrays = pattern.indptr, pattern.indices, signed, *blocks
        assert _core.preorder.count_weak(*arrays, 0.1, scaled) == expected
        if d.n_blocks == 1:
            one_block = *arrays[:3], None, None, d.col_match
            assert _core.preorder.count_weak(*one_block, 0.1, scaled) == expected


@pytest.mark.parametrize("solver", ["klu", "superlu"])
@pytest.mark.parametrize("above", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("copies", [1, 50])  # of fewer and of more than 500 rows
def test_entries_above_the_blocks_do_not_change_the_choice(solver, above, copies):
    """No pivot is chosen among them."""
    A = np.kron(np.eye(6), [[4.0, 1.0], [1.0, 3.0]])
    A[10:, 10:] = [[1e-9, 1.0], [1.0, 1e-9]]
    A[:2, 2:10] = above
    A = sp.kron(sp.eye_array(copies), sp.csc_array(A), format="csc")
    assert btfperm.preorder(A, solver=solver).weights == "product"


@pytest.mark.parametrize("solver", ["klu", "superlu"])
@given(A=strategies.nonsingular())
def test_every_choice_is_an_order_for_the_solver(solver, A):
    A = sp.csc_array(A)
    A.data = np.exp(np.random.default_rng(A.nnz).normal(0, 6, A.nnz))
    for weights in ("auto", "product", "none"):
        p = btfperm.preorder(A, solver=solver, weights=weights)
        B = p.apply(A).toarray()
        assert (B.diagonal() != 0).all()
        blocks = np.repeat(np.arange(p.n_blocks), np.diff(p.blocks))
        assert not B[blocks[:, None] > blocks].any()
        if A.nnz and np.linalg.cond(B) < 1e8:
            x = p.factor(A).solve(A @ np.ones(A.shape[0]))
            np.testing.assert_allclose(x, 1, rtol=1e-6)


def test_the_product_is_the_largest():
    A = sp.csc_array([[1.0, 10.0, 0], [4.0, 2.0, 0], [1.0, 0, 5.0]])
    p = btfperm.preorder(A, weights="product")
    np.testing.assert_array_equal(p.form.col_match, [1, 0, 2])
    np.testing.assert_allclose(np.exp(p.log_row_scale[0] + p.log_col_scale[1]) * 10, 1)


def test_stored_zeros_stay_entries():
    A = sp.csc_array(np.array([[1.0, 2.0, 0], [3.0, 1.0, 0], [0, 7.0, 1.0]]))
    A.data[A.data == 7.0] = 0.0
    p = btfperm.preorder(A, weights="product")
    assert p.form.pattern.nnz == 6
    np.testing.assert_array_equal(p.form.col_match, [1, 0, 2])
    weights = p.form.transversal.weights
    assert weights["objective"] == "product"
    assert p.form.meta["weights"] == weights
    np.testing.assert_allclose(np.exp(p.log_row_scale[0] + p.log_col_scale[1]) * 2, 1)


def test_refusals():
    A = np.array([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(InvalidMatrixError, match="no values"):
        btfperm.preorder(btfperm.as_pattern(A), weights="product")
    with pytest.raises(InvalidMatrixError, match=r"row 0, column 1 .* is nan"):
        btfperm.preorder(np.array([[1.0, np.nan], [3.0, 4.0]]), weights="product")
    with pytest.raises(InvalidArgumentError, match="weights 'sum' is unknown"):
        btfperm.preorder(A, weights="sum")
    with pytest.raises(InvalidArgumentError, match="weights='product' allows no algorithm="):
        btfperm.preorder(A, weights="product", algorithm="pothen-fan")
    zeros = sp.csc_array((np.array([0.0, 1.0]), [0, 1], [0, 1, 2]), shape=(2, 2))
    with pytest.raises(StructurallySingularError, match=r"without its stored zeros.* rank 1 of 2"):
        btfperm.preorder(zeros, weights="product", drop_zeros=False)


@pytest.mark.parametrize(
    "A",
    [np.array([[1.0, np.inf], [1e-9, 1.0]]), btfperm.as_pattern(np.eye(3)), np.eye(2, dtype=bool)],
)
def test_auto_needs_no_values(A):
    assert btfperm.preorder(A).weights == "none"


@given(A=strategies.nonsingular(max_size=20))
def test_predicted_fill(A):
    p = btfperm.preorder(A)
    B = p.apply(btfperm.as_pattern(A)).to_scipy().toarray() != 0
    total = 0
    for first, last in pairwise(p.blocks.tolist()):
        lower, upper, _ = plain_fill.factors(B[first:last, first:last])
        total += lower + upper
    assert p.predicted_fill.total == total
    what = "1 entry" if total == 1 else f"{total:,} entries"
    assert f"L + U is expected to have {what} inside" in p.advice


def test_advice():
    saves = np.triu(np.ones((40, 40)))
    mixed = np.random.default_rng(1).permutation(40)
    assert btfperm.preorder(np.eye(40)).advice.endswith("saves little")
    assert btfperm.preorder(saves[mixed]).advice.endswith("worthwhile")
    assert "40 entries inside 40 blocks" in btfperm.preorder(saves[mixed]).advice


def test_advice_about_an_order_with_more_fill_than_one_block():
    """Each of the two blocks is an arrow whose long row comes first in the natural order, which
    fills the block. amd puts the long rows last."""
    arrow = 3 * np.eye(30)
    arrow[0], arrow[:, 0] = 1, 1
    A = sp.block_diag([sp.csc_array(arrow)] * 2, format="csc")
    natural = btfperm.preorder(A, block_ordering="natural").advice
    assert natural.endswith(
        "in one block ordered by amd: the block triangular form has more fill here"
    )
    assert btfperm.preorder(A, block_ordering="amd").advice.endswith("saves little")


@pytest.mark.parametrize("weights", ["auto", "product"])
def test_one_warning_about_stored_zeros(weights):
    """The searches inside `preorder` neither repeat the warning nor contradict it."""
    A = sp.csc_array(np.array([[1e-9, 3.0, 0], [4.0, 1e-9, 1.0], [0.0, 1.0, 2.0]]))
    A.data[0] = 0.0
    with pytest.warns(btfperm.StoredZerosWarning) as warned:
        btfperm.preorder(A, weights=weights)
    assert len(warned) == 1 and "kept as an entry" in str(warned[0].message)


def test_the_natural_diagonal_is_found_where_no_entry_is_weak():
    """In a shuffled grid, KLU would keep the diagonal of any transversal, at the cost of fill."""
    k = 25
    T = sp.diags_array([-np.ones(k - 1), 2 * np.ones(k), -np.ones(k - 1)], offsets=[-1, 0, 1])
    natural = sp.csc_array(sp.kron(T, sp.eye_array(k)) + sp.kron(sp.eye_array(k), T))
    rows = np.random.default_rng(2).permutation(k * k)
    shuffled = sp.csc_array(sp.csr_array(natural)[rows, :])
    plain, auto = (btfperm.preorder(shuffled, solver="klu", weights=w) for w in ("none", "auto"))
    assert auto.weights == "product"
    assert auto.predicted_fill.total <= 0.85 * plain.predicted_fill.total
    assert abs(auto.apply(shuffled).diagonal()).min() == 4
    assert btfperm.preorder(natural, solver="klu").weights == "none"


def test_weights_must_halve_the_weak_columns(power_flow, monkeypatch):
    """A weighted order that leaves as many columns weak gains nothing."""
    _, shuffled = power_flow
    monkeypatch.setattr(weights_module, "_count_small", lambda *_, **__: 10)
    assert btfperm.preorder(shuffled, solver="klu").weights == "none"


@pytest.mark.parametrize(("diagonal", "taken"), [(4.0, "product"), (0.5, "none")])
def test_the_predicted_fill_decides_where_a_column_stays_weak(diagonal, taken):
    """In a shuffled grid with one column that is weak with either transversal, SuperLU's order is
    that of the transversal with less predicted fill: the weighted one if it is the natural one."""
    k = 25
    T = sp.diags_array([-np.ones(k - 1), np.zeros(k), -np.ones(k - 1)], offsets=[-1, 0, 1])
    grid = sp.kron(T, sp.eye_array(k)) + sp.kron(sp.eye_array(k), T)
    grid = sp.csr_array(grid + diagonal * sp.eye_array(k * k))
    rows = np.random.default_rng(1).permutation(k * k)
    A = sp.block_diag([grid[rows, :], [[1e-4, 1.0], [1.0, 1e9]]], format="csc")
    fills = {
        w: btfperm.preorder(A, weights=w, block_ordering="amd").predicted_fill.total
        for w in ("none", "product")
    }
    assert taken == min(fills, key=fills.__getitem__)
    p = btfperm.preorder(A, solver="superlu")
    assert p.weights == taken
    assert p.predicted_fill.total == fills[taken]


def test_few_columns_may_stay_weak(monkeypatch):
    """The weighted order is chosen although a few columns stay weak with it. If the share of these
    columns is larger than FEW_WEAK, the transversal of the pattern is kept."""
    k = 25
    T = sp.diags_array([-np.ones(k - 1), 2 * np.ones(k), -np.ones(k - 1)], offsets=[-1, 0, 1])
    grid = sp.csr_array(sp.kron(T, sp.eye_array(k)) + sp.kron(sp.eye_array(k), T))
    rows = np.random.default_rng(1).permutation(k * k)
    pairs = [np.array([[1e-4, 1.0], [1.0, 1e9]])] * 3
    A = sp.block_diag([grid[rows, :], *pairs], format="csc")
    assert btfperm.preorder(A, solver="superlu").weights == "product"
    monkeypatch.setattr(weights_module, "FEW_WEAK", 2 / A.shape[0])
    assert btfperm.preorder(A, solver="superlu").weights == "none"


@pytest.mark.parametrize("stored_zeros", [False, True])
def test_the_form_explains_the_weighted_search(stored_zeros):
    A = sp.csc_array([[1e-9, 1.0, 0.0], [1.0, 1e-9, 2.0], [3.0, 1.0, 1e-9]])
    if stored_zeros:
        A.data[0] = 0.0
    with pytest.warns(btfperm.StoredZerosWarning) if stored_zeros else nullcontext():
        form = btfperm.preorder(A, weights="product").form
    explained, by_transversal = form.meta["explain"], form.transversal.explain()
    assert explained["weighted_plan"]["algorithm"] == "mc64"
    assert "weighted algorithm" in explained["decisions"]
    place = explained["decisions"].pop("decomposition")
    assert place["choice"] == "cpu" and explained == by_transversal
