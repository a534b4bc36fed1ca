# SPDX-License-Identifier: BSD-3-Clause
"""UMFPACK: the column order Qinit of `umfpack_di_qsymbolic`, and the row order of its matrix.

Both gather, base 0. UMFPACK takes no order of the rows, so the caller permutes the rows first:
``B = A[P, :]`` has the matching on its diagonal, and ``B[Qinit, :][:, Qinit]`` is block upper
triangular. The solution of ``B x = b[P]`` is that of ``A x = b``.

Inside the blocks, the order reduces fill. For a decomposition, it is the order of
``btfperm.preorder(A, weights="none")``; a decomposition from a file keeps its order. If
``block_ordering`` of the result of `preorder` is "amd", set ``Control[UMFPACK_STRATEGY]`` to
``UMFPACK_STRATEGY_SYMMETRIC``. UMFPACK then prefers pivots on the diagonal of B, as minimum degree
assumes. Otherwise do not set the strategy: UMFPACK then chooses the unsymmetric strategy, because
Qinit is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.diagonal import read_diagonal
from btfperm.conventions.square import square_order
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["Umfpack", "as_umfpack", "read_umfpack"]


@tuple_by_value
class Umfpack(NamedTuple):
    """P (n,): the row matched to each column, so that ``A[P, :]`` has the matching on its diagonal;
    Qinit (n,): the original column at each place. Gather, base 0."""

    P: IndexArray
    Qinit: IndexArray


def as_umfpack(result: Decomposition | SolverOrder) -> Umfpack:
    """The row order P of the matrix for `umfpack_di_qsymbolic`, and its argument Qinit. The cost is
    that of the order inside the blocks; O(n) if it is already known.

    A structurally singular matrix is accepted from `block_triangular_form`; UMFPACK factors it and
    reports that it is singular.

    Parameters
    ----------
    result : of `preorder`, or a decomposition of a square matrix

    Returns
    -------
    Umfpack : a named tuple of index arrays

    Raises
    ------
    InvalidArgumentError
        For a rectangular matrix, or a structurally singular one that does not come from
        `block_triangular_form`.

    Warns
    -----
    UnorderedBlocksWarning
        `result` does not hold its matrix, for example because it was read from a file, so its
        blocks have no fill-reducing order; and a block has more than two rows.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 2, 0], [0, 3, 4], [5, 0, 6]])
    >>> order = btfperm.as_umfpack(btfperm.preorder(A))
    >>> order
    Umfpack(P=array([2, 0, 1], dtype=int32), Qinit=array([0, 2, 1], dtype=int32))
    >>> B = A[order.P, :]  # for umfpack_di_qsymbolic, with Qinit
    >>> B[order.Qinit, :][:, order.Qinit]
    array([[5, 6, 0],
           [0, 4, 3],
           [0, 0, 2]])
    """
    order = square_order(result, "the convention umfpack", "superlu")
    P = np.empty_like(order.row_perm)
    P[order.col_perm] = order.row_perm
    return Umfpack(P, order.col_perm)


def read_umfpack(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, and their names in the file, for `btfperm
    check`. O(n).

    Raises
    ------
    ValueError : P and Qinit have different lengths
    """
    given = {name: np.asarray(fields[name]).ravel() for name in ("P", "Qinit") if name in fields}
    if len(given) == 2 and all(array.dtype.kind in "iu" for array in given.values()):
        P, Q = (array.astype(np.int64) for array in given.values())
        if P.size != Q.size:
            raise ValueError(f"P has {P.size} elements and Qinit has {Q.size}")
        legal = (Q >= 0) & (P.size > Q)
        given["P"] = np.full(Q.size, -1)
        given["P"][legal] = P[Q[legal]]
    arrays, names = read_diagonal(given, ("P", "Qinit"), has_matching=not completed)
    return arrays, names | {"row_perm": "P[Qinit]"}
