# SPDX-License-Identifier: BSD-3-Clause
"""CSparse and CXSparse: the struct `csd` that `cs_dmperm` returns.

Gather, base 0. ``A[p, :][:, q]`` is block upper triangular::

           C0   C1   C2   C3       C0 = q[cc[0]:cc[1]]  unmatched columns
      R1 [  x    X    x    x ]     C1 = q[cc[1]:cc[2]]  R1 = p[rr[0]:rr[1]]  horizontal
      R2 [  0    0    X    x ]     C2 = q[cc[2]:cc[3]]  R2 = p[rr[1]:rr[2]]  square
      R3 [  0    0    0    X ]     C3 = q[cc[3]:cc[4]]  R3 = p[rr[2]:rr[3]]  vertical
      R0 [  0    0    0    x ]                          R0 = p[rr[3]:rr[4]]  unmatched rows

The square submatrices X have the matching on their diagonals. Fine block k is rows
``r[k]:r[k+1]``, columns ``s[k]:s[k+1]``: the horizontal part as one block if there is one, the
blocks of the square part, the vertical part as one block if there is one. (btfperm splits the
ends into their connected components, CSparse does not.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from btfperm.conventions.square import refuse_completed
from btfperm.results import Decomposition, IndexArray
from btfperm.results.equality import tuple_by_value

__all__ = ["CSparse", "as_csparse"]


@tuple_by_value
class CSparse(NamedTuple):
    """The members of `csd`, in the order of the struct; r and s have nb + 1 elements.

    p (m,) rows and q (n,) columns, gather, base 0; unmatched columns stand first in q, unmatched
    rows last in p; rr, cc (5,) the coarse boundaries.
    """

    p: IndexArray
    q: IndexArray
    r: IndexArray
    s: IndexArray
    nb: int
    rr: IndexArray
    cc: IndexArray


def as_csparse(result: Decomposition) -> CSparse:
    """The decomposition as `cs_dmperm` would return it; any shape, any structural rank.

    Columns ascend in C0, C1 and C3, rows in R0, as CSparse has them; the blocks of the square
    part come in btfperm's canonical order. O(m + n), besides a sort of the two ends.

    Raises
    ------
    InvalidArgumentError
        For a `BlockTriangularForm` of a structurally singular matrix, whose blocks are not those
        of Dulmage and Mendelsohn.

    >>> import btfperm
    >>> from btfperm.conventions import as_csparse
    >>> A = [[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]  # columns 0 to 2 share row 0
    >>> order = as_csparse(btfperm.dulmage_mendelsohn(A))
    >>> order.nb, order.r, order.s, order.cc
    (2, array([0, 1, 3], dtype=int32), array([0, 3, 4], dtype=int32),
     array([0, 2, 3, 3, 4], dtype=int32))
    """
    refuse_completed(result, "CSparse's dmperm")
    result = result.on_host()
    rr, cc = result.coarse_rows, result.coarse_cols
    row_match, col_match = result.row_match, result.col_match
    rows, cols = slice(rr[1], rr[2]), slice(cc[2], cc[3])

    horizontal = np.sort(result.col_perm[: cc[2]])
    matched = horizontal[col_match[horizontal] >= 0]
    vertical = np.sort(result.col_perm[cc[3] :])
    unmatched_rows = np.sort(result.row_perm[rr[2] :])
    unmatched_rows = unmatched_rows[row_match[unmatched_rows] < 0]

    square = result.matched_row_perm[rows]
    p = np.concatenate((col_match[matched], square, col_match[vertical], unmatched_rows))
    q = np.concatenate(
        (horizontal[col_match[horizontal] < 0], matched, result.col_perm[cols], vertical)
    )
    # Horizontal and square blocks have a column, so col_blocks rises until the vertical part.
    first, last = np.searchsorted(result.col_blocks, (cc[2], cc[3]))
    keep = np.unique(np.concatenate(([0], np.arange(first, last + 1), [result.n_blocks])))
    r, s = result.row_blocks[keep], result.col_blocks[keep]
    return CSparse(p, q, r, s, int(r.size) - 1, rr, cc)
