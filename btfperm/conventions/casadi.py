# SPDX-License-Identifier: BSD-3-Clause
"""CasADi: the arrays that ``Sparsity.btf()`` returns. Gather, base 0.

CasADi applies `cs_dmperm` of CSparse to the transposed matrix, so ``A[rowperm, :][:, colperm]`` is
block **lower** triangular, although the documentation of CasADi 3.8 calls it upper::

           C3   C2   C1   C0
      R0 [  x    0    0    0  ]   R0 unmatched rows
      R3 [  X    0    0    0  ]   R3, C3 vertical part
      R2 [  x    X    0    0  ]   R2, C2 square part
      R1 [  x    x    X    x  ]   R1, C1 horizontal part, C0 unmatched columns

The names are those of :mod:`btfperm.conventions.csparse`; the square submatrices X have the
matching on their diagonals. ``coarse_rowblock`` holds the boundaries of R0, R3, R2, R1, and
``coarse_colblock`` those of C3, C2, C1, C0. The structural rank is ``coarse_colblock[3]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.csparse import CSparse, dmperm_order, read_dmperm
from btfperm.fields import FORM
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["CasADi", "as_casadi", "read_casadi"]

# The array of dmperm that corresponds to each field.
_DMPERM = {
    "rowperm": "p",
    "colperm": "q",
    "rowblock": "r",
    "colblock": "s",
    "coarse_rowblock": "rr",
    "coarse_colblock": "cc",
}


@tuple_by_value
class CasADi(NamedTuple):
    """The arrays that ``Sparsity.btf()`` returns. It also returns the number of blocks, which is
    ``len(rowblock) - 1``.

    rowperm (m,) and colperm (n,): the original row and column at each place, gather, base 0.
    rowblock, colblock (nb + 1,) for nb blocks: block k is rows ``rowblock[k]:rowblock[k+1]`` and
    columns ``colblock[k]:colblock[k+1]`` of the permuted matrix. coarse_rowblock, coarse_colblock
    (5,): boundaries of the coarse parts.
    """

    rowperm: IndexArray
    colperm: IndexArray
    rowblock: IndexArray
    colblock: IndexArray
    coarse_rowblock: IndexArray
    coarse_colblock: IndexArray


def as_casadi(result: Decomposition | SolverOrder) -> CasADi:
    """The block lower triangular form in CasADi's arrays; any shape, any structural rank.

    The blocks are those of `as_csparse`, or those of the result of `preorder`, in the opposite
    order. The order inside each block does not change. CasADi itself may order the square blocks in
    another way. O(m + n), in addition to sorts of the two rectangular parts and of the boundaries.

    Parameters
    ----------
    result : of `dulmage_mendelsohn` or `preorder`

    Returns
    -------
    CasADi : a named tuple of index arrays

    Raises
    ------
    InvalidArgumentError
        For a `BlockTriangularForm` of a structurally singular matrix, whose blocks are not those
        of Dulmage and Mendelsohn.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 2, 0], [0, 3, 4], [5, 0, 6]])
    >>> order = btfperm.as_casadi(btfperm.dulmage_mendelsohn(A))
    >>> order.rowperm, order.colperm, order.rowblock
    (array([0, 1, 2], dtype=int32), array([1, 2, 0], dtype=int32), array([0, 1, 2, 3], dtype=int32))
    >>> A[order.rowperm, :][:, order.colperm]
    array([[2, 0, 0],
           [3, 4, 0],
           [0, 6, 5]])
    """
    if isinstance(result, SolverOrder):
        d = _of_solver(result)
    else:
        d = dmperm_order(result, "CasADi's btf")
    return CasADi(
        rowperm=_reversed_pieces(d.p, np.union1d(d.r, d.rr)),
        colperm=_reversed_pieces(d.q, np.union1d(d.s, d.cc)),
        rowblock=_from_the_end(d.r, d.p.size),
        colblock=_from_the_end(d.s, d.q.size),
        coarse_rowblock=_from_the_end(d.rr, d.p.size),
        coarse_colblock=_from_the_end(d.cc, d.q.size),
    )


def _of_solver(order: SolverOrder) -> CSparse:
    """The arrays of dmperm for an order for a solver, whose square part is the whole matrix."""
    n, blocks = order.shape[0], order.blocks
    rr = np.array([0, 0, n, n, n], dtype=blocks.dtype)
    cc = np.array([0, 0, 0, n, n], dtype=blocks.dtype)
    return CSparse(order.row_perm, order.col_perm, blocks, blocks, order.n_blocks, rr, cc)


def _reversed_pieces(perm: IndexArray, boundaries: IndexArray) -> IndexArray:
    """`perm` with the pieces between the boundaries in the opposite order. The order inside each
    piece does not change."""
    starts, sizes = boundaries[:-1][::-1], np.diff(boundaries)[::-1]
    shift = starts - (np.cumsum(sizes) - sizes)
    pieces: IndexArray = perm[np.arange(perm.size) + np.repeat(shift, sizes)]
    return pieces


def _from_the_end(boundaries: IndexArray, size: int) -> IndexArray:
    """The boundaries of `size` places after the order of the pieces was reversed."""
    reversed_boundaries: IndexArray = np.subtract(size, boundaries[::-1], dtype=boundaries.dtype)
    return reversed_boundaries


def read_casadi(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(m + n).

    The order of all rows and columns is reversed first, so that the form is block upper triangular.

    Raises
    ------
    ValueError : an array is missing, or the coarse boundaries cannot be interpreted
    """
    missing = [name for name in _DMPERM if name not in fields]
    if missing:
        raise ValueError(f"it holds no {missing[0]}, which btf returns")
    given = {name: np.asarray(fields[name]).ravel() for name in _DMPERM}
    if any(array.dtype.kind not in "iu" for array in given.values()):
        raise ValueError(f"{', '.join(_DMPERM)} must be whole numbers")
    upper = {}
    for name, array in given.items():
        backwards = array.astype(np.int64)[::-1]
        size = given["rowperm" if "row" in name else "colperm"].size
        upper[_DMPERM[name]] = backwards if "perm" in name else size - backwards
    arrays, names = read_dmperm(upper, first=0)
    return arrays, {**names, **dict(zip((field.name for field in FORM), _DMPERM, strict=True))}
