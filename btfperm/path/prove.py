# SPDX-License-Identifier: BSD-3-Clause
"""Checks the certificate of a matching, and prepares the second search after a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm import registry
from btfperm.backends.cpu.backend import CPU
from btfperm.errors import DefectError, DefectWarning
from btfperm.path.fallback import Event
from btfperm.warn import warn

if TYPE_CHECKING:
    from btfperm.path.run import Run

__all__ = ["has_no_second", "is_legal", "prove", "warn_of_defect"]


def prove(run: Run) -> Event | None:
    """Checks the certificate and sets the proof of a run. Returns an event if the result is wrong,
    or if the host must check it; otherwise None."""
    if not run.ran_on:
        run.ran_on = run.backend.name
        run.device = run.backend.device_name(run.problem)
    left_by_start = run.size if run.algorithm is None else None
    try:
        run.proof = run.backend.prove(
            run.session.package or run.plan.package,
            run.problem,
            run.view,
            stopped_by=run.stopped_by,
            threads=run.plan.threads,
            size=left_by_start,
        )
    except DefectError as defect:
        run.failure = defect
        return Event.WRONG
    run.stop("certificate")
    return Event.UNDECIDED if run.proof is None else None


def has_no_second(run: Run) -> bool:
    """Whether no second algorithm can repair a wrong result: the package has no such algorithm, it
    has run already, or the matrix is over ranks, where it would need the whole matrix."""
    second = run.rules.SECOND
    if second is None or run.backend.is_distributed or run.repaired:
        return True
    return _names(run) == [second] and run.given is None


def is_legal(run: Run) -> bool:
    """Whether a wrong result is at least a legal matching. The host checks a copy."""
    legality = registry.step(run.plan.package, "legality", CPU.name)
    return bool(legality(run.problem.on_host()))


def warn_of_defect(run: Run, *, keep_matching: bool) -> None:
    """Warns of a wrong result, and resets the problem for the second algorithm."""
    wrong = " and ".join(_names(run)) or "the start"
    run.plan.note = f"{wrong} went wrong, {run.rules.SECOND} finished"
    warn(DefectWarning(f"{run.failure}; {run.plan.note}"))
    run.view.reset(keep_matching=keep_matching)


def _names(run: Run) -> list[str]:
    """The algorithms that ran."""
    return [row.name for row in (run.initializer, run.algorithm) if row is not None]
