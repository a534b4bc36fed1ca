# SPDX-License-Identifier: BSD-3-Clause
"""LU factors of a preordered matrix: solve, refine, and factor new values again.

Idea        For every solver, `Factors.solve` takes and returns vectors in the order of the caller's
            matrix, so that this module refines, verifies and warns for all solvers. One pass over
            the entries computes the residual of a solution and its componentwise backward error.
            With old pivots, which `refactor` keeps for new values, numbers may grow in L and U. If
            the error is large, and was not when the pivots were new, new pivots are chosen. This is
            verified for the first solution with old pivots, and for later ones if they are refined.
            (`klu_rgrowth` needs a pass over U, which is a fifth of the time of `klu_refactor`.)
            After new pivots, one or two more solutions estimate how much the rounding of the
            entries changes the first one.
Refinement  A step of refinement multiplies the backward error by about the relative change that it
            makes in the solution. If this product is not negligible, the error is measured, and
            more steps follow while it is too large and each step at least halves it.
Paper       M. Arioli, J. W. Demmel, I. S. Duff, SIAM Journal on Matrix Analysis and Applications
            10, 1989, for the end of the refinement; xGERFS of LAPACK has the same rule and the same
            largest number of steps
Cost        one solution by the factors; for each step of refinement, one more solution and one pass
            over the entries; for the first solution after `factor` or `refactor`, more (see Idea)
"""

from __future__ import annotations

import math
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.arguments import one_of
from btfperm.errors import NumericallySingularError
from btfperm.preorder.backward_error import has_long_sums
from btfperm.preorder.factors import Factors
from btfperm.preorder.ill_conditioned import (
    overflowing,
    random_numbers,
    rounding_errors,
    warn_if_wrong,
    warn_of_overflow,
)
from btfperm.preorder.right_sides import Refine, checked_right_side, checked_steps
from btfperm.preorder.singles import SingleFactors
from btfperm.preorder.values import Columns, new_values
from btfperm.results.html import html_table

__all__ = ["Factorization"]

_LARGEST_ERROR = 1e-9  # backward error, without refinement, above which old pivots are replaced
# Old pivots stay if the error is within this factor of the error of the first solution with these
# pivots: then the values cause the error, and new pivots would hardly reduce it.
_SIMILAR = 10.0
# Solutions with at most this componentwise backward error, a few rounding errors, are not refined.
_AS_EXACT_AS_ROUNDING = 2 * np.finfo(np.float64).eps
# With refine="auto", one step is enough if the error before it times the relative change of the
# solution is at most _NEGLIGIBLE; else up to _MOST_STEPS while the error is > _LARGEST_REFINED.
_NEGLIGIBLE, _LARGEST_REFINED, _MOST_STEPS = 1e-18, 1e-15, 5
_BY_ROUNDING = "rounding its entries changes"  # in warnings
_OPERATIONS = {"N": 0, "T": 1, "H": 2}
_Numbers = npt.NDArray[Any]


class Factorization:
    """LU factors of a preordered matrix; made by :meth:`btfperm.Preordering.factor`.

    The factors of a solver cannot be stored: pickle the `Preordering` instead, which is small and
    keeps the order, and factor again.

    Attributes
    ----------
    shape : (n, n)
    factors : the object that calls the solver, see `Factors`
    """

    def __init__(self, columns: Columns, factors: Factors) -> None:
        n = columns.n
        self.shape = n, n
        self.factors = factors
        self._columns = columns
        self._has_long_sums = has_long_sums(columns)  # `refactor` keeps the pattern
        self._has_factors = False
        self._is_verified = self._is_checked = True
        self._has_old_pivots = False
        self._first_error = 0.0  # the backward error of the first solution by these pivots
        self._factor()

    @property
    def backend(self) -> str:
        """The solver: "klu" or "superlu"."""
        return self.factors.backend

    @property
    def dtype(self) -> np.dtype[Any]:
        """float64 or complex128."""
        return np.dtype(self._columns.values.dtype)

    # -- new values ------------------------------------------------------------------------------

    def _factor(self) -> None:
        """Factors with new pivots."""
        self._has_factors = False
        if self.shape[0]:
            self.factors.factor(self._columns.values)
        self._has_factors = self._is_verified = True
        self._is_checked = self._has_old_pivots = False
        self._first_error = 0.0

    def refactor(self, A: Any) -> bool:
        """Factors new values.

        `A` is a matrix with the same pattern as the first one, or an array with one value for each
        entry of the first matrix. The order of such an array is that of the ``data`` of the first
        matrix if this was a SciPy matrix in CSC, CSR or COO format, or a triple, sorted by columns
        or rows and without duplicates. It is column by column if the first matrix was dense or a
        file. In all other cases, the order is not known: give the matrix.

        KLU keeps its pivots unless one is zero, the values have become complex or real, or the
        smallest pivot, relative to the largest one, has become much smaller. The next `solve` of a
        nonempty right-hand side, and each later one with refinement, verifies the pivots. If its
        backward error is large, and not similar to that of the first solution with these pivots,
        `solve` factors with new pivots and solves again. With SuperLU, pivots stay only if all
        blocks have one row.

        Returns
        -------
        True if the factors have the same pivots as before

        Raises
        ------
        InvalidArgumentError : another shape or pattern, or an array whose order is not known
        InvalidMatrixError : a value is NaN or infinite
        NumericallySingularError : a pivot is zero, also with new pivots
        ResourceMissingError : not enough memory
        """
        old = self._columns
        values = new_values(A, old)
        stays = self._has_factors and values.dtype == old.values.dtype
        self._columns = old._replace(values=values)
        self._has_factors = False
        if stays and self.shape[0] and self.factors.refactor(values):
            self._has_factors = self._has_old_pivots = True
            self._is_verified = False
            return True
        self._factor()
        return False

    # -- solutions -------------------------------------------------------------------------------

    def solve(
        self, b: npt.ArrayLike, trans: Literal["N", "T", "H"] = "N", *, refine: Refine = "auto"
    ) -> _Numbers:
        """x with ``A x = b``; with ``trans="T"`` ``A.T x = b``, with "H" ``A.conj().T x = b``.

        `b` has the shape (n,) or (n, k), dense or sparse, real or complex, and is not modified; the
        result is dense, float64 or complex128, and has the same shape. `refine` is the number of
        steps of iterative refinement, each of which costs about as much as the solution itself.
        With "auto", there is one step if the componentwise backward error is expected to be
        negligible afterwards. Otherwise up to four more steps follow, while the error is above
        1e-15 and each step at least halves it; a step that increases the error is undone. The
        largest error of several right-hand sides decides for all. If the error is at most 4.44e-16,
        there is no step, except just after `refactor`.

        An `IllConditionedWarning` reports a matrix that is nearly singular: the first step of
        refinement changes the solution by more than a thousandth, or the rounding of the entries
        would change it by more than that. The latter is estimated for the first finite solution
        with new pivots. Rows and columns of very different sizes alone cause no warning. The
        warning also reports a solution or a correction that overflows.

        Raises
        ------
        InvalidArgumentError : `b` has another shape or is on a GPU, `trans` is none of the three,
            or `refine` is neither "auto" nor a number of steps
        NumericallySingularError : the matrix of the last `refactor` was singular
        """
        one_of("trans", trans, ("N", "T", "H"))
        refine = checked_steps(refine)
        given = checked_right_side(b, self.shape[0])
        right = given.T if given.ndim == 2 else given[None]
        pairs = right.dtype.kind == "c" and self.dtype.kind != "c"
        if pairs:  # real factors: solve for the real and the imaginary parts
            right = np.concatenate((right.real, right.imag))
        right = np.ascontiguousarray(right, dtype=self.dtype)
        exact = self._solved_exactly(right, trans)
        x = self._solved(right, trans, refine) if exact is None else exact
        if x.size and not self._share(x, x)[1]:
            overflows = overflowing(right, x)
            if overflows.any():
                warn_of_overflow("the solution overflows", x[overflows], trans, self.factors)
        if pairs:
            parts, k = x, x.shape[0] // 2
            x = np.empty((k, self.shape[0]), dtype=np.complex128)
            x.real, x.imag = parts[:k], parts[k:]  # 1j * inf would be NaN + 1j * inf
        return np.ascontiguousarray(x.T).reshape(given.shape)

    def _solved_exactly(self, right: _Numbers, trans: str) -> _Numbers | None:
        """The solution, if its rounding errors are known to be negligible; else None."""
        if not (isinstance(self.factors, SingleFactors) and self._has_factors and right.size):
            return None
        is_new = not (self._is_verified and self._is_checked)
        solved = self.factors.exact_solution(right, trans, estimates=is_new)
        if solved is not None and is_new:
            warn_if_wrong(solved[1], _BY_ROUNDING, self._columns, self.factors)
            self._is_verified = self._is_checked = True
        return None if solved is None else solved[0]

    def _solved(self, right: _Numbers, trans: str, refine: Refine) -> _Numbers:
        x = self._substituted(right, trans)
        steps = 1 if refine == "auto" else refine
        if x.size == 0 or (steps == 0 and self._is_verified and self._is_checked):
            return x
        change, error, effect, both = self._measured(x, right, trans)
        # After `refactor`, a step of refinement also shows whether the matrix is nearly singular.
        if self._is_verified and error <= _AS_EXACT_AS_ROUNDING:
            steps = 0
        if self._has_old_pivots and error > _LARGEST_ERROR:
            first = self._first_error
            if not first / _SIMILAR <= error <= first * _SIMILAR:
                self._factor()
                x = self._substituted(right, trans)
                change, error, effect, both = self._measured(x, right, trans)
        self._is_verified = True
        is_known = math.isfinite(error)
        # `solve` warns if the solution overflows, so this function must not warn again.
        is_warned = not is_known and bool(overflowing(right, x).any())
        if not self._is_checked:
            self._first_error = error if is_known else 0.0
            assert both is not None
            if steps:  # one call of the solver for the correction and for the rounding errors
                self.factors.solve(both, trans)
            else:
                self.factors.solve(effect, trans)
            share = self._share(x[-1:], effect)[0]
            about = share, _BY_ROUNDING, self._columns, self.factors
            is_wrong = not is_warned and warn_if_wrong(*about)
            # If the error is not finite, the effect of rounding is not known: check again later.
            self._is_checked = is_known or is_wrong
            is_warned = is_warned or is_wrong
        elif steps:
            self.factors.solve(change, trans)
        step, before = 0, x
        while step < steps:
            if step:
                previous = error
                change, error, _ = self._residual(x, right, trans)
                if refine == "auto" and (error <= _LARGEST_REFINED or error > previous / 2):
                    return x if error <= previous else before
                self.factors.solve(change, trans)
            share, is_finite = self._share(x, change)
            if not is_finite:
                overflows = overflowing(x, change)
                if overflows.any() and not is_warned:
                    cause = "a correction of the solution overflows, so the refinement ends"
                    warn_of_overflow(cause, change[overflows], trans, self.factors)
                break
            if step == 0:
                if not is_warned:
                    warn_if_wrong(share, "refinement changed", self._columns, self.factors)
                if refine == "auto" and error * share > _NEGLIGIBLE:
                    steps = _MOST_STEPS
            if refine == "auto" and steps > 1:
                before = x.copy()
            x += change
            step += 1
        if refine == "auto" and step == _MOST_STEPS:  # the last step is not verified yet
            return x if self._residual(x, right, trans)[1] <= error else before
        return x

    def _measured(
        self, x: _Numbers, right: _Numbers, trans: str
    ) -> tuple[_Numbers, float, _Numbers, _Numbers | None]:
        """(residual, error, rounding errors, array).

        The error is the largest componentwise backward error. A rounding error is a change of the
        right-hand side, as rounded entries can cause; none if the factors have been checked; they
        are random, see `rounding_errors`. The array holds the residual and the rounding errors.
        """
        if self._is_checked:
            change, error, _ = self._residual(x, right, trans)
            return change, error, change[:0], None
        k, rounding = len(x), rounding_errors(min(self.shape[0], random_numbers().size))
        both = np.empty((k + len(rounding), self.shape[0]), self.dtype)
        sides = x.reshape(-1), right.reshape(-1), rounding.reshape(-1), len(rounding)
        arguments = _OPERATIONS[trans], self._has_long_sums, *sides, both.reshape(-1)
        error = float(_core.preorder.residual_and_errors(*self._columns[:3], *arguments))
        return both[:k], error, both[k:], both

    def _residual(
        self, x: _Numbers, right: _Numbers, trans: str
    ) -> tuple[_Numbers, float, _Numbers]:
        """The residual, the largest componentwise backward error, and for the last right-hand side
        abs(A) @ abs(x) + abs(b), where A is transposed as `trans` demands."""
        residual = np.empty_like(x)
        sides = (x.reshape(-1), right.reshape(-1), residual.reshape(-1))
        sizes = np.empty(self.shape[0])
        arguments = _OPERATIONS[trans], self._has_long_sums, *sides, sizes
        error = _core.preorder.residual(*self._columns[:3], *arguments)
        return residual, float(error), sizes

    def _substituted(self, right: _Numbers, trans: str) -> _Numbers:
        self._require_factors()
        x = right.copy()
        if x.size:
            self.factors.solve(x, trans)
        return x

    def _share(self, x: _Numbers, change: _Numbers) -> tuple[float, bool]:
        """The largest change of a number of a solution, relative to the largest number of that
        solution, and whether all changes are finite. `x` holds one solution, or one for each
        change."""
        sides = x.reshape(-1), change.reshape(-1)
        found: tuple[float, bool] = _core.preorder.largest_change(self.shape[0], *sides)
        return found

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

    def _require_factors(self) -> None:
        if not self._has_factors:
            raise NumericallySingularError(
                "there are no factors: the matrix of the last refactor was numerically singular"
            )

    @property
    def blocks(self) -> int:
        """Number of diagonal blocks."""
        self._require_factors()
        return self.factors.blocks if self.shape[0] else 0

    @property
    def fill(self) -> int:
        """Number of entries of L + U inside the blocks; the diagonal counts once. SuperLU also
        counts some zeros, and entries between blocks that it factors together."""
        self._require_factors()
        return self.factors.fill if self.shape[0] else 0

    @property
    def nnz(self) -> int:
        """Number of stored entries: those of the factors, and those above the blocks."""
        return self.fill + (self.factors.outside if self.shape[0] else 0)

    @property
    def off_diagonal_pivots(self) -> int:
        """Number of pivots off the diagonal of the permuted matrix. Each may cost fill."""
        self._require_factors()
        return self.factors.off_diagonal_pivots if self.shape[0] else 0

    @property
    def rcond(self) -> float:
        """The modulus of the smallest pivot divided by that of the largest one; KLU first divides
        each row by its largest entry. If it is small, the matrix may be nearly singular."""
        self._require_factors()
        return self.factors.rcond() if self.shape[0] else 1.0

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a Factorization cannot be pickled or copied deeply, because the factors of "
            f"{self.backend} cannot: pickle the Preordering, and call its factor(A) again"
        )

    def _repr_html_(self) -> str:
        n = self.shape[0]
        facts: dict[str, Any] = {"shape": f"{n:,} x {n:,}", "solver": self.backend}
        if self._has_factors:
            facts |= {"numbers": self.nnz, "blocks": self.blocks}
        return html_table("Factorization", facts)

    def __repr__(self) -> str:
        n = self.shape[0]
        head = f"<Factorization of a {n:,} x {n:,} matrix by {self.backend}"
        if not self._has_factors:
            return f"{head}: the matrix of the last refactor was singular>"
        blocks = self.blocks
        return f"{head}: {self.nnz:,} numbers in {blocks:,} block{'s' if blocks != 1 else ''}>"
