# SPDX-License-Identifier: BSD-3-Clause
"""CSparse: the blocks are those of `cs_dmperm`. If btfperm is given the matching of `cs_dmperm`,
the orders inside the horizontal and inside the vertical part are also the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.conventions import CONVENTIONS, as_csparse
from btfperm.conventions.rows import conventions
from btfperm.reports.verify import verify
from tests import strategies
from tests.conventions.permuted import blocks, check_gathers, positions
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import suitesparse
from tests.reports.answers import pattern_of


def check_csparse(A, d, order):
    p, q, r, s, nb, rr, cc = order
    check_gathers(A, p, q, r, s)
    assert nb == len(r) - 1 == len(s) - 1
    np.testing.assert_array_equal(rr, d.coarse_rows)
    np.testing.assert_array_equal(cc, d.coarse_cols)
    assert (d.col_match[q[: cc[1]]] == -1).all(), "unmatched columns come first"
    assert (d.row_match[p[rr[3] :]] == -1).all(), "unmatched rows come last"
    for part in (q[: cc[1]], q[cc[1] : cc[2]], q[cc[3] :], p[rr[3] :]):
        assert (np.diff(part) > 0).all(), "C0, C1, C3 and R0 ascend"
    np.testing.assert_array_equal(d.col_match[q[cc[1] :]], p[: rr[3]])  # R1 C1, R2 C2, R3 C3
    assert positions(A)[p[: rr[3]], q[cc[1] :]].all(), "the matched diagonals are zero-free"


@given(A=strategies.any_matrix())
def test_the_picture_holds(A):
    d = btfperm.dulmage_mendelsohn(A)
    check_csparse(A, d, as_csparse(d))


@given(A=strategies.any_matrix())
def test_blocks_are_those_of_cs_dmperm(A):
    p, q, r, s, rr, cc = suitesparse.cs_dmperm(A)
    order = as_csparse(btfperm.dulmage_mendelsohn(A))
    np.testing.assert_array_equal(order.rr, rr)
    np.testing.assert_array_equal(order.cc, cc)
    assert order.nb == len(r) - 1
    ours, theirs = blocks(order.p, order.q, order.r, order.s), blocks(p, q, r, s)
    assert set(ours) == set(theirs)
    has_horizontal, has_vertical = cc[2] > 0, rr[2] < A.shape[0]
    assert not has_horizontal or ours[0] == theirs[0]
    assert not has_vertical or ours[-1] == theirs[-1]


@given(A=strategies.any_matrix())
def test_ends_are_those_of_cs_dmperm_when_it_lends_its_matching(A):
    p, q, _, _, rr, cc = suitesparse.cs_dmperm(A)
    initial = np.full(A.shape[1], -1)
    initial[q[cc[1] :]] = p[: rr[3]]
    t = btfperm.maximum_transversal(A, initial=initial)
    np.testing.assert_array_equal(t.col_match, initial)
    order = as_csparse(btfperm.dulmage_mendelsohn(A, transversal=t))
    np.testing.assert_array_equal(order.q[: cc[2]], q[: cc[2]])
    np.testing.assert_array_equal(order.p[: rr[1]], p[: rr[1]])
    np.testing.assert_array_equal(order.q[cc[3] :], q[cc[3] :])
    np.testing.assert_array_equal(order.p[rr[2] :], p[rr[2] :])


@pytest.mark.parametrize("convention", ["csparse", "matlab", "casadi"])
@given(A=strategies.any_matrix(), data=st.data())
def test_any_changed_number_is_detected(convention, A, data):
    """The checks detect any changed number in the arrays of `cs_dmperm`, in the conventions of
    CSparse, MATLAB and CasADi. The convention of CSparse also has `nb`."""
    order = CONVENTIONS[convention](btfperm.dulmage_mendelsohn(A))
    fields = {key: np.atleast_1d(value) for key, value in order._asdict().items()}

    def verdict():
        arrays, names = conventions[convention].read(fields, completed=False)
        return verify(pattern_of(A), arrays, canonical=False, names=names)

    assert verdict().ok
    key = data.draw(st.sampled_from([key for key in fields if fields[key].size]))
    place = data.draw(st.integers(0, fields[key].size - 1))
    fields[key] = fields[key].copy()
    fields[key][place] += data.draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))
    assert verdict().violations


@parametrized(known_answers())
def test_real_matrices(known):
    A = read(known.name)
    d = btfperm.dulmage_mendelsohn(A)
    order = as_csparse(d)
    if max(A.shape) <= 2000:
        check_csparse(A, d, order)
    p, q, r, s, rr, cc = suitesparse.cs_dmperm(A)
    np.testing.assert_array_equal(order.rr, rr)
    np.testing.assert_array_equal(order.cc, cc)
    assert set(blocks(order.p, order.q, order.r, order.s)) == set(blocks(p, q, r, s))


def test_every_part_of_one_matrix():
    # rows 0 and 4 with columns 1, 3, 5: horizontal; row 2, column 0: square;
    # rows 1, 3, 5 with columns 2 and 4: vertical
    pairs = [(0, 1), (0, 3), (4, 3), (4, 5), (4, 0), (2, 0), (2, 4), (1, 2), (3, 2), (3, 4), (5, 4)]
    A = strategies.coo(pairs, (6, 6))
    order = as_csparse(btfperm.dulmage_mendelsohn(A))
    assert order.rr.tolist() == [0, 2, 3, 5, 6]
    assert order.cc.tolist() == [0, 1, 3, 4, 6]
    assert order.r.tolist() == [0, 2, 3, 6]
    assert order.s.tolist() == [0, 3, 4, 6]
    assert (order.p[2], order.q[3]) == (2, 0)
    assert order.q[4:].tolist() == [2, 4]
    assert set(order.p[:2].tolist()) == {0, 4}


@pytest.mark.parametrize(
    ("shape", "nb", "r", "s"),
    [
        ((0, 0), 0, [0], [0]),
        ((0, 3), 1, [0, 0], [0, 3]),
        ((3, 0), 1, [0, 3], [0, 0]),
        ((2, 3), 2, [0, 0, 2], [0, 3, 3]),
    ],
)
def test_no_entries_at_all(shape, nb, r, s):
    A = sp.coo_array(shape)
    order = as_csparse(btfperm.dulmage_mendelsohn(A))
    assert (order.nb, order.r.tolist(), order.s.tolist()) == (nb, r, s)
    assert suitesparse.cs_dmperm(A)[2].tolist() == r


@pytest.mark.parametrize("transposed", [False, True])
def test_columns_and_rows_of_several_blocks_ascend(transposed):
    """Two vertical (or horizontal) blocks, in which columns and rows have opposite orders."""
    A = np.array([[0, 1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0]])
    A = sp.csc_array(A.T if transposed else A)
    d = btfperm.dulmage_mendelsohn(A)
    order = as_csparse(d)
    check_csparse(A, d, order)
    if not transposed:
        assert d.col_perm.tolist() == [1, 0] and order.q.tolist() == [0, 1]
