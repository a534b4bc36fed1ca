# SPDX-License-Identifier: BSD-3-Clause
"""Makes the `Transversal` after all steps of a call. Packages with values make their own result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm import registry
from btfperm.results import Transversal

if TYPE_CHECKING:
    from btfperm.path.run import Run

__all__ = ["result_of"]


def result_of(run: Run) -> Transversal:
    """The result of a run; a `DistributedTransversal` if the matrix is over MPI ranks."""
    assert run.arrays is not None and run.proof is not None
    size, plan = run.proof[2], run.plan
    row_match, col_match, row_in_cover, col_in_cover = run.arrays
    maximum = row_in_cover is not None
    most = size if maximum else _rank_at_most(run)
    if run.restarted is not None:
        plan.note = f"{run.restarted}; then {plan.why()}"
    fields = {
        "shape": plan.shape,
        "row_match": row_match,
        "col_match": col_match,
        "maximum": maximum,
        "rank_bounds": (size, most),
        "verified": True,
        "algorithm": "none" if run.algorithm is None else run.algorithm.name,
        "initializer": "none" if run.initializer is None else run.initializer.name,
        "backend": run.ran_on,
        "device": run.device,
        "explain": plan.explain,
        "stopped_by": None if maximum else run.stopped_by,
        "counters": run.counters,
        "seconds": run.seconds,
        "row_in_cover": row_in_cover,
        "col_in_cover": col_in_cover,
    }
    pattern = run.session.pattern
    new = registry.step_or_cpu("results", "transversal", pattern.backend)
    result: Transversal = new(pattern, fields, plan.why)
    return result


def _rank_at_most(run: Run) -> int:
    """An upper bound on the structural rank, for a search that a limit ended."""
    of_backend = registry.step_or_cpu(run.plan.package, "rank bound", run.backend.name)
    bound: int = of_backend(run.session)
    run.stop("certificate")
    return bound
