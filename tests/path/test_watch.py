# SPDX-License-Identifier: BSD-3-Clause
"""The states of a search that a watcher receives."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse

import btfperm
from btfperm import registry
from btfperm.path import watch
from tests.families import random_rectangle


def test_the_steps_begin_and_end_with_what_is_matched():
    A = random_rectangle(300, 300, 3, 1).A
    states = []
    how = {"initializer": "greedy", "algorithm": "hopcroft-karp"}
    t = btfperm.maximum_transversal(A, watcher=states.append, **how)
    steps = [(state.step, state.algorithm, state.done) for state in states]
    assert steps[0] == ("start", "greedy", False) and steps[-1] == ("search", "hopcroft-karp", True)
    assert states[0].matched == 0 and states[-1].matched == t.structural_rank
    assert all(0 <= state.matched <= state.possible == 300 for state in states)
    assert btfperm.maximum_transversal(A, **how) == t  # the watcher changes nothing


@pytest.mark.parametrize("shape", [(40, 30), (30, 40)])
def test_at_most_the_shorter_side_can_be_matched(shape):
    states = []
    A = random_rectangle(*shape, 3, 1).A
    btfperm.maximum_transversal(A, watcher=states.append)
    assert {state.possible for state in states} == {30}


def test_a_second_search_because_of_stored_zeros_names_itself():
    A = scipy.sparse.csc_array(([0.0, 1.0, 1.0, 0.0], [0, 1, 0, 1], [0, 2, 4]), shape=(2, 2))
    states = []
    with pytest.warns(btfperm.StoredZerosWarning, match="does not change the structural rank"):
        btfperm.maximum_transversal(A, initializer="greedy", watcher=states.append)
    steps = {state.step for state in states}
    assert {"start", "search without stored zeros"} <= steps
    assert states[-1].step.endswith("without stored zeros") and states[-1].matched == 2


def test_each_step_counts_its_own_entries():
    """The count of a step begins at 0, whatever the process visited before, and ends with all that
    the step visited, even if the step ends before it polls the limits for the first time."""
    for size in (30_000, 300):
        A = random_rectangle(size, size, 3, 1).A
        states = []
        how = {"initializer": "greedy", "algorithm": "hopcroft-karp", "threads": 1}
        t = btfperm.maximum_transversal(A, watcher=states.append, **how)
        ends = {state.step: state.entries for state in states if state.done}
        begins = [state.entries for state in states if state.entries == 0 and not state.done]
        assert len(begins) >= 2
        assert ends["start"] >= t.counters["start_edges"] > 0
        assert ends["search"] >= t.counters["edges"] > 0
        assert max(ends.values()) <= 4 * t.counters["edges"]


class Problem:
    row_match = np.array([-1, 0])
    col_match = np.array([-1, -1])


def test_samples_are_taken_while_a_step_runs(monkeypatch):
    """A sample reports the number of matched rows or of matched columns, whichever is larger,
    because some searches write one of the two arrays last."""
    monkeypatch.setattr(watch, "INTERVAL", 0.001)
    states = []
    row = registry.find("greedy", initializer=True)
    with watch.watched(states.append, "start", row, Problem()):
        while len(states) < 3:
            time.sleep(0.001)
    assert {state.matched for state in states} == {1}
    assert [state.done for state in states[:2]] == [False, False] and states[-1].done


def test_a_step_that_fails_ends_the_samples(monkeypatch):
    monkeypatch.setattr(watch, "INTERVAL", 0.001)
    states = []
    row = registry.find("greedy", initializer=True)
    try:
        with watch.watched(states.append, "start", row, Problem()):
            raise MemoryError
    except MemoryError:
        count = len(states)
    time.sleep(0.01)
    assert len(states) == count and not states[-1].done
