# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the backend that decomposes a matrix by its maximum transversal, and calls it."""

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

# Number of entries below which no step keeps copies on a device, unless the caller set an option.
_SMALL = 100_000

Pairing = Callable[[Transversal], tuple[IndexArray, IndexArray]]


class Decomposed(NamedTuple):
    """A decomposition (`form`), and the session, the transversal and the matching from which it was
    computed. If a device failed and the CPU continued, all arrays are on the host. `place` is the
    decision about the backend, in the form of `Plan.explain`."""

    form: Any
    place: dict[str, Any]
    session: Session
    transversal: Transversal
    row_match: IndexArray
    col_match: IndexArray


def worth_copies(session: Session, backend: str, *, has_options: bool) -> bool:
    """Whether a call for a matrix on the host should keep a copy of it on a device for a later
    step. `backend` is the argument of the call; `has_options`: the caller set an option."""
    return not is_limited_to_cpu(backend) and (session.pattern.nnz >= _SMALL or has_options)


def decompose(
    session: Session, transversal: Transversal, pairing: Pairing, threads: int, *, requested: bool
) -> Decomposed:
    """The blocks by a maximum transversal. `pairing` returns the row and column matching that
    defines the blocks: the transversal, or its completion. `requested`: the caller named the GPU,
    or a device. If a GPU fails, the CPU computes the blocks, with a warning, except in the
    case below.

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
    """The decision about the backend that decomposes, in the form of `Plan.explain`. It is the
    backend that holds the matrix. For a matrix on the host, another backend is chosen if it is
    faster and the session may keep copies on devices. The decision follows the search, which may
    have left a copy on a device. `failed` is the error of a backend that has failed to
    decompose."""
    home = session.pattern.backend
    passed_over: list[dict[str, str]] = []
    if failed is not None:
        return _decision(home, "after a failure", str(failed))
    why = backends.get(home).decomposes_here(session)
    if why is not None:
        return _decision(home, "home", why)
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
