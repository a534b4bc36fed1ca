# SPDX-License-Identifier: BSD-3-Clause
"""Factors by SciPy's SuperLU, one for each segment of the block triangular form.

Idea        The permuted matrix B is block upper triangular, so only its diagonal blocks need
            factors. The entries above the blocks are multiplied, not factored, and cause no fill.
Segments    A block of at least `LARGE` rows is a segment, and so is a run of at least `LARGE`
            blocks of one row, which needs no factors. The other blocks between two such segments
            form one segment. They are factored together with the entries between them; each such
            entry causes at most LARGE - 1 nonzeros of the factors. A matrix of fewer than 4 LARGE
            rows is one segment, because the Python calls for a second one would take longer than
            its factors. Then the bound on nonzeros does not hold.
Solve       back substitution over the segments, last to first; transposed, first to last
Cost        the factors, then O(nnz(B) + fill) for each solve, with some Python calls for each
            segment; there are at most 4 n / LARGE + 1 segments
Why 64      Small blocks are factored faster together, because each segment costs Python calls;
            large ones are factored faster alone, because the entries between them cause no fill.
"""

from __future__ import annotations

from functools import lru_cache
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import (
    InvalidArgumentError,
    NumericallySingularError,
    ResourceMissingError,
)
from btfperm.preorder.factors import shallow_copy
from btfperm.preorder.null_vectors import Dependent, dependent
from btfperm.preorder.singles import zero_alone
from btfperm.preorder.values import Columns, refuse_below
from btfperm.results import IndexArray

__all__ = ["FEW_ROWS", "LARGE", "NARROW", "BlockwiseFactors", "checked_threshold"]

LARGE = 64
_MOST_NAMED = 5  # rows, and columns, in a message
# The number of columns that SuperLU updates together (its panel size) is NARROW for sparse factors,
# SuperLU's larger default for dense ones (see `Preordering._panel_size`), and one in segments of
# fewer than FEW_ROWS rows.
NARROW = 4
FEW_ROWS = 1_000
_MOST_ENTRIES = 2**31 - 1  # SciPy's SuperLU has 32-bit indices
_Numbers = npt.NDArray[Any]


class _Segment(NamedTuple):
    """Rows and columns begin:end of the permuted matrix, and SuperLU's factors of this diagonal
    part; None if its blocks have one row each."""

    begin: int
    end: int
    factors: Any


class BlockwiseFactors:
    """LU factors by SuperLU, segment by segment.

    Attributes
    ----------
    segments : the parts that are factored together
    outside : number of entries that are not factored: the entries above the segments and, in
        segments of blocks of one row, the entries above the diagonal
    """

    backend = "superlu"

    def __init__(
        self,
        columns: Columns,
        row_perm: IndexArray,
        col_perm: IndexArray,
        blocks: IndexArray,
        diag_pivot_thresh: float,
        panel_size: int | None = None,
    ) -> None:
        n, nnz = columns.n, columns.indices.size
        if nnz > _MOST_ENTRIES:
            raise InvalidArgumentError(
                f"SciPy's SuperLU takes at most {_MOST_ENTRIES:,} entries, this matrix has "
                f"{nnz:,}; use solver='klu', or give .klu or .apply(A) to another solver"
            )
        self._threshold, self._panel_size = diag_pivot_thresh, panel_size
        self._columns = columns._replace(values=columns.values[:0])
        self._row_perm, self._col_perm, self._blocks = row_perm, col_perm, blocks
        # Copies, because later changes of the order must not change these factors. With this type,
        # NumPy need not convert the indices in each solution.
        self._wide_perms = tuple(np.array(perm, np.intp) for perm in (row_perm, col_perm))
        order = (array.astype(np.int32, copy=False) for array in (row_perm, col_perm, blocks))
        self._inside, self._above = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
        rows, source = np.empty(nnz, np.int32), np.empty(nnz, np.int32)
        arrays = self._inside, self._above, rows, source
        large = LARGE if n >= 4 * LARGE else n + 1
        self._bounds, below = _core.preorder.cut(*columns[:2], *order, large, *arrays)
        self._rows, self._source = rows[: nnz - below], source[: nnz - below]
        self._below = source[nnz - below :]
        self.segments: tuple[_Segment, ...] = ()

    # -- factors ---------------------------------------------------------------------------------

    def of(self, columns: Columns) -> BlockwiseFactors:
        refuse_below(columns, self._below, columns.values)
        return shallow_copy(self)

    def factor(self, values: _Numbers) -> None:
        refuse_below(self._columns, self._below, values)
        self._numbers = numbers = values[self._source]
        self._refuse_zeros_alone()
        self.segments = ()
        self.segments = tuple(
            _Segment(begin, end, None if single else self._factors_of(numbers, begin, end))
            for begin, end, single in self._bounds
        )

    def refactor(self, values: _Numbers) -> bool:
        return False  # SciPy has no function for it

    def _refuse_zeros_alone(self) -> None:
        """Raises NumericallySingularError if a segment of blocks of one row has a zero on the
        diagonal."""
        for begin, end, single in self._bounds:
            if single:
                at = self._inside[begin : end + 1]
                zero = np.diff(at) == 0
                zero[~zero] = self._numbers[at[:-1][~zero]] == 0
                if zero.any():
                    raise NumericallySingularError(self._zero_alone(begin + int(zero.argmax())))

    def _factors_of(self, numbers: _Numbers, begin: int, end: int) -> Any:
        p, q = self._inside[begin], self._inside[end]
        starts = self._inside[begin : end + 1] - p
        square = _square(numbers[p:q], self._rows[p:q], starts)
        factors = _superlu(square, self._threshold, self._panel_size)
        if factors is None:
            raise NumericallySingularError(self._where_singular(square, begin))
        return factors

    # -- solutions -------------------------------------------------------------------------------

    def solve(self, x: _Numbers, trans: str) -> None:
        plain, conjugate = trans == "N", trans == "H" and x.dtype.kind == "c"
        first, last = self._wide_perms[:: 1 if plain else -1]
        if len(self.segments) == 1 and self.segments[0].factors is not None:
            factors = self.segments[0].factors
            if len(x) == 1:
                side = x[0]
                side[last] = factors.solve(side[first], trans)
            else:
                x[:, last] = factors.solve(x.take(first, axis=1).T, trans).T
            return
        y = x.take(first, axis=1)
        if conjugate:  # A^H x = b is the conjugate of A^T conj(x) = conj(b)
            np.conj(y, out=y)
        for segment in reversed(self.segments) if plain else self.segments:
            if plain:
                _substitute_segment(segment, y, "N")
                self._couple(segment, y, transposed=False)
            else:
                self._couple(segment, y, transposed=True)
                _substitute_segment(segment, y, "T")
        x[:, last] = np.conj(y) if conjugate else y

    def _couple(self, segment: _Segment, y: _Numbers, *, transposed: bool) -> None:
        begin, end, single = segment.begin, segment.end, segment.factors is None
        if single or self._above[begin] < self._above[end]:
            places = self._above, self._inside, self._rows, self._numbers
            _core.preorder.substitute(*places, begin, end, single, transposed, y.reshape(-1))

    # -- facts -----------------------------------------------------------------------------------

    @property
    def blocks(self) -> int:
        return self._blocks.size - 1

    @property
    def outside(self) -> int:
        return int(self._above[-1] - self._above[0])

    @property
    def fill(self) -> int:
        return sum(
            s.end - s.begin if s.factors is None else s.factors.nnz - (s.end - s.begin)
            for s in self.segments
        )

    @property
    def off_diagonal_pivots(self) -> int:
        return sum(
            int(np.count_nonzero(s.factors.perm_r != s.factors.perm_c))
            for s in self.segments
            if s.factors is not None
        )

    def rcond(self) -> float:
        """See `Factorization.rcond`. SciPy gives access to the pivots only by a copy of the
        factors."""
        modulus = np.concatenate([np.abs(self._pivots_of(segment)) for segment in self.segments])
        return float(modulus.min() / modulus.max())

    def _pivots_of(self, segment: _Segment) -> _Numbers:
        if segment.factors is None:
            pivots: _Numbers = self._numbers[self._inside[segment.begin : segment.end]]
        else:
            pivots = segment.factors.U.diagonal()
        return pivots

    # -- messages --------------------------------------------------------------------------------

    def _zero_alone(self, place: int) -> str:
        return zero_alone(self._row_perm[place], self._col_perm[place])

    def _where_singular(self, square: Any, begin: int) -> str:
        """The message about a singular segment: the first block of one row whose value is zero;
        otherwise dependent rows and columns of a singular block."""
        end = begin + square.shape[0]
        blocks = self._blocks
        first = int(np.searchsorted(blocks, begin))
        bounds = blocks[first : np.searchsorted(blocks, end) + 1]
        single = bounds[:-1][np.diff(bounds) == 1]
        zero = single[square.diagonal()[single - begin] == 0]
        if zero.size:
            return self._zero_alone(zero[0])
        head = "the matrix is numerically singular: in diagonal block"
        dependent = self._dependent(_without_couplings(square, bounds - begin))
        last = bounds.size - 1
        number = 0 if last == 1 else -1
        if dependent is not None and last > 1:
            number = int(np.searchsorted(bounds, begin + dependent.cols[0], "right")) - 1
            block = slice(bounds[number] - begin, bounds[number + 1] - begin)
            dependent = self._dependent(square[block, block])
        if dependent is None:
            return (
                f"{head}{f' {first}' if last == 1 else f's {first:,} to {first + last - 1:,}'}, "
                f"which begin{'s' if last == 1 else ''} with row {self._row_perm[begin]} and "
                f"column {self._col_perm[begin]}, a pivot is zero or too small to be represented"
            )
        at, stop = bounds[number : number + 2].tolist()
        cols = _dependence("column", self._col_perm[at + dependent.cols])
        rows = _dependence("row", self._row_perm[at + dependent.rows])
        return f"{head} {first + number:,}, which has {stop - at:,} rows, {cols}, and {rows}"

    def _dependent(self, square: Any) -> Dependent | None:
        return dependent(square, lambda S: _superlu(S, self._threshold, self._panel_size))


def _without_couplings(square: Any, bounds: IndexArray) -> Any:
    """A copy of `square` without the entries between diagonal blocks."""
    block = np.repeat(np.arange(bounds.size - 1, dtype=np.int32), np.diff(bounds))
    cols = np.repeat(np.arange(block.size, dtype=np.int32), np.diff(square.indptr))
    inside = block[square.indices] == block[cols]
    starts = np.searchsorted(np.flatnonzero(inside), square.indptr).astype(np.int32)
    return _square(square.data[inside], square.indices[inside], starts)


def _dependence(name: str, numbers: IndexArray) -> str:
    """The part of the message about dependent rows or columns of a block. `numbers` begins with
    the rows or columns of the largest coefficients. If there are more than `_MOST_NAMED`, only the
    first ones are named."""
    if numbers.size == 1:
        return f"{name} {numbers[0]} has no nonzeros"
    count = numbers.size if numbers.size <= _MOST_NAMED else _MOST_NAMED - 1
    words = [str(number) for number in sorted(numbers[:count].tolist())]
    last = f"{numbers.size - count:,} others" if count < numbers.size else words.pop()
    return f"{name}s {', '.join(words)} and {last} are linearly dependent"


def checked_threshold(diag_pivot_thresh: Any) -> float:
    """The argument as a float. Raises InvalidArgumentError unless it is between 0 and 1."""
    if not isinstance(diag_pivot_thresh, Real) or not 0 <= float(diag_pivot_thresh) <= 1:
        raise InvalidArgumentError(
            f"diag_pivot_thresh lies between 0 and 1, {diag_pivot_thresh!r} does not"
        )
    return float(diag_pivot_thresh)


def _substitute_segment(segment: _Segment, y: _Numbers, trans: str) -> None:
    begin, end, factors = segment
    if factors is None:
        return
    if y.shape[0] == 1:
        y[0, begin:end] = factors.solve(y[0, begin:end], trans)
    else:
        y[:, begin:end] = factors.solve(y[:, begin:end].T, trans).T


@lru_cache(64)
def _empty(size: int) -> Any:
    from scipy.sparse import csc_array

    return csc_array((size, size))


def _square(values: _Numbers, rows: IndexArray, starts: IndexArray) -> Any:
    """A ``csc_array`` of canonical columns, made without the constructor, which would check the
    arrays, and without ``copy.copy``, which takes as long as a small solution."""
    empty = _empty(starts.size - 1)
    square = object.__new__(type(empty))
    vars(square).update(vars(empty))
    square.data, square.indices, square.indptr = values, rows, starts
    square.has_canonical_format = True
    return square


def _superlu(square: Any, diag_pivot_thresh: float, panel_size: int | None) -> Any:
    """SuperLU's factors, with the columns in the given order; None if a pivot is zero."""
    from scipy.sparse.linalg import splu

    panel_size = 1 if square.shape[0] < FEW_ROWS else panel_size
    options = {"diag_pivot_thresh": diag_pivot_thresh, "panel_size": panel_size}
    try:
        return splu(square, permc_spec="NATURAL", **options)
    except MemoryError:
        raise ResourceMissingError(
            f"not enough memory for the factors of {square.shape[0]:,} rows; "
            "try another block_ordering"
        ) from None
    except RuntimeError as error:
        # If a column has no candidate for a pivot, SuperLU's message is "failed to factorize
        # matrix at line ...".
        if "singular" in str(error) or "failed to factorize" in str(error):
            return None
        raise
