# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms 1 (PR) and 2 (GR) of Deveci, Kaya, Uçar, Çatalyürek, ICPP 2013, line by line."""

from __future__ import annotations

from collections import deque

from tests.oracles.plain_pattern import column_lists, row_lists


def push_relabel(A, k):
    """The counts of PR from an empty matching: single pushes, double pushes, calls of GR, and
    pushes that change psi (the label) of their column. GR is called at the start, and if k > 0
    after each k (m + n) pushes that change psi."""
    m, n = A.shape
    rows_of, cols_of = column_lists(A), row_lists(A)
    row_match, col_match = [-1] * m, [-1] * n
    active = deque(v for v in range(n) if rows_of[v])
    psi_row, psi_col = [], []
    single = double = relabels = changes = 0
    due = True
    while active:
        if due:
            psi_row, psi_col = exact_labels(cols_of, row_match, col_match)
            relabels += 1
            since = changes
        v = active.popleft()
        u = min(rows_of[v], key=lambda u: psi_row[u])
        if psi_row[u] < m + n:
            w = row_match[u]
            if w < 0:
                single += 1
            else:
                double += 1
                col_match[w] = -1
                active.append(w)
            row_match[u], col_match[v] = v, u
            changes += psi_col[v] != psi_row[u] + 1
            psi_col[v] = psi_row[u] + 1
            psi_row[u] += 2
        due = k > 0 and changes - since >= k * (m + n)
    return single, double, relabels, changes


def exact_labels(cols_of, row_match, col_match):
    """GR: the labels psi of the rows and of the columns, from a search from all unmatched rows."""
    m, n = len(row_match), len(col_match)
    queue = deque(u for u in range(m) if row_match[u] < 0)
    psi_col = [m + n] * n
    psi_row = [0 if row_match[u] < 0 else m + n for u in range(m)]
    while queue:
        u = queue.popleft()
        for v in cols_of[u]:
            if psi_col[v] == m + n:
                psi_col[v] = psi_row[u] + 1
                w = col_match[v]
                if w >= 0:
                    psi_row[w] = psi_col[v] + 1
                    queue.append(w)
    return psi_row, psi_col
