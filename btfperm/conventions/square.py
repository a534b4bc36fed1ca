# SPDX-License-Identifier: BSD-3-Clause
"""Checks whether a tool accepts a decomposition, and the order of an accepted one for a
factorization. Each error is one sentence with a remedy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from btfperm.errors import InvalidArgumentError, UnorderedBlocksWarning
from btfperm.path.make_plan import team_size
from btfperm.results import BlockTriangularForm, Decomposition, IndexArray, SolverOrder
from btfperm.warn import warn

__all__ = ["Square", "refuse_completed", "require_decomposition", "square_order"]


class Square(NamedTuple):
    """The order of a square matrix for a factorization.

    Attributes
    ----------
    result : the decomposition, or the result of `preorder`, on the host
    row_perm, col_perm : (n,) permutations with the matching on the diagonal. If `result` comes from
        `preorder` or from a file, it keeps its order inside the blocks; otherwise this order is
        computed, and reduces fill
    """

    result: Decomposition | SolverOrder
    row_perm: IndexArray
    col_perm: IndexArray


def square_order(result: Decomposition | SolverOrder, tool: str, solver: str) -> Square:
    """The order of a square matrix for a tool that factors it.

    A solver computes no order if it receives one. So the blocks of a decomposition get the
    fill-reducing order that `preorder` chooses for `solver` if the matrix has no values. If the
    decomposition was read from a file or gathered from MPI ranks, its matrix is unknown, and it
    keeps its order. Then an `UnorderedBlocksWarning` names the largest block, unless no block has
    more than two rows: two rows have the same fill in both orders.

    Raises
    ------
    InvalidArgumentError : the matrix is not square; or it is structurally singular, and `result`
        is no `BlockTriangularForm`, which completes the permutation
    """
    _require_square(result, tool)
    result = result.on_host()
    if isinstance(result, SolverOrder):
        return Square(result, result.matched_row_perm, result.col_perm)
    if result.pattern is None:
        _warn_of_fill(result)
        return Square(result, result.matched_row_perm, result.col_perm)
    from btfperm.ordering.inside_blocks import order_inside_blocks

    pattern = result.pattern.on_host()
    threads = team_size(pattern.nnz, None)
    inside = order_inside_blocks(pattern, result, "auto", solver, threads)
    return Square(result, inside.row_perm, inside.col_perm)


def _warn_of_fill(result: Decomposition) -> None:
    """Issues an UnorderedBlocksWarning if a block has more than two rows. O(blocks)."""
    largest = int(np.diff(result.row_blocks).max(initial=0))
    if largest > 2:
        warn(
            UnorderedBlocksWarning(
                "this decomposition does not hold its matrix, so its blocks, the largest of "
                f"{largest:,} rows, have no fill-reducing order, and a solver may need many times "
                "the fill; give preorder(A) instead"
            )
        )


def require_decomposition(result: object) -> None:
    """Raises InvalidArgumentError if `result` is not a decomposition but, for example, a matrix or
    a transversal."""
    if not isinstance(result, Decomposition):
        raise InvalidArgumentError(
            f"a tool's order is made from a decomposition, not from {type(result).__name__}; give "
            "dulmage_mendelsohn(A) or block_triangular_form(A)"
        )


def _require_square(result: Decomposition | SolverOrder, tool: str) -> None:
    if isinstance(result, SolverOrder):
        return
    require_decomposition(result)
    m, n = result.shape
    if m != n:
        raise InvalidArgumentError(
            f"{tool} takes square matrices and this one is {m:,} x {n:,}; factor the square part "
            "of the Dulmage-Mendelsohn decomposition, or write it as_csparse or as_matlab"
        )
    if result.structural_rank == n or isinstance(result, BlockTriangularForm):
        return
    raise InvalidArgumentError(
        f"{tool} needs a row for every column, and this matrix has structural rank "
        f"{result.structural_rank:,} of {n:,}; call block_triangular_form(A), which completes "
        "the permutation as BTF does"
    )


def refuse_completed(result: Decomposition, tool: str) -> None:
    """Raises InvalidArgumentError for a block triangular form that had to be completed."""
    require_decomposition(result)
    if isinstance(result, BlockTriangularForm) and result.completed:
        raise InvalidArgumentError(
            f"{tool} has the Dulmage-Mendelsohn blocks, which the block triangular form of a "
            f"structurally singular matrix (rank {result.structural_rank:,} of "
            f"{result.shape[0]:,}) has not; call dulmage_mendelsohn(A)"
        )
