# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition of a matrix by its maximum transversal, and the backend that computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from btfperm import backends
from btfperm.backends.protocol import Session
from btfperm.errors import BackendUnavailableError
from btfperm.path.failure import warn_of_failed_backend
from btfperm.path.fallback import Action, Event, State, after
from btfperm.path.request import is_limited_to_cpu
from btfperm.results import IndexArray, Transversal

__all__ = ["Decomposed", "decompose", "place_of", "worth_copies"]

# Entries; for a smaller matrix no step keeps copies on a device unless the caller set an option.
_SMALL = 100_000

Pairing = Callable[[Transversal], tuple[IndexArray, IndexArray]]


class Decomposed(NamedTuple):
    """A decomposition and what it was made from. If a device failed and the CPU continued, all of
    these are on the host: the form, the pattern of the session, the transversal, the matching.
    `place` is the decision where to decompose, in the form of `Plan.explain`."""

    form: Any
    place: dict[str, Any]
    session: Session
    transversal: Transversal
    row_match: IndexArray
    col_match: IndexArray


def worth_copies(session: Session, backend: str, *, has_options: bool) -> bool:
    """Whether a later step of this call may use a copy of a matrix on the host on a device.
    `backend` is that of the call, and `has_options` states whether the caller set an option."""
    if not session.pattern.is_on_host or is_limited_to_cpu(backend):
        return False
    return session.pattern.nnz >= _SMALL or has_options


def decompose(
    session: Session, transversal: Transversal, pairing: Pairing, threads: int, *, requested: bool
) -> Decomposed:
    """The blocks by a maximum transversal. `pairing` returns the row and column matching that
    defines the blocks: that of the transversal, or its completion. `requested`: the caller named
    the GPU, or a device. If a GPU fails, the CPU computes the blocks, with a warning, except where
    an error is raised.

    Raises
    ------
    BackendUnavailableError : the matrix is on a GPU that the caller requested, and the GPU fails
    DefectError : the matching is not maximum
    """
    failed: BackendUnavailableError | None = None
    while True:
        row_match, col_match = pairing(transversal)
        place = place_of(session, failed)
        name = place["choice"]
        try:
            form = backends.get(name).decompose(session, row_match, col_match, threads)
        except BackendUnavailableError as failure:
            away = not session.pattern.is_on_host
            state = State("decompose", name, requested, on_device=away)
            if after(Event.BACKEND_FAILED, state) is Action.RAISE:
                raise
            warn_of_failed_backend(failure, once=False)
            session.continue_on_host()
            failed, transversal = failure, transversal.on_host()
            continue
        return Decomposed(form, place, session, transversal, row_match, col_match)


def place_of(session: Session, failed: BackendUnavailableError | None = None) -> dict[str, Any]:
    """The decision which backend decomposes, in the form of `Plan.explain`: that of the matrix. For
    a matrix on the host it is another one if the session may keep copies on devices and that
    backend is faster. It is made after the search, which may have left a copy on a device or
    `failed` there."""
    home = session.pattern.backend
    passed_over: list[dict[str, str]] = []
    if failed is not None:
        return _decision(home, "after a failure", str(failed))
    if session.pattern.is_distributed and session.has_host_copy:
        return _decision(home, "home", "each rank has the whole matrix since the search")
    if session.pattern.is_distributed and session.is_on_first_rank:
        return _decision(home, "home", "the first rank has the whole matrix since the search")
    if not session.pattern.is_on_host:
        return _decision(home, "home", "the matrix is there")
    if not session.keep_copies:
        return _decision(home, "home", "the matrix is on the host, and no copy is made")
    for name in backends.of_one_process():
        is_faster, why = backends.get(name).should_decompose(session)
        if is_faster:
            return _decision(name, "faster", why, passed_over)
        passed_over.append({"rule": "faster", "choice": name, "fails": why})
    return _decision(home, "the rest", "the matrix is on the host", passed_over)


def _decision(
    choice: str, rule: str, because: str, passed_over: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    return {"choice": choice, "rule": rule, "because": because, "passed_over": passed_over or []}
