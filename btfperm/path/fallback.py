# SPDX-License-Identifier: BSD-3-Clause
"""What happens after a step did not go as planned: the only place that decides it.

`after` maps an event and the state of the call to an action. It is a pure function; ``run.py``, and
``decompose.py`` for its step, detect the events and carry out the actions.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

__all__ = ["Action", "Event", "State", "after"]


class Event(Enum):
    """What went wrong with a step."""

    ABANDONED = auto()  # the algorithm exceeded the bound that its rule sets
    BACKEND_FAILED = auto()  # BackendUnavailableError: no device, no memory, a kernel failed
    UNDECIDED = auto()  # the device could not check the matching
    WRONG = auto()  # DefectError: the matching failed its certificate


class Action(Enum):
    """What the run does next."""

    RAISE = auto()  # the caller gets the error
    START_ON_CPU = auto()  # the same initializer on the CPU, from an empty matching
    CONTINUE_WITH_DEFAULT = auto()  # the default algorithm, from the current matching
    RESTART_ON_CPU = auto()  # initial matching and search again on the CPU, by the rules for it
    # A warning; then initial matching and search, or the decomposition alone, again on the CPU. The
    # result is on the host.
    WARN_AND_RESTART_ON_CPU = auto()
    PROVE_ON_CPU = auto()  # check the certificate on the CPU
    SECOND_FROM_MATCHING = auto()  # a DefectWarning, and another algorithm repairs the matching
    SECOND_FROM_EMPTY = auto()  # a DefectWarning; another algorithm starts with an empty matching


class State(NamedTuple):
    """The state of a call when an event occurs.

    Attributes
    ----------
    step : ``"start"``, ``"search"``, ``"prove"``, ``"deliver"`` or ``"decompose"``
    backend : where the step ran
    requested : whether the caller requested the backend, see `Plan`
    on_device : whether the caller's matrix is on a device
    last_resort : whether the call is limited to the CPU already, so that nothing is left to try
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
        if state.last_resort:
            return Action.RAISE
        # A request of the caller holds for the matching, which is complete. The CPU may compute the
        # blocks of a matrix on the host.
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
    if state.second:
        return Action.RAISE  # the repair failed, too, or cannot run
    return Action.SECOND_FROM_MATCHING if state.legal else Action.SECOND_FROM_EMPTY
