# SPDX-License-Identifier: BSD-3-Clause
"""Factor and solve by diagonal blocks, through SciPy's SuperLU.

Idea        The permuted matrix B is block upper triangular, so only its diagonal blocks need
            factors. The entries above them are multiplied, not factored, and cause no fill.
Segments    Blocks of at least `LARGE` rows are factored alone; the runs of smaller ones between
            them are factored together, coupling included: among blocks of one row that adds no
            fill, among small ones at most LARGE - 1 numbers for each entry between them.
Solve       back substitution over the segments, last to first; transposed, first to last. Then one
            step of iterative refinement: the residual, and its solution as a correction.
Cost        the factors, then O(nnz(B) + fill) a solve, and O(segments) Python steps, of which
            there are at most 2 n / LARGE + 1.
Why 64      On matrices with blocks of one size, small blocks are factored faster together, and
            blocks of 60 rows and more alone; the solve is faster together. Real matrices (bayer10,
            lns_3937, adder_dcop_05) show no difference between 16 and 128; all blocks in one piece
            cost them more fill.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from btfperm.arguments import one_of, whole_number
from btfperm.errors import (
    IllConditionedWarning,
    InvalidArgumentError,
    NumericallySingularError,
    ResourceMissingError,
)
from btfperm.preorder.right_sides import checked_right_side
from btfperm.preorder.segments import diagonal_squares, segment_bounds
from btfperm.preorder.values import permuted, refuse_below, refuse_changed, with_values
from btfperm.results import IndexArray
from btfperm.results.html import html_table
from btfperm.warn import warn

__all__ = ["LARGE", "Factorization", "factor_blockwise"]

LARGE = 64
_LARGE_CHANGE = 1e-3  # of a solution by refinement, relative to its largest number
_Numbers = npt.NDArray[Any]


class _Segment(NamedTuple):
    """Rows and columns begin:end of the permuted matrix, and SuperLU's factors of that square."""

    begin: int
    end: int
    factors: Any


@dataclass(frozen=True, eq=False, repr=False)
class Factorization:
    """LU factors of a preordered matrix; made by :meth:`btfperm.Preordering.factor`.

    Attributes
    ----------
    shape : (n, n)
    dtype : float64 or complex128
    segments : the parts that were factored together
    within : the entries of the segments, a csc_array, permuted
    above : the entries above the segments, not factored: a csr_array, permuted

    SuperLU's factors cannot be stored: pickle the `Preordering` instead, which is small and keeps
    the order, and factor again.
    """

    backend: ClassVar[str] = "superlu"

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    row_perm: IndexArray
    col_perm: IndexArray
    segments: tuple[_Segment, ...]
    within: Any
    above: Any

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Factorization cannot be pickled or copied deeply, because SuperLU's factors cannot: "
            "pickle the Preordering, and call its factor(A) again"
        )

    def __copy__(self) -> Factorization:
        return self  # nothing in it changes

    @property
    def nnz(self) -> int:
        """Numbers stored: in the factors, and above them."""
        return int(self.above.nnz) + sum(int(s.factors.nnz) for s in self.segments)

    def solve(
        self, b: npt.ArrayLike, trans: Literal["N", "T", "H"] = "N", *, refine: int = 1
    ) -> _Numbers:
        """x with ``A x = b``; with ``trans="T"`` ``A.T x = b``, with "H" ``A.conj().T x = b``.

        `b` has the shape (n,) or (n, k), real or complex, and is not modified; the result has the
        same shape, float64 or complex128. `refine` is the number of steps of iterative refinement,
        each of which costs about as much as the solution itself.

        An `IllConditionedWarning` reports a matrix that is nearly singular: the first step of
        refinement changes the solution by more than a thousandth.

        Raises
        ------
        InvalidArgumentError : `b` has another shape or is on a GPU, `trans` is none of the three,
            or `refine` is no number of steps
        """
        one_of("trans", trans, ("N", "T", "H"))
        refine = whole_number("refine", refine, 0, 100)
        n = self.shape[0]
        given = checked_right_side(b, n)
        dtype = np.dtype(np.complex128) if given.dtype.kind == "c" else self.dtype
        # A^H x = b is the conjugate of A^T conj(x) = conj(b).
        flip = np.conj if trans == "H" else np.asarray
        first, last = (self.row_perm, self.col_perm)[:: 1 if trans == "N" else -1]
        x = flip(given)[first].astype(dtype, order="C")
        if x.size:
            columns = x.reshape(n, -1)
            if dtype != self.dtype:  # complex b, real factors: real and imaginary columns
                columns = columns.view(self.dtype)
            self._solvepermuted(columns, trans == "N", refine)
        solution = np.empty_like(x)
        solution[last] = flip(x)
        return solution

    def _solvepermuted(self, x: _Numbers, plain: bool, refine: int) -> None:
        """Replaces right-hand sides of the permuted matrix, or of its transpose, by solutions."""
        substitute = self._back_substitute if plain else self._forward_substitute
        right = x.copy() if refine else x
        substitute(x)
        within, above = (self.within, self.above) if plain else (self.within.T, self.above.T)
        for step in range(refine):
            change = right - within @ x
            change -= above @ x
            substitute(change)
            if not np.isfinite(change).all():
                return
            if step == 0:
                self._warn_if_wrong(x, change)
            x += change

    def _warn_if_wrong(self, x: _Numbers, change: _Numbers) -> None:
        """Warns if refinement changes a solution so much that few of its digits are right."""
        size, changed = np.abs(x).max(axis=0), np.abs(change).max(axis=0)
        wrong = changed > _LARGE_CHANGE * size
        if not wrong.any():
            return
        share_changed = float((changed[wrong] / size[wrong]).max())
        row, col, share = self._smallest_pivot()
        warn(
            IllConditionedWarning(
                "the matrix is nearly singular: refinement changed the solution by "
                f"{share_changed:.1g} of its size, so few of its digits are right; the smallest "
                f"pivot, in row {row}, column {col}, is {share:.1g} of the largest entry of its "
                "column"
            )
        )

    def _smallest_pivot(self) -> tuple[int, int, float]:
        """Row and column of the pivot that is smallest beside the entries of its column."""
        best = (-1, -1, np.inf)
        largest = np.abs(self.within).max(axis=0).toarray().ravel()
        for begin, end, factors in self.segments:
            rows = begin + np.argsort(factors.perm_r)
            cols = begin + np.argsort(factors.perm_c)
            shares = np.abs(factors.U.diagonal()) / largest[cols]
            k = int(shares.argmin()) if end > begin else 0
            if end > begin and shares[k] < best[2]:
                best = int(self.row_perm[rows[k]]), int(self.col_perm[cols[k]]), float(shares[k])
        return best

    def _back_substitute(self, x: _Numbers) -> None:
        for (begin, end, factors), right in zip(
            reversed(self.segments), reversed(self._right_of_segments), strict=True
        ):
            if right is not None:
                x[begin:end] -= right @ x[end:]
            x[begin:end] = factors.solve(x[begin:end])

    def _forward_substitute(self, x: _Numbers) -> None:
        for (begin, end, factors), over in zip(self.segments, self._over_segments, strict=True):
            if over is not None:
                x[begin:end] -= over @ x[:begin]
            x[begin:end] = factors.solve(x[begin:end], "T")

    @cached_property
    def _right_of_segments(self) -> list[Any]:
        """For each segment, the entries to its right as csr_array; None when there are none."""
        return [_rows(self.above, s.begin, s.end, s.end, self.shape[0]) for s in self.segments]

    @cached_property
    def _over_segments(self) -> list[Any]:
        """For each segment, the transposed entries over it; made when first needed."""
        transposed = self.above.T.tocsr()
        return [_rows(transposed, s.begin, s.end, 0, s.begin) for s in self.segments]

    def _repr_html_(self) -> str:
        n = self.shape[0]
        facts = {"shape": f"{n:,} x {n:,}", "numbers": self.nnz, "segments": len(self.segments)}
        return html_table("Factorization", facts)

    def __repr__(self) -> str:
        n = self.shape[0]
        return (
            f"<Factorization of a {n:,} x {n:,} matrix: {self.nnz:,} numbers in "
            f"{len(self.segments):,} segments>"
        )


def factor_blockwise(
    A: Any,
    row_perm: IndexArray,
    col_perm: IndexArray,
    blocks: IndexArray,
    *,
    diag_pivot_thresh: float = 1.0,
) -> Factorization:
    """Factors of ``A[row_perm, :][:, col_perm]``, block upper triangular with `blocks`.

    Parameters and errors: see :meth:`btfperm.Preordering.factor`.
    """
    if not isinstance(diag_pivot_thresh, Real) or not 0 <= diag_pivot_thresh <= 1:
        raise InvalidArgumentError(
            f"diag_pivot_thresh lies between 0 and 1, {diag_pivot_thresh!r} does not"
        )
    n = int(row_perm.size)
    refuse_changed(n, row_perm, col_perm, blocks)
    B = permuted(with_values(A, (n, n)), row_perm, col_perm)
    block = np.repeat(np.arange(blocks.size - 1), np.diff(blocks))
    cols = np.repeat(np.arange(n), np.diff(B.indptr))
    refuse_below(B, block[B.indices] > block[cols], cols, row_perm, col_perm)

    bounds = segment_bounds(blocks, LARGE)
    segment = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    above = _selected(B, segment[B.indices] < segment[cols], cols).tocsr()
    within = _selected(B, segment[B.indices] == segment[cols], cols)
    segments = []
    for begin, end, square in diagonal_squares(within, bounds):
        factors = _factors(square, diag_pivot_thresh)
        if factors is None:
            raise NumericallySingularError(
                _where_singular(square, begin, blocks, row_perm, col_perm)
            )
        segments.append(_Segment(begin, end, factors))
    return Factorization((n, n), B.dtype, row_perm, col_perm, tuple(segments), within, above)


def _selected(B: Any, chosen: npt.NDArray[np.bool_], cols: Any) -> Any:
    """The chosen entries of `B` as a csc_array of the same shape."""
    from scipy.sparse import csc_array

    indptr = np.zeros(B.shape[1] + 1, dtype=np.int32)
    np.cumsum(np.bincount(cols[chosen], minlength=B.shape[1]), out=indptr[1:])
    return csc_array((B.data[chosen], B.indices[chosen], indptr), shape=B.shape)


def _rows(matrix: Any, begin: int, end: int, first_col: int, last_col: int) -> Any:
    """Rows begin:end of a csr_array whose entries there lie in columns first_col:last_col."""
    from scipy.sparse import csr_array

    p, q = matrix.indptr[begin], matrix.indptr[end]
    if p == q:
        return None
    arrays = matrix.data[p:q], matrix.indices[p:q] - first_col, matrix.indptr[begin : end + 1] - p
    return csr_array(arrays, shape=(end - begin, last_col - first_col))


def _factors(square: Any, diag_pivot_thresh: float) -> Any:
    """SuperLU's factors in the order given; None when a pivot is zero."""
    from scipy.sparse.linalg import splu

    try:
        return splu(square, permc_spec="NATURAL", diag_pivot_thresh=diag_pivot_thresh)
    except MemoryError:
        raise ResourceMissingError(
            f"not enough memory for the factors of {square.shape[0]:,} rows; "
            "try another block_ordering"
        ) from None
    except RuntimeError as error:
        if "singular" in str(error):
            return None
        raise


def _where_singular(
    square: Any, begin: int, blocks: IndexArray, row_perm: IndexArray, col_perm: IndexArray
) -> str:
    """One sentence: row and column of a block that is a single zero, else the blocks to check."""
    end = begin + square.shape[0]
    bounds = blocks[np.searchsorted(blocks, begin) : np.searchsorted(blocks, end) + 1]
    single = bounds[:-1][np.diff(bounds) == 1]
    zero = single[square.diagonal()[single - begin] == 0]
    if zero.size:
        return (
            f"the matrix is numerically singular: the entry in row {row_perm[zero[0]]}, column "
            f"{col_perm[zero[0]]} is a diagonal block by itself, and its value is zero"
        )
    count = bounds.size - 1
    blocks_there = "one diagonal block," if count == 1 else f"{count:,} diagonal blocks, the first"
    return (
        f"the matrix is numerically singular: a pivot is zero in rows {begin:,} to {end - 1:,} of "
        f"the permuted matrix ({blocks_there} with row "
        f"{row_perm[begin]} and column {col_perm[begin]} of the original)"
    )
