# SPDX-License-Identifier: BSD-3-Clause
"""Backends that do not work: the error if the caller requested one, else a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm import backends
from btfperm.errors import BackendUnavailableError, BackendWarning
from btfperm.warn import warn

if TYPE_CHECKING:
    from btfperm.path.plan import Plan
    from btfperm.path.request import Request

__all__ = ["check_requested", "warn_of_failed_backend"]

_reported: set[str] = set()  # texts of failures, each of which is reported once per process


def warn_of_failed_backend(failure: BackendUnavailableError, *, once: bool = True) -> None:
    """Warns that the call runs again on the CPU; with `once`, each text only once per process."""
    if once and str(failure) in _reported:
        return
    _reported.add(str(failure))
    warn(BackendWarning(f"{failure}; continued on the cpu"))


def check_requested(plan: Plan, request: Request) -> None:
    """Raises BackendUnavailableError when the backend that the caller requested does not work."""
    rows = (plan.algorithm, plan.initializer)
    names = {request.backend, plan.backend, *(row.backend for row in rows if row is not None)}
    for name in names - {"auto", "cpu"}:
        backends.get(name).check(request.device)
