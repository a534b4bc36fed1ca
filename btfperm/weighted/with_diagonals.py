# SPDX-License-Identifier: BSD-3-Clause
"""The weighted transversal with its diagonal entries, in one process and over MPI ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from btfperm.weighted import weigh
from btfperm.weighted.diagonal import Diagonals, diagonals_of

if TYPE_CHECKING:
    from btfperm.path.request import Request
    from btfperm.pattern import Pattern
    from btfperm.results import DulmageMendelsohn, WeightedTransversal

__all__ = ["weighed_with_diagonals"]


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
    if pattern.is_distributed:
        return _over_ranks(pattern, d, objective, **how)
    weighted = weigh(pattern, modulus, d, cast(Any, objective), backend=backend, **how)
    return weighted, diagonals_of(pattern, modulus, weighted)


def _over_ranks(
    pattern: Any, d: Any, objective: str, **how: Any
) -> tuple[WeightedTransversal, Diagonals]:
    from btfperm.weighted.diagonal_mpi import diagonals_over_ranks
    from btfperm.weighted.weigh_mpi import weigh_over_ranks

    weighted = weigh_over_ranks(pattern, d, objective, **how)
    return weighted, diagonals_over_ranks(pattern, weighted)
