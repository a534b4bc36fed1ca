# SPDX-License-Identifier: BSD-3-Clause
"""`weighted_transversal` over MPI ranks: input, search, proof and result.

A rule of ``auto`` lets each rank hold a small matrix whole. Then each rank calls the functions for
one process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm import backends
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.protocol import ValuedSession
from btfperm.dulmage_mendelsohn import dulmage_mendelsohn
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.path.plan import Plan
from btfperm.path.request import Request
from btfperm.path.rules import place_over_ranks
from btfperm.path.run import carry_out
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import prefix
from btfperm.pattern.distributed_values import as_distributed_values
from btfperm.pattern.input import is_over_ranks, over_ranks
from btfperm.results.distributed import DistributedWeightedTransversal

if TYPE_CHECKING:
    from btfperm.pattern.distributed import DistributedPattern
    from btfperm.results.distributed import DistributedDecomposition

__all__ = [
    "backend_over_ranks",
    "check_arguments",
    "moduli_over_ranks",
    "refuse_large",
    "weigh_over_ranks",
    "weighted_over_ranks",
]


def check_arguments(objective: str, algorithm: str, backend: str) -> None:
    """Raises InvalidArgumentError if the arguments are not possible over any number of ranks."""
    from btfperm.weighted import row_of

    row_of(objective, algorithm, "auto")
    if backend not in ("auto", "mpi"):
        raise InvalidArgumentError(
            f"a matrix over MPI ranks is weighed by the backend 'mpi' or 'auto', not {backend!r}"
        )


def weighted_over_ranks(
    A: Any,
    comm: Any,
    objective: str,
    algorithm: str,
    *,
    limits: dict[str, Any],
    backend: str,
    threads: int | None,
    shape: Sequence[int] | None,
) -> DistributedWeightedTransversal:
    """`weighted_transversal` of a matrix over MPI ranks. Collective."""
    begin = time.perf_counter()
    with over_ranks(A, comm):
        check_arguments(objective, algorithm, backend)
        refuse_large(A, comm, objective, algorithm, backend)
        pattern = moduli_over_ranks(A, comm, shape)
        refuse_large(pattern, comm, objective, algorithm, backend)
        backend = backend_over_ranks(pattern, backend)
        d: Any = dulmage_mendelsohn(
            pattern, backend=backend, threads=threads, gather=False, **limits
        )
        seconds = {"decomposition": time.perf_counter() - begin}
        limit = limits["time_limit"]
        return weigh_over_ranks(
            pattern,
            d,
            objective,
            None if limit is None else limit - seconds["decomposition"],
            limits["max_work"],
            seconds,
            algorithm=algorithm,
            threads=threads,
        )


def refuse_large(A: Any, comm: Any, objective: str, algorithm: str, backend: str) -> None:
    """Raises InvalidArgumentError if the request needs the whole matrix, but no rank will hold it.
    Of a file, only the header is read. Collective."""
    if objective != "bottleneck" and algorithm in ("auto", "heavy-perfect"):
        return
    place = _place(A, comm)
    if backend != "auto" or (place is not None and backends.get(place).is_distributed):
        what = "the objective 'bottleneck'" if objective == "bottleneck" else algorithm
        raise InvalidArgumentError(
            f"{what} needs the whole matrix in one process, but this matrix is over MPI ranks: use "
            "'product' or 'sum' with heavy-perfect, or one process"
        )


def _place(A: Any, comm: Any) -> str | None:
    """The choice of the rule ``place over ranks``; None if its size is unknown before it is read.
    Collective."""
    if is_over_ranks(A, None):
        return place_over_ranks(A.shape, A.nnz, A.exchange.size)
    if not isinstance(A, str | os.PathLike):
        return None
    from btfperm.io import peek

    exchange, known = Exchange.of(comm), None
    if exchange.rank == 0 and Path(A).is_file():  # no standard input, and no member of an archive
        header = peek(A)
        known = [*header.shape, header.entries or 0]
    known = exchange.broadcast(known)
    return (
        None if known is None else place_over_ranks((known[0], known[1]), known[2], exchange.size)
    )


def backend_over_ranks(pattern: Pattern, backend: str) -> str:
    """The backend of the decomposition before a weighted search: ``"mpi"`` instead of ``"auto"``,
    unless each rank analyses the matrix whole. The backend ``"auto"`` might let the first rank of
    a machine gather the matrix, but the weighted search works on the distributed matrix."""
    place = _place(pattern, None)
    is_large = place is not None and backends.get(place).is_distributed
    return "mpi" if backend == "auto" and is_large else backend


def moduli_over_ranks(
    A: Any, comm: Any, shape: Sequence[int] | None = None, remedy: str | None = None
) -> DistributedPattern:
    """The pattern of the entries that are not zero, with their moduli as `values`. `A`, `remedy`:
    see `as_distributed_values`. Collective.

    Raises
    ------
    InvalidMatrixError : `A` has no values; or a value is NaN or infinite, or its modulus is too
        large for double precision; the message, the same on all ranks, names its row and column
    """
    pattern = as_distributed_values(A, comm, shape, remedy)
    exchange, values = pattern.exchange, pattern.values
    assert values is not None
    with np.errstate(over="ignore", invalid="ignore"):
        modulus: npt.NDArray[np.float64] = np.abs(values)
    wrong = ~np.isfinite(modulus)
    # Ranks own successive columns, so the first rank with a wrong entry has the first wrong entry.
    has_wrong = exchange.from_all(int(wrong.any()))[:, 0]
    if has_wrong.any() and int(has_wrong.argmax()) == exchange.rank:
        raise _no_modulus(pattern, values, int(wrong.argmax()))
    exchange.barrier()  # so that the failure reaches the other ranks before they continue
    is_zero = modulus == 0
    pattern = pattern._with(values=modulus)
    if exchange.sums(int(np.count_nonzero(is_zero)))[0]:
        pattern = pattern.selected(~is_zero)._with(zeros_dropped=True)
    return pattern._with(without_zeros=True)


def _no_modulus(
    pattern: DistributedPattern, values: npt.NDArray[Any], p: int
) -> InvalidMatrixError:
    i = int(pattern.indices[p])
    j = pattern.col_slices.first + int((pattern.indptr <= p).sum()) - 1
    where = f"{prefix(pattern.name)}the {{}} in row {i}, column {j} (counted from 0) is "
    if not np.isfinite(values[p]):
        return InvalidMatrixError(
            f"{where.format('entry')}{values[p].item()}; every value must be finite"
        )
    return InvalidMatrixError(
        f"{where.format('modulus of the entry')}too large for double precision; scale the matrix"
    )


def weigh_over_ranks(
    pattern: DistributedPattern,
    d: DistributedDecomposition,
    objective: str,
    time_limit: float | None = None,
    max_work: int | None = None,
    seconds: dict[str, float] | None = None,
    *,
    algorithm: str = "auto",
    threads: int | None = None,
) -> DistributedWeightedTransversal:
    """The weighted transversal of a pattern that `moduli_over_ranks` returned and whose
    decomposition is `d`. Collective.

    Raises
    ------
    InvalidArgumentError : the objective or the algorithm needs the whole matrix in one process, and
        the ranks do not hold it whole

    It also raises what `weigh` raises.
    """
    from btfperm.weighted import contributions, fields_of_run, stopped

    seconds = {} if seconds is None else seconds
    exchange = pattern.exchange
    is_late = time_limit is not None and time_limit <= 0
    if exchange.largest(int(is_late))[0]:
        raise stopped("time_limit", d)
    place = d.transversal.explain()["decisions"].get("place over ranks")
    if place is not None and not backends.get(place["choice"]).is_distributed:
        return _on_each_rank(
            pattern, d, objective, time_limit, max_work, seconds, algorithm, threads
        )
    assert pattern.values is not None
    begin = time.perf_counter()
    value, unit = contributions(pattern.values, objective, exchange.largest_real)
    how: dict[str, Any] = {"algorithm": algorithm, "backend": "mpi"}
    request = Request(time_limit=time_limit, max_work=max_work, **how)
    run = carry_out(ValuedSession(pattern, "weighted", value, d), request, "weighted")
    found = fields_of_run(run, d, objective, unit)
    seconds |= {"search": 0.0, "certificate": run.seconds["certificate"]}
    seconds["search"] = time.perf_counter() - begin - seconds["certificate"]
    found["counters"] |= exchange.transferred()
    return _result(pattern, d, seconds, run.plan, **found)


def _on_each_rank(
    pattern: DistributedPattern,
    d: DistributedDecomposition,
    objective: str,
    time_limit: float | None,
    max_work: int | None,
    seconds: dict[str, float],
    algorithm: str,
    threads: int | None,
) -> DistributedWeightedTransversal:
    """Each rank computes the whole result as one process does, and returns its part of it."""
    from btfperm.weighted import weigh

    exchange = pattern.exchange
    assert pattern.values is not None
    whole: Pattern = pattern.on_host()
    modulus = exchange.gather_all(pattern.values)
    w = weigh(
        whole,
        modulus,
        d.gather(),
        objective,  # type: ignore[arg-type]
        time_limit,
        max_work,
        seconds,
        algorithm=algorithm,
        backend="cpu",
        threads=threads or 1,
    )
    assert w.transversal is not None
    explained = replace(d.transversal, explain=w.transversal.explain)  # holds the weighted plan
    rows, cols = pattern.row_slices, pattern.col_slices
    own_rows, own_cols = slice(rows.first, rows.last), slice(cols.first, cols.last)
    return _result(
        pattern,
        replace(d, transversal=explained),
        seconds,
        None,
        kind=objective,
        row_match=w.row_match[own_rows].astype(pattern.width),
        col_match=w.col_match[own_cols].astype(pattern.width),
        row_dual=None if w.row_dual is None else w.row_dual[own_rows].copy(),
        col_dual=None if w.col_dual is None else w.col_dual[own_cols].copy(),
        objective=w.objective,
        gap=w.gap,
        structural_rank=d.structural_rank,
        algorithm=w.algorithm,
        counters={**w.counters, **exchange.transferred()},
    )


def _result(
    pattern: DistributedPattern,
    d: DistributedDecomposition,
    seconds: dict[str, float],
    plan: Plan | None,
    **found: Any,
) -> DistributedWeightedTransversal:
    from btfperm.weighted.with_transversal import with_transversal

    rows, cols = pattern.row_slices, pattern.col_slices
    return with_transversal(
        DistributedWeightedTransversal,
        d.transversal,
        plan,
        shape=pattern.shape,
        seconds=seconds,
        rows=range(rows.first, rows.last),
        cols=range(cols.first, cols.last),
        exchange=pattern.exchange,
        **found,
    )
