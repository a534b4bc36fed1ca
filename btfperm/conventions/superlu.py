# SPDX-License-Identifier: BSD-3-Clause
"""SuperLU, SuperLU_DIST and SciPy's `splu`: perm_r and perm_c.

Both **scatter**, base 0: row i goes to place ``perm_r[i]``, column j to place ``perm_c[j]``, so
that ``B[perm_r, :][:, perm_c] == A`` for the permuted matrix B = Pr A Pc of SciPy's manual, with
``Pr[perm_r, arange(n)] = 1`` and ``Pc[arange(n), perm_c] = 1``.

These are the arrays that SuperLU returns. As input, SuperLU and SuperLU_DIST take another order of
the rows. They expect the diagonal entry of column j in row j of the matrix whose rows are permuted,
for every ``perm_c``. So row i must go to the number of its matched column,
``argsort(perm_c)[perm_r[i]]``, see ``docs/howto/superlu.md``.

`splu` takes no permutation: pass the permuted matrix and ``permc_spec="NATURAL"`` to it, or call
`factor` of the result of :func:`btfperm.preorder`, which may also use the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from btfperm.conventions.diagonal import read_diagonal
from btfperm.conventions.square import square_order
from btfperm.pattern import inverse
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["SuperLU", "as_superlu", "read_superlu"]


@tuple_by_value
class SuperLU(NamedTuple):
    """perm_r, perm_c (n,): the place to which each row and each column goes. Scatter, base 0."""

    perm_r: IndexArray
    perm_c: IndexArray


def as_superlu(result: Decomposition | SolverOrder) -> SuperLU:
    """perm_r and perm_c, with the matching on the diagonal of the permuted matrix. Inside the
    blocks, the order reduces fill. A `result` that was read from a file keeps its order. The cost
    is that of the order inside the blocks; O(n) if this order is already known.

    A structurally singular matrix is accepted from `block_triangular_form`. SuperLU reports that it
    is singular when it factors the matrix.

    Parameters
    ----------
    result : of `preorder`, or a decomposition of a square matrix

    Returns
    -------
    SuperLU : a named tuple of index arrays

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
    >>> from btfperm.conventions import as_superlu
    >>> as_superlu(btfperm.block_triangular_form([[0, 2, 0], [0, 3, 4], [5, 0, 6]]))
    SuperLU(perm_r=array([2, 1, 0], dtype=int32), perm_c=array([0, 2, 1], dtype=int32))
    """
    order = square_order(result, "SuperLU", "superlu")
    return SuperLU(inverse(order.row_perm), inverse(order.col_perm))


def read_superlu(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(n).

    The arrays do not mark structural zeros on the diagonal. So the diagonal is known to be the
    matching only if the matrix is structurally nonsingular.
    """
    return read_diagonal(fields, ("perm_r", "perm_c"), scatter=True, has_matching=not completed)
