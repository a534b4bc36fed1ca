# SPDX-License-Identifier: BSD-3-Clause
"""Block triangular form of square matrices as KLU defines it, including singular ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.errors import BtfpermError
from tests import families, strategies
from tests.checks.check_btf import check_block_triangular_form
from tests.checks.check_matching import check_matching
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import plain_block_triangular, plain_matching, suitesparse
from tests.oracles.plain_pattern import pattern
from tests.transversal.methods import ALGORITHMS, INITIALIZERS

needs_btf = pytest.mark.skipif(not suitesparse.available("btf"), reason="libbtf is not installed")
SQUARE = [known for known in known_answers() if known.shape[0] == known.shape[1]]


def check_form(A, f):
    paired_row = f.col_match if f.paired_row is None else f.paired_row
    check_matching(A, f.row_match, f.col_match)
    check_block_triangular_form(A, f.row_perm, f.col_perm, f.blocks, paired_row, f.completed)
    np.testing.assert_array_equal(f.row_blocks, f.col_blocks)
    matched = f.col_match >= 0
    np.testing.assert_array_equal(paired_row[matched], f.col_match[matched])
    assert f.completed == A.shape[0] - f.structural_rank == (~matched).sum()
    expected = plain_block_triangular.block_triangular_form(A, f.row_match, f.col_match)
    for name in ("row_perm", "col_perm", "blocks"):
        np.testing.assert_array_equal(getattr(f, name), getattr(expected, name), err_msg=name)


def blocks_of(row_perm, col_perm, blocks):
    """The diagonal blocks as a set of (rows, columns)."""
    return {
        (
            frozenset(np.asarray(row_perm)[a:b].tolist()),
            frozenset(np.asarray(col_perm)[a:b].tolist()),
        )
        for a, b in pairwise(blocks)
    }


@given(strategies.any_square())
def test_any_square_matrix(A):
    f = btfperm.block_triangular_form(A)
    check_form(A, f)
    assert f.structural_rank == plain_matching.structural_rank(A)


@given(strategies.any_square(), st.sampled_from(INITIALIZERS), st.sampled_from(ALGORITHMS))
def test_every_method(A, initializer, algorithm):
    check_form(A, btfperm.block_triangular_form(A, initializer=initializer, algorithm=algorithm))


@given(strategies.nonsingular())
def test_nonsingular_is_the_square_part_of_the_decomposition(A):
    f, d = btfperm.block_triangular_form(A), btfperm.dulmage_mendelsohn(A)
    assert f.completed == 0
    for name in ("row_perm", "col_perm", "row_blocks", "col_blocks"):
        np.testing.assert_array_equal(getattr(f, name), getattr(d, name), err_msg=name)


@given(strategies.any_square())
def test_the_matched_permutation_fills_the_diagonal(A):
    f = btfperm.block_triangular_form(A)
    permuted = pattern(A)[f.matched_row_perm, :][:, f.col_perm]
    assert np.count_nonzero(permuted.diagonal() == 0) == f.completed
    block = np.repeat(np.arange(f.n_blocks), np.diff(f.blocks))
    coo = permuted.tocoo()
    assert (block[coo.row] <= block[coo.col]).all()


@given(strategies.any_square())
def test_a_transversal_can_be_handed_in(A):
    t = btfperm.maximum_transversal(A)
    f = btfperm.block_triangular_form(A, transversal=t)
    np.testing.assert_array_equal(f.row_match, t.row_match)
    check_form(A, f)


@needs_btf
@given(strategies.nonsingular())
def test_libbtf_finds_the_same_blocks(A):
    f = btfperm.block_triangular_form(A)
    P, Q, R, n_matched = suitesparse.btf_order(A)
    assert n_matched == A.shape[0]
    assert blocks_of(f.row_perm, f.col_perm, f.blocks) == blocks_of(P, Q, R)


@needs_btf
@given(strategies.any_square())
def test_libbtf_finds_the_same_rank(A):
    _, _, _, n_matched = suitesparse.btf_order(A)
    assert btfperm.block_triangular_form(A).structural_rank == n_matched


@needs_btf
@parametrized(SQUARE)
def test_libbtf_on_real_matrices(known):
    A = read(known.name)
    f = btfperm.block_triangular_form(A)
    P, Q, R, n_matched = suitesparse.btf_order(A)
    assert n_matched == f.structural_rank == known.structural_rank
    if not f.completed:
        assert blocks_of(f.row_perm, f.col_perm, f.blocks) == blocks_of(P, Q, R)


@parametrized(SQUARE)
def test_real_matrices(known):
    A = read(known.name)
    f = btfperm.block_triangular_form(A)
    check_form(A, f)
    if not f.completed:
        assert f.n_blocks == known.fine_blocks


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (0, 1)])
def test_rectangles_are_refused_with_advice(shape):
    with pytest.raises(BtfpermError, match="dulmage_mendelsohn"):
        btfperm.block_triangular_form(sp.csc_array(shape))


def test_nothing_but_zeros():
    f = btfperm.block_triangular_form(sp.csc_array((3, 3)))
    assert (f.structural_rank, f.completed, f.n_blocks) == (0, 3, 3)
    assert f.blocks.tolist() == [0, 1, 2, 3]
    assert btfperm.block_triangular_form(sp.csc_array((0, 0))).n_blocks == 0


@pytest.mark.parametrize("family", ["chain", "bidiagonal", "cycle"])
def test_deep(family, run_seed):
    hard = families.renumbered(getattr(families, family)(100_000), "mixed", run_seed)
    f = btfperm.block_triangular_form(hard.A)
    assert f.n_blocks == hard.fine_blocks
    check_block_triangular_form(hard.A, f.row_perm, f.col_perm, f.blocks, f.col_match, 0)


def test_deep_and_singular(run_seed):
    hard = families.renumbered(families.deadtree(20_000, run_seed), "mixed", run_seed)
    f = btfperm.block_triangular_form(hard.A)
    assert f.structural_rank == hard.rank
    check_block_triangular_form(hard.A, f.row_perm, f.col_perm, f.blocks, f.paired_row, f.completed)
