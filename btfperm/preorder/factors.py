# SPDX-License-Identifier: BSD-3-Clause
"""The interface that each solver implements: LU factors of one matrix. ``blockwise.py`` implements
it with SuperLU, and ``klu_factors.py`` with KLU."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt

__all__ = ["Factors"]

_Numbers = npt.NDArray[Any]


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
    def factor(self, values: _Numbers) -> None:
        """Factors with new pivots; raises NumericallySingularError."""

    def refactor(self, values: _Numbers) -> bool:
        """Factors with the same pivots; False if new ones are needed. Raises as `factor` does."""

    def solve(self, x: _Numbers, trans: str) -> None:
        """Replaces right-hand sides, one in each row of a contiguous (k, n) array, by solutions."""

    def rcond(self) -> float:
        """See `Factorization.rcond`."""
