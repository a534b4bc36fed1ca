# SPDX-License-Identifier: BSD-3-Clause
"""Checks the coarse Dulmage-Mendelsohn decomposition: horizontal | square | vertical.

`d` is anything with row_perm, col_perm, coarse_rows, coarse_cols.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tests.checks.check_matching import check_matching, reached_columns
from tests.checks.entries import check_boundaries, check_permutation, entries, label_of

HORIZONTAL, SQUARE, VERTICAL = 0, 1, 2


def check_coarse(A, d, row_match, col_match):
    """Checks all properties that make the decomposition unique. They imply that the matching is
    maximum."""
    m, n = A.shape
    row_match, col_match = np.asarray(row_match), np.asarray(col_match)
    check_matching(A, row_match, col_match)
    check_permutation(d.row_perm, m, "row_perm")
    check_permutation(d.col_perm, n, "col_perm")
    for name, boundaries, size in (
        ("coarse_rows", d.coarse_rows, m),
        ("coarse_cols", d.coarse_cols, n),
    ):
        assert len(boundaries) == 5, f"{name} has {len(boundaries)} entries, not 5"
        check_boundaries(boundaries, size, name)
    free_rows, free_cols = row_match < 0, col_match < 0
    assert d.coarse_cols[1] == free_cols.sum(), "coarse_cols[1] does not count unmatched columns"
    assert m - d.coarse_rows[3] == free_rows.sum(), "coarse_rows[3] does not end the matched rows"

    row_part = label_of(d.row_perm, np.asarray(d.coarse_rows)[[0, 1, 2, 4]])
    col_part = label_of(d.col_perm, np.asarray(d.coarse_cols)[[0, 2, 3, 4]])
    assert (row_part[free_rows] == VERTICAL).all(), "an unmatched row is not in the vertical part"
    assert (col_part[free_cols] == HORIZONTAL).all(), (
        "an unmatched column is not in the horizontal part"
    )
    matched = np.flatnonzero(~free_rows)
    assert (row_part[matched] == col_part[row_match[matched]]).all(), (
        "a row and its matched column lie in different parts"
    )
    i, j = entries(A)
    below = row_part[i] > col_part[j]
    assert not below.any(), f"entry {i[below][:1]}, {j[below][:1]} lies below the coarse parts"
    # rows and columns that no alternating path reaches belong to the square part
    reached = reached_columns(A, row_match, np.flatnonzero(free_cols))
    assert reached[col_part == HORIZONTAL].all(), "the horizontal part holds square columns"
    reached = reached_columns(sp.coo_array(A).T, col_match, np.flatnonzero(free_rows))
    assert reached[row_part == VERTICAL].all(), "the vertical part holds square rows"
