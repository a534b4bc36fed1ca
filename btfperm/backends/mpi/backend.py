# SPDX-License-Identifier: BSD-3-Clause
"""The MPI backend: the ranks of a communicator, each with its range of rows and columns."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import registry
from btfperm.backends.mpi.budget import SharedBudget
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.backends.protocol import EACH_RANKS, FIRST_RANK, Delivered, Outcome, Proof, Session
from btfperm.backends.select import memory_left
from btfperm.backends.threads import usable_cores
from btfperm.errors import InvalidArgumentError

if TYPE_CHECKING:
    from btfperm.path.request import Request

__all__ = ["MPI"]

# Upper bounds on the bytes that the first rank allocates for each entry, and for each row and
# column, if it gathers a matrix with 32-bit indices, searches and decomposes. For 50 million
# entries, 10 million rows and 10 million columns, the bounds give 1,400 MB, and the first rank
# of four needed 744 MB, including its part of the distributed matrix
# (benchmarks/results/2026-11-26-mpi-scaling-4-ranks). The bound for rows and columns matters for
# matrices with few entries: on two ranks, the first one needed 170 MB for a random matrix with
# 2 million rows, columns and entries each (measured by hand).
_BYTES_PER_ENTRY, _BYTES_PER_LINE = 10, 45


class Mpi:
    """See `protocol.Backend`. All ranks must call each method together, except `check` and
    `should_decompose`."""

    name = "mpi"
    is_distributed = True
    is_on_host = False
    is_replaceable = True
    is_deterministic = False
    starts_in_order = False

    def check(self, device: int | None) -> None:
        from btfperm.backends.mpi.launch import is_alone, require_mpi

        if not is_alone():
            require_mpi()
        if device is not None:
            from btfperm.backends.gpu.device import refuse_missing

            refuse_missing(None if device == EACH_RANKS else device)

    def empty(self, session: Session, threads: int) -> Any:
        pattern: Any = session.pattern
        if pattern.backend != self.name:
            raise InvalidArgumentError(
                "the mpi backend needs several processes: start the program by mpiexec"
            )
        if session.package:
            return registry.step(session.package, "problem", self.name)(session, threads)
        problem = DistributedProblem(pattern)
        problem.copies = session.copies
        return problem

    def adopt(self, session: Session, problem: Any, device: int | None) -> Any:
        if problem.is_distributed:
            if device is not None and problem.device is None:
                _use_device(problem, device)
            return problem
        moved = self.empty(session, 1)
        rows, cols = moved.rows, moved.cols
        moved.row_match[:] = problem.row_match[rows.first : rows.last]
        moved.col_match[:] = problem.col_match[cols.first : cols.last]
        return self.adopt(session, moved, device)

    def run(
        self,
        row: registry.Algorithm,
        problem: Any,
        request: Request,
        within: float | None,
        *,
        threads: int,
    ) -> Outcome:
        budget = SharedBudget(problem.exchange, request)
        gathered = getattr(problem, "copies", {}).get(FIRST_RANK)
        if gathered is not None:  # the algorithm changes the matching
            problem.copies[FIRST_RANK] = gathered._replace(mates=None, has_mates=False)
        with _device_of(problem):
            counters = row.load()(problem, budget, request.seed, request.options_of(row))
        return Outcome(budget.stopped_by, False, counters)

    def prove(
        self,
        package: str,
        problem: Any,
        view: Any,
        *,
        stopped_by: str | None,
        threads: int,
        size: int | None,
    ) -> Proof:
        certificate = registry.step(package, "certificate", self.name)
        proof: Proof = certificate(problem, view, stopped_by, threads, size)
        return proof

    def deliver(self, session: Session, problem: Any, proof: Proof) -> Delivered:
        return problem.row_match, problem.col_match, proof[0], proof[1]

    def uploaded(self, pattern: Any, arrays: Delivered) -> Delivered:
        """Each rank holds the whole arrays; copies of the parts that this rank owns."""
        rows, cols = pattern.row_slices, pattern.col_slices
        row_match, col_match, row_in_cover, col_in_cover = arrays
        return (
            row_match[rows.first : rows.last].copy(),
            col_match[cols.first : cols.last].copy(),
            None if row_in_cover is None else row_in_cover[rows.first : rows.last].copy(),
            None if col_in_cover is None else col_in_cover[cols.first : cols.last].copy(),
        )

    def decompose(self, session: Session, row_match: Any, col_match: Any, threads: int) -> Any:
        pattern: Any = session.pattern
        if session.has_host_copy:  # the search of this call ran on the whole matrix on each rank
            decompose = registry.step("dulmage_mendelsohn", "decompose", "cpu")
            part_of = registry.step("dulmage_mendelsohn", "part of a rank", self.name)
            gather = pattern.exchange.gather_all
            whole = decompose(session.on_host(), gather(row_match), gather(col_match), threads)
            return part_of(pattern, whole)
        if session.is_on_first_rank:
            on_first = registry.step("dulmage_mendelsohn", "decompose on first rank", self.name)
            return on_first(pattern, session.copies[FIRST_RANK], row_match, col_match, threads)
        decompose = registry.step("dulmage_mendelsohn", "decompose", self.name)
        return decompose(pattern, row_match, col_match, threads)

    def decomposes_here(self, session: Session) -> str:
        if session.has_host_copy:
            return "each rank has the whole matrix since the search"
        if session.is_on_first_rank:
            return "the first rank has the whole matrix since the search"
        return "this backend holds the matrix"

    def should_decompose(self, session: Session) -> tuple[bool, str]:
        return False, "one process holds the matrix"

    def measure(self, feature: str, subject: Any) -> float:
        """The value of one feature (see `Features`): `ranks`, the number of ranks that hold a
        pattern, `first_cores`, `first_memory` or `first_gpu`. All but the first are collective."""
        exchange = subject.exchange
        if feature == "ranks":
            return int(exchange.size)
        if feature == "first_memory":
            left = exchange.broadcast(memory_left() if exchange.rank == 0 else None)
            needed = _bytes_on_first_rank(subject)
            return 1.0 if left is None else float(left) / needed
        if exchange.ranks_here < exchange.size:
            return 0
        if feature == "first_gpu":
            return float(exchange.broadcast(_share_of_gpu(subject) if exchange.rank == 0 else None))
        return int(exchange.broadcast(usable_cores()))

    def device_name(self, problem: Any) -> str:
        if problem.device is None:  # the result names the ranks
            return ""
        from btfperm.backends.gpu.device import facts

        name = facts(problem.device)[0]
        if FIRST_RANK in problem.copies:
            return f"GPU of the first rank ({name})"
        way = "NCCL" if problem.uses_nccl else "host memory"
        return f"GPUs ({name}, exchange by {way})"


def _bytes_on_first_rank(pattern: Any) -> float:
    """An upper bound on the bytes that the first rank needs to search the whole matrix."""
    lines = pattern.m + pattern.n
    needed = _BYTES_PER_ENTRY * pattern.nnz + _BYTES_PER_LINE * lines
    return float(max(needed * np.dtype(pattern.width).itemsize / 4, 1.0))


def _share_of_gpu(pattern: Any) -> float:
    """The free memory of the GPU of this rank, divided by what a search of the whole matrix
    allocates there."""
    from btfperm.backends.gpu.device import free_memory, refuse_missing
    from btfperm.backends.gpu.problem import bytes_of_search
    from btfperm.backends.mpi.device_exchange import local_device
    from btfperm.backends.mpi.gpu_handles import bytes_beside_entries

    refuse_missing()
    shape, nnz = pattern.shape, pattern.nnz
    index_bytes = np.dtype(pattern.width).itemsize if nnz < 2**31 else 8
    needed = bytes_of_search(shape, nnz, 2, index_bytes)
    needed += bytes_beside_entries(shape, index_bytes)
    with _on(local_device(pattern.exchange), pattern.exchange.rank):
        return free_memory() / needed


def _use_device(problem: DistributedProblem, device: int) -> None:
    """Chooses the GPU of this rank: the one that the caller named, or else `local_device`. The
    ranks of a machine share its cores for copies to their GPUs."""
    from btfperm.backends.gpu.staging import Ring
    from btfperm.backends.mpi.device_exchange import local_device

    Ring.of_this_process().share_cores(problem.exchange.ranks_here)

    number = local_device(problem.exchange) if device == EACH_RANKS else device
    with _on(number, problem.exchange.rank):
        problem.device = number


def _device_of(problem: Any) -> AbstractContextManager[Any]:
    """The GPU of this rank as CuPy's current device, if it searches there."""
    if problem.device is None:
        return nullcontext()
    return _on(problem.device, problem.exchange.rank)


def _on(device: int, rank: int) -> AbstractContextManager[Any]:
    from btfperm.backends.gpu.device import on

    return on(device, who=f"rank {rank}: ", advice="leave out device=, or use more ranks with GPUs")


MPI = Mpi()
