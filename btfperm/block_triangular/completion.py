# SPDX-License-Identifier: BSD-3-Clause
"""Structurally singular matrices: completes the transversal to a permutation, as KLU does.

The k-th unmatched row is paired with the k-th unmatched column (SuiteSparse BTF, `btf_order`). No
added pair is an entry, because the transversal is maximum.
"""

from __future__ import annotations

from btfperm.results import IndexArray

__all__ = ["complete"]


def complete(row_match: IndexArray, col_match: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Returns two arrays of length n: the column paired with each row, and the row paired with each
    column. They are the arguments themselves if all rows are matched. O(n)."""
    rows = (row_match < 0).nonzero()[0]
    if rows.size == 0:
        return row_match, col_match
    cols = (col_match < 0).nonzero()[0]
    paired_col, paired_row = row_match.copy(), col_match.copy()
    paired_col[rows] = cols
    paired_row[cols] = rows
    return paired_col, paired_row
