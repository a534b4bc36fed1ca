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
from btfperm.results import IndexArray, Transversal

__all__ = ["Decomposed", "decompose", "worth_copies"]

# Entries; for a smaller matrix no step keeps copies on a device unless the caller set an option.
_SMALL = 100_000

Pairing = Callable[[Transversal], tuple[IndexArray, IndexArray]]


class Decomposed(NamedTuple):
    """A decomposition and what it was made from. If a device failed and the CPU continued, all of
    these are on the host: the form, the pattern of the session, the transversal, the matching."""

    form: Any
    session: Session
    transversal: Transversal
    row_match: IndexArray
    col_match: IndexArray


def worth_copies(session: Session, backend: str, *, has_options: bool) -> bool:
    """Whether a later step of this call may use a copy of a matrix on the host on a device.
    `backend` is that of the call, and `has_options` states whether the caller set an option."""
    if session.pattern.backend != "cpu" or backend == "cpu":
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
    while True:
        if session.pattern.is_on_device and not backends.is_on_device(transversal.row_match):
            session = Session(session.on_host())  # the device failed, so the search ran on the CPU
        row_match, col_match = pairing(transversal)
        name = _place(session)
        try:
            form = backends.get(name).decompose(session, row_match, col_match, threads)
        except BackendUnavailableError as failure:
            away = session.pattern.backend != "cpu"
            state = State("decompose", name, requested, on_device=away)
            if after(Event.BACKEND_FAILED, state) is Action.RAISE:
                raise
            warn_of_failed_backend(failure, once=False)
            session, transversal = Session(session.on_host()), transversal.on_host()
            continue
        return Decomposed(form, session, transversal, row_match, col_match)


def _place(session: Session) -> str:
    """The backend that decomposes: that of the matrix. For a matrix on the host it is another one
    if the session may keep copies on devices and that backend is faster."""
    home = session.pattern.backend
    if home != "cpu" or not session.keep_copies:
        return home
    for name in backends.of_one_process():
        if backends.get(name).should_decompose(session):
            return name
    return home
