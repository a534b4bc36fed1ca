# SPDX-License-Identifier: BSD-3-Clause
"""The weighted transversal with its diagonal entries, in one process and over MPI ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from btfperm import registry
from btfperm.weighted import weigh
from btfperm.weighted.diagonal import Diagonals, diagonals_of

if TYPE_CHECKING:
    from btfperm.path.request import Request
    from btfperm.pattern import Pattern
    from btfperm.results import DulmageMendelsohn, WeightedTransversal

__all__ = ["weighed_with_diagonals", "with_diagonals"]


def weighed_with_diagonals(
    pattern: Pattern,
    modulus: Any,
    d: DulmageMendelsohn,
    objective: str,
    request: Request,
    *,
    backend: str,
    **how: Any,
) -> tuple[WeightedTransversal, Diagonals]:
    """The weighted transversal within the limits of the request, and its diagonal entries. The
    pattern and `modulus` are the results of `moduli`; over ranks, the pattern is that of
    `moduli_over_ranks`, and `modulus` is not used. Collective over ranks."""
    how["time_limit"] = None if request.deadline is None else request.seconds_left()
    step = registry.step("weighted", "diagonals", pattern.backend)
    result: tuple[WeightedTransversal, Diagonals] = step(
        pattern, modulus, d, objective, backend=backend, **how
    )
    return result


def with_diagonals(
    pattern: Pattern, modulus: Any, d: DulmageMendelsohn, objective: str, **how: Any
) -> tuple[WeightedTransversal, Diagonals]:
    """The step `diagonals` in one process."""
    weighted = weigh(pattern, modulus, d, cast(Any, objective), **how)
    return weighted, diagonals_of(pattern, modulus, weighted)
