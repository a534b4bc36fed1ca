# SPDX-License-Identifier: BSD-3-Clause
"""Checks for a transversal and for a maximum transversal."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from tests.checks.entries import are_entries, entries


def check_matching(A, row_match, col_match):
    """The two arrays agree and are a matching of `A`. O(nnz log nnz)."""
    m, n = A.shape
    row_match, col_match = np.asarray(row_match), np.asarray(col_match)
    for name, match, size, other in (
        ("row_match", row_match, m, n),
        ("col_match", col_match, n, m),
    ):
        assert match.shape == (size,), f"{name} has shape {match.shape}, not ({size},)"
        assert match.dtype.kind in "iu", f"{name} holds {match.dtype}, not integers"
        wrong = (match < -1) | (match >= other)
        assert not wrong.any(), f"{name} holds {match[wrong][:3]}, outside -1..{other - 1}"
    i, j = np.flatnonzero(row_match >= 0), np.flatnonzero(col_match >= 0)
    wrong = col_match[row_match[i]] != i
    assert not wrong.any(), f"rows {i[wrong][:3]} are not the match of the column they name"
    wrong = row_match[col_match[j]] != j
    assert not wrong.any(), f"columns {j[wrong][:3]} are not the match of the row they name"
    wrong = ~are_entries(A, i, row_match[i])
    assert not wrong.any(), f"rows {i[wrong][:3]} are matched where there is no entry"


def check_maximum(A, row_match, col_match):
    """There is no augmenting path (Berge). One search from all unmatched columns."""
    row_match, col_match = np.asarray(row_match), np.asarray(col_match)
    reached = reached_columns(A, row_match, np.flatnonzero(col_match < 0))
    i, j = entries(A)
    ends = i[reached[j] & (row_match[i] < 0)]
    assert not ends.size, f"an augmenting path ends at row {ends[0]}: the matching is not maximum"


def reached_columns(A, row_match, start):
    """Columns on alternating paths from the columns with the numbers `start`, these included: (n,)
    bool.

    An arc leads from column j to column k if the row matched to k has an entry in j.
    """
    n = A.shape[1]
    i, j = entries(A)
    k = np.asarray(row_match, dtype=np.int64)[i]
    tail = np.concatenate([j[k >= 0], np.full(len(start), n)])  # vertex n: the root
    head = np.concatenate([k[k >= 0], np.asarray(start, dtype=np.int64)])
    arcs = sp.csr_array((np.ones(tail.size), (tail, head)), shape=(n + 1, n + 1))
    reached = np.zeros(n + 1, dtype=bool)
    reached[breadth_first_order(arcs, n, return_predecessors=False)] = True
    return reached[:n]
