# SPDX-License-Identifier: BSD-3-Clause
"""A bound on the weight of all maximum matchings, by dual variables."""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from tests.checks.check_matching import check_matching, check_maximum, reached_columns


def independent_parts(A, row_match, col_match):
    """The rows and the columns of the square part, and of each connected component of the
    horizontal and of the vertical part. Fails if the matching is not maximum.

    Every maximum matching matches all rows of a horizontal component, all columns of a vertical
    one, and the square part, each to vertices of the same part (Dulmage and Mendelsohn).
    """
    check_matching(A, row_match, col_match)
    check_maximum(A, row_match, col_match)
    wide_cols = reached_columns(A, row_match, np.flatnonzero(col_match < 0))
    tall_rows = reached_columns(A.T, col_match, np.flatnonzero(row_match < 0))
    wide_rows, tall_cols = np.zeros(A.shape[0], bool), np.zeros(A.shape[1], bool)
    for match, ours, others in (
        (col_match, wide_cols, wide_rows),
        (row_match, tall_rows, tall_cols),
    ):
        partners = match[ours]
        others[partners[partners >= 0]] = True
    square = np.flatnonzero(~(wide_rows | tall_rows)), np.flatnonzero(~(wide_cols | tall_cols))
    parts = [square] if square[0].size else []
    for flags in ((wide_rows, wide_cols), (tall_rows, tall_cols)):
        parts += _components(A, *map(np.flatnonzero, flags))
    return parts


def _components(A, rows, cols):
    part = sp.csr_array(A)[rows][:, cols]
    count, names = connected_components(sp.block_array([[None, part], [part.T, None]]), False)
    both = []
    for vertices, name in ((rows, names[: rows.size]), (cols, names[rows.size :])):
        ends = np.searchsorted(np.sort(name), np.arange(1, count))
        both.append(np.split(vertices[np.argsort(name, kind="stable")], ends))
    return list(zip(*both, strict=True))


def weight_bound(A, weights, row_dual, col_dual, parts):
    """A number that the weight of no maximum matching of `A` exceeds. `weights` are those of the
    entries, column by column; `parts` are those of `independent_parts`.

    If no weight exceeds minus the duals of its row and its column, the sum of all these bounds
    the weight of a matching. In a rectangular part, the vertices with the largest duals remain
    unmatched where that bound is largest. The largest excess of a weight counts for each matched
    entry.
    """
    A = sp.csc_array(A)
    cols = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    excess = (weights + row_dual[A.indices] + col_dual[cols]).max(initial=0.0)
    terms = [np.zeros(1)]
    for rows, cols in parts:
        size = min(rows.size, cols.size)
        terms += [np.sort(row_dual[rows])[:size], np.sort(col_dual[cols])[:size]]
        terms.append(np.full(size, -excess))
    return -math.fsum(np.concatenate(terms))
