# SPDX-License-Identifier: BSD-3-Clause
"""Structurally singular matrices: complete the transversal to a permutation, as KLU does.

Unmatched rows and unmatched columns, both ascending, are paired one by one (SuiteSparse BTF,
`btf_order`). An added pair is never an entry, because the transversal is maximum.
"""

from __future__ import annotations

from btfperm.results import IndexArray

__all__ = ["complete"]


def complete(row_match: IndexArray, col_match: IndexArray) -> tuple[IndexArray, IndexArray]:
    """(column paired with each row, row paired with each column).

    Both arrays have n places; they are the inputs themselves if all rows are matched. O(n).
    """
    rows = (row_match < 0).nonzero()[0]
    if rows.size == 0:
        return row_match, col_match
    cols = (col_match < 0).nonzero()[0]
    paired_col, paired_row = row_match.copy(), col_match.copy()
    paired_col[rows] = cols
    paired_row[cols] = rows
    return paired_col, paired_row
