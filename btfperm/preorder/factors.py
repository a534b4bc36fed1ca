# SPDX-License-Identifier: BSD-3-Clause
"""The interface that each solver implements: LU factors of one matrix. ``blockwise.py`` implements
it with SuperLU, ``klu_factors.py`` with KLU, and ``singles.py`` without a solver.

An object is made for the entries of a matrix and an order, without values. This step, such as KLU's
analysis of the pattern, is shared by the factors of all matrices with these entries: `of` returns
the object that factors one of them."""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

import numpy.typing as npt

from btfperm.preorder.values import Columns

__all__ = ["Factors", "shallow_copy"]

_Numbers = npt.NDArray[Any]
_Object = TypeVar("_Object")


def shallow_copy(one: _Object) -> _Object:
    """As ``copy.copy``, in a fifth of its time."""
    other = object.__new__(type(one))
    vars(other).update(vars(one))
    return other


class Factors(Protocol):
    """LU factors of one matrix by one solver.

    Attributes
    ----------
    backend : the name of the solver
    blocks : number of diagonal blocks
    fill : number of entries of L + U, the diagonal once; see `Factorization.fill`
    outside : number of entries that are not factored, all of them above the blocks
    off_diagonal_pivots : number of pivots that are not on the diagonal of the permuted matrix
    """

    backend: str

    @property
    def blocks(self) -> int: ...
    @property
    def fill(self) -> int: ...
    @property
    def outside(self) -> int: ...
    @property
    def off_diagonal_pivots(self) -> int: ...
    def of(self, columns: Columns) -> Self:
        """Factors of `columns`, which have the entries of this object, not computed yet. Raises
        InvalidArgumentError if there are nonzeros below the diagonal blocks."""

    def factor(self, values: _Numbers) -> None:
        """Factors with new pivots; raises NumericallySingularError."""

    def refactor(self, values: _Numbers) -> bool:
        """Factors with the same pivots; False if new ones are needed. Raises as `factor` does."""

    def solve(self, x: _Numbers, trans: str) -> None:
        """Replaces right-hand sides, one in each row of a contiguous (k, n) array, by solutions."""

    def rcond(self) -> float:
        """See `Factorization.rcond`."""
