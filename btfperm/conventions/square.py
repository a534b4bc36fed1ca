# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the decompositions that a tool accepts. Each error is one sentence with a remedy."""

from __future__ import annotations

from btfperm.errors import InvalidArgumentError
from btfperm.results import BlockTriangularForm, Decomposition, SolverOrder

__all__ = ["refuse_completed", "require_decomposition", "require_square"]


def require_decomposition(result: object) -> None:
    """Raise InvalidArgumentError if this is not a decomposition, but a matrix or a transversal."""
    if not isinstance(result, Decomposition):
        raise InvalidArgumentError(
            f"a tool's order is made from a decomposition, not from {type(result).__name__}; give "
            "dulmage_mendelsohn(A) or block_triangular_form(A)"
        )


def require_square(
    result: Decomposition | SolverOrder, tool: str, *, completed: bool = False
) -> None:
    """Raise InvalidArgumentError unless `result` is square and structurally nonsingular.

    `completed`: the tool also accepts a singular matrix with a completed permutation. Only a
    `BlockTriangularForm` has one.
    """
    if isinstance(result, SolverOrder):
        return
    require_decomposition(result)
    m, n = result.shape
    if m != n:
        raise InvalidArgumentError(
            f"{tool} takes square matrices and this one is {m:,} x {n:,}; factor the square part "
            "of the Dulmage-Mendelsohn decomposition, or write it as_csparse or as_matlab"
        )
    if result.structural_rank == n or (completed and isinstance(result, BlockTriangularForm)):
        return
    way_out = (
        "call block_triangular_form(A), which completes the permutation as BTF does"
        if completed
        else "dulmage_mendelsohn(A) names the rows and columns to blame"
    )
    raise InvalidArgumentError(
        f"{tool} needs a row for every column, and this matrix has structural rank "
        f"{result.structural_rank:,} of {n:,}; {way_out}"
    )


def refuse_completed(result: Decomposition, tool: str) -> None:
    """Raise InvalidArgumentError for a block triangular form that had to be completed."""
    require_decomposition(result)
    if isinstance(result, BlockTriangularForm) and result.completed:
        raise InvalidArgumentError(
            f"{tool} has the Dulmage-Mendelsohn blocks, which the block triangular form of a "
            f"structurally singular matrix (rank {result.structural_rank:,} of "
            f"{result.shape[0]:,}) has not; call dulmage_mendelsohn(A)"
        )
