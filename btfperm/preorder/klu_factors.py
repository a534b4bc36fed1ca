# SPDX-License-Identifier: BSD-3-Clause
"""Factors by KLU in the order of a `Preordering`.

Idea        btfperm passes the order to KLU. KLU computes the blocks again and factors each diagonal
            block, with pivots on the given diagonal unless they are too small. It multiplies the
            entries between the blocks. `refactor` factors new values with the same pivots, which
            is faster.
Analysis    of the given order, once for all matrices with the same entries
Indices     32 bits; 64 bits if the matrix or its factors have too many entries for 32 bits
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import NumericallySingularError, ResourceMissingError
from btfperm.preorder.factors import shallow_copy
from btfperm.preorder.values import Columns, refuse_below
from btfperm.results import IndexArray

__all__ = [
    "FIRST_MEMORY",
    "KLU_THRESHOLD",
    "Analysis",
    "CommonFacts",
    "KluFactors",
    "KluLibrary",
    "KluNumbers",
    "checked_status",
]

# KLU's default for the smallest pivot on the diagonal, relative to the largest candidate.
KLU_THRESHOLD = 1e-3
_OUT_OF_MEMORY, _TOO_LARGE = -2, -4  # KLU's status
# The smallest `rcond` with which old pivots are kept, relative to that of the last factorization.
_SMALLER_PIVOTS = 1e-4
_Numbers = npt.NDArray[Any]


class KluNumbers(Protocol):
    """Numbers that KLU reports about factors, with KLU's names.

    Attributes
    ----------
    nblocks, nzoff : number of diagonal blocks, and of entries between them
    lnz, unz : number of entries of L and U inside the blocks, both with the diagonal
    """

    nblocks: int
    nzoff: int
    lnz: int
    unz: int


class Analysis(Protocol):
    """KLU's analysis of one pattern, and its factors. `factor` and `refactor` return KLU's status:
    0 if they succeeded, 1 if a pivot is zero. For other values, `checked_status` raises errors.

    Attributes
    ----------
    singular_col : the column of the original matrix in which a pivot is zero
    off_diagonal : number of pivots that are not on the given diagonal
    """

    @property
    def singular_col(self) -> int: ...
    @property
    def off_diagonal(self) -> int: ...
    def factor(self, values: _Numbers) -> int: ...
    def refactor(self, values: _Numbers) -> int: ...
    def solve(self, x: _Numbers, trans: str) -> None: ...
    def rcond(self) -> float: ...
    def numbers(self) -> KluNumbers: ...
    def without_factors(self) -> Analysis:
        """The same analysis, for other factors. KLU only reads an analysis."""


class KluLibrary(Protocol):
    """One way to call KLU."""

    name: str
    version: str
    location: str

    def analyze(
        self,
        indptr: _Numbers,
        indices: _Numbers,
        P: _Numbers,
        Q: _Numbers,
        tolerance: float,
        *,
        has_blocks: bool = True,
    ) -> Analysis:
        """Analyzes a pattern. All arrays are int32, or all are int64. KLU searches for blocks if
        `has_blocks` is true."""


# The memory that KLU allocates for the factors of a block at first: this number times its entries.
# With KLU's default, 10, most of it is given back, and later factors are written to new pages.
FIRST_MEMORY = 2.0


class CommonFacts:
    """The attributes of an `Analysis` that KLU writes to its structure ``klu_common``."""

    _common: Any

    @property
    def singular_col(self) -> int:
        return int(self._common.singular_col)

    @property
    def off_diagonal(self) -> int:
        return int(self._common.noffdiag)


def checked_status(status: int) -> int:
    """`status`, which is 0 if a function of KLU succeeded, and 1 if a pivot is zero.

    Raises
    ------
    MemoryError : not enough memory
    OverflowError : the index type cannot count the entries
    RuntimeError : KLU refuses its arguments, which is a defect of the caller
    """
    if status >= 0:
        return status
    if status == _OUT_OF_MEMORY:
        raise MemoryError
    if status == _TOO_LARGE:
        raise OverflowError
    raise RuntimeError(f"KLU refuses its arguments (status {status})")


class KluFactors:
    """LU factors by KLU."""

    backend = "klu"

    def __init__(
        self,
        columns: Columns,
        row_perm: IndexArray,
        col_perm: IndexArray,
        blocks: IndexArray,
        library: KluLibrary,
        tolerance: float,
    ) -> None:
        self._columns = columns._replace(values=columns.values[:0])
        # Copies of the permutations, because nbklu accepts writeable arrays only.
        width = columns.indptr.dtype
        self._row_perm, self._col_perm = np.array(row_perm, width), np.array(col_perm, width)
        self._below: list[int] = []
        if blocks.size > 2:
            order = self._row_perm, self._col_perm, blocks.astype(width, copy=False)
            self._below = _core.preorder.entries_below(*columns[:2], *order)
        self._has_blocks = blocks.size > 2
        self._library, self._tolerance = library, tolerance
        if columns.n:
            try:
                self._analyze(columns.indptr.dtype)
            except (MemoryError, OverflowError):
                raise self._too_little_memory() from None

    def _analyze(self, index_type: Any) -> None:
        arrays = *self._columns[:2], self._row_perm, self._col_perm
        indptr, indices, P, Q = (np.asarray(array, index_type) for array in arrays)
        self._wide = index_type == np.int64
        has_blocks, tolerance = self._has_blocks, self._tolerance
        self._analysis = self._library.analyze(
            indptr, indices, P, Q, tolerance, has_blocks=has_blocks
        )

    def of(self, columns: Columns) -> KluFactors:
        # KLU would accept nonzeros below the diagonal blocks, but would find other blocks.
        refuse_below(columns, self._below, columns.values)
        factors = shallow_copy(self)
        if columns.n:
            factors._analysis = self._analysis.without_factors()
        return factors

    def factor(self, values: _Numbers) -> None:
        try:
            try:
                status = self._analysis.factor(values)
            except OverflowError:
                if self._wide:
                    raise
                self._analyze(np.int64)
                status = self._analysis.factor(values)
        except (MemoryError, OverflowError):
            raise self._too_little_memory() from None
        if status:
            col = self._analysis.singular_col
            row = int(self._row_perm[np.flatnonzero(self._col_perm == col)[0]])
            raise NumericallySingularError(
                f"the matrix is numerically singular: the pivot of column {col} is zero; that "
                f"column is matched to row {row}"
            )
        self._first_rcond = self._analysis.rcond()

    def refactor(self, values: _Numbers) -> bool:
        try:
            status = self._analysis.refactor(values)
        except (MemoryError, OverflowError):
            raise self._too_little_memory() from None
        return not status and self._analysis.rcond() >= _SMALLER_PIVOTS * self._first_rcond

    def _too_little_memory(self) -> ResourceMissingError:
        return ResourceMissingError(
            f"not enough memory for the factors of {self._columns.n:,} rows; try another "
            "block_ordering"
        )

    def solve(self, x: _Numbers, trans: str) -> None:
        self._analysis.solve(x, trans)

    @property
    def blocks(self) -> int:
        return int(self._analysis.numbers().nblocks)

    @property
    def outside(self) -> int:
        return int(self._analysis.numbers().nzoff)

    @property
    def fill(self) -> int:
        found = self._analysis.numbers()
        return int(found.lnz + found.unz) - self._columns.n

    @property
    def off_diagonal_pivots(self) -> int:
        return int(self._analysis.off_diagonal)

    def rcond(self) -> float:
        return self._analysis.rcond()
