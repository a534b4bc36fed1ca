# SPDX-License-Identifier: BSD-3-Clause
"""CasADi's block lower triangular form, compared with CasADi and with `cs_dmperm` of the transpose.

CasADi's `btf` is `cs_dmperm` of the transposed matrix with rows and columns exchanged, so the
second comparison replaces the first where CasADi is not installed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.conventions import as_casadi, as_csparse
from tests import strategies
from tests.conventions.permuted import blocks, positions
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import suitesparse


def casadi_btf(A):
    """The six arrays of CasADi's own `btf`."""
    try:
        import casadi
    except ImportError:
        pytest.skip("casadi is not installed")
    C = sp.csc_array(A, copy=True)
    C.sum_duplicates()
    sparsity = casadi.Sparsity(*C.shape, C.indptr.tolist(), C.indices.tolist())
    nb, *arrays = sparsity.btf()
    assert nb == len(arrays[2]) - 1
    return [np.array(array, dtype=int) for array in arrays]


def transposed_dmperm(A):
    """The six arrays by `cs_dmperm` of the transpose."""
    p, q, r, s, rr, cc = suitesparse.cs_dmperm(sp.csc_array(A).T)
    return q, p, s, r, cc, rr


def check_blocks(A, theirs):
    """btfperm's arrays and `theirs` have the same coarse parts and the same blocks. In both, the
    vertical part is the first block and the horizontal part the last one."""
    order = as_casadi(btfperm.dulmage_mendelsohn(A))
    np.testing.assert_array_equal(order.coarse_rowblock, theirs[4])
    np.testing.assert_array_equal(order.coarse_colblock, theirs[5])
    ours, expected = blocks(*order[:4]), blocks(*theirs[:4])
    assert set(ours) == set(expected)
    if order.coarse_rowblock[2] > 0:  # a vertical part, which comes first
        assert ours[0] == expected[0]
    if order.coarse_colblock[2] < A.shape[1]:
        assert ours[-1] == expected[-1]  # the horizontal part, which comes last


def check_lower(A, rowperm, colperm, rowblock, colblock, rows, cols):
    """The matrix is block lower triangular, with the matching on the diagonal of the parts."""
    m, n = A.shape
    assert sorted(rowperm) == list(range(m)) and sorted(colperm) == list(range(n))
    permuted = positions(A)[np.ix_(rowperm, colperm)]
    for k in range(len(rowblock) - 1):
        above = permuted[: rowblock[k], colblock[k] : colblock[k + 1]]
        assert not above.any(), f"entries above block {k}"
    rank = cols[3]
    assert permuted[rows[1] :, :rank].diagonal().all(), "X have the matching on their diagonals"
    assert m - rows[1] == rank


@given(A=strategies.any_matrix())
def test_it_is_block_lower_triangular(A):
    check_lower(A, *as_casadi(btfperm.dulmage_mendelsohn(A)))


@given(A=strategies.any_matrix())
def test_blocks_are_those_of_casadi(A):
    check_blocks(A, casadi_btf(A))


@given(A=strategies.any_matrix())
def test_blocks_are_those_of_dmperm_of_the_transpose(A):
    check_blocks(A, transposed_dmperm(A))


@parametrized(known_answers())
def test_real_matrices(known):
    A = read(known.name)
    check_blocks(A, transposed_dmperm(A))


def test_real_matrices_with_casadi():
    for known in known_answers():
        if max(known.shape) <= 2000:
            A = read(known.name)
            check_blocks(A, casadi_btf(A))


def test_every_part_of_one_matrix():
    """The matrix has a vertical part of rows 1, 3, 5 and columns 2, 4, a square part of row 2 and
    column 0, and a horizontal part."""
    pairs = [(0, 1), (0, 3), (4, 3), (4, 5), (4, 0), (2, 0), (2, 4), (1, 2), (3, 2), (3, 4), (5, 4)]
    order = as_casadi(btfperm.dulmage_mendelsohn(strategies.coo(pairs, (6, 6))))
    assert order.coarse_rowblock.tolist() == [0, 1, 3, 4, 6]
    assert order.coarse_colblock.tolist() == [0, 2, 3, 5, 6]
    assert order.rowblock.tolist() == [0, 3, 4, 6] and order.colblock.tolist() == [0, 2, 3, 6]
    assert set(order.rowperm[:3].tolist()) == {1, 3, 5}
    assert (order.rowperm[3], order.colperm[2]) == (2, 0)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
def test_no_entries_at_all(shape):
    A = sp.coo_array(shape)
    order = as_casadi(btfperm.dulmage_mendelsohn(A))
    for ours, theirs in zip(order, transposed_dmperm(A), strict=True):
        if ours is not order.rowperm and ours is not order.colperm:
            np.testing.assert_array_equal(ours, theirs)


@given(A=strategies.nonsingular())
def test_a_preordering_keeps_the_order_inside_its_blocks(A):
    p = btfperm.preorder(A, solver="klu")
    order, parts = as_casadi(p), as_casadi(btfperm.dulmage_mendelsohn(A))
    check_lower(A, *order)
    np.testing.assert_array_equal(order.coarse_rowblock, parts.coarse_rowblock)
    np.testing.assert_array_equal(order.coarse_colblock, parts.coarse_colblock)
    for perm, ours in ((p.row_perm, order.rowperm), (p.col_perm, order.colperm)):
        assert pieces(ours, order.rowblock) == pieces(perm, p.blocks)[::-1]


@given(A=strategies.any_matrix())
def test_the_order_inside_the_parts_is_that_of_csparse(A):
    d = btfperm.dulmage_mendelsohn(A)
    ours, csparse = as_casadi(d), as_csparse(d)
    rows, cols = pieces(csparse.p, csparse.rr), pieces(csparse.q, csparse.cc)
    theirs = [rows[3], rows[2], rows[0]], [cols[3], cols[1], cols[0]]  # without the square part
    rows = pieces(ours.rowperm, ours.coarse_rowblock)
    cols = pieces(ours.colperm, ours.coarse_colblock)
    assert ([rows[0], rows[1], rows[3]], [cols[0], cols[2], cols[3]]) == theirs


def pieces(perm, boundaries):
    return [perm[a:b].tolist() for a, b in pairwise(boundaries)]
