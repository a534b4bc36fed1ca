# SPDX-License-Identifier: BSD-3-Clause
"""Decides what follows after a step has failed. No other module decides this.

`after` maps an event and the state of the call to an action. It is a pure function. ``run.py``
detects the events and carries out the actions. ``decompose.py``, ``recertify.py`` and
``transversal/own_block_gpu.py`` do the same for their steps.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

__all__ = ["Action", "Event", "State", "after"]


class Event(Enum):
    """The reason why a step failed."""

    ABANDONED = auto()  # the algorithm exceeded the bound that its rule sets
    BACKEND_FAILED = auto()  # BackendUnavailableError: no device, no memory, a kernel failed
    UNDECIDED = auto()  # the device could not check the matching
    WRONG = auto()  # DefectError: the matching failed its certificate
    # The GPU of one MPI rank has too little free memory to search in the rows and columns of the
    # rank. Other ranks may have enough, so the initializer continues.
    NO_ROOM = auto()


class Action(Enum):
    """The next action of a run."""

    RAISE = auto()  # raise the error to the caller
    START_ON_CPU = auto()  # run the same initializer on the CPU, from an empty matching
    CONTINUE_WITH_DEFAULT = auto()  # run the default algorithm, from the current matching
    # Run the initializer and the search again on the CPU, both chosen by the rules for the CPU.
    RESTART_ON_CPU = auto()
    # Issue a warning, and run the initializer and the search again on the CPU; after a failed
    # decomposition, only the decomposition. The result is on the host.
    WARN_AND_RESTART_ON_CPU = auto()
    PROVE_ON_CPU = auto()  # check the certificate on the CPU
    # Issue a DefectWarning, and run another algorithm, from the current or from an empty matching.
    SECOND_FROM_MATCHING = auto()
    SECOND_FROM_EMPTY = auto()
    # The columns of the rank take its unmatched rows, which needs no more memory than the search
    # over ranks.
    MATCH_OWN_ROWS = auto()


class State(NamedTuple):
    """The state of a call when an event occurs.

    Attributes
    ----------
    step : the name of the step: ``"start"``, ``"search"``, ``"prove"``, ``"deliver"``,
        ``"decompose"``; ``"check"``, which tests whether a requested backend works; or
        ``"recertify"``, which checks the certificate of a transversal that the caller gave
    backend : the backend that ran the step
    requested : whether the caller requested the backend, see `Plan`
    on_device : whether the caller's matrix is on a device
    last_resort : whether the call is limited to the CPU already, so that no other backend is left
    legal : for `Event.WRONG`: whether the matching consists of entries, no two in a row or column
    second : for `Event.WRONG`: whether the algorithm that repairs a wrong matching has run already,
        or cannot run
    """

    step: str
    backend: str
    requested: bool = False
    on_device: bool = False
    last_resort: bool = False
    legal: bool = False
    second: bool = False


def after(event: Event, state: State) -> Action:
    """The action after an event.

    Examples
    --------
    >>> after(Event.ABANDONED, State("search", "cpu")).name
    'CONTINUE_WITH_DEFAULT'
    """
    if event is Event.BACKEND_FAILED:
        # A device that cannot check the caller's transversal cannot decompose its matrix either.
        if state.last_resort or state.step == "recertify":
            return Action.RAISE
        # The caller's request is about the matching, which is complete. So the CPU may compute the
        # blocks if the matrix is on the host.
        if state.step == "decompose" and not state.on_device:
            return Action.WARN_AND_RESTART_ON_CPU
        return Action.RAISE if state.requested else Action.WARN_AND_RESTART_ON_CPU
    if event is Event.ABANDONED:
        if state.backend == "cpu":
            return Action.CONTINUE_WITH_DEFAULT
        replaceable = state.requested and state.step == "start"
        return Action.START_ON_CPU if replaceable else Action.RESTART_ON_CPU
    if event is Event.UNDECIDED:
        return Action.PROVE_ON_CPU
    if event is Event.NO_ROOM:
        return Action.MATCH_OWN_ROWS
    if state.second:
        return Action.RAISE  # the second algorithm failed, too, or cannot run
    return Action.SECOND_FROM_MATCHING if state.legal else Action.SECOND_FROM_EMPTY
