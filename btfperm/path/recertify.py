# SPDX-License-Identifier: BSD-3-Clause
"""Checks that a transversal that the caller gives is a maximum transversal of a matrix."""

from __future__ import annotations

from dataclasses import replace

from btfperm import backends, registry
from btfperm.backends.cpu.backend import CPU
from btfperm.errors import BackendUnavailableError
from btfperm.path.failure import warn_of_failed_backend
from btfperm.path.fallback import Action, Event, State, after
from btfperm.pattern import Pattern
from btfperm.results import Transversal

__all__ = ["recertified"]

_ARRAYS = ("row_match", "col_match", "row_in_cover", "col_in_cover")


def recertified(pattern: Pattern, given: Transversal, package: str = "transversal") -> Transversal:
    """The caller's transversal, certified for this pattern. The backend that holds the pattern
    checks the certificate, or the CPU if that backend cannot. The arrays of the result are on the
    device that holds the pattern.

    Raises
    ------
    BackendUnavailableError : the backend fails
    InvalidArgumentError : `given` is no maximum transversal of this matrix
    """
    name = pattern.backend
    state = State("recertify", name, on_device=not pattern.is_on_host)
    found: Transversal | None = None
    try:
        found = registry.step(package, "recertification", name)(pattern, given)
    except BackendUnavailableError as failure:
        if after(Event.BACKEND_FAILED, state) is Action.RAISE:
            raise
        warn_of_failed_backend(failure, once=False)
    if found is not None:
        return found
    if after(Event.UNDECIDED, state) is not Action.PROVE_ON_CPU:
        raise BackendUnavailableError(f"the backend {name} could not check the transversal")
    on_cpu = registry.step(package, "recertification", CPU.name)
    proven: Transversal = on_cpu(pattern.on_host(), given.on_host())
    row_match, col_match, rows, cols = (getattr(proven, field) for field in _ARRAYS)
    arrays = backends.get(name).uploaded(pattern, (row_match, col_match, rows, cols))
    return replace(proven, **dict(zip(_ARRAYS, arrays, strict=True)))
