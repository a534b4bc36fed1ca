# SPDX-License-Identifier: BSD-3-Clause
"""Small matrices are ordered in one call of the core: the same order as step by step."""

from __future__ import annotations

import importlib
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.preorder.small import small_preordering
from tests import strategies
from tests.known_answers import known_answers, parametrized, read

SOLVERS = ("superlu", "klu")
SMALL = [
    k
    for k in known_answers()
    if k.shape == (k.structural_rank, k.structural_rank) and k.shape[0] < 500
]


def step_by_step(A: sp.csc_array, solver: str = "superlu") -> btfperm.Preordering:
    """`preorder` without the one call of the core for small matrices."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("btfperm.preorder"), "small_preordering", never)
        return btfperm.preorder(A, solver=solver)


def never(*_: object) -> None:
    """Takes the place of `small_preordering`, and accepts no matrix as small."""


def check_same(A: sp.csc_array, solver: str) -> btfperm.Preordering:
    """The call of the core gives the same result as `preorder` step by step."""
    found = small_preordering(A, solver)
    assert found is not None
    other = step_by_step(A, solver)
    assert found == other
    assert found.weights == other.weights
    assert found.predicted_fill == other.predicted_fill
    assert found._is_nearly_symmetric == other._is_nearly_symmetric
    np.testing.assert_array_equal(found.row_match[found.row_perm], found.col_perm)
    assert found.form == other.form
    assert found.form.transversal.verified
    assert (found.log_row_scale is None) == (found.weights == "none")
    if found.log_row_scale is not None:
        np.testing.assert_array_equal(found.log_row_scale, other.log_row_scale)
        np.testing.assert_array_equal(found.log_col_scale, other.log_col_scale)
    return found


def plain(A: sp.csc_array) -> sp.csc_array:
    """The matrix sorted and real, in which stored zeros are replaced by ones."""
    A = sp.csc_array(A).astype(float)
    A.data[A.data == 0] = 1.0
    A.sum_duplicates()
    A.eliminate_zeros()
    return A


def with_values(rng: np.random.Generator, A: sp.csc_array, spread: float) -> sp.csc_array:
    A = sp.csc_array(A).astype(float)
    A.data = np.exp(spread * rng.normal(size=A.nnz)) * rng.choice([-1.0, 1.0], A.nnz)
    return A


@given(A=strategies.nonsingular(), solver=st.sampled_from(SOLVERS))
def test_as_step_by_step(A, solver):
    A = plain(A)
    if A.shape[0]:
        check_same(A, solver)


@pytest.mark.parametrize("solver", SOLVERS)
@parametrized(SMALL)
def test_real_matrices(known, solver):
    A = read(known.name)
    check_same(plain(A), solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("spread", [0.5, 3.0, 100.0])
@pytest.mark.parametrize("seed", range(3))
def test_weights(spread, solver, seed):
    """The transversal of the pattern may have small entries; then `preorder` may take the weighted
    one."""
    rng = np.random.default_rng(seed)
    taken = set()
    for n in (2, 3, 10, 40, 120, 300):
        A = sp.random_array((n, n), density=min(1.0, 3 / n), rng=rng) + sp.eye_array(n)
        A = sp.csc_array(sp.csr_array(A)[rng.permutation(n)])
        taken.add(check_same(with_values(rng, A, spread), solver).weights)
    if spread == 3.0:
        assert "product" in taken


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(3))
def test_orders_inside_the_blocks(solver, seed):
    rng = np.random.default_rng(seed)
    n = 200
    graph = sp.random_array((n, n), density=2 / n, rng=rng)
    symmetric = sp.csc_array(graph + graph.T + 4 * sp.eye_array(n))
    chain = sp.csc_array(sp.diags_array([np.ones(n), np.full(n - 1, 3.0)], offsets=[0, 1]))
    assert check_same(symmetric, solver).block_ordering == "amd"
    assert check_same(chain, solver).block_ordering == "natural"
    dense = sp.random_array((n, n), density=8 / n, rng=rng) + sp.eye_array(n)
    order = check_same(with_values(rng, dense, 5.0), solver).block_ordering
    assert order in ("amd", "colamd", "minimum-fill")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(4))
def test_stored_zeros_stay_entries(solver, seed):
    """Both ways of `preorder` warn of stored zeros in the same words, and no stored zero is on the
    diagonal."""
    rng = np.random.default_rng(seed)
    for n in (8, 30, 90):
        A = sp.random_array((n, n), density=4 / n, rng=rng) + sp.eye_array(n)
        A = with_values(rng, sp.csc_array(sp.csr_array(A)[rng.permutation(n)]), 4.0)
        transversal = btfperm.maximum_transversal(A)
        cols = np.repeat(np.arange(n), np.diff(A.indptr))
        others = np.flatnonzero(transversal.col_match[cols] != A.indices)
        A.data[rng.choice(others, 5, replace=False)] = 0
        with pytest.warns(btfperm.StoredZerosWarning) as short:
            found = small_preordering(A, solver)
        with pytest.warns(btfperm.StoredZerosWarning) as long:
            other = step_by_step(A, solver)
        assert str(short[0].message) == str(long[0].message)
        assert found == other
        assert found.weights == other.weights
        assert found.form == other.form
        assert (A.toarray()[found.row_perm, found.col_perm] != 0).all()


def test_it_is_taken_for_small_matrices_only():
    A = sp.csc_array(sp.diags_array([np.full(20, 2.0), np.ones(19)], offsets=[0, 1]))
    assert small_preordering(A, "klu") is not None
    for threads in (1, 2):  # the number of threads changes nothing
        assert "_makers" in vars(btfperm.preorder(A, threads=threads))
    assert "_makers" not in vars(step_by_step(A))
    with pytest.raises(btfperm.InvalidArgumentError, match="threads"):
        btfperm.preorder(A, threads=-1)
    others = {
        "rows": A.tocsr(),
        "dense": A.toarray(),
        "integers": A.astype(int),
        "complex": A.astype(complex),
        "singular": sp.csc_array(sp.diags_array([np.ones(19)], offsets=[1], shape=(20, 20))),
        "wide": A[:10],
        "empty": sp.csc_array((0, 0)),
        "large": sp.csc_array(sp.eye_array(500)),
        "many entries": sp.csc_array(np.ones((64, 64))),
        "text": "matrix.mtx",
    }
    for name, place, value in (("zero", 4, 0.0), ("NaN", 3, np.nan), ("infinity", 3, np.inf)):
        others[name] = A.copy()
        others[name].data[place] = value
    unsorted = A.copy()
    unsorted.indices[1:3] = unsorted.indices[1:3][::-1].copy()
    others["unsorted"] = unsorted
    outside = A.copy()
    outside.indices[-1] = 20
    others["outside"] = outside
    for name, other in others.items():
        assert small_preordering(other, "klu") is None, name


def test_a_later_change_of_the_matrix_does_not_matter():
    rng = np.random.default_rng(1)
    A = sp.csc_array(sp.random_array((60, 60), density=0.05, rng=rng) + sp.eye_array(60))
    expected = step_by_step(A)
    p = btfperm.preorder(A)
    A.data[:], A.indices[:] = 0, 0
    assert p.form == expected.form
    other = pickle.loads(pickle.dumps(btfperm.preorder(expected.form.pattern.to_scipy())))
    assert other.form.n_blocks == other.n_blocks
    assert not other.form.row_perm.flags.writeable
