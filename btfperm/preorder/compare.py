# SPDX-License-Identifier: BSD-3-Clause
"""Measurement of solvers on one matrix: KLU, by each library on the machine, and SuperLU, each with
its own order and with that of btfperm.

Idea        Each solver runs the steps order, factor, solve, refactor. SuperLU has no separate step
            for its own order, and no refactorization. The steps are repeated until `repeats` or the
            time budget is reached, and the median time of each is reported. The error is reported
            before refinement, and after one step of refinement by the same code for all solvers.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from btfperm.arguments import whole_number
from btfperm.errors import BtfpermError, InvalidArgumentError, SolverMissingWarning
from btfperm.preorder.backward_error import BackwardError, residual_of
from btfperm.preorder.klu_libraries import find as find_klu
from btfperm.preorder.klu_libraries import named_failure, shortfall
from btfperm.preorder.preordering import Solver
from btfperm.preorder.routes import Route, RouteRow, route_rows
from btfperm.preorder.system import name_of, right_sides, square_matrix
from btfperm.preorder.values import Columns, columns_of
from btfperm.warn import warn

__all__ = ["SolverRun", "ambiguous_library", "compare_solvers"]

_STEPS = ("order", "factor", "solve", "refactor")
_Numbers = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class SolverRun:
    """One solver in a comparison. If it failed, all numbers except `runs` are None. The seconds of
    a step that the solver does not have are None, too.

    Attributes
    ----------
    solver : "klu" or "superlu"
    ordering : "own", or "btfperm" for that of `preorder`
    library : the library and its version; empty if it is not installed
    order_seconds, factor_seconds, solve_seconds, refactor_seconds : medians. SuperLU computes its
        own order inside the factorization. The solution is not refined
    total_seconds : the median of the sum of order, factor and solve
    runs : number of measurements of each step; 0 if the solver failed
    fill : entries of L + U that the solver stores, the diagonal once. If it uses blocks, these are
        the entries inside the blocks; SuperLU also factors the entries between small blocks
    nnz : `fill` plus the entries above the blocks, which are not factored
    off_diagonal_pivots : number of pivots that are not on the diagonal of the permuted matrix; for
        SuperLU with its own order, not on the diagonal of the given matrix
    backward_error : `normwise` and `componentwise`, without refinement
    refined_error : the same after one step of refinement
    forward_error : the largest error of a number, relative to the largest number of the known
        solution, without refinement; None if the right-hand side was given
    error : the reason why the solver failed; else None
    """

    solver: Solver
    ordering: Literal["own", "btfperm"]
    library: str
    order_seconds: float | None = None
    factor_seconds: float | None = None
    solve_seconds: float | None = None
    refactor_seconds: float | None = None
    total_seconds: float | None = None
    runs: int = 0
    fill: int | None = None
    nnz: int | None = None
    off_diagonal_pivots: int | None = None
    backward_error: BackwardError | None = None
    refined_error: BackwardError | None = None
    forward_error: float | None = None
    error: str | None = None


def ambiguous_library(run: SolverRun, runs: Sequence[SolverRun]) -> str:
    """The library of a run if `runs` contain several libraries of its solver; else empty. A title
    must name the library only in the first case."""
    several = len({one.library for one in runs if one.solver == run.solver}) > 1
    return run.library if several else ""


def compare_solvers(
    A: Any,
    b: Any = None,
    *,
    repeats: int = 5,
    budget: float = 10.0,
    drop_zeros: bool | None = None,
) -> tuple[SolverRun, ...]:
    """Orders, factors and solves with KLU and with SuperLU, each with its own order and with that
    of `preorder`, and measures each step. If `btfperm.solvers` lists several libraries of KLU, each
    of them is measured.

    Parameters
    ----------
    A, b : as for `solve`. Without `b`, the right-hand side is made from a known solution, whose
        numbers lie between 1 and 2
    repeats : largest number of runs of each solver with each order; the seconds are their medians
    budget : number of seconds after which no further run of a solver with an order starts. The
        first run has no time limit
    drop_zeros : as for `as_pattern`

    Returns
    -------
    tuple of SolverRun : each library of KLU, then SuperLU, each with its own order first. A solver
        that fails or that is not installed has a row with its ``error``

    Raises
    ------
    InvalidArgumentError : `A` is not square or has no rows, or `b` has another length
    InvalidMatrixError : a value of `A` or `b` is NaN or infinite, or `A` has no values

    Warns
    -----
    SolverMissingWarning
        The libklu that ``BTFPERM_LIBKLU`` names does not work, and another library of KLU does.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> rows = btfperm.compare_solvers(np.array([[0, 2, 0], [1, 4, 5], [0, 1, 3]]), repeats=1)
    >>> [(row.solver, row.ordering, row.error) for row in rows if row.solver == "superlu"]
    [('superlu', 'own', None), ('superlu', 'btfperm', None)]
    """
    repeats = whole_number("repeats", repeats, 1, 1_000_000)
    if not isinstance(budget, int | float) or not 0 < budget < math.inf:
        raise InvalidArgumentError(f"budget must be a positive number of seconds, not {budget!r}")
    valued = square_matrix(A, drop_zeros)
    n = valued.shape[0]
    if n == 0:
        raise InvalidArgumentError(f"{name_of(valued)} has no rows: there is nothing to compare")
    right = None if b is None else right_sides(b, valued)
    A = valued.to_scipy()
    is_complex = "c" in (A.dtype.kind, "" if right is None else right.dtype.kind)
    A = A.astype(np.complex128 if is_complex else np.float64)
    known = None
    if right is None:
        known = np.random.default_rng(1).uniform(1, 2, n).astype(A.dtype)
        right = A @ known
    columns = columns_of(A, valued.shape)
    if named_failure() and (klu := find_klu()) is not None:  # otherwise, the rows state why
        warn(SolverMissingWarning(f"{shortfall(klu)}; the comparison leaves it out"))
    return tuple(_run(row, A, columns, (right, known), repeats, budget) for row in route_rows())


def _run(
    row: RouteRow,
    A: Any,
    columns: Columns,
    sides: tuple[_Numbers, _Numbers | None],
    repeats: int,
    budget: float,
) -> SolverRun:
    about: dict[str, Any] = {
        "solver": row.solver,
        "ordering": row.ordering,
        "library": row.library,
    }
    if row.missing is not None:
        return SolverRun(**about, error=row.missing)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each run would repeat the same warnings
            route = row.make(A, columns)
            return SolverRun(**about, **_measured(route, columns, *sides, repeats, budget))
    except (MemoryError, OverflowError):
        return SolverRun(**about, error="not enough memory for the factors")
    except (BtfpermError, ArithmeticError, RuntimeError, ValueError) as error:
        return SolverRun(**about, error=str(error) or type(error).__name__)


def _measured(
    route: Route,
    columns: Columns,
    b: _Numbers,
    known: _Numbers | None,
    repeats: int,
    budget: float,
) -> dict[str, Any]:
    """The numbers of a `SolverRun`."""
    times: dict[str, list[float]] = {step: [] for step in _STEPS}
    end = time.perf_counter() + budget
    facts: dict[str, Any] = {}
    runs = 0
    while runs < repeats and (runs == 0 or time.perf_counter() < end):
        _timed(times["order"], route.order)
        _timed(times["factor"], route.factor)
        x = _timed(times["solve"], lambda: route.solve(b))
        if runs == 0:
            facts = _accuracy(route, columns, b, x, known) | route.counts()._asdict()
        if not _timed(times["refactor"], route.refactor):
            times["refactor"].clear()
        runs += 1
    totals = [sum(step) for step in zip(*(times[s] for s in _STEPS[:3]), strict=True)]
    if not route.has_order:
        times["order"].clear()
    medians = {f"{name}_seconds": median(of) if of else None for name, of in times.items()}
    return {**facts, **medians, "total_seconds": median(totals), "runs": runs}


def _timed(times: list[float], step: Callable[[], Any]) -> Any:
    """The result of the step, whose seconds are appended."""
    since = time.perf_counter()
    result = step()
    times.append(time.perf_counter() - since)
    return result


def _accuracy(
    route: Route, columns: Columns, b: _Numbers, x: _Numbers, known: _Numbers | None
) -> dict[str, Any]:
    residual, error = residual_of(columns, x, b)
    refined = error
    if np.isfinite(residual).all():
        with np.errstate(over="ignore", invalid="ignore"):
            better = x + route.solve(residual)
        _, refined = residual_of(columns, better, b)
    forward = None
    if known is not None:
        with np.errstate(over="ignore", invalid="ignore"):
            forward = float(np.abs(x - known).max() / np.abs(known).max())
    return {"backward_error": error, "refined_error": refined, "forward_error": forward}
