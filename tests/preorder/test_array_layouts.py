# SPDX-License-Identifier: BSD-3-Clause
"""Right-hand sides and new values in every layout of NumPy's arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests.preorder.test_factor import example

pytestmark = pytest.mark.filterwarnings("ignore::btfperm.SolverMissingWarning")


@pytest.mark.parametrize("solver", ["klu", "superlu"])
def test_every_layout_of_a_right_hand_side(solver):
    """Right-hand sides that are read-only, strided, in the other byte order, of one column, and
    stored by columns. Each is solved with a matrix that has a diagonal block of two rows, and with
    a triangular one, whose diagonal blocks all have one row. No right-hand side is modified."""
    for A in (example(), np.triu(np.ones((4, 4)))):
        F = btfperm.preorder(A, solver=solver).factor(A)
        b = A @ np.array([1.0, 2.0, 3.0, 4.0])
        read_only = b.copy()
        read_only.flags.writeable = False
        swapped = b.astype(b.dtype.newbyteorder())
        column, by_columns = b[:, None], np.asfortranarray(np.stack((b, 2 * b), 1))
        strided = b.repeat(2)[::2], b[::-1].copy()[::-1]
        for side in (read_only, *strided, swapped, column, by_columns):
            before = side.copy()
            for trans, op in (("N", A), ("T", A.T)):
                x = F.solve(side, trans)
                assert x.shape == side.shape and x.dtype == np.float64 and x.dtype.isnative
                np.testing.assert_allclose(op @ x, side.astype(float), atol=1e-12)
            np.testing.assert_array_equal(side, before)


@pytest.mark.parametrize("solver", ["klu", "superlu"])
def test_every_layout_of_new_values(solver):
    """New values that are in single precision, strided, read-only, in the other byte order, or
    integers. They are given as an array, or as the data of a matrix stored by columns or by rows.
    No array of values is modified."""
    A = sp.csc_array(example().astype(float))
    b, rows = A @ np.ones(4), sp.csr_array(A)
    F, G = (btfperm.preorder(B, solver=solver).factor(B) for B in (A, rows))
    for factor in (2.0, 4.0):
        for H, B in ((F, A), (G, rows)):
            values = factor * B.data
            read_only = values.copy()
            read_only.flags.writeable = False
            swapped = values.astype(values.dtype.newbyteorder())
            layouts = values.astype(np.float32), values.repeat(2)[::2], read_only, swapped
            for given in (*layouts, values.astype(int)):
                before = given.copy()
                matrix = B.copy()
                matrix.data = given
                for new in (given, matrix):
                    H.refactor(3 * values)
                    H.refactor(new)
                    np.testing.assert_allclose(H.solve(b), 1 / factor)
                np.testing.assert_array_equal(given, before)
