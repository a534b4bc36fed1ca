# SPDX-License-Identifier: BSD-3-Clause
"""LARGE ENTRIES ON THE DIAGONAL, AND SCALINGS.

`weighted_transversal` finds, among the maximum transversals of a matrix with values, one for which
the product or the sum of the moduli of its entries is the largest or nearly the largest, or one
whose smallest modulus is the largest:

1. The Dulmage-Mendelsohn decomposition of the pattern. It proves the structural rank, and, for
   product and sum, each diagonal block is a problem of its own (``assign.hpp``).
2. For product and sum, ``largest_entries.hpp`` matches the blocks in which each column can
   have its largest entry. In each other block, ``exact/mc64.hpp`` searches shortest augmenting
   paths. If these are long, ``auction.hpp`` finds a matching that is nearly the best, and
   ``price_refinement.hpp`` improves it to the best. ``approximate/heavy_perfect.hpp`` returns the
   matching of the auction, and ``approximate/heavy_perfect.cu`` runs the auction on a GPU.
   For the smallest modulus, ``bottleneck.py`` bisects over the moduli.
3. The certificate (product and sum): one pass over all entries checks the duals and bounds the
   distance from the optimum (``certificate.py``).

`btfperm.path` plans and runs steps 2 and 3 for product and sum; its docstring states the
exceptions. ``problem.py`` defines the object that a search works on.

Over MPI ranks, product and sum are computed by heavy-perfect: ``weigh_mpi.py`` is one call,
``assign_mpi.py`` handles all blocks, ``approximate/heavy_perfect_mpi.py`` runs the auctions, and
``certificate_mpi.py`` checks the duals.

Matchings of large weight in graphs, which are symmetric matrices, are in this package, too:
``match.py`` is the call and names their files.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from btfperm.arguments import text, truth
from btfperm.backends import check_backend, of_one_process
from btfperm.backends.protocol import ValuedSession
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import InvalidArgumentError, InvalidMatrixError, LimitReachedError
from btfperm.path.request import Request
from btfperm.path.run import Run, carry_out
from btfperm.pattern import DECOMPOSITION, Pattern, as_valued, memory_for
from btfperm.pattern.arrays import prefix
from btfperm.pattern.input import is_over_ranks, over_ranks, refuse_backend_without_ranks
from btfperm.pattern.valued import ValuedPattern, position_of
from btfperm.registry import Algorithm, find
from btfperm.results import Decomposition
from btfperm.results.weighted import WeightedTransversal
from btfperm.weighted.auto_table import TABLE
from btfperm.weighted.bottleneck import largest_smallest, part_of
from btfperm.weighted.with_transversal import with_transversal

__all__ = [
    "Objective",
    "contributions",
    "fields_of_run",
    "moduli",
    "row_of",
    "stopped",
    "weigh",
    "weighted_transversal",
]


Objective = Literal["product", "sum", "bottleneck"]

_LARGEST_EXPONENT = 960  # fewer than 2^63 values below 2^960 have a finite sum


def weighted_transversal(
    A: Any,
    *,
    objective: Objective = "product",
    algorithm: str = "auto",
    backend: str = "auto",
    threads: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    max_work: int | None = None,
    shape: Sequence[int] | None = None,
    comm: Any = None,
    gather: bool = True,
) -> WeightedTransversal:
    """A maximum transversal with the largest entries. For "product", also scalings that make the
    modulus of each of these entries 1.

    Parameters
    ----------
    A : a matrix of any type that `as_valued` accepts, of any shape and rank; complex values count
        by their moduli. Stored zeros are never matched
    objective : what the result maximizes among the maximum transversals

        - "product": the product of the moduli; the duals are scalings, as in MC64
        - "sum": the sum of the moduli
        - "bottleneck": the smallest modulus
    algorithm : "auto", or for "product" and "sum"

        - "mc64": the best transversal. "auto" chooses it, except over MPI ranks; see `comm`
        - "heavy-perfect": a transversal of the same size that is nearly the best. It takes less
          time than "mc64" where that has long searches; `gap` bounds the distance from the optimum
    backend : "auto" and "cpu": the CPU. "gpu", only with "heavy-perfect": the decomposition and the
        auctions in large blocks run on CuPy's current GPU, and the CPU finds the last augmenting
        paths. The matching may differ from that of the CPU. "mpi": see `comm`
    threads : as for `maximum_transversal`. Several threads search the blocks; for "product" and
        "sum", the result is the same for every number of threads
    seed : of the random numbers in the search for the structural rank, if it uses any. Default 0
    time_limit, max_work : bounds on the whole call in seconds, and on the entries that each of its
        searches visits
    shape : (m, n), only with a (data, indices, indptr) triple
    comm : an mpi4py communicator, all of whose ranks make this call: each rank reads its part of a
        file, or takes its part of a matrix that is the same on each rank. A `DistributedPattern`,
        made with ``values=``, needs no `comm`. Over ranks, "auto" is "heavy-perfect", and "mc64"
        and "bottleneck" are refused. If the matrix is small, however, each rank analyses the whole
        matrix as one process does, unless ``backend="mpi"`` is given. Default None
    gather : over ranks, False returns a `DistributedWeightedTransversal`, in which each rank has
        the results of its own rows and columns. Default True: each rank has the whole result

    Returns
    -------
    WeightedTransversal : the matching, its objective and, for "product" and "sum", the duals that
        prove it or bound its distance from the optimum. All arrays are on the host

    Raises
    ------
    InvalidMatrixError : `A` has no values; or a value is NaN or infinite, or its modulus is too
        large for double precision, and the message names its row and column
    InvalidArgumentError : there is no such objective, or no such algorithm for it on this backend,
        or another argument is not possible
    BackendUnavailableError : the GPU cannot be used, fails, or has too little free memory
    LimitReachedError : a limit ended the search
    DefectError : the result fails its certificate; a defect of btfperm, please report it

    Notes
    -----
    The cost of "mc64" is a few passes over the entries if its initial matching has most columns, as
    in most matrices of applications; O(n (n + nnz) log n) in the worst case. Source: I. S. Duff, J.
    Koster, SIAM J. Matrix Anal. Appl. 20, 1999, and 22, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[1.0, 10.0], [4.0, 2.0]])
    >>> w = btfperm.weighted_transversal(A)
    >>> w
    <WeightedTransversal of a 2 x 2 matrix: structural rank 2, largest product, objective 3.68888,
    gap 0.0e+00>
    >>> r, c = w.scales()
    >>> np.round(r[:, None] * A * c, 3).tolist()
    [[0.25, 1.0], [1.0, 0.2]]
    """
    if is_over_ranks(A, comm):
        with over_ranks(A, comm), memory_for(DECOMPOSITION):
            from btfperm.weighted.weigh_mpi import weighted_over_ranks

            _check_objective(objective)
            limits = {"seed": seed, "time_limit": time_limit, "max_work": max_work}
            how: dict[str, Any] = {"backend": backend, "threads": threads, "shape": shape}
            gather = truth("gather", gather)
            w = weighted_over_ranks(A, comm, objective, algorithm, limits=limits, **how)
            return w.gather() if gather else w
    _check_objective(objective)
    truth("gather", gather)
    row = row_of(objective, algorithm, backend)  # refuses an unknown one before the decomposition
    refuse_backend_without_ranks(backend)
    begin = time.perf_counter()
    with memory_for(DECOMPOSITION):
        valued = as_valued(A, shape=shape, drop_zeros=True, threads=threads).on_host()
        pattern, modulus = moduli(valued)
        d = dulmage_mendelsohn(
            pattern,
            threads=threads,
            seed=seed,
            time_limit=time_limit,
            max_work=max_work,
            backend="cpu" if row is None else row.backend,
        )
        seconds = {"decomposition": time.perf_counter() - begin}
        left = None if time_limit is None else time_limit - seconds["decomposition"]
        return weigh(
            pattern,
            modulus,
            d,
            objective,
            left,
            max_work,
            seconds,
            algorithm=algorithm,
            backend=backend,
            threads=threads,
        )


def _check_objective(objective: str) -> None:
    """Raises InvalidArgumentError if there is no such objective."""
    if text("objective", objective) in get_args(Objective):
        return
    is_algorithm = objective in ("mc64", "heavy-perfect")
    raise InvalidArgumentError(
        f"objective {objective!r} is unknown; give one of {get_args(Objective)}"
        + (f", and algorithm={objective!r}" if is_algorithm else "")
    )


def row_of(objective: str, algorithm: str, backend: str) -> Algorithm | None:
    """The row of the algorithm in the registry; None for "bottleneck"."""
    name = text("algorithm", algorithm)
    check_backend(backend)
    if objective != "bottleneck":
        name = TABLE["algorithm"][-1].choice if name == "auto" else name
        return find(name, initializer=False, backend=backend, package="weighted")
    if backend in of_one_process():
        raise InvalidArgumentError("the objective 'bottleneck' is for the cpu backend only")
    if name != "auto":
        raise InvalidArgumentError(
            f"the objective 'bottleneck' has one algorithm: leave out {name!r}"
        )
    return None


def weigh(
    pattern: Pattern,
    modulus: npt.NDArray[np.float64],
    d: Decomposition,
    objective: Objective = "product",
    time_limit: float | None = None,
    max_work: int | None = None,
    seconds: dict[str, float] | None = None,
    *,
    algorithm: str = "auto",
    backend: str = "auto",
    threads: int | None = None,
) -> WeightedTransversal:
    """The result of `weighted_transversal` for a pattern on the host whose decomposition `d` is
    known. `pattern` and `modulus` are the results of `moduli`; `time_limit` is the number of
    seconds that remain."""
    if time_limit is not None and time_limit <= 0:
        raise stopped("time_limit", d)
    row_of(objective, algorithm, backend)
    limits: dict[str, Any] = {"time_limit": time_limit, "max_work": max_work, "threads": threads}
    seconds = seconds or {}
    if objective == "bottleneck":
        return _largest_smallest(pattern, modulus, d, seconds, **limits)
    limits |= {"algorithm": algorithm, "backend": backend}
    return _assigned(pattern, modulus, d, objective, Request(**limits), seconds)


def moduli(valued: ValuedPattern) -> tuple[Pattern, npt.NDArray[np.float64]]:
    """The pattern of the entries that are not zero, and their moduli.

    Raises
    ------
    InvalidMatrixError : a value is NaN or infinite, or its modulus is too large for double
        precision; the message names its row and column
    """
    pattern = valued.require_finite().pattern
    with np.errstate(over="ignore"):
        modulus = np.abs(valued.values).astype(np.float64, copy=False)
    if valued.field == "integer" and modulus.size:
        # abs() of the smallest integer of a type overflows and is negative
        modulus = np.abs(valued.values.astype(np.float64))
    if valued.field == "complex" and not np.isfinite(modulus).all():
        i, j = position_of(pattern, int((~np.isfinite(modulus)).argmax()))
        raise InvalidMatrixError(
            f"{prefix(pattern.name)}the modulus of the entry in row {i}, column {j} (counted from "
            "0) is too large for double precision; scale the matrix"
        )
    if modulus.all():
        return pattern, modulus
    stays = modulus != 0  # a value that is the sum of duplicates may be 0
    zeros = part_of(pattern, ~stays)
    if pattern.stored_zeros is not None:
        zeros = zeros.union(pattern.stored_zeros)
    others = part_of(pattern, stays)._with(stored_zeros=zeros, zeros_dropped=True)
    return others, modulus[stays]


def _assigned(
    pattern: Pattern,
    modulus: npt.NDArray[np.float64],
    d: Decomposition,
    objective: str,
    request: Request,
    seconds: dict[str, float],
) -> WeightedTransversal:
    """The transversal whose product or sum is the largest, or nearly the largest. The search treats
    each block on its own."""
    begin = time.perf_counter()
    value, unit = contributions(modulus, objective)
    run = carry_out(ValuedSession(pattern, "weighted", value, d), request, "weighted")
    found = fields_of_run(run, d, objective, unit)
    seconds |= {"search": 0.0, "certificate": run.seconds["certificate"]}
    seconds["search"] = time.perf_counter() - begin - seconds["certificate"]
    found |= {"shape": pattern.shape, "seconds": seconds}
    return with_transversal(WeightedTransversal, d.transversal, run.plan, **found)


def contributions(
    modulus: npt.NDArray[np.float64], objective: str, of_all: Callable[[float], float] = float
) -> tuple[npt.NDArray[np.float64], float]:
    """(contribution of each entry, unit). The objective is the unit times the sum of the
    contributions of the matched entries.

    For "product", contributions are logarithms. For "sum", sums of large moduli could overflow, so
    the moduli are divided by the unit, a power of 2: this is exact unless it underflows. Over
    ranks, `of_all` returns the largest of the numbers that the ranks pass to it."""
    if objective == "product":
        return np.log(modulus), 1.0
    largest = of_all(float(modulus.max(initial=0.0)))
    unit = 2.0 ** max(0, math.frexp(largest)[1] - _LARGEST_EXPONENT)
    return modulus / unit, unit


def fields_of_run(run: Run, d: Any, objective: str, unit: float) -> dict[str, Any]:
    """The fields of the result that a run of a weighted search determines, in one process or over
    ranks.

    Raises
    ------
    LimitReachedError : a limit ended the search
    """
    if run.stopped_by is not None:
        raise stopped(run.stopped_by, d)
    assert run.arrays is not None and run.proof is not None and run.algorithm is not None
    row_match, col_match, row_dual, col_dual = run.arrays
    if unit != 1.0:
        with np.errstate(over="ignore"):
            row_dual *= unit
            col_dual *= unit
    return {
        "row_match": row_match,
        "col_match": col_match,
        "kind": objective,
        "objective": run.proof[2].total * unit,
        "gap": run.proof[2].gap * unit,
        "row_dual": row_dual,
        "col_dual": col_dual,
        "structural_rank": d.structural_rank,
        "algorithm": run.algorithm.name,
        "counters": run.counters,
    }


def _largest_smallest(
    pattern: Pattern,
    modulus: npt.NDArray[np.float64],
    d: Decomposition,
    seconds: dict[str, float],
    **limits: Any,
) -> WeightedTransversal:
    """The maximum transversal whose smallest modulus is as large as possible."""
    begin = time.perf_counter()
    assert d.transversal is not None
    transversal, smallest, thresholds = largest_smallest(pattern, modulus, d.transversal, **limits)
    if transversal.stopped_by is not None:
        raise stopped(transversal.stopped_by, d)
    seconds["search"] = time.perf_counter() - begin
    return with_transversal(
        WeightedTransversal,
        d.transversal,
        shape=pattern.shape,
        row_match=transversal.row_match,
        col_match=transversal.col_match,
        kind="bottleneck",
        objective=smallest,
        gap=0.0,
        row_dual=None,
        col_dual=None,
        structural_rank=d.structural_rank,
        counters={"thresholds": thresholds},
        seconds=seconds,
        algorithm="bisection",
    )


def stopped(limit: str | None, d: Any) -> LimitReachedError:
    """The error after a limit has ended the weighted search of a decomposed matrix."""
    rank = d.structural_rank
    return LimitReachedError(
        f"the weighted search was stopped by {limit}: the structural rank is {rank}, but the "
        "largest entries are not known; raise the limit",
        (rank, rank),
    )
