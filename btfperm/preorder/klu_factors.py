# SPDX-License-Identifier: BSD-3-Clause
"""Factors by KLU in the order of a `Preordering`: solve, refine, and factor new values again.

Idea        KLU keeps the order and the diagonal that it is given, factors each diagonal block, and
            multiplies the entries between them. `refactor` computes the factors of new values with
            the same pivots, which is several times faster than a factorization; it is done again
            with new pivots if the pivots have grown, or if a solution is wrong.
Cost        the factorization; a solution needs two passes over the factors and, for each step of
            refinement, one over the matrix
"""

from __future__ import annotations

from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from btfperm.arguments import one_of, whole_number
from btfperm.errors import (
    IllConditionedWarning,
    InvalidArgumentError,
    NumericallySingularError,
    ResourceMissingError,
)
from btfperm.preorder.klu_libraries import Factors, KluLibrary
from btfperm.preorder.right_sides import checked_right_side
from btfperm.preorder.values import with_values
from btfperm.results import IndexArray
from btfperm.results.html import html_table
from btfperm.warn import warn

__all__ = ["KluFactorization"]

_TOLERANCE = 1e-3  # KLU's own: smaller diagonal entries, relative to their columns, are no pivots
_LEAST_GROWTH = 1e-4  # reciprocal pivot growth, relative to that of the first factors
_LARGEST_ERROR = 1e-9  # backward error of a solution by factors with old pivots, not refined
_LARGE_CHANGE = 1e-3  # of a solution by refinement, relative to its largest number


class KluFactorization:
    """LU factors by KLU; made by :meth:`btfperm.Preordering.factor`.

    Attributes
    ----------
    shape : (n, n)
    dtype : float64 or complex128
    backend : "klu"
    blocks : number of diagonal blocks
    """

    backend = "klu"

    def __init__(
        self, A: Any, row_perm: IndexArray, col_perm: IndexArray, blocks: int, library: KluLibrary
    ) -> None:
        n = int(row_perm.size)
        self.shape = n, n
        self.blocks = blocks
        # Copies, because nbklu accepts writeable arrays only.
        self._P, self._Q = np.array(row_perm, np.int32), np.array(col_perm, np.int32)
        self._library = library
        self._matrix = _columns(A, self.shape)
        self.dtype: np.dtype[Any] = self._matrix.dtype
        self._factor()

    def _arrays(self) -> tuple[Any, Any, Any]:
        return self._matrix.indptr, self._matrix.indices, self._matrix.data

    def _factor(self) -> None:
        """Factors with new pivots."""
        self._factors: Factors | None = None
        if self.shape[0] == 0:
            return
        try:
            factors = self._library.factor(self._arrays(), self._P, self._Q, _TOLERANCE)
        except MemoryError:
            raise ResourceMissingError(
                f"not enough memory for the factors of {self.shape[0]:,} rows; try another "
                "block_ordering"
            ) from None
        numbers = factors.numbers()
        if numbers.singular_col >= 0:
            place = self._Q.tolist().index(numbers.singular_col)
            raise NumericallySingularError(
                f"the matrix is numerically singular: the pivot of column {numbers.singular_col} "
                f"is zero; that column is matched to row {int(self._P[place])}"
            )
        self._factors = factors
        self._growth = factors.growth(self._matrix.data)

    # -- new values ------------------------------------------------------------------------------

    def refactor(self, A: Any) -> bool:
        """Factors of new values: of a matrix with the same pattern, or of an array with one value
        for each entry of the first matrix, column by column, rows ascending.

        The pivots stay where they are if that is safe: if the reciprocal pivot growth has not
        become much smaller, and if a solution has a small backward error. Otherwise new pivots are
        chosen.

        Returns
        -------
        True if the pivots stayed

        Raises
        ------
        InvalidArgumentError : another shape or pattern
        InvalidMatrixError : a value is NaN or infinite
        NumericallySingularError : a pivot is zero, also with new pivots
        """
        old = self._matrix
        if isinstance(A, np.ndarray) and A.ndim == 1:
            new = old.copy()
            if A.shape != old.data.shape:
                raise InvalidArgumentError(
                    f"there are {old.nnz:,} entries, and {A.size:,} values were given"
                )
            new.data = A.astype(np.complex128 if A.dtype.kind == "c" else np.float64)
            new = _finite(new)
        else:
            new = _columns(A, self.shape)
            same = np.array_equal(new.indptr, old.indptr)
            if not (same and np.array_equal(new.indices, old.indices)):
                raise InvalidArgumentError(
                    "this matrix has other entries than the one that was factored; call factor"
                )
        self._matrix = new
        stays = self._factors is not None and new.dtype == self.dtype
        self.dtype = new.dtype
        if stays and self._keeps_pivots():
            return True
        self._factor()
        return False

    def _keeps_pivots(self) -> bool:
        factors, values = self._factors, self._matrix.data
        assert factors is not None
        if not factors.refactor(values) or factors.growth(values) < _LEAST_GROWTH * self._growth:
            return False
        ones = np.ones((self.shape[0], 1), self.dtype, order="F")
        right = self._matrix @ ones
        x = np.array(right, order="F")
        factors.solve(x)
        size = abs(self._matrix) @ abs(x) + abs(right)
        error = abs(right - self._matrix @ x)
        return bool(np.isfinite(x).all() and (error <= _LARGEST_ERROR * size).all())

    # -- solutions -------------------------------------------------------------------------------

    def solve(
        self, b: npt.ArrayLike, trans: Literal["N", "T", "H"] = "N", *, refine: int = 1
    ) -> npt.NDArray[Any]:
        """x with ``A x = b``; with ``trans="T"`` ``A.T x = b``, with "H" ``A.conj().T x = b``.

        `b` has the shape (n,) or (n, k), dense or sparse, real or complex, and is not modified; the
        result is dense and has the same shape. `refine` is the number of steps of iterative
        refinement. An `IllConditionedWarning` reports a matrix that is nearly singular.

        Raises
        ------
        InvalidArgumentError : `b` has another shape or is on a GPU, `trans` is none of the three,
            or `refine` is no number of steps
        """
        one_of("trans", trans, ("N", "T", "H"))
        refine = whole_number("refine", refine, 0, 100)
        given = checked_right_side(b, self.shape[0])
        right = given if given.ndim == 2 else given[:, None]
        pairs = right.dtype.kind == "c" and self.dtype.kind != "c"
        if pairs:  # real factors: real and imaginary columns
            right = np.concatenate((right.real, right.imag), axis=1)
        right = np.asfortranarray(right, dtype=self.dtype)
        x = self._solved(right, trans, refine)
        if pairs:
            k = x.shape[1] // 2
            x = x[:, :k] + 1j * x[:, k:]
        return np.ascontiguousarray(x).reshape(given.shape)

    def _solved(self, right: npt.NDArray[Any], trans: str, refine: int) -> npt.NDArray[Any]:
        x = self._substituted(right, trans)
        matrix = {"N": self._matrix, "T": self._matrix.T, "H": self._matrix.conj().T}[trans]
        for step in range(refine if x.size else 0):
            change = self._substituted(np.asfortranarray(right - matrix @ x), trans)
            if not np.isfinite(change).all():
                break
            if step == 0:
                self._warn_if_wrong(x, change)
            x += change
        return x

    def _substituted(self, right: npt.NDArray[Any], trans: str) -> npt.NDArray[Any]:
        x = right.copy(order="F")
        if x.size == 0:
            return x
        if self._factors is None:
            raise NumericallySingularError(
                "there are no factors: the matrix of the last refactor was numerically singular"
            )
        if trans == "N":
            self._factors.solve(x)
        else:
            self._factors.solve_transposed(x, conjugate=trans == "H")
        return x

    def _warn_if_wrong(self, x: npt.NDArray[Any], change: npt.NDArray[Any]) -> None:
        size, changed = np.abs(x).max(axis=0), np.abs(change).max(axis=0)
        wrong = changed > _LARGE_CHANGE * size
        if wrong.any():
            share = float((changed[wrong] / size[wrong]).max())
            warn(
                IllConditionedWarning(
                    f"the matrix is nearly singular: refinement changed the solution by {share:.1g}"
                    " of its size, so few of its digits are right; the smallest pivot is "
                    f"{self.rcond:.1g} of the largest"
                )
            )

    def as_linear_operator(self) -> Any:
        """The inverse as a ``scipy.sparse.linalg.LinearOperator``, for example as a
        preconditioner."""
        from scipy.sparse.linalg import LinearOperator

        return LinearOperator(
            self.shape,
            matvec=self.solve,
            rmatvec=lambda b: self.solve(b, "H"),
            matmat=self.solve,
            rmatmat=lambda b: self.solve(b, "H"),
            dtype=self.dtype,
        )

    # -- facts -----------------------------------------------------------------------------------

    @property
    def fill(self) -> int:
        """Entries of L + U inside the blocks, the diagonal once."""
        if self._factors is None:
            return 0
        numbers = self._factors.numbers()
        return numbers.lower + numbers.upper - self.shape[0]

    @property
    def off_diagonal_pivots(self) -> int:
        """Pivots that are not on the diagonal of the order: each may cost fill."""
        return 0 if self._factors is None else self._factors.numbers().off_diagonal

    @property
    def rcond(self) -> float:
        """The smallest pivot divided by the largest one, in modulus: a cheap indicator of a matrix
        that is nearly singular, and no bound of its condition number."""
        return 1.0 if self._factors is None else self._factors.rcond()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "factors of KLU cannot be pickled or copied deeply: pickle the Preordering, and call "
            "its factor(A) again"
        )

    def _repr_html_(self) -> str:
        n = self.shape[0]
        facts = {"shape": f"{n:,} x {n:,}", "numbers": self.fill, "blocks": self.blocks}
        return html_table("Factorization by KLU", facts)

    def __repr__(self) -> str:
        n = self.shape[0]
        return (
            f"<KluFactorization of a {n:,} x {n:,} matrix: {self.fill:,} numbers in "
            f"{self.blocks:,} block{'s' if self.blocks != 1 else ''}>"
        )


def _columns(A: Any, shape: tuple[int, int]) -> Any:
    """A copy of `A` as a csc_array with sorted columns, 32-bit indices and finite values. The copy
    stays as it is if the caller changes `A`, and its arrays are writeable, as nbklu requires."""
    C = with_values(A, shape)
    arrays = C.data.copy(), C.indices.astype(np.int32), C.indptr.astype(np.int32)
    copy = type(C)(arrays, shape=C.shape)
    copy.sum_duplicates()
    return _finite(copy)


def _finite(C: Any) -> Any:
    from btfperm.errors import InvalidMatrixError

    wrong = ~np.isfinite(C.data)
    if wrong.any():
        p = int(wrong.argmax())
        i, j = int(C.indices[p]), int(np.searchsorted(C.indptr, p, side="right")) - 1
        raise InvalidMatrixError(
            f"the entry in row {i}, column {j} is {C.data[p]}; every value must be finite"
        )
    return C
