# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the core on numbers, and on arrays of wrong sizes, that solvers never give them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from btfperm import _core


def test_a_complex_number_is_finite_if_both_parts_are():
    for bad in (np.nan, np.inf, -np.inf):
        for number in (complex(bad, 1), complex(1, bad)):
            values = np.array([1, 2, number, number])
            assert _core.preorder.copy_finite(values, np.empty_like(values)) == 2
            assert _core.preorder.largest_change(4, np.ones(4, complex), values)[1] is False
    values, copy = np.array([1, 2j]), np.empty(2, complex)
    assert _core.preorder.copy_finite(values, copy) == -1 and copy.tolist() == [1, 2j]


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", range(1, 10))
def test_loops_of_four_numbers_miss_no_place(n, dtype):
    """The first number that is not finite, and the largest backward error, are found at every
    position, although the loops take four numbers at a time."""
    ones, copy = np.ones(n, dtype), np.empty(n, dtype)
    columns = np.arange(n + 1), np.arange(n), 2 * ones
    for place in range(n):
        values = ones.copy()
        values[place:] = np.nan
        assert _core.preorder.copy_finite(values, copy) == place
        np.testing.assert_array_equal(copy, values)
        for width in (np.int32, np.int64):
            backwards = np.arange(n, dtype=width)[::-1].copy()
            assert _core.preorder.gather_finite(backwards, values[::-1].copy(), copy) == place
            np.testing.assert_array_equal(copy, values)
        for number, expected in ((3.0, 0.5), (np.nan, np.inf)):  # |2 - 2 * 3| / (2 * 3 + 2)
            x, r, sizes = ones.copy(), np.empty(n, dtype), np.empty(n)
            x[place] = number
            assert _core.preorder.residual(*columns, 0, False, x, 2 * ones, r, sizes) == expected


def test_places_of_values_are_as_many_as_the_values():
    two, three = np.array([1, 0], np.int32), np.array([2, 0, 1], np.int32)
    for places, values, copy in ((two, 3, 3), (three, 2, 3), (three, 3, 2)):
        with pytest.raises(ValueError, match="places"):
            _core.preorder.gather_finite(places, np.ones(values), np.empty(copy))
    copy = np.empty(3)
    assert _core.preorder.gather_finite(three, np.array([1.0, 2.0, 3.0]), copy) == -1
    assert copy.tolist() == [3, 1, 2]


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_lengths_of_rows_and_columns(width):
    for shape in ((1, 3), (3, 1)):
        rows, cols = (i.astype(width) for i in np.nonzero(np.ones(shape)))
        indptr = np.searchsorted(np.sort(cols), np.arange(4)).astype(width)
        assert [_core.preorder.longest_up_to(indptr, rows, k) for k in (1, 2, 3, 4)] == [2, 3, 3, 3]
    with pytest.raises(ValueError, match="most"):
        _core.preorder.longest_up_to(indptr, rows, 65_535)


def test_changes_are_relative_to_their_own_solution():
    """The largest change of the first solution is a quarter of its largest number, that of the
    second one half."""
    x, changes = np.array([1.0, -4.0, 100.0, 2.0]), np.array([1.0, 0.5, -50.0, 1.0])
    largest = _core.preorder.largest_change
    assert largest(2, x, changes) == (0.5, True)
    assert largest(2, x[:2], changes) == (12.5, True)
    assert largest(2, x[2:], changes) == (0.5, True)
    assert largest(2, x, np.zeros(4)) == (0.0, True)
    assert largest(2, x, np.array([0, 0, np.nan, 1.0])) == (0.01, False)


def test_a_solution_that_is_no_number_is_infinitely_wrong():
    """Of two right-hand sides, either may be the one that overflowed."""
    columns = np.array([0, 1, 2]), np.array([0, 1]), np.array([2.0, 4.0])
    b = np.array([2.0, 4.0, 2.0, 4.0])

    def error(x, operation, wide):
        arguments = *columns, operation, wide, x, b, np.empty(4), np.empty(2)
        return _core.preorder.residual(*arguments)

    for operation, wide in product(range(3), (False, True)):
        assert error(np.ones(4), operation, wide) == 0.0
        for place in range(4):
            x = np.ones(4)
            x[place] = np.nan
            assert error(x, operation, wide) == np.inf
            x[place] = np.inf
            assert error(x, operation, wide) == np.inf


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("indptr", "indices", "values"),
    [
        ([0, 9, 2], [0, 1], [1, 2]),  # a pointer beyond the entries
        ([0, 2, 1], [0, 1], [1, 2]),
        ([1, 1, 2], [0, 1], [1, 2]),
        ([0, 1, 2], [0, 2], [1, 2]),  # a row that does not exist
        ([0, 1, 2], [-1, 1], [1, 2]),
        ([0, 2, 2], [1, 1], [1, 2]),  # a duplicate
        ([0, 2, 2], [1, 0], [1, 2]),
        ([0, 1, 2], [0, 1], [1, np.inf]),
        ([0, 1, 2], [0, 1, 1], [1, 2]),
        ([0, 2], [0, 1], [1, 2]),
    ],
)
def test_columns_that_are_not_canonical_are_not_copied(indptr, indices, values, width):
    def copied(indptr, indices, values):
        return _core.preorder.copy_columns(
            2,
            np.array(indptr, width),
            np.array(indices, width),
            np.array(values, float),
            np.empty(3, np.int32),
            np.empty(2, np.int32),
            np.empty(2),
        )

    assert copied([0, 1, 2], [0, 1], [1, 2]) is True
    assert copied(indptr, indices, values) is False


def test_copies_without_places_are_refused():
    given = np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32), np.ones(2)
    for short in range(3):
        copies = [np.empty(3, np.int32), np.empty(2, np.int32), np.empty(2)]
        copies[short] = copies[short][:-1]
        if short == 1:  # then the matrix would have one entry
            assert _core.preorder.copy_columns(2, *given, *copies) is False
        else:
            with pytest.raises(ValueError, match="places"):
                _core.preorder.copy_columns(2, *given, *copies)


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_arguments_about_orders_and_blocks(width):
    indptr, indices = np.array([0, 1, 3], width), np.array([0, 0, 1], width)
    order, blocks = np.array([1, 0], width), np.array([0, 1, 2], width)
    below = _core.preorder.entries_below
    assert below(indptr, indices, order, order, blocks) == [1]
    assert below(indptr, indices, order[::-1].copy(), order[::-1].copy(), blocks) == []
    assert below(indptr, indices, order, order, blocks[::2].copy()) == []
    pivot = np.empty(2, width)
    for wrong in (np.array([0, 2], width), np.array([-1, 0], width)):
        with pytest.raises(ValueError, match="no order"):
            below(indptr, indices, wrong, order, blocks)
        with pytest.raises(ValueError, match="no order"):
            _core.preorder.find_pivots(indptr, indices, order, wrong, pivot)
    with pytest.raises(ValueError, match="no blocks"):
        below(indptr, indices, order, order, np.array([0, 2, 1], width))
    with pytest.raises(ValueError, match="rounding"):
        _core.preorder.solve_estimated_triangle(
            indptr, indices, np.ones(3), order, order, pivot, 0, np.ones(0), 1.0, np.ones(2),
            np.ones(2),
        )  # fmt: skip


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [float, complex])
def test_values_of_known_entries(width, dtype):
    known = np.array([0, 1, 3], np.int32), np.array([0, 0, 1], np.int32)
    given, values = [array.astype(width) for array in known], np.array([1, 2, 3], dtype)
    copy = np.empty(3, dtype)
    assert _core.preorder.copy_same(*given, values, *known, copy)
    assert copy.tolist() == [1, 2, 3]
    for place in (0, 1):
        other = [array.copy() for array in given]
        other[place][1] = 2
        assert not _core.preorder.copy_same(*other, values, *known, copy)
    assert not _core.preorder.copy_same(given[0], given[1][:2].copy(), values, *known, copy)
    assert not _core.preorder.copy_same(*given, values[:2].copy(), *known, copy)
    assert not _core.preorder.copy_same(*given, np.array([1, np.nan, 3], dtype), *known, copy)


def test_rounding_errors_are_repeated():
    indptr, indices = np.arange(6, dtype=np.int32), np.arange(5, dtype=np.int32)
    x, b = np.arange(1.0, 6.0), np.zeros(5)
    rounding, sides = np.array([1.0, -1.0, 2.0, 4.0]), np.empty(15)
    arguments = indptr, indices, np.ones(5), 0, False, x, b
    assert _core.preorder.residual_and_errors(*arguments, rounding, 2, sides) == 1
    assert sides.tolist() == [-1, -2, -3, -4, -5, 1, -2, 3, -4, 5, 2, 8, 6, 16, 10]
    for count, numbers in ((0, rounding), (1, np.empty(0)), (3, rounding)):
        with pytest.raises(ValueError, match=r"errors|rounding|places"):
            _core.preorder.residual_and_errors(*arguments, numbers, count, sides)
