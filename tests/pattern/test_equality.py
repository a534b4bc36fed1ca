# SPDX-License-Identifier: BSD-3-Clause
"""Equality of patterns, their tables for notebooks, values of half precision, and a masked initial
matching."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm import as_pattern, as_valued
from tests import strategies
from tests.transversal.methods import in_64_bits


@given(A=strategies.random_matrices(), B=strategies.random_matrices())
def test_patterns_are_equal_by_shape_and_entries(A, B):
    one, two = as_pattern(A), as_pattern(B)
    same = one.shape == two.shape and (one.to_scipy() != two.to_scipy()).nnz == 0
    assert (one == two) is same
    copy = as_pattern(A.copy())
    assert one == copy and hash(one) == hash(copy) and in_64_bits(one) == one
    assert hash(in_64_bits(one)) == hash(one)


def test_the_number_of_entries_does_not_decide():
    assert as_pattern(np.eye(2)) != as_pattern(np.eye(2)[::-1])
    assert as_pattern(np.eye(2)) != as_pattern(np.eye(2, 3))
    assert as_pattern(np.eye(2)) != "a pattern"


def test_valued_patterns_are_equal_by_pattern_and_values():
    A = np.array([[1.0, 2.0], [0.0, 3.0]])
    assert as_valued(A) == as_valued(A.copy()) and hash(as_valued(A)) == hash(as_valued(2 * A))
    assert as_valued(A) != as_valued(2 * A)
    assert as_valued(A + np.nan) == as_valued(A + np.nan)
    assert as_valued(A) == as_valued(A.astype(int))
    assert as_valued(A) != as_valued(A[::-1])
    assert as_valued(A) != as_pattern(A)


def test_tables_for_notebooks():
    A = np.eye(3)
    for shown in (as_pattern(A), as_valued(A), btfperm.preorder(A).factor(A)):
        table = shown._repr_html_()
        assert table.startswith("<table>") and "3 x 3" in table and type(shown).__name__ in table
    named = as_pattern(A)._with(name="<b>")
    assert "&lt;b&gt;" in named._repr_html_()


def test_half_precision(tmp_path):
    A = np.array([[0, 1.5], [2, 0]], dtype=np.float16)
    btfperm.write_matrix(tmp_path / "a.mtx", A)
    np.testing.assert_array_equal(btfperm.read_matrix(tmp_path / "a.mtx").toarray(), A)
    assert as_valued(A) == as_valued(A.astype(float))
    np.testing.assert_allclose(btfperm.preorder(A).factor(A).solve([3.0, 4.0]), [2.0, 2.0])


def test_a_masked_initial_matching_is_refused():
    initial = np.ma.masked_array([0, 1, 2], mask=[True, False, False])
    with pytest.raises(btfperm.InvalidArgumentError, match=r"masked array; give initial\.filled"):
        btfperm.maximum_transversal(sp.eye_array(3), initial=initial)
