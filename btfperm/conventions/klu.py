# SPDX-License-Identifier: BSD-3-Clause
"""KLU: P and Q for `klu_analyze_given`, and the boundaries R of the blocks.

Gather, base 0. ``A[P, :][:, Q]`` is block upper triangular with the matching on the diagonal.
With ``Common.btf = 1``, KLU computes the strongly connected components of ``A[P, :][:, Q]`` and R
again and keeps the given diagonal, so it finds the same number of blocks. KLU then computes no
fill-reducing order, so P and Q must contain one inside the blocks. :func:`btfperm.preorder`
may also use the values, to choose a diagonal on which KLU finds more of its pivots.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from btfperm.conventions.diagonal import read_diagonal
from btfperm.conventions.square import square_order
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["Klu", "as_klu", "read_klu"]


@tuple_by_value
class Klu(NamedTuple):
    """P, Q (n,) gather permutations, base 0, without the marks of BTF_FLIP; R (nblocks + 1,)
    boundaries of the blocks."""

    P: IndexArray
    Q: IndexArray
    R: IndexArray


def as_klu(result: Decomposition | SolverOrder) -> Klu:
    """P, Q and R in the form of KLU's symbolic object. The inside of the blocks is ordered against
    fill. A `result` that was read from a file keeps its order. The cost is that of the order inside
    the blocks; O(n) if this order is already known.

    A structurally singular matrix is accepted from `block_triangular_form`. KLU analyses it, and
    reports that it is singular when it factors the matrix.

    Parameters
    ----------
    result : of `preorder`, or a decomposition of a square matrix

    Returns
    -------
    Klu : a named tuple of index arrays

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
    >>> import btfperm
    >>> from btfperm.conventions import as_klu
    >>> as_klu(btfperm.block_triangular_form([[0, 2, 0], [0, 3, 4], [5, 0, 6]]))
    Klu(P=array([2, 1, 0], dtype=int32), Q=array([0, 2, 1], dtype=int32),
        R=array([0, 1, 2, 3], dtype=int32))
    """
    order = square_order(result, "KLU", "klu")
    return Klu(order.row_perm, order.col_perm, order.result.row_blocks)


def read_klu(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(n).

    Q does not mark structural zeros on the diagonal. So the diagonal is known to be the matching
    only if the matrix is structurally nonsingular.
    """
    return read_diagonal(fields, ("P", "Q"), has_matching=not completed)
