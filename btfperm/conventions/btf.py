# SPDX-License-Identifier: BSD-3-Clause
"""SuiteSparse's BTF: what `btf_order` and `btf_maxtrans` return.

Gather, base 0. ``A[P, :][:, unflip(Q)]`` is block upper triangular; block b is rows and columns
``R[b]:R[b+1]``. ``Q[k] < -1`` flags that entry k of the diagonal is structurally zero: the column
is then ``-Q[k] - 2`` (BTF_UNFLIP; *not* ``abs``, which could not flag column 0).
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
    """What `btf_order` writes, and Match of `btf_maxtrans`.

    P, Q (n,) gather, base 0, Q flagged by BTF_FLIP where the diagonal is structurally zero;
    R (nblocks + 1,) boundaries (`btf_order` requires n + 1 places and uses nblocks + 1 of them);
    nmatch the structural rank; Match (n,) the column matched to each row, -1 for none: a *column*
    permutation, as in ``A[:, Match]``.
    """

    P: IndexArray
    Q: IndexArray
    R: IndexArray
    nblocks: int
    nmatch: int
    Match: IndexArray


def as_btf(result: Decomposition | SolverOrder) -> Btf:
    """The block triangular form in the arrays of `btf_order`. The inside of the blocks is ordered
    against fill, as KLU needs it, unless `result` was read from a file: that keeps its order. The
    cost is that of the order; O(n) if it is already known.

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
        `result` does not hold its matrix, as one that was read from a file, so its blocks have no
        order against fill, and one has more than two rows.

    Examples
    --------
    >>> import btfperm
    >>> from btfperm.conventions import as_btf
    >>> order = as_btf(btfperm.block_triangular_form([[1, 1], [0, 0]]))  # row 1 is empty
    >>> order.nmatch, int((order.Q < -1).sum())
    (1, 1)
    """
    result, P, Q = square_order(result, "BTF", "klu", completed=True)
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
