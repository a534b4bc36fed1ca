# SPDX-License-Identifier: BSD-3-Clause
"""refactor with SuperLU, and the values that it refuses; test_klu.py has KLU's pivots."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from tests.preorder.test_factor import example


def test_refactor_with_superlu():
    A = sp.csc_array(example().astype(float))
    F = btfperm.preorder(A).factor(A)
    x = np.arange(1.0, 5)
    assert not F.refactor(2 * A.data)
    np.testing.assert_allclose(F.solve(A @ x), x / 2)
    assert not F.refactor(A.tocsr() * 3j)
    np.testing.assert_allclose(F.solve(A @ x), x / 3j)
    np.testing.assert_allclose(F.as_linear_operator().matvec(A @ x), x / 3j)
    np.testing.assert_allclose(F.as_linear_operator().rmatvec(A.T @ x), x / -3j)


def test_refactor_refuses_values_below_the_blocks():
    """Zeros that are stored there are no part of the factors."""
    A = sp.csc_array(np.array([[1.0, 2.0], [5.0, 3.0]]))
    p = btfperm.preorder(np.array([[1.0, 2.0], [0.0, 3.0]]))
    zero = A.copy()
    zero.data[1] = 0
    F = p.factor(zero)
    np.testing.assert_allclose(F.solve([3.0, 3.0]), 1)
    with pytest.raises(InvalidArgumentError, match="row 1, column 0 lies below"):
        F.refactor(A)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_refactor_refuses_values_that_are_not_finite(bad):
    A = sp.csc_array(example().astype(float))
    F = btfperm.preorder(A).factor(A)
    B = A.copy()
    B.data[2] = bad
    for wrong in (B, B.data, B.tocsr()):
        with pytest.raises(InvalidMatrixError, match="row 1, column 1 is"):
            F.refactor(wrong)
    np.testing.assert_allclose(F.solve(A @ np.ones(4)), 1)  # the old factors stay
