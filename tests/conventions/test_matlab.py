# SPDX-License-Identifier: BSD-3-Clause
"""MATLAB's convention: CSparse's arrays, counted from 1, in the order of dmperm's outputs."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import btfperm
from btfperm.conventions import as_csparse, as_matlab
from tests import strategies
from tests.conventions.permuted import positions


@given(A=strategies.any_matrix())
def test_csparse_counted_from_one(A):
    d = btfperm.dulmage_mendelsohn(A)
    ours, c = as_matlab(d), as_csparse(d)
    assert ours._fields == ("p", "q", "r", "s", "cc", "rr")
    for theirs, name in zip(ours, ours._fields, strict=True):
        np.testing.assert_array_equal(theirs, getattr(c, name) + 1, err_msg=name)


@given(A=strategies.any_matrix())
def test_read_as_matlab_reads_it(A):
    """``A(p(r(k):r(k+1)-1), q(s(k):s(k+1)-1))`` with inclusive ends; no entry lies below a
    block."""
    p, q, r, s, cc, rr = as_matlab(btfperm.dulmage_mendelsohn(A))
    m, n = A.shape
    matlab = {(i + 1, j + 1) for i, j in np.argwhere(positions(A)).tolist()}
    place = {i: k for k, i in enumerate(p.tolist(), 1)}
    block_of_place = {
        k: b for b in range(len(r) - 1) for k in range(int(r[b]), int(r[b + 1] - 1) + 1)
    }
    block_of_col = {
        int(q[k - 1]): b for b in range(len(s) - 1) for k in range(int(s[b]), int(s[b + 1]))
    }
    assert all(block_of_place[place[i]] <= block_of_col[j] for i, j in matlab)
    assert (rr[0], rr[4], cc[0], cc[4]) == (1, m + 1, 1, n + 1)


def test_an_asymmetric_matrix():
    # A(1,2), A(2,3), A(2,1), A(3,1), A(3,2), counted from 1: row 1 has only column 2, column 3 only
    # row 2, so that row 3 is matched with column 1
    A = strategies.coo([(0, 1), (1, 2), (1, 0), (2, 0), (2, 1)], (3, 3))
    order = as_matlab(btfperm.dulmage_mendelsohn(A))
    assert order.p.tolist() == [2, 3, 1]
    assert order.q.tolist() == [3, 1, 2]
    assert order.r.tolist() == order.s.tolist() == [1, 2, 3, 4]
    assert order.cc.tolist() == [1, 1, 1, 4, 4]
    assert order.rr.tolist() == [1, 1, 4, 4, 4]
