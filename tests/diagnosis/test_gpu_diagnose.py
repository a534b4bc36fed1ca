# SPDX-License-Identifier: BSD-3-Clause
"""A matrix on a GPU has the diagnosis that it has on the host."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests.on_device import matrix_there, pattern_there

pytestmark = pytest.mark.gpu

A = sp.csc_array(np.array([[1.0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 2, 3], [0, 0, 0, 4]]))


def test_a_pattern_and_a_matrix_on_a_device():
    expected = btfperm.diagnose(A)
    for there in (pattern_there(A), matrix_there(A)):
        found = btfperm.diagnose(there, row_names=list("abcde"))
        assert found == expected and isinstance(found.overdetermined[0].rows, np.ndarray)
        assert found.never.rows.tolist() == expected.never.rows.tolist()


def test_stored_zeros_on_a_device():
    zeros = sp.csc_array(([1.0, 0.0], [0, 1], [0, 1, 2]), shape=(2, 2))
    found = btfperm.diagnose(matrix_there(zeros))
    assert found == btfperm.diagnose(zeros) and found.stored_zeros.hide_deficiency
