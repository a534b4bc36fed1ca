# SPDX-License-Identifier: BSD-3-Clause
"""The action after each event, for every state of a call."""

from __future__ import annotations

from itertools import product

import pytest

from btfperm.path.fallback import Action, Event, State, after

STEPS = ("check", "start", "search", "prove", "deliver", "decompose", "recertify")
STATES = [
    State(*values) for values in product(STEPS, ("cpu", "gpu", "another"), *5 * [(False, True)])
]


def expected(event, state):
    """The rules of the documentation, implemented a second time."""
    if event is Event.BACKEND_FAILED:
        if state.last_resort or state.step == "recertify":
            return Action.RAISE
        if state.requested and (state.step != "decompose" or state.on_device):
            return Action.RAISE
        return Action.WARN_AND_RESTART_ON_CPU
    if event is Event.ABANDONED:
        if state.backend == "cpu":
            return Action.CONTINUE_WITH_DEFAULT
        if state.step == "start" and state.requested:
            return Action.START_ON_CPU
        return Action.RESTART_ON_CPU
    if event is Event.UNDECIDED:
        return Action.PROVE_ON_CPU
    if event is Event.NO_ROOM:
        return Action.MATCH_OWN_ROWS
    if state.second:
        return Action.RAISE
    return Action.SECOND_FROM_MATCHING if state.legal else Action.SECOND_FROM_EMPTY


@pytest.mark.parametrize("event", Event)
def test_every_state_has_its_action(event):
    for state in STATES:
        assert after(event, state) is expected(event, state), state


@pytest.mark.parametrize(
    ("event", "state", "action"),
    [
        (Event.BACKEND_FAILED, State("check", "cpu", requested=True), Action.RAISE),
        (Event.BACKEND_FAILED, State("search", "gpu", requested=True), Action.RAISE),
        (Event.BACKEND_FAILED, State("search", "gpu"), Action.WARN_AND_RESTART_ON_CPU),
        (Event.BACKEND_FAILED, State("search", "cpu", last_resort=True), Action.RAISE),
        (
            Event.BACKEND_FAILED,
            State("decompose", "gpu", requested=True),
            Action.WARN_AND_RESTART_ON_CPU,
        ),
        (
            Event.BACKEND_FAILED,
            State("decompose", "gpu", requested=True, on_device=True),
            Action.RAISE,
        ),
        (Event.ABANDONED, State("start", "gpu", requested=True), Action.START_ON_CPU),
        (Event.ABANDONED, State("start", "gpu"), Action.RESTART_ON_CPU),
        (Event.ABANDONED, State("search", "gpu"), Action.RESTART_ON_CPU),
        (Event.ABANDONED, State("search", "cpu"), Action.CONTINUE_WITH_DEFAULT),
        (Event.UNDECIDED, State("prove", "gpu"), Action.PROVE_ON_CPU),
        (Event.UNDECIDED, State("recertify", "gpu", on_device=True), Action.PROVE_ON_CPU),
        (Event.BACKEND_FAILED, State("recertify", "gpu", on_device=True), Action.RAISE),
        (Event.NO_ROOM, State("start", "gpu"), Action.MATCH_OWN_ROWS),
        (Event.WRONG, State("prove", "cpu", legal=True), Action.SECOND_FROM_MATCHING),
        (Event.WRONG, State("prove", "cpu"), Action.SECOND_FROM_EMPTY),
        (Event.WRONG, State("prove", "cpu", legal=True, second=True), Action.RAISE),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else None,
)
def test_the_table(event, state, action):
    """Examples: one state for each line of the table."""
    assert after(event, state) is action


def test_every_action_can_happen():
    assert {after(event, state) for event in Event for state in STATES} == set(Action)
