# SPDX-License-Identifier: BSD-3-Clause
"""Solutions if all blocks have one row: the permuted matrix is triangular, so substitution in the
matrix itself solves the system."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import NumericallySingularError
from btfperm.preorder.factors import shallow_copy
from btfperm.preorder.ill_conditioned import random_numbers, rounding_errors
from btfperm.preorder.values import Columns, gathered, refuse_below
from btfperm.results import IndexArray

__all__ = ["SingleFactors", "zero_alone"]

_OPERATIONS = {"N": 0, "T": 1, "H": 2}
# A sum of at most four products of doubles, divided by the pivot, has a componentwise backward
# error of at most two spacings of doubles at 1 (see singles.hpp).
_FEW, _EXACT = 4, 2 * np.finfo(np.float64).eps
_Numbers = npt.NDArray[Any]


class SingleFactors:
    """Solves with a permuted triangular matrix by substitution, with the interface of `Factors`."""

    off_diagonal_pivots = 0

    def __init__(
        self, columns: Columns, row_perm: IndexArray, col_perm: IndexArray, backend: str
    ) -> None:
        self.backend = backend
        self._columns = columns._replace(values=columns.values[:0])
        width = columns.indptr.dtype
        self._perms = np.array(row_perm, width), np.array(col_perm, width)
        self._pivot = np.empty(columns.n, width)
        self._below = _core.preorder.find_pivots(*columns[:2], *self._perms, self._pivot)
        self._lacks_pivots = bool(self._pivot.min(initial=0) < 0)

    def of(self, columns: Columns) -> SingleFactors:
        refuse_below(columns, self._below, columns.values)
        return shallow_copy(self)

    def factor(self, values: _Numbers) -> None:
        refuse_below(self._columns, self._below, values)
        if self._lacks_pivots:  # some diagonal entries are not stored, and `values` may be empty
            has_pivot = self._pivot >= 0
            pivots = np.zeros(self._pivot.size, values.dtype)
            pivots[has_pivot] = values[self._pivot[has_pivot]]
        else:
            pivots = gathered(values, self._pivot)[0]
        if not pivots.all():
            place = int((pivots == 0).argmax())
            raise NumericallySingularError(zero_alone(self._perms[0][place], self._perms[1][place]))
        self._values, self._pivots = values, pivots

    def refactor(self, values: _Numbers) -> bool:
        """Stores new values. True, because each block has only one possible pivot."""
        self.factor(values)
        return True

    def solve(self, x: _Numbers, trans: str) -> None:
        sides = x.copy().reshape(-1), x.reshape(-1)
        _core.preorder.solve_triangle(*self._arguments(trans), *sides)

    def exact_solution(
        self, right: _Numbers, trans: str, *, estimates: bool
    ) -> tuple[_Numbers, float] | None:
        """(solution, share), if rounding errors in the solution are known to be negligible, because
        only a few numbers are added in each row or column; else None.

        With `estimates`, the same pass over the entries estimates the effect of rounding them: the
        share is the largest change of the solution, relative to its largest number. There is no
        estimate for several right-hand sides, and none if a number is not finite or if underflow
        makes the solution inexact. The result is None for small matrices, too.
        """
        period = random_numbers().size
        is_small = self._columns.n < period
        if is_small or self._values.dtype != np.float64 or self._columns.longest > _FEW:
            return None
        x = np.empty_like(right)
        if not estimates:
            sides = right.copy().reshape(-1), x.reshape(-1)
            _core.preorder.solve_triangle(*self._arguments(trans), *sides)
            return x, 0.0
        if len(right) > 1:
            return None
        rest = rounding_errors(period)[0], _EXACT, right.reshape(-1), x.reshape(-1)
        share = float(_core.preorder.solve_estimated_triangle(*self._arguments(trans), *rest))
        return None if math.isnan(share) else (x, share)

    def _arguments(self, trans: str) -> tuple[Any, ...]:
        columns = *self._columns[:2], self._values
        return *columns, *self._perms, self._pivot, _OPERATIONS[trans]

    @property
    def blocks(self) -> int:
        return self._columns.n

    @property
    def fill(self) -> int:
        return self._columns.n

    @property
    def outside(self) -> int:
        return int(self._columns.indices.size) - self._columns.n - len(self._below)

    def rcond(self) -> float:
        modulus = np.abs(self._pivots)
        return float(modulus.min() / modulus.max())


def zero_alone(row: Any, col: Any) -> str:
    """The message for a diagonal block of one row whose value is zero."""
    return (
        f"the matrix is numerically singular: the entry in row {row}, column {col} is a diagonal "
        "block by itself, and its value is zero"
    )
