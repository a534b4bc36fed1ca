# SPDX-License-Identifier: BSD-3-Clause
"""BTF through scikit-sparse 0.5, if it is installed.

It returns R with arbitrary numbers after the last boundary, and may sort its argument in place.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given

import btfperm
from btfperm.conventions import as_btf
from btfperm.conventions.btf import read_btf
from btfperm.reports.verify import verify
from tests import strategies
from tests.conventions.permuted import blocks
from tests.known_answers import known_answers, parametrized, read
from tests.oracles.suitesparse import unflip

try:
    from sksparse import btf as sksparse_btf
except ImportError as error:  # missing, or compiled for libraries that are not installed
    pytest.skip(f"scikit-sparse does not work here ({error})", allow_module_level=True)


def their_order(A):
    """P, Q and R without the numbers after the last boundary."""
    P, Q, R = sksparse_btf.btf(sp.csc_array(A, copy=True))
    end = int(np.argmax(A.shape[0] <= R))
    return P, Q, R[: end + 1]


def compare(A):
    order = as_btf(btfperm.block_triangular_form(A))
    P, Q, R = their_order(A)
    assert order.nmatch == (Q >= 0).sum()
    if order.nmatch == A.shape[0]:
        ours = blocks(order.P, order.Q, order.R, order.R)
        assert set(ours) == set(blocks(P, unflip(Q), R, R))


@given(A=strategies.any_square())
def test_the_same_blocks(A):
    compare(A)


@given(A=strategies.any_square())
def test_theirs_passes_the_verifier(A):
    P, Q, R = their_order(A)
    arrays, names = read_btf({"P": P, "Q": Q, "R": R}, completed=False)
    pattern = btfperm.as_pattern(A)
    assert verify(pattern, arrays, kind="solver", canonical=False, names=names).ok


@given(A=strategies.any_matrix())
def test_as_many_matched(A):
    assume(min(A.shape) > 0)
    match = sksparse_btf.maxtrans(sp.csc_array(A, copy=True))
    assert btfperm.structural_rank(A) == (match >= 0).sum()


@parametrized([known for known in known_answers() if known.shape[0] == known.shape[1]])
def test_real_matrices(known):
    compare(read(known.name))
