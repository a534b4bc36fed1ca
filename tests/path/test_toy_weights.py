# SPDX-License-Identifier: BSD-3-Clause
"""A weighted search of a package from this folder runs through all steps, on the toy backend."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import btfperm
from btfperm import backends, registry
from btfperm.backends.protocol import ValuedSession
from btfperm.errors import BackendUnavailableError, BackendWarning, DefectError
from btfperm.path import failure, rules
from btfperm.path.make_plan import make_plan
from btfperm.path.request import Request
from btfperm.path.run import carry_out
from btfperm.registry import Algorithm
from tests import families
from tests.path import toy_backend, toy_weights
from tests.path.toy_backend import ToyPattern

PACKAGE = "toy-weights"
P = btfperm.as_pattern(families.random_rectangle(30, 25, 3, 3).A)
VALUES = np.random.default_rng(1).permutation(np.arange(1.0, P.nnz + 1))


@pytest.fixture
def toy(monkeypatch):
    """The toy backend and package, registered for one test."""
    backend = toy_backend.ToyBackend()
    monkeypatch.setattr(toy_backend, "TOY", backend)
    monkeypatch.setattr(failure, "_reported", set())
    rules.register_rules(PACKAGE, "tests.path.toy_weights")
    backends.register("toy", "tests.path.toy_backend", "TOY")
    facts = dict.fromkeys(("reference", "summary", "prefer"), "-")
    where = {"package": PACKAGE, "family": "exact", "function": "tests.path.toy_weights:greedy"}
    added = [Algorithm(name="greedy", backend=name, **where, **facts) for name in ("toy", "cpu")]
    for row in added:
        registry.add(row)
    steps = [("problem", "ToyWeights"), ("certificate", "certify")]
    for name, function in steps:
        registry.add_step(PACKAGE, name, "cpu", "tests.path.toy_weights", function)
    yield backend
    for name, _ in steps:
        registry.remove_step(PACKAGE, name, "cpu")
    for row in added:
        registry.remove(row)
    backends.unregister("toy")


def found(pattern=P, **asked):
    """The run of one call, whose matching is that of plain greedy."""
    request = Request(**asked)
    run = carry_out(ValuedSession(pattern, PACKAGE, VALUES), request, PACKAGE)
    row_match, col_match, row_dual, col_dual = run.arrays
    plain = toy_weights.ToyWeights(ValuedSession(P, PACKAGE, VALUES), 1)
    toy_weights.greedy(plain)
    assert np.array_equal(row_match, plain.row_match) and (col_match >= 0).sum() > 10
    assert run.proof[2] == row_dual.sum() == col_dual.sum() > 0
    assert run.counters == {"edges": P.nnz}
    return run


def test_the_whole_path(toy):
    run = found()
    assert list(dict.fromkeys(toy.calls)) == ["adopt", "run", "prove", "deliver"]
    assert (run.ran_on, run.device, run.algorithm.backend) == ("toy", "a toy", "toy")
    assert run.initializer is None and run.stopped_by is None


def test_a_matrix_of_the_toy_stays_there(toy):
    assert found(ToyPattern.of(P)).ran_on == "toy" and toy.calls[:2] == ["check", "empty"]


def test_the_plan_is_plain_data(toy):
    request = Request()
    made = make_plan(ValuedSession(P, PACKAGE, VALUES), request, PACKAGE)
    assert (
        repr(pickle.loads(pickle.dumps(made))) == repr(made) == "<Plan: greedy, on toy, 1 thread>"
    )
    assert made.why() == "always: the only one" and made.within == 3 and not made.requested
    explained = json.loads(json.dumps(made.explain()))["decisions"]
    assert {what: rule["choice"] for what, rule in explained.items()} == {
        "threads": "one",
        "place": "toy",
        "algorithm": "greedy",
    }
    named = Request("greedy", backend="toy")
    made = make_plan(ValuedSession(P, PACKAGE, VALUES), named, PACKAGE)
    assert made.requested and made.named and made.why() == "" and made.within is None


@pytest.mark.parametrize("step", ["adopt", "run", "prove", "deliver"])
def test_a_failing_backend_is_replaced_by_the_cpu(toy, step):
    toy.fails_at = step
    with pytest.warns(BackendWarning, match=f"the toy broke in {step}; continued on the cpu"):
        assert found().ran_on == "cpu"


@pytest.mark.parametrize("step", ["check", "adopt", "run", "prove", "deliver"])
def test_a_requested_backend_that_fails_is_an_error(toy, step):
    toy.fails_at = step
    with pytest.raises(BackendUnavailableError, match=f"broke in {step}"):
        found(backend="toy")


@pytest.mark.parametrize("step", ["empty", "run"])
def test_the_toy_that_holds_the_matrix_fails(toy, step):
    """If the backend that holds the matrix fails, no other backend replaces it, because the result
    would not be where the caller expects it."""
    toy.fails_at = step
    with pytest.raises(BackendUnavailableError, match=f"broke in {step}"):
        found(ToyPattern.of(P))


def test_an_abandoned_search_starts_again_on_the_cpu(toy):
    toy.abandons = True
    run = found()
    assert run.ran_on == "cpu" and run.restarted == "greedy on a toy abandoned after 3 polls"
    assert run.seconds["given_up"] >= 0
    assert found(backend="toy").ran_on == "toy"  # a requested search has no bound


def test_an_undecided_proof_is_computed_on_the_cpu(toy):
    toy.undecided = True
    run = found()
    assert run.ran_on == "toy" and run.backend.name == "cpu" and toy.calls[-1] == "prove"


def test_a_wrong_matching_is_an_error(toy, monkeypatch):
    """No second algorithm repairs it."""

    def lies(problem):
        return {"edges": 0}

    monkeypatch.setattr(toy_weights, "greedy", lies)
    with pytest.raises(DefectError, match="not feasible"):
        found()
