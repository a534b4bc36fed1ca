# SPDX-License-Identifier: BSD-3-Clause
"""Orders inside the blocks are permutations, do not depend on the number of threads, and have about
the fill of SuiteSparse's AMD and of SuperLU's COLAMD.

Fill is counted by `plain_fill`, by `count_fill`, which is tested against it, or by SuperLU.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import splu

import btfperm
from btfperm.ordering import count_fill, count_symmetric, order_by_fill, order_places
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.dulmage_mendelsohn.test_threads import shared
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import plain_fill, suitesparse
from tests.transversal.methods import in_64_bits

METHODS = ("amd", "amd-ascending", "colamd", "rcm", "minimum-fill")
NONSINGULAR = [k for k in known_answers() if k.shape == (k.structural_rank, k.structural_rank)]
PLENTY = 10**7  # a limit on the entries of the factors that no test reaches


def grid(k):
    """The five-point matrix of k x k points."""
    T = sp.diags_array([np.ones(k - 1), np.ones(k), np.ones(k - 1)], offsets=(-1, 0, 1))
    return sp.csc_array(sp.kron(T, sp.eye_array(k)) + sp.kron(sp.eye_array(k), T))


def one_block(A):
    """The arguments of `order_places` for a matrix with a full diagonal, as one block."""
    P = as_pattern(A)
    places = np.arange(P.n, dtype=P.indices.dtype)
    return P, places, places, np.array([0, P.n], dtype=P.indices.dtype)


def form_of(A):
    """The arguments of `order_places` for a nonsingular matrix."""
    f = btfperm.block_triangular_form(as_pattern(A))
    return f.pattern, f.matched_row_perm, f.col_perm, f.blocks


def order_of(form, method, threads=1):
    if method != "minimum-fill":
        return order_places(*form, method, threads)
    return order_by_fill(*form, PLENTY, 10**9, threads)


def fill_of(A, order):
    """Entries of the factors of A in this order, with pivots on the diagonal."""
    dense = np.asarray(sp.csc_array(A).toarray()[np.ix_(order, order)]) != 0
    lower, upper, _ = plain_fill.factors(dense)
    return lower + upper


@pytest.mark.parametrize("method", METHODS)
@given(A=strategies.nonsingular(max_size=40))
def test_an_order_permutes_the_places_of_each_block(method, A):
    form = form_of(A)
    order = order_of(form, method)
    blocks = form[3]
    block = np.repeat(np.arange(blocks.size - 1), np.diff(blocks))
    np.testing.assert_array_equal(np.sort(order), np.arange(order.size))
    np.testing.assert_array_equal(block[order], block)
    with shared(always=True):
        for threads in (2, 4):
            np.testing.assert_array_equal(order_of(form, method, threads), order)


@given(
    n=st.integers(3, 60),
    per_row=st.floats(0.5, 8.0),
    seed=st.integers(0, 2**32 - 1),
    method=st.sampled_from(METHODS),
)
def test_random_graphs(n, per_row, seed, method):
    """In many of these graphs, lists are moved because they outgrow their space."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=min(per_row / n, 1.0), rng=rng) + sp.eye_array(n)
    form = one_block(sp.csc_array(A))
    order = order_of(form, method)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    fill = count_fill(*form, order, PLENTY)
    assert fill.total == fill_of(A, order)


@given(A=strategies.nonsingular(max_size=30), method=st.sampled_from(METHODS))
def test_fill_is_that_of_elimination(A, method):
    form = form_of(A)
    P, rows, cols, blocks = form
    order = order_of(form, method)
    dense = P.to_scipy().toarray()[np.ix_(rows[order], cols[order])] != 0
    found = count_fill(*form, order, PLENTY)
    lower = upper = operations = 0
    for first, last in pairwise(blocks):
        one = plain_fill.factors(dense[first:last, first:last])
        lower, upper, operations = lower + one[0], upper + one[1], operations + one[2]
    assert (found.lower, found.upper, found.operations) == (lower, upper, operations)
    with shared(always=True):
        assert count_fill(*form, order, PLENTY, 3) == found


def subtrees(A, order):
    """(size, number of its first node) of each subtree of the elimination tree of A + A'."""
    filled = A[np.ix_(order, order)].astype(bool)
    filled |= filled.T
    n = len(filled)
    size, first = np.ones(n, int), np.arange(n)
    for k in range(n):
        above = k + 1 + np.flatnonzero(filled[k + 1 :, k])
        filled[np.ix_(above, above)] = True
        if above.size:
            parent = above[0]
            size[parent] += size[k]
            first[parent] = min(first[parent], first[k])
    return size, first


@given(A=strategies.nonsingular(max_size=40))
def test_minimum_fill_is_a_postorder(A):
    """Each subtree of the elimination tree of a block is contiguous."""
    P, rows, cols, blocks = form = form_of(A)
    order = order_of(form, "minimum-fill")
    dense = P.to_scipy().toarray()[rows][:, cols] != 0
    for begin, end in pairwise(blocks):
        size, first = subtrees(dense, order[begin:end])
        np.testing.assert_array_equal(size, np.arange(end - begin) - first + 1)


@pytest.mark.parametrize("k", [5, 12])
def test_amd_is_nearly_a_postorder(k):
    """The order by amd is a postorder except among variables that are eliminated together."""
    A = grid(k)
    mixed = np.random.default_rng(k).permutation(k * k)
    A = A[mixed][:, mixed]
    size, first = subtrees(A.toarray(), order_places(*one_block(A), "amd"))
    assert np.mean(size == np.arange(k * k) - first + 1) > 0.9


def arrow(n):
    """A diagonal, the first row and the first column."""
    A = np.eye(n)
    A[0] = A[:, 0] = 1
    return A


@pytest.mark.parametrize(
    "A", [np.eye(50) + np.eye(50, k=1) + np.eye(50, k=-1), arrow(300)], ids=["path", "star"]
)
def test_a_tree_has_no_fill(A):
    mixed = np.random.default_rng(1).permutation(A.shape[0])
    form = one_block(sp.csc_array(A[np.ix_(mixed, mixed)]))
    fill = count_fill(*form, order_places(*form, "amd"), PLENTY)
    assert fill.total == np.count_nonzero(A)


def k_tree(n, k, seed):
    """A graph in which each vertex but the first k has k earlier neighbours, all of them adjacent;
    as a matrix, renumbered."""
    rng = np.random.default_rng(seed)
    A, cliques = np.eye(n), [tuple(range(k))]
    A[:k, :k] = 1
    for v in range(k, n):
        clique = list(cliques[rng.integers(len(cliques))])
        A[v, clique] = A[clique, v] = 1
        cliques += [(*clique[:i], v, *clique[i + 1 :]) for i in range(k)]
    mixed = rng.permutation(n)
    return A[np.ix_(mixed, mixed)]


@pytest.mark.parametrize(("k", "most"), [(2, 1.0), (3, 1.002), (6, 1.0018)])
def test_a_k_tree_has_nearly_no_fill(k, most):
    """Vertices of degree k have adjacent neighbours only, so exact degrees give no fill, and
    SuiteSparse's AMD has 1.0012 and 1.0016 times the entries for k = 3 and 6. A degree that is too
    large, a lost neighbour or a wrong merger gives more than `most`."""
    trees = [k_tree(90, k, seed) for seed in range(20)]
    forms = [one_block(sp.csc_array(A)) for A in trees]
    fill = sum(count_fill(*form, order_places(*form, "amd"), PLENTY).total for form in forms)
    assert fill <= most * sum(np.count_nonzero(A) for A in trees)


@pytest.mark.parametrize("k", [8, 12])
def test_a_grid_has_no_more_fill_than_by_exact_minimum_degree(k):
    """The fill may be a tenth larger, because the two orders break ties differently."""
    A = grid(k)
    exact = fill_of(A, plain_fill.minimum_degree(A.toarray()))
    assert fill_of(A, order_places(*one_block(A), "amd")) <= 1.1 * exact


@parametrized([k for k in NONSINGULAR if k.entries < 60_000])
def test_fill_beside_suitesparse(known):
    """The fill is at most 1.2 times that of SuiteSparse's AMD on the same blocks. If the blocks are
    nearly symmetric, both break ties in the same way, and the fill is at most a thousandth
    larger."""
    P, rows, cols, blocks = form = form_of(read(known.name))
    B = sp.csc_array(P.to_scipy())[rows][:, cols]
    theirs = np.arange(P.n, dtype=P.indices.dtype)
    for first, last in pairwise(blocks):
        if last - first > 2:
            theirs[first:last] = first + suitesparse.amd_order(B[first:last, first:last])
    ours = count_fill(*form, order_places(*form, "amd"), PLENTY)
    expected = count_fill(*form, theirs, PLENTY)
    entries, mirrored = count_symmetric(*form)
    assert ours.total <= (1.001 if mirrored >= 0.95 * entries else 1.2) * expected.total


def test_fill_of_unsymmetric_blocks_beside_suitesparse():
    """Variables that are eliminated together are sorted by their Markowitz counts. For these random
    matrices, the fill is at least 5 % smaller than with AMD of SuiteSparse, which does not sort
    them."""
    ours = theirs = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        A = sp.csc_array(sp.random_array((300, 300), density=4 / 300, rng=rng) + sp.eye_array(300))
        form = one_block(A)
        ours += count_fill(*form, order_places(*form, "amd"), PLENTY).total
        order = suitesparse.amd_order(A).astype(form[1].dtype)
        theirs += count_fill(*form, order, PLENTY).total
    assert ours <= 0.95 * theirs


@pytest.mark.parametrize("method", METHODS)
def test_dense_lines_come_last(method):
    """The matrix has one full row and column. "amd" and "minimum-fill" order this variable last;
    for "colamd" and "rcm" the test requires only a permutation."""
    n = 2_000
    A = sp.lil_array(grid(40))
    A.resize((n, n))
    A.setdiag(1)
    A[7, :] = A[:, 7] = 1
    order = order_of(one_block(sp.csc_array(A)), method)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    if method in ("amd", "amd-ascending", "minimum-fill"):
        assert order[-1] == 7


@given(A=strategies.nonsingular(max_size=8))
def test_the_first_pivot_of_minimum_fill_creates_the_fewest_entries(A):
    """All rows of a matrix this small are candidates. In a postorder, the first pivot is a leaf."""
    P, rows, cols, blocks = form = form_of(A)
    dense = P.to_scipy().toarray()[np.ix_(rows, cols)] != 0
    order = order_of(form, "minimum-fill")
    for first, last in pairwise(blocks):
        if last - first > 2:
            block = dense[first:last, first:last]
            fills, places = plain_fill.local_fills(block), order[first:last] - first
            leaves = places[subtrees(block, places)[0] == 1]
            assert min(fills[place] for place in leaves) == min(fills)


def test_minimum_fill_has_the_same_fill_as_before():
    """The bounds of the local fill decide which rows are candidates. A wrong bound leaves a valid
    order with nearly the same fill, so the totals are exact; whoever changes the order on purpose
    writes the new ones here."""
    path = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(15, 15))
    grid = sp.csc_array(sp.kron(path, sp.eye_array(15)) + sp.kron(sp.eye_array(15), path))
    mixed = sp.csc_array(families.random_rectangle(120, 120, 2, 1).A + sp.eye_array(120))
    totals = [
        count_fill(*form, order_of(form, "minimum-fill"), PLENTY).total
        for form in (one_block(grid), one_block(mixed))
    ]
    assert totals == [3385, 525]


@given(n=st.integers(3, 40), per_row=st.floats(0.5, 8.0), seed=st.integers(0, 2**32 - 1))
def test_minimum_fill_ends_where_it_exceeds_its_limits(n, per_row, seed):
    """The limit on the entries of L + U is exact if no row is dense."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=min(per_row / n, 0.4), rng=rng) + sp.eye_array(n)
    form = one_block(sp.csc_array(A))
    order = order_of(form, "minimum-fill")
    total = count_fill(*form, order, PLENTY).total
    np.testing.assert_array_equal(order_by_fill(*form, total, 10**9), order)
    assert order_by_fill(*form, total - 1, 10**9) is None or n > 16
    assert order_by_fill(*form, total, 0) is None or A.nnz == n  # a diagonal needs no work


@pytest.mark.parametrize("seed", range(8))
def test_limits_do_not_depend_on_the_threads(seed):
    """An order or a count is refused if one of several blocks exceeds the limit, whichever thread
    works on this block."""
    rng = np.random.default_rng(seed)
    blocks = []
    for k in rng.permutation([4, 5, 6, 8, 12]):
        ring = np.eye(k) + np.roll(np.eye(k), 1, axis=1)
        blocks.append(ring + (rng.random((k, k)) < 0.3))
    form = form_of(sp.block_diag(blocks, format="csc"))
    order = order_of(form, "minimum-fill")
    refused = set()
    with shared(always=True):
        for most in (10, 25, 40, 55, 70, 10_000):
            ordered = order_by_fill(*form, most, 10**9)
            fill = count_fill(*form, order, most // 2)
            refused |= {ordered is None, fill is None}
            for _ in range(3):
                several = order_by_fill(*form, most, 10**9, 3)
                assert (several is None) == (ordered is None)
                if ordered is not None:
                    np.testing.assert_array_equal(several, ordered)
                assert count_fill(*form, order, most // 2, 3) == fill
    assert refused == {False, True}


def test_colamd_is_near_superlus():
    """The fill of partial pivoting, with values that make SuperLU pivot off the diagonal."""
    rng = np.random.default_rng(5)
    A = sp.csc_array(grid(30))
    A.data = rng.standard_normal(A.nnz)
    order = order_places(*one_block(A), "colamd")
    ours = splu(A[:, order], permc_spec="NATURAL")
    theirs = splu(A, permc_spec="COLAMD")
    assert ours.L.nnz + ours.U.nnz <= 1.25 * (theirs.L.nnz + theirs.U.nnz)


@given(A=strategies.nonsingular(max_size=20))
def test_mirrored_entries(A):
    form = form_of(A)
    P, rows, cols, blocks = form
    dense = P.to_scipy().toarray()[np.ix_(rows, cols)] != 0
    entries = mirrored = 0
    for first, last in pairwise(blocks):
        B = dense[first:last, first:last] & ~np.eye(last - first, dtype=bool)
        if last - first > 2:
            entries, mirrored = entries + B.sum(), mirrored + (B & B.T).sum()
    assert count_symmetric(*form) == (entries, mirrored)
    with shared(always=True):
        assert count_symmetric(*form, 3) == (entries, mirrored)


def test_a_bound_on_the_entries_of_l():
    form = one_block(grid(12))
    order = order_places(*form, "amd")
    fill = count_fill(*form, order, PLENTY)
    assert count_fill(*form, order, fill.lower) == fill
    assert count_fill(*form, order, fill.lower - 1) is None


def test_64_bits():
    A = grid(15)
    P, *places = one_block(A)
    wide = in_64_bits(P)
    wider = [np.asarray(array, dtype=np.int64) for array in places]
    for method in METHODS:
        np.testing.assert_array_equal(
            order_of((wide, *wider), method), order_of((P, *places), method)
        )


def test_the_core_refuses_arrays_that_do_not_fit():
    P, rows, cols, blocks = one_block(grid(4))
    with pytest.raises(ValueError, match="row_place has 15"):
        order_places(P, rows[:15], cols, blocks, "amd")
    with pytest.raises(ValueError, match="blocks must begin"):
        order_places(P, rows, cols, blocks[1:], "amd")
    with pytest.raises(ValueError, match="order has not"):
        count_fill(P, rows, cols, blocks, rows[:3], PLENTY)
