# SPDX-License-Identifier: BSD-3-Clause
"""SuiteSparse's BTF: the arrays that `btf_order` and `btf_maxtrans` return.

Gather, base 0. ``A[P, :][:, unflip(Q)]`` is block upper triangular; block b is rows and columns
``R[b]:R[b+1]``. If entry k of the diagonal is structurally zero, ``Q[k]`` is below -1, and the
column is ``-Q[k] - 2`` (BTF_UNFLIP; *not* ``abs``, because -0 could not mark column 0). For all
other k, ``unflip(Q)[k]`` is ``Q[k]``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from btfperm.conventions.diagonal import read_diagonal
from btfperm.conventions.square import square_order
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["Btf", "as_btf", "read_btf"]


@tuple_by_value
class Btf(NamedTuple):
    """The arrays that `btf_order` writes, and Match of `btf_maxtrans`.

    P, Q (n,) gather permutations, base 0; Q has the marks of BTF_FLIP where the diagonal is
    structurally zero. R (nblocks + 1,) boundaries of the blocks; `btf_order` requires n + 1 places
    and uses nblocks + 1 of them. nmatch is the structural rank. Match (n,) the column matched to
    each row, or -1: a *column* permutation, as in ``A[:, Match]``.
    """

    P: IndexArray
    Q: IndexArray
    R: IndexArray
    nblocks: int
    nmatch: int
    Match: IndexArray


def as_btf(result: Decomposition | SolverOrder) -> Btf:
    """The block triangular form in the arrays of `btf_order`. Inside the blocks, the order reduces
    fill, because KLU computes no other order. A `result` that was read from a file keeps its order.
    The cost is that of the order inside the blocks; O(n) if this order is already known.

    Parameters
    ----------
    result : of `preorder`, or a decomposition of a square matrix

    Returns
    -------
    Btf : a named tuple of index arrays

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
    >>> from btfperm.conventions import as_btf
    >>> order = as_btf(btfperm.block_triangular_form([[1, 1], [0, 0]]))  # row 1 is empty
    >>> order.nmatch, int((order.Q < -1).sum())
    (1, 1)
    """
    result, P, Q = square_order(result, "BTF", "klu")
    unmatched = result.col_match[Q] < 0
    return Btf(
        P=P,
        Q=np.where(unmatched, -Q - 2, Q),
        R=result.row_blocks,
        nblocks=result.n_blocks,
        nmatch=result.structural_rank,
        Match=result.row_match,
    )


def read_btf(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(n)."""
    return read_diagonal(fields, ("P", "Q"), flipped=True)
