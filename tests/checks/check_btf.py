# SPDX-License-Identifier: BSD-3-Clause
"""Checks the fine blocks, their canonical order, and block triangular forms.

`d` is anything with row_perm, col_perm, row_blocks, col_blocks, coarse_rows, coarse_cols.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from tests.checks.entries import (
    are_entries,
    check_boundaries,
    check_permutation,
    entries,
    label_of,
)


def check_fine(A, d, col_match):
    """Blocks cover everything, no entry lies below them, and no block can be split further.

    `col_match` is a maximum transversal; call this only after `check_coarse` or `check_matching`.
    """
    m, n = A.shape
    check_permutation(d.row_perm, m, "row_perm")
    check_permutation(d.col_perm, n, "col_perm")
    check_boundaries(d.row_blocks, m, "row_blocks")
    check_boundaries(d.col_blocks, n, "col_blocks")
    rows, cols = np.diff(d.row_blocks), np.diff(d.col_blocks)
    assert rows.size == cols.size, f"{rows.size} blocks of rows, but {cols.size} of columns"
    assert (rows + cols > 0).all(), f"block {np.argmin(rows + cols)} is empty"

    row_block, col_block = label_of(d.row_perm, d.row_blocks), label_of(d.col_perm, d.col_blocks)
    i, j = entries(A)
    below = row_block[i] > col_block[j]
    assert not below.any(), f"entry {i[below][:1]}, {j[below][:1]} lies below the diagonal blocks"

    horizontal, square, vertical = parts_of_blocks(d)
    assert (rows[square] == cols[square]).all(), "a block of the square part is not square"
    for part, name in ((horizontal, "horizontal"), (vertical, "vertical")):
        across = (row_block[i] != col_block[j]) & part[row_block[i]] & part[col_block[j]]
        assert not across.any(), f"an entry joins two blocks of the {name} part"

    inside = row_block[i] == col_block[j]
    i, j = i[inside], j[inside]
    weak = sp.coo_array((np.ones(i.size), (i, m + j)), shape=(m + n, m + n))
    count, _ = connected_components(weak, directed=False)
    assert count == rows.size, f"{rows.size} blocks fall into {count} connected pieces"
    inner = square[col_block[j]]
    i, j = i[inner], j[inner]
    # vertices are columns; row i is represented by its matched column
    name = np.full(m, -1, dtype=np.int64)
    name[np.asarray(col_match)[np.asarray(col_match) >= 0]] = np.flatnonzero(
        np.asarray(col_match) >= 0
    )
    assert (col_block[name[i]] == row_block[i]).all(), "the matching leaves a square block"
    strong = sp.coo_array((np.ones(i.size), (name[i], j)), shape=(n, n))
    count, _ = connected_components(strong, directed=True, connection="strong")
    count -= int((~square[col_block]).sum())  # columns of the other parts are isolated vertices
    assert count == square.sum(), f"{square.sum()} square blocks are reducible to {count}"


def parts_of_blocks(d):
    """Three bool arrays over the blocks: horizontal, square, vertical.

    Asserts that the horizontal and the square part each end where a block ends.
    """
    row_ends, col_ends = np.asarray(d.row_blocks)[1:], np.asarray(d.col_blocks)[1:]
    first = (row_ends <= d.coarse_rows[1]) & (col_ends <= d.coarse_cols[2])
    last = (row_ends > d.coarse_rows[2]) | (col_ends > d.coarse_cols[3])
    h, s = int(first.sum()), int((~last).sum())
    for count, rows, cols, name in (
        (h, d.coarse_rows[1], d.coarse_cols[2], "horizontal"),
        (s, d.coarse_rows[2], d.coarse_cols[3], "square"),
    ):
        assert d.row_blocks[count] == rows and d.col_blocks[count] == cols, (
            f"the end of the {name} part is not the end of a block"
        )
    return first, ~(first | last), last


def check_canonical_order(A, d):
    """Square blocks by descending height, then smallest column; horizontal ones by smallest column;
    vertical ones by smallest row; rows and columns ascend inside each block."""
    row_block, col_block = label_of(d.row_perm, d.row_blocks), label_of(d.col_perm, d.col_blocks)
    for perm, blocks, name in (
        (d.row_perm, d.row_blocks, "rows"),
        (d.col_perm, d.col_blocks, "columns"),
    ):
        falls = np.diff(np.asarray(perm, dtype=np.int64)) <= 0
        starts = np.zeros(len(perm) + 1, dtype=bool)
        starts[np.asarray(blocks)] = True
        assert not (falls & ~starts[1:-1]).any(), f"the {name} of a block do not ascend"
    horizontal, square, vertical = parts_of_blocks(d)
    first_col = first_of_blocks(d.col_perm, d.col_blocks)
    first_row = first_of_blocks(d.row_perm, d.row_blocks)
    assert (np.diff(first_col[horizontal]) > 0).all(), (
        "the horizontal blocks are not in the order of their smallest columns"
    )
    assert (np.diff(first_row[vertical]) > 0).all(), (
        "the vertical blocks are not in the order of their smallest rows"
    )
    i, j = entries(A)
    tail, head = row_block[i], col_block[j]
    between = (tail != head) & square[tail] & square[head]
    height = heights(tail[between], head[between], square.size)[square]
    key = np.stack([-height, first_col[square]])
    assert (np.lexsort(key[::-1]) == np.arange(height.size)).all(), (
        "the square blocks are not in the order of falling height, then smallest column"
    )


def first_of_blocks(perm, blocks):
    """First index of each block; -1 for a block without any."""
    starts, ends = np.asarray(blocks)[:-1], np.asarray(blocks)[1:]
    first = np.full(starts.size, -1, dtype=np.int64)
    first[starts < ends] = np.asarray(perm)[starts[starts < ends]]
    return first


def heights(tail, head, count):
    """The height of each block, the number of arcs on the longest path from it, by a sweep from the
    last to the first block: all arcs lead forward."""
    assert (tail < head).all(), "an arc between square blocks goes backward"
    height = [0] * count
    order = np.argsort(-tail, kind="stable")
    for t, h in zip(tail[order].tolist(), head[order].tolist(), strict=True):
        if height[t] <= height[h]:
            height[t] = height[h] + 1
    return np.array(height, dtype=np.int64)


def check_block_triangular_form(A, row_perm, col_perm, blocks, paired_row, completed):
    """Form as KLU defines it, in canonical order: row `paired_row[j]` is on the diagonal in column
    j; `completed` is the number of these pairs that are not entries."""
    n = A.shape[0]
    assert A.shape == (n, n), f"the matrix is {A.shape}, not square"
    check_permutation(paired_row, n, "paired_row")
    made_up = ~are_entries(A, paired_row, np.arange(n))
    assert made_up.sum() == completed, (
        f"{made_up.sum()} pairs are not entries, but completed is {completed}"
    )
    j = np.flatnonzero(made_up)
    assert (np.diff(np.asarray(paired_row)[j]) > 0).all(), "the made-up pairs do not ascend"
    i, k = entries(A)
    rows, cols = np.concatenate([i, np.asarray(paired_row)[j]]), np.concatenate([k, j])
    completed_matrix = sp.coo_array((np.ones(rows.size), (rows, cols)), shape=(n, n))
    d = SimpleNamespace(
        row_perm=row_perm,
        col_perm=col_perm,
        row_blocks=blocks,
        col_blocks=blocks,
        coarse_rows=np.array([0, 0, n, n, n]),
        coarse_cols=np.array([0, 0, 0, n, n]),
    )
    check_fine(completed_matrix, d, paired_row)
    check_canonical_order(completed_matrix, d)
