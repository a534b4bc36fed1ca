# SPDX-License-Identifier: BSD-3-Clause
"""Block triangular form of a square matrix from a given transversal, as KLU defines it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.oracles.plain_dulmage_mendelsohn import concatenate, strong_blocks


class PlainForm(NamedTuple):
    row_perm: np.ndarray
    col_perm: np.ndarray
    blocks: np.ndarray
    paired_row: np.ndarray
    completed: int


def block_triangular_form(A, row_match, col_match) -> PlainForm:
    """Pairs unmatched rows with unmatched columns, both ascending, and computes the strong
    components of the paired matrix in the canonical order."""
    n = A.shape[1]
    paired_row = np.array(col_match, dtype=np.int64)
    free_rows, free_cols = np.flatnonzero(row_match < 0), np.flatnonzero(col_match < 0)
    paired_row[free_cols] = free_rows
    blocks = strong_blocks(A, paired_row, np.arange(n))
    row_perm, col_perm, boundaries, _ = concatenate(blocks, n, n)
    return PlainForm(row_perm, col_perm, boundaries, paired_row, int(free_cols.size))
