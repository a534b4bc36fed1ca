# SPDX-License-Identifier: BSD-3-Clause
"""The tests give each checker wrong results of every kind, because one that accepts everything
would hide faults."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from tests.checks.check_btf import (
    check_block_triangular_form,
    check_canonical_order,
    check_fine,
)
from tests.checks.check_coarse import check_coarse
from tests.checks.check_cover import check_cover
from tests.checks.check_matching import check_matching, check_maximum
from tests.checks.check_weights import independent_parts, weight_bound

# Horizontal: rows 0, 1, columns 0..3 in two components. Square: rows 2..5, columns 4..7, blocks
# {4, 5}, {6}, {7} with heights 1, 0, 0. Vertical: rows 6..9, columns 8, 9 in two components.
PICTURE = """
    x x . .   . . . .   . .
    . . x x   x . . .   . x

    . . . .   x x . x   . .
    . . . .   x x . .   . .
    . . . .   . . x .   . .
    . . . .   . . . x   x .

    . . . .   . . . .   x .
    . . . .   . . . .   x .
    . . . .   . . . .   . x
    . . . .   . . . .   . x
"""
A = sp.csc_array(
    np.array([[c == "x" for c in row.split()] for row in PICTURE.split("\n") if row.strip()], float)
)
ROW_MATCH = np.array([0, 2, 4, 5, 6, 7, 8, -1, 9, -1])
COL_MATCH = np.array([0, -1, 1, -1, 2, 3, 4, 5, 6, 8])


def right(**changes):
    """The right decomposition of `A`, with some arrays replaced."""
    arrays = {
        "row_perm": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "col_perm": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "row_blocks": [0, 1, 2, 4, 5, 6, 8, 10],
        "col_blocks": [0, 2, 4, 6, 7, 8, 9, 10],
        "coarse_rows": [0, 2, 6, 8, 10],
        "coarse_cols": [0, 2, 4, 8, 10],
    } | changes
    return SimpleNamespace(**{name: np.array(values) for name, values in arrays.items()})


def replaced(array, **changes):
    """`replaced(x, at3=7)`: a copy of x with x[3] = 7."""
    copy = np.array(array)
    for at, value in changes.items():
        copy[int(at.removeprefix("at"))] = value
    return copy


def test_right_answers_pass():
    check_matching(A, ROW_MATCH, COL_MATCH)
    check_maximum(A, ROW_MATCH, COL_MATCH)
    check_cover(A, [0, 1, 2, 3, 4, 5], [8, 9], 8)
    check_coarse(A, right(), ROW_MATCH, COL_MATCH)
    check_fine(A, right(), COL_MATCH)
    check_canonical_order(A, right())


@pytest.mark.parametrize(
    ("row_match", "col_match", "sentence"),
    [
        (ROW_MATCH[:-1], COL_MATCH, "row_match has shape"),
        (ROW_MATCH, COL_MATCH[:-1], "col_match has shape"),
        (ROW_MATCH.astype(float), COL_MATCH, "not integers"),
        (replaced(ROW_MATCH, at7=10), COL_MATCH, "row_match holds"),
        (ROW_MATCH, replaced(COL_MATCH, at1=-2), "col_match holds"),
        (replaced(ROW_MATCH, at7=8), COL_MATCH, "rows .7. are not the match"),
        (ROW_MATCH, replaced(COL_MATCH, at1=0), "columns .1. are not the match"),
        (replaced(ROW_MATCH, at9=0), replaced(COL_MATCH, at0=9), "rows .0. are not the match"),
        (replaced(ROW_MATCH, at0=-1, at9=0), replaced(COL_MATCH, at0=9), "there is no entry"),
        (replaced(ROW_MATCH, at0=-1), COL_MATCH, "columns .0. are not the match"),
    ],
)
def test_check_matching(row_match, col_match, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_matching(A, row_match, col_match)


@pytest.mark.parametrize("i", np.flatnonzero(ROW_MATCH >= 0).tolist())
def test_check_maximum(i):
    row_match, col_match = ROW_MATCH.copy(), COL_MATCH.copy()
    row_match[i], col_match[ROW_MATCH[i]] = -1, -1
    check_matching(A, row_match, col_match)
    with pytest.raises(AssertionError, match="an augmenting path"):
        check_maximum(A, row_match, col_match)


def test_check_maximum_over_a_long_path():
    """The only path from the unmatched column to the unmatched row goes through all columns."""
    n = 1000
    chain = sp.diags_array([np.ones(n), np.ones(n - 1)], offsets=[0, -1], shape=(n, n))
    match = np.arange(n)
    check_maximum(chain, match, match)
    with pytest.raises(AssertionError, match="an augmenting path"):
        check_maximum(chain, np.append(-1, match[:-1]), np.append(match[1:], -1))


@pytest.mark.parametrize(
    ("rows", "cols", "size", "sentence"),
    [
        ([0, 1, 2, 3, 4], [8, 9], 7, "is touched by no row or column"),
        ([0, 1, 2, 3, 4, 5, 6], [8, 9], 8, "has 9 rows and columns"),
        ([0, 1, 2, 3, 4, 5], [8, 9], 9, "has 8 rows and columns"),
        ([0, 1, 2, 3, 5, 4], [8, 9], 8, "do not ascend"),
        ([0, 1, 2, 3, 4, 5], [8, 8], 8, "do not ascend"),
        ([0, 1, 2, 3, 4, 10], [8, 9], 8, "outside 0..9"),
        ([-1, 0, 1, 2, 3, 4, 5], [8], 8, "outside 0..9"),
        ([0, 1, 2, 3, 4, 5], [[8, 9]], 8, "are no list"),
    ],
)
def test_check_cover(rows, cols, size, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_cover(A, rows, cols, size)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row_perm": [0, 0, 2, 3, 4, 5, 6, 7, 8, 9]}, "row_perm is no permutation"),
        ({"col_perm": [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]}, "col_perm is no permutation"),
        ({"row_perm": range(9)}, "row_perm has shape"),
        ({"row_perm": [0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}, "not integers"),
        ({"col_perm": [10, 1, 2, 3, 4, 5, 6, 7, 8, 9]}, "outside 0..9"),
        ({"coarse_rows": [0, 2, 6, 10]}, "coarse_rows has 4 entries"),
        ({"coarse_rows": [0, 2, 6, 8, 9]}, "coarse_rows ends at 9"),
        ({"coarse_cols": [1, 2, 4, 8, 10]}, "coarse_cols does not start"),
        ({"coarse_cols": [0, 2, 1, 8, 10]}, "coarse_cols decreases"),
        ({"coarse_cols": [0, 1, 4, 8, 10]}, "does not count unmatched columns"),
        ({"coarse_rows": [0, 2, 6, 9, 10]}, "does not end the matched rows"),
        ({"row_perm": [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]}, "an unmatched row is not"),
        ({"col_perm": [0, 4, 2, 3, 1, 5, 6, 7, 8, 9]}, "an unmatched column is not"),
        ({"col_perm": [4, 1, 2, 3, 0, 5, 6, 7, 8, 9]}, "lie in different parts"),
        (
            {
                "row_perm": [2, 1, 0, 3, 4, 5, 6, 7, 8, 9],
                "col_perm": [4, 1, 2, 3, 0, 5, 6, 7, 8, 9],
            },
            "lies below the coarse parts",
        ),
        ({"coarse_rows": [0, 4, 6, 8, 10], "coarse_cols": [0, 2, 6, 8, 10]}, "holds square col"),
        ({"coarse_rows": [0, 2, 5, 8, 10], "coarse_cols": [0, 2, 4, 7, 10]}, "holds square rows"),
    ],
)
def test_check_coarse(changes, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_coarse(A, right(**changes), ROW_MATCH, COL_MATCH)


def test_check_coarse_detects_a_matching_that_is_not_maximum():
    """Row 4 and column 6 are both unmatched, so they fit into no part, whatever the boundaries
    are."""
    row_match, col_match = replaced(ROW_MATCH, at4=-1), replaced(COL_MATCH, at6=-1)
    arrays = right(coarse_rows=[0, 2, 6, 7, 10], coarse_cols=[0, 3, 4, 8, 10])
    with pytest.raises(AssertionError, match="an unmatched row is not in the vertical part"):
        check_coarse(A, arrays, row_match, col_match)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row_blocks": [0, 1, 2, 4, 5, 6, 8]}, "row_blocks ends at 8"),
        ({"col_blocks": [0, 2, 4, 6, 8, 9, 10]}, "7 blocks of rows, but 6"),
        (
            {
                "row_blocks": [0, 0, 1, 2, 4, 5, 6, 8, 10],
                "col_blocks": [0, 0, 2, 4, 6, 7, 8, 9, 10],
            },
            "block 0 is empty",
        ),
        (
            {
                "row_perm": [0, 1, 5, 2, 3, 4, 6, 7, 8, 9],
                "col_perm": [0, 1, 2, 3, 7, 4, 5, 6, 8, 9],
                "row_blocks": [0, 1, 2, 3, 5, 6, 8, 10],
                "col_blocks": [0, 2, 4, 5, 7, 8, 9, 10],
            },
            "lies below the diagonal blocks",
        ),
        (
            {
                "row_blocks": [0, 1, 2, 3, 4, 5, 6, 8, 10],
                "col_blocks": [0, 2, 4, 5, 6, 7, 8, 9, 10],
            },
            "lies below the diagonal blocks",  # an irreducible block divided into two
        ),
        (
            {"row_blocks": [0, 1, 2, 5, 6, 8, 10], "col_blocks": [0, 2, 4, 7, 8, 9, 10]},
            "fall into 7 connected pieces",  # {4, 5} and {6} in one block
        ),
        (
            {
                "row_perm": [0, 1, 2, 3, 5, 4, 6, 7, 8, 9],
                "col_perm": [0, 1, 2, 3, 4, 5, 7, 6, 8, 9],
                "row_blocks": [0, 1, 2, 5, 6, 8, 10],
                "col_blocks": [0, 2, 4, 7, 8, 9, 10],
            },
            "2 square blocks are reducible to 3",
        ),
        (
            {"row_blocks": [0, 2, 4, 5, 6, 8, 10], "col_blocks": [0, 4, 6, 7, 8, 9, 10]},
            "fall into 7 connected pieces",  # the horizontal components joined
        ),
        (
            {
                "row_blocks": [0, 1, 2, 4, 5, 6, 7, 8, 10],
                "col_blocks": [0, 2, 4, 6, 7, 8, 8, 9, 10],
            },
            "an entry joins two blocks of the vertical part",
        ),
        (
            {
                "row_blocks": [0, 1, 1, 2, 4, 5, 6, 8, 10],
                "col_blocks": [0, 1, 2, 4, 6, 7, 8, 9, 10],
            },
            "an entry joins two blocks of the horizontal part",
        ),
        (
            {"row_blocks": [0, 3, 4, 5, 6, 8, 10], "col_blocks": [0, 2, 6, 7, 8, 9, 10]},
            "the end of the horizontal part is not the end of a block",
        ),
        (
            {"row_blocks": [0, 1, 2, 4, 5, 8, 10], "col_blocks": [0, 2, 4, 6, 7, 9, 10]},
            "the end of the square part is not the end of a block",
        ),
    ],
)
def test_check_fine(changes, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_fine(A, right(**changes), COL_MATCH)


def test_check_fine_detects_a_block_of_the_square_part_that_is_not_square():
    diagonal = sp.eye_array(3)
    d = SimpleNamespace(
        row_perm=np.arange(3),
        col_perm=np.arange(3),
        row_blocks=np.array([0, 2, 3]),
        col_blocks=np.array([0, 1, 3]),
        coarse_rows=np.array([0, 0, 3, 3, 3]),
        coarse_cols=np.array([0, 0, 0, 3, 3]),
    )
    with pytest.raises(AssertionError, match="is not square"):
        check_fine(diagonal, d, np.arange(3))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row_perm": [0, 1, 3, 2, 4, 5, 6, 7, 8, 9]}, "the rows of a block do not ascend"),
        ({"col_perm": [1, 0, 2, 3, 4, 5, 6, 7, 8, 9]}, "the columns of a block do not ascend"),
        (
            {
                "row_perm": [1, 0, 2, 3, 4, 5, 6, 7, 8, 9],
                "col_perm": [2, 3, 0, 1, 4, 5, 6, 7, 8, 9],
            },
            "horizontal blocks are not in the order",
        ),
        (
            {
                "row_perm": [0, 1, 2, 3, 4, 5, 8, 9, 6, 7],
                "col_perm": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
            },
            "vertical blocks are not in the order",
        ),
        (  # tie: {6} and {7} have the same height
            {
                "row_perm": [0, 1, 2, 3, 5, 4, 6, 7, 8, 9],
                "col_perm": [0, 1, 2, 3, 4, 5, 7, 6, 8, 9],
            },
            "falling height, then smallest column",
        ),
        (  # {6} (height 0) before {4, 5} (height 1) is also upper triangular
            {
                "row_perm": [0, 1, 4, 2, 3, 5, 6, 7, 8, 9],
                "col_perm": [0, 1, 2, 3, 6, 4, 5, 7, 8, 9],
                "row_blocks": [0, 1, 2, 3, 5, 6, 8, 10],
                "col_blocks": [0, 2, 4, 5, 7, 8, 9, 10],
            },
            "falling height, then smallest column",
        ),
    ],
)
def test_check_canonical_order(changes, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_canonical_order(A, right(**changes))


def form(**changes):
    """The natural order of a 3 x 3 matrix as one block, with some of its arrays replaced."""
    values = {
        "row_perm": [0, 1, 2],
        "col_perm": [0, 1, 2],
        "blocks": [0, 3],
        "paired_row": [0, 1, 2],
        "completed": 0,
    } | changes
    return {k: v if k == "completed" else np.array(v) for k, v in values.items()}


def test_check_block_triangular_form():
    chain = sp.csc_array(np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]]))
    check_block_triangular_form(chain, **form(blocks=[0, 1, 2, 3]))
    cycle = sp.csc_array(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]]))
    check_block_triangular_form(cycle, **form())
    # without entry (2, 2), the pair there is not an entry, and the form is the same
    hole = sp.csc_array(np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 0]]))
    check_block_triangular_form(hole, **form(blocks=[0, 1, 2, 3], completed=1))
    for matrix, changes, sentence in (
        (chain, {}, "reducible to 3"),
        (cycle, {"blocks": [0, 1, 2, 3]}, "below the diagonal"),
        (hole, {"blocks": [0, 1, 2, 3]}, "1 pairs are not entries, but completed is 0"),
        (chain, {"blocks": [0, 1, 2, 3], "paired_row": [0, 1, 1]}, "paired_row is no perm"),
        (chain, {"blocks": [0, 1, 2, 3], "paired_row": [1, 0, 2]}, "are not entries"),
        (
            sp.csc_array((2, 2)),
            {
                "row_perm": [0, 1],
                "col_perm": [0, 1],
                "blocks": [0, 1, 2],
                "paired_row": [1, 0],
                "completed": 2,
            },
            "do not ascend",
        ),
        (sp.csc_array((2, 3)), {}, "not square"),
    ):
        with pytest.raises(AssertionError, match=sentence):
            check_block_triangular_form(matrix, **form(**changes))


def test_weight_bound():
    """Row 0 alone has columns 0 and 1. Rows 2 and 3 compete for column 3. The best matching has the
    weights 3, 5 and 2."""
    B = sp.csc_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1.0]]))
    weights = np.array([1, 3, 5, 9, 1, 2.0])  # column by column
    best = np.array([1, 2, -1, 3]), np.array([-1, 0, 1, 3])
    parts = independent_parts(B, *best)
    assert [[list(map(int, side)) for side in part] for part in parts] == [
        [[1], [2]],
        [[0], [0, 1]],
        [[2, 3], [3]],
    ]
    row_dual, col_dual = np.array([-3, -7, 0, 0.0]), np.array([0, 0, 2, -2.0])
    assert weight_bound(B, weights, row_dual, col_dual, parts) == 10
    other = np.array([0, 2, 3, -1]), np.array([0, -1, 1, 2])  # worse, with the same parts
    same = independent_parts(B, *other)
    assert weight_bound(B, weights, row_dual, col_dual, same) == 10
    for one in range(4):  # duals that are not feasible bound the weight, too
        assert weight_bound(B, weights, row_dual + np.eye(4)[one], col_dual, parts) >= 10
    with pytest.raises(AssertionError, match="augmenting path"):
        independent_parts(B, np.array([1, 2, -1, -1]), np.array([-1, 0, 1, -1]))
