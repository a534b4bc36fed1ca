# SPDX-License-Identifier: BSD-3-Clause
"""Solutions if all blocks have one row: the permuted matrix is triangular, so substitution in the
matrix itself solves the system."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import NumericallySingularError
from btfperm.preorder.values import Columns, refuse_below
from btfperm.results import IndexArray

__all__ = ["SingleFactors", "zero_alone"]

_OPERATIONS = {"N": 0, "T": 1, "H": 2}
_Numbers = npt.NDArray[Any]


class SingleFactors:
    """Solves with a permuted triangular matrix by substitution, with the interface of `Factors`."""

    off_diagonal_pivots = 0

    def __init__(
        self, columns: Columns, row_perm: IndexArray, col_perm: IndexArray, backend: str
    ) -> None:
        self.backend = backend
        self._columns = columns
        width = columns.indptr.dtype
        self._perms = row_perm.astype(width, copy=False), col_perm.astype(width, copy=False)
        self._pivot = np.empty(columns.n, width)
        places = _core.preorder.find_pivots(*columns[:2], *self._perms, self._pivot)
        self._below = np.array(places, np.int64)
        self._lacks_pivots = bool(self._pivot.min(initial=0) < 0)

    def factor(self, values: _Numbers) -> None:
        refuse_below(self._columns, self._below, values)
        if self._lacks_pivots:  # some diagonal entries are not stored, and `values` may be empty
            has_pivot = self._pivot >= 0
            pivots = np.zeros(self._pivot.size, values.dtype)
            pivots[has_pivot] = values[self._pivot[has_pivot]]
        else:
            pivots = values[self._pivot]
        if not pivots.all():
            place = int((pivots == 0).argmax())
            raise NumericallySingularError(zero_alone(self._perms[0][place], self._perms[1][place]))
        self._values, self._pivots = values, pivots

    def refactor(self, values: _Numbers) -> bool:
        """Stores new values. True, because each block has only one possible pivot."""
        self.factor(values)
        return True

    def solve(self, x: _Numbers, trans: str) -> None:
        columns = *self._columns[:2], self._values
        sides = x.copy().reshape(-1), x.reshape(-1)
        _core.preorder.solve_triangle(
            *columns, *self._perms, self._pivot, _OPERATIONS[trans], *sides
        )

    @property
    def blocks(self) -> int:
        return self._columns.n

    @property
    def fill(self) -> int:
        return self._columns.n

    @property
    def outside(self) -> int:
        return int(self._columns.indices.size) - self._columns.n - self._below.size

    def rcond(self) -> float:
        modulus = np.abs(self._pivots)
        return float(modulus.min() / modulus.max())


def zero_alone(row: Any, col: Any) -> str:
    """The message for a diagonal block of one row whose value is zero."""
    return (
        f"the matrix is numerically singular: the entry in row {row}, column {col} is a diagonal "
        "block by itself, and its value is zero"
    )
