# SPDX-License-Identifier: BSD-3-Clause
"""Options, threads and seeds change the steps of an algorithm, never the rank that it finds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm import InvalidArgumentError, _core
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.threads import MOST_THREADS
from btfperm.path.request import Request
from btfperm.path.run import run_algorithm
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.dulmage_mendelsohn.test_threads import shared
from tests.loops import looped
from tests.oracles import plain_matching
from tests.transversal.methods import ROWS

WITH_OPTIONS = [(row, option) for row in ROWS for option in row.options]
WITH_NUMBERS = [(row, option) for row, option in WITH_OPTIONS if not option.forms]
NUMBERS = [0, 0.01, 1, 2, 3.5, 50, 1000]
PROBABILITIES = [0.01, 0.3, 0.99]
SEARCHES = [row for row in ROWS if not row.is_initializer]
PARALLEL = [row for row in ROWS if row.parallel]
GRAFT = next(row for row in ROWS if row.name == "ms-bfs-graft")


def run(A, row, **more):
    """A search begins with the empty matching, because an initializer might leave nothing to do."""
    which = {"algorithm": row.name, "initializer": "none"}
    if row.is_initializer:
        which = {"initializer": row.name}
    return btfperm.maximum_transversal(A, **{**which, **more})


@pytest.mark.parametrize(("row", "option"), WITH_OPTIONS, ids=lambda x: x.name)
@given(A=strategies.any_matrix(), data=st.data())
def test_any_value_finds_the_rank(row, option, A, data):
    numbers = PROBABILITIES if option.is_probability else NUMBERS
    value = data.draw(st.sampled_from(option.forms or numbers))
    t = run(A, row, options={option.name: value}, time_limit=families.HANG)
    check_transversal(A, t, rank=plain_matching.structural_rank(A))


@pytest.mark.parametrize("row", SEARCHES, ids=lambda row: row.name)
def test_any_value_finds_the_rank_in_several_phases(row):
    """Sparse matrices with some tens of rows, in which a search from the empty matching takes
    several phases: each must begin with a clean state."""
    rng = np.random.default_rng(1)
    settings = [{}, *({option.name: value} for option in row.options for value in (0, 1, 2, 1000))]
    for per_row in (1.2, 1.8, 2.5, 3.5):
        for _ in range(6):
            m, n = rng.integers(25, 60, 2)
            A = sp.random_array((m, n), density=per_row / m, rng=rng, format="csc")
            rank = plain_matching.structural_rank(A)
            for options in settings:
                t = run(A, row, options=options, time_limit=families.HANG)
                check_transversal(A, t, rank=rank)


@pytest.mark.parametrize("row", PARALLEL, ids=lambda row: row.name)
@given(A=strategies.any_matrix(), threads=st.integers(2, 4))
def test_any_number_of_threads_finds_the_rank(row, A, threads):
    with shared(always=True):  # otherwise one thread would take matrices this small
        t = run(A, row, threads=threads, time_limit=families.HANG)
    check_transversal(A, t, rank=plain_matching.structural_rank(A))


def test_bottom_up_after_top_down_joins_no_row_twice():
    """A top-down step may reach rows that are listed for the next bottom-up step."""
    for seed in range(150):
        A = sp.random(90, 90, density=0.03, random_state=seed, format="csc")
        t = btfperm.maximum_transversal(
            A,
            algorithm="ms-bfs-graft",
            initializer="none",
            options={"alpha": 2},
            time_limit=families.HANG,
        )
        assert t.structural_rank == btfperm.structural_rank(A, algorithm="hopcroft-karp")


def test_an_option_that_no_algorithm_has_is_refused():
    with pytest.raises(InvalidArgumentError, match="alpha"):
        btfperm.structural_rank([[1]], algorithm="ms-bfs-graft", options={"beta": 1})


def test_an_invalid_value_is_refused_even_if_its_algorithm_does_not_run():
    options = {"alpha": "often"}  # this option accepts only numbers
    with pytest.raises(InvalidArgumentError, match="alpha of ms-bfs-graft"):
        run([[1]], GRAFT, initializer="greedy", options=options)


@pytest.mark.parametrize("threads", [MOST_THREADS + 1, 100_000, 2 * 10**9, 2**70])
def test_more_threads_than_any_machine_gives_are_refused(threads):
    assert MOST_THREADS == 1024
    with pytest.raises(InvalidArgumentError, match="threads must be a whole number from 1 to 1024"):
        btfperm.maximum_transversal([[1]], algorithm="p-dbfs", threads=threads)


@looped("value", [float("inf"), float("nan"), -1])
@looped(("row", "option"), WITH_NUMBERS, ids=lambda x: x.name)
def test_an_option_is_a_finite_number(row, option, value):
    with pytest.raises(InvalidArgumentError, match=f"{option.name} of {row.name} must be a finite"):
        row.checked({option.name: value})


@pytest.mark.parametrize("value", [0, 1, 2, 1e-7])
def test_a_probability_is_between_0_and_1(value):
    with pytest.raises(InvalidArgumentError, match="p of red-blue must be between 2"):
        btfperm.structural_rank([[1]], initializer="red-blue", options={"p": value})


@pytest.mark.parametrize("asked", [None, 3])
def test_an_algorithm_uses_the_threads_of_the_plan_or_of_the_request(monkeypatch, asked):
    taken = []

    def greedy(*arguments):
        taken.append(arguments[8])
        return 0, False, {}

    monkeypatch.setattr(_core.transversal, "greedy", greedy)
    problem = Problem.empty(as_pattern([[1]]))
    row = next(row for row in ROWS if row.name == "greedy")
    run_algorithm(row, problem, Request(threads=asked))
    run_algorithm(row, problem, Request(threads=asked), threads=4)
    assert taken == [asked or 1, 4]


@pytest.mark.parametrize(("row", "option"), WITH_OPTIONS, ids=lambda x: x.name)
def test_the_default_is_the_one_that_the_registry_states(row, option):
    """Without options, an algorithm takes the same steps as with its stated default."""
    A = sp.random(400, 400, density=0.006, random_state=3, format="csc")
    more = {} if row.is_initializer else {"initializer": "none"}
    plain = run(A, row, threads=1, **more)
    stated = run(A, row, threads=1, options={option.name: option.default}, **more)
    steps = [
        {name: n for name, n in t.counters.items() if not name.endswith("_us")}
        for t in (plain, stated)
    ]
    assert steps[0] == steps[1]
    assert plain.col_match.tolist() == stated.col_match.tolist()


def test_fairness_changes_the_steps_of_pothen_fan():
    """The steps differ between the two values of fairness. So the test of the default notices if
    this option gets another default."""
    A = sp.random(400, 400, density=0.006, random_state=3, format="csc")
    edges = {
        fairness: btfperm.maximum_transversal(
            A, algorithm="pothen-fan", initializer="none", options={"fairness": fairness}, threads=1
        ).counters["edges"]
        for fairness in (0, 1)
    }
    assert edges[0] != edges[1]
