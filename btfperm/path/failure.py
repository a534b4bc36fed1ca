# SPDX-License-Identifier: BSD-3-Clause
"""Reports of backends that do not work: an error if the caller requested the backend, otherwise a
warning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from btfperm import backends
from btfperm.errors import BackendUnavailableError, BackendWarning
from btfperm.warn import warn

if TYPE_CHECKING:
    from btfperm.path.plan import Plan
    from btfperm.path.request import Request

__all__ = ["check_requested", "warn_of_failed_backend"]

_reported: set[str] = set()  # texts of the warnings that this process has issued


def warn_of_failed_backend(failure: BackendUnavailableError, *, once: bool = True) -> None:
    """Warns that a backend failed, and that the CPU runs the call or its decomposition instead.
    With `once`, this process warns only once of each text."""
    if once and str(failure) in _reported:
        return
    _reported.add(str(failure))
    warn(BackendWarning(f"{failure}; continued on the cpu"))


def check_requested(plan: Plan, request: Request) -> None:
    """Raises BackendUnavailableError if a backend does not work that the caller named or on which
    the plan runs a step."""
    rows = (plan.algorithm, plan.initializer)
    names = {request.backend, plan.backend, *(row.backend for row in rows if row is not None)}
    for name in names - {"auto"}:
        backends.get(name).check(request.device)
