# SPDX-License-Identifier: BSD-3-Clause
"""CXSparse's cs_dmperm, an independent implementation, finds the same coarse sets and square
blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given

import btfperm
from tests import strategies
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import suitesparse

pytestmark = pytest.mark.skipif(
    not suitesparse.available("cxsparse"), reason="libcxsparse is not installed"
)


def parts(row_perm, col_perm, coarse_rows, coarse_cols):
    """Row and column sets of the horizontal, the square and the vertical part."""
    return (
        [np.sort(part).tolist() for part in np.split(row_perm, np.asarray(coarse_rows)[[1, 2]])],
        [np.sort(part).tolist() for part in np.split(col_perm, np.asarray(coarse_cols)[[2, 3]])],
    )


def square_blocks(perm, boundaries, first, last):
    """The fine blocks between two coarse boundaries, as a set of sets."""
    ends = [int(k) for k in boundaries if first <= k <= last]
    return {frozenset(np.asarray(perm)[a:b].tolist()) for a, b in pairwise(ends) if a < b}


def compare(A):
    d = btfperm.dulmage_mendelsohn(A)
    p, q, r, s, rr, cc = suitesparse.cs_dmperm(A)
    assert d.coarse_rows.tolist() == list(rr) and d.coarse_cols.tolist() == list(cc)
    assert parts(d.row_perm, d.col_perm, d.coarse_rows, d.coarse_cols) == parts(p, q, rr, cc)
    assert square_blocks(d.row_perm, d.row_blocks, *d.coarse_rows[[1, 2]]) == square_blocks(
        p, r, rr[1], rr[2]
    )
    assert square_blocks(d.col_perm, d.col_blocks, *d.coarse_cols[[2, 3]]) == square_blocks(
        q, s, cc[2], cc[3]
    )


@given(strategies.any_matrix())
def test_any_matrix(A):
    assume(min(A.shape) > 0)  # cs_dmperm needs rows and columns
    compare(A)


@parametrized(known_answers())
def test_real_matrices(known):
    compare(read(known.name))
