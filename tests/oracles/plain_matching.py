# SPDX-License-Identifier: BSD-3-Clause
"""Maximum transversal in a simple way: one breadth-first search from each column."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.oracles.plain_pattern import column_lists


def maximum_matching(A):
    """(row_match, col_match) of a maximum transversal. O(n nnz)."""
    m, n = A.shape
    rows_of = column_lists(A)
    row_match, col_match = [-1] * m, [-1] * n
    for j in range(n):
        augment(rows_of, row_match, col_match, j)
    return np.array(row_match, dtype=np.int64), np.array(col_match, dtype=np.int64)


def augment(rows_of, row_match, col_match, start) -> bool:
    """Matches column `start` along a shortest augmenting path. Returns False if there is none."""
    came_from = {}  # row -> the column from which the search reached it
    queue = deque([start])
    while queue:
        j = queue.popleft()
        for i in rows_of[j]:
            if i in came_from:
                continue
            came_from[i] = j
            if row_match[i] >= 0:
                queue.append(row_match[i])
                continue
            while i >= 0:  # augment along the path, from its unmatched row back to `start`
                j = came_from[i]
                i_before = col_match[j]
                row_match[i], col_match[j] = j, i
                i = i_before
            return True
    return False


def structural_rank(A) -> int:
    return int((maximum_matching(A)[0] >= 0).sum())


def reached_from_columns(A, row_match, start):
    """Rows and columns on alternating paths from the columns `start` (bool arrays)."""
    m, n = A.shape
    rows_of = column_lists(A)
    row_reached, col_reached = np.zeros(m, dtype=bool), np.zeros(n, dtype=bool)
    col_reached[list(start)] = True
    queue = deque(start)
    while queue:
        for i in rows_of[queue.popleft()]:
            if not row_reached[i]:
                row_reached[i] = True
                j = int(row_match[i])
                if j >= 0 and not col_reached[j]:
                    col_reached[j] = True
                    queue.append(j)
    return row_reached, col_reached
