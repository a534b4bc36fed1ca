# SPDX-License-Identifier: BSD-3-Clause
"""BTF's P, Q with flips, R and Match, compared with libbtf."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import btfperm
from btfperm.conventions import as_btf
from tests import strategies
from tests.conventions.permuted import blocks, check_gathers, positions
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import suitesparse

SQUARE = [known for known in known_answers() if known.shape[0] == known.shape[1]]


@given(A=strategies.any_square())
def test_flips_mark_the_structurally_zero_diagonal(A):
    order = as_btf(btfperm.block_triangular_form(A))
    cols = suitesparse.unflip(order.Q)
    check_gathers(A, order.P, cols, order.R, order.R)
    assert order.nblocks == len(order.R) - 1
    np.testing.assert_array_equal(positions(A)[order.P, cols], order.Q >= 0)
    assert order.nmatch == (order.Q >= 0).sum()


@given(A=strategies.any_square())
def test_as_many_matched_as_libbtf(A):
    order = as_btf(btfperm.block_triangular_form(A))
    P, Q, R, nmatch = suitesparse.btf_order(A)
    assert order.nmatch == nmatch
    assert (order.Q < -1).sum() == (Q < -1).sum()
    if nmatch == A.shape[0]:  # only then the blocks do not depend on the matching
        theirs = blocks(P, Q, R, R)
        assert set(blocks(order.P, order.Q, order.R, order.R)) == set(theirs)


@given(A=strategies.any_square())
def test_libbtf_finds_the_same_blocks_from_our_completed_match(A):
    """btf_strongcomp accepts the flipped numbers of Q and keeps them, for singular and for
    nonsingular matrices."""
    order = as_btf(btfperm.block_triangular_form(A))
    given_Q = np.empty_like(order.Q)
    given_Q[order.P] = order.Q  # the column of each row, flipped or not
    P, Q, R = suitesparse.btf_strongcomp(A, given_Q)
    ours = blocks(order.P, suitesparse.unflip(order.Q), order.R, order.R)
    assert set(ours) == set(blocks(P, suitesparse.unflip(Q), R, R))
    beside = dict(zip(order.P.tolist(), order.Q.tolist(), strict=True))
    assert beside == dict(zip(P.tolist(), Q.tolist(), strict=True))


@given(A=strategies.any_square())
def test_match_is_a_column_permutation(A):
    order = as_btf(btfperm.block_triangular_form(A))
    _, size = suitesparse.btf_maxtrans(A)
    matched = order.Match >= 0
    assert matched.sum() == size
    assert positions(A)[np.flatnonzero(matched), order.Match[matched]].all()
    if size == A.shape[0]:
        assert positions(A)[:, order.Match].diagonal().all()  # A(:, Match)


@given(A=strategies.nonsingular())
def test_a_nonsingular_decomposition_will_do(A):
    ours = as_btf(btfperm.dulmage_mendelsohn(A))
    form = as_btf(btfperm.block_triangular_form(A))
    for name in ("P", "Q", "R", "Match"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(form, name), err_msg=name)


def test_column_0_can_be_flipped():
    order = as_btf(btfperm.block_triangular_form([[0, 0], [0, 1]]))
    flipped = order.Q[order.Q < 0]
    assert flipped.tolist() == [-2]
    assert order.P[order.Q < 0].tolist() == [0]


@parametrized(SQUARE)
def test_real_matrices(known):
    A = read(known.name)
    order = as_btf(btfperm.block_triangular_form(A))
    P, Q, R, nmatch = suitesparse.btf_order(A)
    assert order.nmatch == nmatch == known.structural_rank
    if nmatch == A.shape[0]:
        assert set(blocks(order.P, order.Q, order.R, order.R)) == set(blocks(P, Q, R, R))
