# SPDX-License-Identifier: BSD-3-Clause
"""CSparse and CXSparse: the struct `csd` that `cs_dmperm` returns.

Gather, base 0. ``A[p, :][:, q]`` is block upper triangular::

           C0   C1   C2   C3       C0 = q[cc[0]:cc[1]]  unmatched columns
      R1 [  x    X    x    x ]     C1 = q[cc[1]:cc[2]]  R1 = p[rr[0]:rr[1]]  horizontal
      R2 [  0    0    X    x ]     C2 = q[cc[2]:cc[3]]  R2 = p[rr[1]:rr[2]]  square
      R3 [  0    0    0    X ]     C3 = q[cc[3]:cc[4]]  R3 = p[rr[2]:rr[3]]  vertical
      R0 [  0    0    0    x ]                          R0 = p[rr[3]:rr[4]]  unmatched rows

The square submatrices X have the matching on their diagonals. Fine block k is rows
``r[k]:r[k+1]``, columns ``s[k]:s[k+1]`` of the permuted matrix. The first block is the horizontal
part with C0, if there is one. The blocks of the square part follow. The last block is the vertical
part with R0, if there is one. (btfperm splits the horizontal and the vertical part into their
connected components, CSparse does not.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.square import refuse_completed
from btfperm.results import Decomposition, IndexArray
from btfperm.results.equality import tuple_by_value

__all__ = ["CSparse", "as_csparse", "dmperm_order", "read_csparse", "read_dmperm"]

_NAMES = {
    "row_perm": "p",
    "col_perm": "q",
    "row_blocks": "r",
    "col_blocks": "s",
    "coarse_rows": "rr",
    "coarse_cols": "cc",
    "row_match": "the matched diagonal",
    "col_match": "the matched diagonal",
    "nblocks": "nb",
}


@tuple_by_value
class CSparse(NamedTuple):
    """The members of `csd`, in the order of the struct.

    p (m,) rows and q (n,) columns: gather permutations, base 0, with unmatched columns at the
    beginning of q and unmatched rows at the end of p. r, s (nb + 1,) boundaries of the nb fine
    blocks. rr, cc (5,) boundaries of the coarse parts.
    """

    p: IndexArray
    q: IndexArray
    r: IndexArray
    s: IndexArray
    nb: int
    rr: IndexArray
    cc: IndexArray


def as_csparse(result: Decomposition) -> CSparse:
    """The decomposition in the arrays of `cs_dmperm`; any shape, any structural rank.

    As with CSparse, columns ascend in C0, C1 and C3, and rows in R0. The blocks of the square part
    are in btfperm's order, which may differ from CSparse's. O(m + n), in addition to a sort of the
    horizontal and the vertical part.

    Parameters
    ----------
    result : of `dulmage_mendelsohn`; or of `block_triangular_form` for a nonsingular matrix

    Returns
    -------
    CSparse : a named tuple of index arrays

    Raises
    ------
    InvalidArgumentError
        For a `BlockTriangularForm` of a structurally singular matrix, whose blocks are not those
        of Dulmage and Mendelsohn.

    Examples
    --------
    >>> import btfperm
    >>> from btfperm.conventions import as_csparse
    >>> A = [[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]  # columns 0 to 2 share row 0
    >>> order = as_csparse(btfperm.dulmage_mendelsohn(A))
    >>> order.nb, order.r, order.s, order.cc
    (2, array([0, 1, 3], dtype=int32), array([0, 3, 4], dtype=int32),
     array([0, 2, 3, 3, 4], dtype=int32))
    """
    return dmperm_order(result, "CSparse's dmperm")


def dmperm_order(result: Decomposition, tool: str) -> CSparse:
    """The result of `as_csparse`. The errors name `tool`, which uses the algorithm of
    `cs_dmperm`."""
    refuse_completed(result, tool)
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
    # Each block of the horizontal and the square part has a column, so each boundary before the
    # vertical part occurs only once in col_blocks, and searchsorted finds it.
    first, last = np.searchsorted(result.col_blocks, (cc[2], cc[3]))
    keep = np.unique(np.concatenate(([0], np.arange(first, last + 1), [result.n_blocks])))
    r, s = result.row_blocks[keep], result.col_blocks[keep]
    return CSparse(p, q, r, s, int(r.size) - 1, rr, cc)


def read_csparse(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(m + n)."""
    return read_dmperm(fields, first=0)


def read_dmperm(fields: Mapping[str, Any], *, first: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file, which have the names of dmperm in the file, under the keys of
    `perm.npz`. In the file, rows and columns are counted from `first`.

    The matching is the diagonal of the permuted matrix without its unmatched columns, which are the
    first ones, and without its unmatched rows, which are the last ones.

    Raises
    ------
    ValueError : an array is missing, or cc and rr cannot be interpreted
    """
    wanted = ("p", "q", "r", "s", "cc", "rr")
    missing = [name for name in wanted if name not in fields]
    if missing:
        raise ValueError(f"it holds no {missing[0]}, which dmperm returns")
    arrays = [np.asarray(fields[name]).ravel() for name in wanted]
    if any(array.dtype.kind not in "iu" for array in arrays):
        raise ValueError("p, q, r, s, cc and rr must be whole numbers")
    p, q, r, s, cc, rr = (array - first for array in arrays)
    if cc.size != 5 or rr.size != 5:
        raise ValueError("cc and rr must have 5 elements each")
    rows, cols = p[: max(int(rr[3]), 0)], q[max(int(cc[1]), 0) :]
    pairs = min(rows.size, cols.size)
    rows, cols = rows[:pairs], cols[:pairs]
    row_match, col_match = np.full(p.size, -1), np.full(q.size, -1)
    legal = (rows >= 0) & (rows < p.size) & (cols >= 0) & (cols < q.size)
    row_match[rows[legal]], col_match[cols[legal]] = cols[legal], rows[legal]
    counted = {"nblocks": np.ravel(fields["nb"]).tolist()} if "nb" in fields else {}
    return counted | {
        "row_perm": p,
        "col_perm": q,
        "row_blocks": r,
        "col_blocks": s,
        "coarse_rows": rr,
        "coarse_cols": cc,
        "row_match": row_match,
        "col_match": col_match,
        "structural_rank": np.asarray(pairs),
    }, _NAMES
