# SPDX-License-Identifier: BSD-3-Clause
"""The CPU backend: the compiled core, on one thread or several."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from btfperm import backends, registry
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.protocol import STOPPED_BY, Delivered, Outcome, Proof, Session

if TYPE_CHECKING:
    from btfperm.path.request import Request

__all__ = ["CPU"]


class Cpu:
    """See `protocol.Backend`."""

    name = "cpu"
    is_distributed = False
    is_on_host = True
    is_replaceable = False
    is_deterministic = True
    starts_in_order = False

    def check(self, device: int | None) -> None:
        """Does nothing, because the core is always available."""

    def empty(self, session: Session, threads: int) -> Any:
        if session.package:
            return registry.step(session.package, "problem", self.name)(session, threads)
        return Problem.empty(session.on_host(), threads)

    def adopt(self, session: Session, problem: Any, device: int | None) -> Any:
        return problem.on_host()

    def run(
        self,
        row: registry.Algorithm,
        problem: Any,
        request: Request,
        within: float | None,
        *,
        threads: int,
    ) -> Outcome:
        most = work = request.work or 0  # 0: no limit
        if within is not None:
            bound = math.ceil(within * problem.indices.size)
            most = bound if bound > 0 and (work == 0 or bound < work) else work
        stop, counters = problem.run(
            row.load(),
            0.0 if request.deadline is None else request.seconds_left(),
            most,
            threads if row.parallel else 1,
            request.seed,
            request.numbers_of(row),
        )
        stopped_by = STOPPED_BY[stop]
        if most != work and stopped_by == "max_work":
            return Outcome(None, True, counters)
        return Outcome(stopped_by, False, counters)

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
        arrays = problem.row_match, problem.col_match, proof[0], proof[1]
        home = session.pattern.backend
        if home == self.name or session.package:  # results with values stay on the host
            return arrays
        return backends.get(home).uploaded(session.pattern, arrays)

    def uploaded(self, pattern: Any, arrays: Delivered) -> Delivered:
        return arrays

    def decompose(self, session: Session, row_match: Any, col_match: Any, threads: int) -> Any:
        decompose = registry.step("dulmage_mendelsohn", "decompose", self.name)
        return decompose(session.on_host(), row_match, col_match, threads)

    def decomposes_here(self, session: Session) -> str | None:
        return None if session.keep_copies else "the matrix is on the host, and no copy is made"

    def should_decompose(self, session: Session) -> tuple[bool, str]:
        return True, "the matrix is on the host"

    def measure(self, feature: str, subject: Any) -> float:
        raise AssertionError(f"pattern/features.py measures {feature}, not the backend")

    def device_name(self, problem: Any) -> str:
        return "cpu"


CPU = Cpu()
