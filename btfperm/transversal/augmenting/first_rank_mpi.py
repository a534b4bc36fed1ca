# SPDX-License-Identifier: BSD-3-Clause
"""first-rank: maximum transversal over ranks of one machine, by the first rank alone

Idea        The ranks of one machine share its memory and its cores. The first rank gathers the
            matrix, and `maximum_transversal` runs in it as in one process, on all cores that this
            rank may use, or on its GPU. Meanwhile the other ranks sleep. Then each rank receives
            the mates of its rows and columns, and the marks of those in the minimum cover. The
            first rank keeps the matrix for the decomposition of the same call.
Paper       Rabenseifner, Hager, Jost, PDP 2009: one MPI process with threads on each node ("hybrid
            masteronly"). Ours: the ranks of the caller remain, and only one of them computes.
Cost        that of one process, plus the transfer of the matrix to the first rank and of the
            matching from it. All ranks together need less memory than in a search over many ranks,
            because there are no ghosts; but the first rank alone needs as much as one process.
GPU         With ``device=``, the matrix is gathered on the GPU of the first rank, which searches
            (``whole_matrix_gpu.py``).
Prefer it   if all ranks run on one machine whose memory suffices for one process. ``auto`` compares
            the free memory with a bound on what the first rank needs (`Features.first_memory`);
            with ``device=``, also that of its GPU (`Features.first_gpu`).
Invariants  those of a search in one process. The call in the first rank is complete: its own step
            `prove` checks the certificate for the whole matrix, and sets `Transversal.verified`.
            Then ``certificate_mpi.py`` only checks that the ranks together have received as many
            matched rows as matched columns and lines of the cover. A check over ranks would need
            the ghosts that this algorithm avoids; it runs if the result is not verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.backends.protocol import FIRST_RANK
from btfperm.backends.threads import usable_cores
from btfperm.errors import BackendUnavailableError, ResourceMissingError

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget
    from btfperm.backends.mpi.slices import Slices
    from btfperm.pattern import Pattern

__all__ = [
    "Gathered",
    "HandOut",
    "Parts",
    "beside_hash",
    "first_rank",
    "gathered",
    "hand_out",
    "memory_of_one_process",
]

_CORES_TO_SPARE = 8  # with at least 8 cores, the search leaves one of them to the hashing thread
_ADVICE = "use backend='mpi', which keeps the matrix distributed"


# What `hand_out` takes, and its type.
Parts: TypeAlias = "list[tuple[Any, Slices, npt.NDArray[Any]]]"
HandOut: TypeAlias = "Callable[[DistributedProblem, Parts], None]"


class Gathered(NamedTuple):
    """What the first rank keeps for the decomposition.

    Attributes
    ----------
    whole : the whole matrix on the first rank; None on the others
    mates : the whole matching on the first rank, if its host has it; None on the others
    has_mates : whether the first rank has the whole matching; the same on all ranks
    """

    whole: Any
    mates: tuple[Any, Any] | None = None
    has_mates: bool = False


@contextmanager
def memory_of_one_process() -> Iterator[None]:
    """Replaces an error of the first rank that has too little memory by one that recommends a
    search that needs less memory there."""
    try:
        yield
    except MemoryError:
        raise ResourceMissingError(
            f"the first rank has too little memory to analyse the whole matrix: {_ADVICE}"
        ) from None
    except BackendUnavailableError as failure:
        raise BackendUnavailableError(
            f"the first rank cannot analyse the whole matrix on its GPU ({failure}): {_ADVICE}"
        ) from failure


def gathered(problem: DistributedProblem) -> tuple[Pattern | None, HandOut]:
    """The whole matrix on the first rank, or None on the others; and the function that hands out
    the results. Collective."""
    return problem.pattern.on_first_rank(), hand_out


def beside_hash(pattern: Any, threads: int | None) -> int | None:
    """The number of threads of the search or the decomposition; None for all cores. A thread that
    hashes the file keeps a core for itself: otherwise, all threads would wait in each step for the
    one that shares its core."""
    cores = usable_cores()
    if not pattern.is_hashing or cores < _CORES_TO_SPARE:
        return threads
    return cores - 1 if threads is None else min(threads, cores - 1)


@memory_of_one_process()
def first_rank(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Replaces the matching by a maximum one, or, if a limit of the budget ends the search, by the
    one found until then. Collective."""
    exchange = problem.exchange
    whole, give = problem.own_step("whole matrix")(problem)
    problem.copies[FIRST_RANK] = Gathered(whole)
    result: Any = None
    described: dict[str, Any] = {}
    if whole is not None:
        from btfperm.transversal import maximum_transversal

        result = maximum_transversal(
            whole,
            backend=whole.backend,
            threads=problem.own_step("search threads")(problem.pattern, budget.threads),
            seed=seed,
            time_limit=max(budget.seconds_left, 1e-6) if budget.has_deadline else None,
            max_work=budget.work_left,
        )
        described = {
            "stopped_by": result.stopped_by,
            "is_checked": result.verified,
            "counters": dict(result.counters),
            "is_on_host": whole.is_on_host,
        }
    exchange.rest()
    described = exchange.broadcast(described)
    budget.stopped_by = described["stopped_by"]
    if described["is_on_host"]:
        whole_mates = None if result is None else (result.row_match, result.col_match)
        problem.copies[FIRST_RANK] = Gathered(whole, whole_mates, has_mates=True)
    problem.expect_matching()
    give(problem, _parts(problem, result, with_cover=budget.stopped_by is None))
    problem.proven, problem.is_checked = budget.stopped_by is None, described["is_checked"]
    counters: dict[str, int | list[int]] = described["counters"]
    return {**counters, "gathered_edges": problem.pattern.nnz}


def _parts(problem: DistributedProblem, result: Any, *, with_cover: bool) -> Parts:
    """What the ranks receive: the mates, and the marks of the rows and columns in the cover. The
    result is that of the first rank for the pattern, and None on the other ranks."""
    row_slices, col_slices = problem.pattern.row_slices, problem.pattern.col_slices
    targets = {
        "match": (problem.row_match, problem.col_match),
        "in_cover": (problem.row_in_cover, problem.col_in_cover),
    }
    parts: Parts = []
    for what in ("match", "in_cover") if with_cover else ("match",):
        rows, cols = targets[what][::-1] if problem.turned else targets[what]
        for side, slices, into in (("row", row_slices, rows), ("col", col_slices, cols)):
            array = None if result is None else getattr(result, f"{side}_{what}")
            parts.append((array, slices, into))
    return parts


def hand_out(problem: DistributedProblem, parts: Parts) -> None:
    """Copies to each rank its part of arrays of the first rank. Each element of `parts` has such an
    array, or None on the other ranks; the ranges of the ranks; and the array of this rank for its
    part. Collective."""
    for part in parts:
        _hand_out(problem, *part)


def _hand_out(
    problem: DistributedProblem, array: Any, slices: Slices, into: npt.NDArray[Any]
) -> None:
    exchange = problem.exchange
    sent, received = np.zeros((2, exchange.size), dtype=np.int64)
    others = np.empty(0, dtype=into.dtype)
    if array is not None:
        into[:] = array[: into.size]
        others = array[into.size :].astype(into.dtype, copy=False)
        sent[1:] = np.diff(slices.bounds)[1:]
    else:
        received[0] = into.size
    if exchange.size > 1:
        got = exchange.move(others[:, None], sent, received)
        if exchange.rank:
            into[:] = got[:, 0]
