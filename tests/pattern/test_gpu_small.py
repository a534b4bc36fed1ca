# SPDX-License-Identifier: BSD-3-Clause
"""The conversion of matrices on a GPU to canonical columns, on matrices small enough for an
emulated device."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.pattern.pattern import Pattern
from tests.oracles.plain_pattern import pattern as plain_pattern

pytestmark = pytest.mark.gpu


def there(shape, indptr, indices, width=np.int32):
    import cupy

    columns = (cupy.asarray(np.array(part, dtype=width)) for part in (indices, indptr))
    return btfperm.as_pattern((None, *columns), shape=shape).on_host()


def assert_is(P, shape, indptr, indices):
    assert isinstance(P, Pattern) and P.shape == shape
    np.testing.assert_array_equal(P.indptr, indptr)
    np.testing.assert_array_equal(P.indices, indices)


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_sorted_columns_with_duplicates_are_merged(width):
    """Each list ascends, but not strictly, so the lists are not canonical yet."""
    P = there((4, 3), [0, 3, 3, 7], [1, 1, 3, 0, 2, 2, 2], width)
    assert_is(P, (4, 3), [0, 2, 2, 4], [1, 3, 0, 2])


def test_one_duplicate_is_found_wherever_it_is():
    """The duplicate is at one of 15 positions of a list as long as several warps."""
    for k in range(0, 99, 7):
        rows = np.sort(np.append(np.arange(100), k))
        P = there((100, 2), [0, 101, 102], [*rows, 5])
        assert_is(P, (100, 2), [0, 100, 101], [*range(100), 5])


def test_one_row_out_of_order_or_outside_is_found_wherever_it_is():
    for k in range(1, 100, 7):
        rows = np.arange(100)
        rows[[k - 1, k]] = rows[[k, k - 1]]
        assert_is(there((100, 1), [0, 100], rows), (100, 1), [0, 100], range(100))
        for outside in (-1, 100):
            rows = np.arange(100)
            rows[k] = outside
            with pytest.raises(btfperm.InvalidMatrixError, match=r"outside 0 \.\.\. 99"):
                there((100, 1), [0, 100], rows)


@pytest.mark.parametrize("indptr", [[1, 2, 3], [0, 2, 1], [0, 3, 4], [0, -1, 3]], ids=str)
def test_wrong_pointers_are_refused(indptr):
    with pytest.raises(btfperm.InvalidMatrixError, match="indptr is wrong"):
        there((4, 2), indptr, [0, 1, 2])


def test_an_entry_on_the_edge_of_a_shape_belongs_to_it():
    import cupy

    for rows, cols in (([4], [0]), ([0], [3]), ([-1], [0]), ([0], [-1])):
        with pytest.raises(btfperm.InvalidMatrixError, match="outside a 4 x 3 matrix"):
            btfperm.pattern.device_input.from_coo(
                cupy.asarray(np.array(rows)), cupy.asarray(np.array(cols)), (4, 3), None
            )


@pytest.mark.parametrize(
    ("shape", "fits"),
    [((2**32, 2**31 - 1), True), ((2**32, 2**31), False), ((2**62, 2), False)],
    ids=str,
)
def test_keys_beyond_63_bits_are_refused(shape, fits):
    """A key is column times rows plus row. The largest one must fit in 63 bits."""
    import cupy

    from btfperm.pattern.canonical_gpu import keys_of

    m, n = shape
    rows, cols = (cupy.asarray(np.array([0, k - 1], dtype=np.int64)) for k in (m, n))
    if fits:
        assert keys_of(rows, cols, shape).get().tolist() == [0, m * n - 1]
    else:
        with pytest.raises(btfperm.BackendUnavailableError, match="pass 64 bits"):
            keys_of(rows, cols, shape)


@pytest.mark.parametrize("drop", [True, False])
def test_a_position_stored_as_zero_and_as_a_number_is_an_entry(drop):
    import cupy

    from btfperm.pattern.device_input import from_coo

    rows, cols = np.array([2, 0, 2, 1, 1]), np.array([0, 1, 0, 1, 1])
    values = np.array([0.0, 0.0, 5.0, 0.0, 0.0])
    P = from_coo(cupy.asarray(rows), cupy.asarray(cols), (3, 2), values, drop_zeros=drop)
    expected_entries = [(2, 0)] if drop else [(2, 0), (0, 1), (1, 1)]
    expected = sp.csc_array(
        (np.ones(len(expected_entries)), np.transpose(expected_entries)), shape=(3, 2)
    )
    ours = plain_pattern(expected)
    assert_is(P.on_host(), (3, 2), ours.indptr, ours.indices)
    assert P.stored_zeros.on_host().nnz == 2 and P.zeros_dropped == drop
