# SPDX-License-Identifier: BSD-3-Clause
"""One call that solves a system: check, order, factor, solve, and measure the backward error."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from btfperm.arguments import one_of, truth
from btfperm.errors import InvalidArgumentError, InvalidMatrixError, SolverMissingWarning
from btfperm.io.vectors import read_vectors, write_vectors
from btfperm.ordering.inside_blocks import BlockOrdering
from btfperm.pattern import ValuedPattern, as_valued
from btfperm.preorder.backward_error import BackwardError, residual_of
from btfperm.preorder.factorization import Factorization
from btfperm.preorder.klu_libraries import find as find_klu
from btfperm.preorder.klu_libraries import named_failure, shortfall
from btfperm.preorder.preordering import Preordering
from btfperm.preorder.preordering import Solver as NamedSolver
from btfperm.preorder.right_sides import Refine, checked_right_side, checked_steps
from btfperm.preorder.small import small_preordering
from btfperm.preorder.values import columns_of
from btfperm.preorder.weights import Weights
from btfperm.results.html import html_table
from btfperm.warn import warn

__all__ = ["Solution", "SystemSolver", "name_of", "read_system", "solve", "square_matrix"]

SystemSolver = Literal["auto", "klu", "superlu"]
_Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The solution of a system; made by :func:`btfperm.solve`.

    Attributes
    ----------
    x : (n,) or (n, k), float64 or complex128
    preordering : the order, for further factorizations
    factors : the factors, for further right-hand sides
    backward_error : `normwise` and `componentwise`, each the largest of all right-hand sides
    seconds : of the steps "order", "factor" and "solve"; the last one includes the refinement
    """

    x: _Numbers
    preordering: Preordering
    factors: Factorization
    backward_error: BackwardError
    seconds: dict[str, float]

    def save(
        self, path: str | os.PathLike[str], *, format: str | None = None, replace: bool = True
    ) -> None:
        """Writes `x`: as a Matrix Market file in array format (`.mtx`, packed or not), or `.npy`.

        If `replace` is False, a file of this name is not replaced.
        """
        write_vectors(path, self.x, format=format, replace=replace)

    @property
    def _n_sides(self) -> int:
        return self.x.shape[1] if self.x.ndim == 2 else 1

    def _repr_html_(self) -> str:
        n = self.x.shape[0]
        facts = {"shape": f"{n:,} x {n:,}", "right-hand sides": self._n_sides}
        facts |= {"solver": self.factors.backend, "fill": self.factors.fill}
        facts["backward error"] = f"{self.backward_error.componentwise:.2g}"
        return html_table("Solution", facts)

    def __repr__(self) -> str:
        n, error, k = self.x.shape[0], self.backward_error.componentwise, self._n_sides
        sides = "1 right-hand side" if k == 1 else f"{k:,} right-hand sides"
        return (
            f"<Solution of a {n:,} x {n:,} system with {sides} by {self.factors.backend}: backward "
            f"error {error:.2g}>"
        )


def solve(
    A: Any,
    b: Any,
    *,
    solver: SystemSolver = "auto",
    weights: Weights = "auto",
    block_ordering: BlockOrdering = "auto",
    trans: Literal["N", "T", "H"] = "N",
    refine: Refine = "auto",
    drop_zeros: bool | None = None,
) -> Solution:
    """Solves ``A x = b``: orders the matrix, factors it, solves and refines.

    Call `preorder` instead if you have more matrices with this pattern. For more right-hand sides,
    use the `factors` of the result.

    Parameters
    ----------
    A : a square matrix with values, of any type that `as_valued` accepts, real or complex. A
        matrix on a GPU is copied to the host
    b : right-hand sides (n,) or (n, k), dense or sparse, real or complex; or a path: a matrix file
        of any format, or `.npy`
    solver : "klu", "superlu", or "auto", which is KLU if it is installed (see `solvers`), else
        SuperLU
    weights, block_ordering : as for `preorder`
    trans, refine : as for `Factorization.solve`
    drop_zeros : as for `as_pattern`

    Returns
    -------
    Solution : `x` (n,) or (n, k), the factors, and the backward errors

    Raises
    ------
    InvalidArgumentError : `A` is not square, `b` has another length, or an option is unknown
    InvalidMatrixError : a value of `A` or `b` is NaN or infinite, or `A` has no values
    StructurallySingularError, NumericallySingularError : the matrix is singular; the message names
        its rows and columns

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]])
    >>> s = btfperm.solve(A, np.array([2.0, 10.0, 4.0]), solver="superlu")
    >>> s.x
    array([1., 1., 1.])
    >>> s
    <Solution of a 3 x 3 system with 1 right-hand side by superlu: backward error 0>
    """
    one_of("solver", solver, get_args(SystemSolver))
    one_of("trans", trans, ("N", "T", "H"))
    refine = checked_steps(refine)
    valued = square_matrix(A, drop_zeros)
    right = right_sides(b, valued)
    from btfperm.preorder import preorder

    seconds: dict[str, float] = {}
    since = time.perf_counter()
    name = chosen(solver)
    A = valued.to_scipy()
    p: Preordering | None = None
    if weights == block_ordering == "auto":
        p = small_preordering(A, name)
    if p is None:  # preorder also raises the errors, with the file name that `valued` holds
        p = preorder(valued, solver=name, weights=weights, block_ordering=block_ordering)
    since = _stop(seconds, "order", since)
    F = p.factor(A)
    since = _stop(seconds, "factor", since)
    x = F.solve(right, trans, refine=refine)
    _stop(seconds, "solve", since)
    _, error = residual_of(columns_of(A, valued.shape), x, right, trans)
    return Solution(x, p, F, error, seconds)


def read_system(
    matrix: str | os.PathLike[str], b: str | os.PathLike[str] | None, *, drop_zeros: bool = False
) -> tuple[ValuedPattern, _Numbers | None]:
    """The matrix and the right-hand sides in two files, for `solve`; errors name the files.

    `b` may be None; then the right-hand side is None.
    """
    valued = square_matrix(matrix, drop_zeros)
    return valued, None if b is None else right_sides(b, valued)


def chosen(solver: SystemSolver) -> NamedSolver:
    """The solver for `solver`: "auto" is KLU if it is installed, else SuperLU. Warns if KLU is not
    used because the libklu that ``BTFPERM_LIBKLU`` names does not work."""
    if solver != "auto":
        return solver
    if find_klu() is not None:
        return "klu"
    if named_failure():
        warn(SolverMissingWarning(f"{shortfall(None)}; SuperLU factors instead"))
    return "superlu"


def square_matrix(A: Any, drop_zeros: bool | None = None) -> ValuedPattern:
    """The matrix with its values on the host.

    Raises
    ------
    InvalidArgumentError : the matrix is not square
    InvalidMatrixError : the matrix has no values, or a value is NaN or infinite
    """
    if isinstance(A, str | os.PathLike):
        from btfperm.io import values_of

        drop = drop_zeros is not None and truth("drop_zeros", drop_zeros)
        valued = values_of(A, drop, "a system needs values")
    else:
        valued = as_valued(A, drop_zeros=drop_zeros).on_host()
    m, n = valued.shape
    if m != n:
        raise InvalidArgumentError(
            f"{name_of(valued)} is {m:,} x {n:,}: only a system with a square matrix is solved"
        )
    return valued.require_finite()


def right_sides(b: Any, valued: ValuedPattern) -> _Numbers:
    """The right-hand sides as a dense array; `b` may be a path."""
    n = valued.shape[0]
    name = "the right-hand side"
    if isinstance(b, str | os.PathLike):
        name = f"the right-hand side {'standard input' if b == '-' else os.fspath(b)}"
        b = read_vectors(b, rows=n, of=name_of(valued))
    right = checked_right_side(b, n)
    wrong = np.argwhere(~np.isfinite(right))
    if wrong.size:
        row, col = [*wrong[0].tolist(), 0][:2]
        raise InvalidMatrixError(
            f"{name}: the number in row {row}, column {col} (counted from 0) is "
            f"{right[tuple(wrong[0])]}; every number must be finite"
        )
    return right


def name_of(valued: ValuedPattern) -> str:
    return valued.pattern.name or "the matrix"


def _stop(seconds: dict[str, float], step: str, since: float) -> float:
    """Stores the seconds of a step, and returns the present time."""
    now = time.perf_counter()
    seconds[step] = now - since
    return now
