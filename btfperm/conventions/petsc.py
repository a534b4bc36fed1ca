# SPDX-License-Identifier: BSD-3-Clause
"""PETSc: the index sets of `MatPermute`, in the form of `MatGetOrdering`. Gather, base 0.

``MatPermute(A, rperm, cperm, &B)`` gives ``B = A[rperm, :][:, cperm]``. PETSc's own LU does not
exchange rows, and B has the matching on its diagonal. To factor, permute first and factor B in its
natural order (`MATORDERINGNATURAL`): `MatLUFactor` of A with these index sets fails if an entry on
the diagonal of A itself is missing. The solution of ``B y = b[rperm]`` is ``y = x[cperm]``. If the
index sets come from a decomposition of a matrix, or from ``preorder(A, solver="klu")``, the blocks
of B have an order that reduces fill if pivots are on the diagonal. A decomposition ignores the size
of the entries; `preorder` may put larger entries on the diagonal (see its argument `weights`).

`btfperm.io.write_petsc_is` writes index sets in PETSc's binary format, for `ISLoad`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from btfperm.conventions.diagonal import read_diagonal
from btfperm.conventions.square import square_order
from btfperm.results import Decomposition, IndexArray, SolverOrder
from btfperm.results.equality import tuple_by_value

__all__ = ["Petsc", "as_petsc", "read_petsc"]


@tuple_by_value
class Petsc(NamedTuple):
    """rperm, cperm (n,): the original row and column at each place. Gather, base 0."""

    rperm: IndexArray
    cperm: IndexArray


def as_petsc(result: Decomposition | SolverOrder) -> Petsc:
    """The index sets of the rows and columns, with the matching on the diagonal. Inside the blocks,
    the order reduces fill. A `result` that was read from a file keeps its order. The cost is that
    of the order inside the blocks; O(n) if this order is already known.

    In Python, ``PETSc.IS().createGeneral(order.rperm)`` makes an index set of each; convert the
    array to ``PETSc.IntType`` first if PETSc has indices of another width. A structurally singular
    matrix is accepted from `block_triangular_form`: `MatPermute` permutes it, and a factorization
    reports a missing entry on the diagonal.

    Parameters
    ----------
    result : of `preorder`, or a decomposition of a square matrix

    Returns
    -------
    Petsc : a named tuple of index arrays

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
    >>> btfperm.as_petsc(btfperm.block_triangular_form([[0, 2, 0], [0, 3, 4], [5, 0, 6]]))
    Petsc(rperm=array([2, 1, 0], dtype=int32), cperm=array([0, 2, 1], dtype=int32))
    """
    order = square_order(result, "the convention petsc", "klu")
    return Petsc(order.row_perm, order.col_perm)


def read_petsc(
    fields: Mapping[str, Any], *, completed: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arrays of a file under the keys of `perm.npz`, for `btfperm check`. O(n).

    PETSc's binary file does not state whether the permutation was completed. In both cases, the
    entries on the diagonal are the matching, and their number must be the structural rank.
    """
    return read_diagonal(fields, ("rperm", "cperm"), has_matching=False)
