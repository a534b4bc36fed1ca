# SPDX-License-Identifier: BSD-3-Clause
"""A backend and a package from this folder run through all steps without a change in btfperm."""

from __future__ import annotations

import dataclasses
import json
import pickle
import warnings

import numpy as np
import pytest

import btfperm
from btfperm import backends, registry
from btfperm.backends.protocol import Backend, Session
from btfperm.errors import BackendUnavailableError, BackendWarning, DefectWarning
from btfperm.path import failure, rules
from btfperm.path.decompose import decompose
from btfperm.path.fallback import Action, Event
from btfperm.path.make_plan import make_plan, plan_search
from btfperm.path.recertify import recertified
from btfperm.path.request import Request
from btfperm.path.run import match
from btfperm.registry import Algorithm
from btfperm.transversal.given import given_problem
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.path import toy_backend, toy_greedy
from tests.path.toy_backend import ToyPattern

A = families.random_rectangle(40, 40, 2.5, 3).A
RANK = btfperm.structural_rank(A)
SECOND = {
    "name": "hopcroft-karp",
    "package": "toy",
    "family": "augmenting",
    "backend": "cpu",
    "reference": "-",
    "summary": "-",
    "prefer": "-",
}


def rows():
    """greedy and finish on both backends, and the algorithm for repairs, which every package
    needs."""
    common = {"package": "toy", "reference": "-", "summary": "-", "prefer": "-"}
    for backend in ("toy", "cpu"):
        for name, family in (("greedy", "initial"), ("finish", "augmenting")):
            function = f"tests.path.toy_greedy:{name}"
            yield Algorithm(name=name, family=family, backend=backend, function=function, **common)
    yield Algorithm(**SECOND, function="tests.path.toy_greedy:finish")


@pytest.fixture
def toy(monkeypatch):
    """The toy backend and package, registered for one test."""
    backend = toy_backend.ToyBackend()
    monkeypatch.setattr(toy_backend, "TOY", backend)
    monkeypatch.setattr(failure, "_reported", set())
    rules.register_rules("toy", "tests.path.toy_greedy")
    backends.register("toy", "tests.path.toy_backend", "TOY", features=["toys"])
    added = list(rows())
    steps = [("certificate", "prove"), ("legality", "is_legal"), ("cover", "find_cover")]
    for row in added:
        registry.add(row)
    for name, function in steps:
        registry.add_step("toy", name, "cpu", "btfperm.transversal.certificate", function)
    yield backend
    for name, _ in steps:
        registry.remove_step("toy", name, "cpu")
    for row in added:
        registry.remove(row)
    backends.unregister("toy")


def found(given=None, pattern=None, **asked):
    return found_in(Session(pattern or btfperm.as_pattern(A)), given, **asked)


def found_in(session, given=None, **asked):
    request = Request(**asked)
    t = match(session, request, given, package="toy")
    check_transversal(A, t, rank=RANK)
    return t


def blocks(session, transversal, *, requested=False):
    """The decomposition on the toy backend, compared with that of btfperm."""
    done = decompose(
        session, transversal, lambda t: (t.row_match, t.col_match), 1, requested=requested
    )
    expected = btfperm.dulmage_mendelsohn(A)
    for field, array in done.form._asdict().items():
        assert np.array_equal(array, getattr(expected, field)), field
    return done


def test_a_name_belongs_to_its_package(toy):
    ours = registry.find("greedy", initializer=True)
    theirs = registry.find("greedy", initializer=True, package="toy")
    assert (ours.package, theirs.package) == ("transversal", "toy")
    assert theirs.load() is toy_greedy.greedy is not ours.load()
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown algorithm 'ss-dfs'"):
        registry.find("ss-dfs", initializer=False, package="toy")


def test_the_whole_path(toy):
    t = found()
    assert (t.backend, t.device, t.initializer) == ("toy", "a toy", "greedy")
    assert t.counters["start_toy"] == 1
    assert t.algorithm == ("none" if t.counters["start_edges"] == 0 else "finish")
    assert toy.calls[:2] == ["adopt", "run"] and toy.calls[-2:] == ["prove", "deliver"]
    assert t.explain()["decisions"]["place"]["choice"] == "toy"


@pytest.mark.parametrize("step", ["adopt", "run", "prove", "deliver"])
def test_a_failing_backend_is_replaced_by_the_cpu(toy, step):
    toy.fails_at = step
    with pytest.warns(BackendWarning, match=f"the toy broke in {step}; continued on the cpu"):
        t = found()
    assert t.backend == "cpu" and t.initializer == "greedy"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found().backend == "cpu"  # each failure is reported once


@pytest.mark.parametrize("step", ["check", "adopt", "run", "prove", "deliver"])
def test_a_requested_backend_that_fails_is_an_error(toy, step):
    toy.fails_at = step
    with pytest.raises(BackendUnavailableError, match=f"broke in {step}"):
        found(backend="toy")


def test_what_follows_a_failed_check_is_decided_by_after(toy, monkeypatch):
    toy.fails_at = "check"
    states = []

    def restarts(event, state):
        states.append((event, state.step, state.requested))
        return Action.WARN_AND_RESTART_ON_CPU

    monkeypatch.setattr("btfperm.path.run.after", restarts)
    with pytest.warns(BackendWarning, match="broke in check; continued on the cpu"):
        assert found(backend="toy").backend == "cpu"
    assert states == [(Event.BACKEND_FAILED, "check", True)]


def test_an_abandoned_search_starts_again_on_the_cpu(toy):
    toy.abandons = True
    t = found()
    assert t.backend == "cpu" and "on a toy abandoned after 3" in t.choice
    assert t.seconds["given_up"] >= 0


def test_a_matrix_of_the_toy_is_matched_and_decomposed_there(toy):
    session = Session(ToyPattern.of(A))
    t = found_in(session)
    assert t.backend == "toy" and "place" not in t.explain()["decisions"]
    done = blocks(session, t)
    assert toy.calls[-1] == "decompose" and done.session is session


@pytest.mark.parametrize("wants", [False, True])
def test_a_matrix_on_the_host_is_decomposed_where_a_backend_wants_it(toy, wants):
    toy.wants_to_decompose = wants
    session = Session(btfperm.as_pattern(A))
    t = found_in(session, backend="cpu")
    blocks(session, t)
    assert "decompose" not in toy.calls, "the session keeps no copies"
    session.keep_copies = True
    place = blocks(session, t).place
    assert ("decompose" in toy.calls) == wants
    assert place["choice"] == ("toy" if wants else "cpu")
    reason = "the toy was asked"
    refused = {"rule": "faster", "choice": "toy", "fails": reason}
    assert (place["because"] == reason) == wants
    assert (refused in place["passed_over"]) == (not wants)


@pytest.mark.parametrize("step", ["run", "decompose"])
def test_the_cpu_decomposes_where_the_toy_fails(toy, step):
    toy.fails_at = step
    session = Session(ToyPattern.of(A))
    with pytest.warns(BackendWarning, match=f"the toy broke in {step}; continued on the cpu"):
        done = blocks(session, found_in(session))
    assert done.session is session and session.pattern.is_on_host
    assert done.place["choice"] == "cpu" and ("decompose" in toy.calls) == (step == "decompose")
    rule = {"run": "home", "decompose": "after a failure"}
    assert done.place["rule"] == rule[step]
    assert done.place["because"].startswith("the toy broke" if step == "decompose" else "the")


def test_a_requested_toy_that_cannot_decompose_is_an_error(toy):
    session = Session(ToyPattern.of(A))
    t = found_in(session, backend="toy")
    toy.fails_at = "decompose"
    with pytest.raises(BackendUnavailableError, match="broke in decompose"):
        blocks(session, t, requested=True)


def test_a_matrix_of_the_toy_that_the_cpu_searches(toy):
    t = found(pattern=ToyPattern.of(A), backend="cpu")
    assert t.backend == "cpu" and toy.calls[-1] == "uploaded"


def test_the_plan_of_a_requested_toy_has_no_bound(toy):
    toy.abandons = True
    assert found(backend="toy", initializer="none").backend == "toy"


def test_a_plan_is_plain_data(toy):
    """A plan contains no functions, no arrays and no references to a matrix or a backend."""
    session = Session(ToyPattern.of(A))
    request = Request()
    made = make_plan(session, request, "toy")
    plan_search(made, session, 3)
    copy = pickle.loads(pickle.dumps(made))
    assert repr(copy) == repr(made) == "<Plan: greedy, then finish, on toy, 1 thread>"
    assert copy.explain() == made.explain() and json.dumps(made.explain())


def test_to_plan_copies_nothing_unless_a_rule_asks_for_a_feature(toy, monkeypatch):
    def planned():
        session = Session(ToyPattern.of(A))
        request = Request(backend="cpu")
        assert make_plan(session, request, "toy").backend == "cpu" and not toy.calls
        return session

    assert not planned().has_host_copy
    asks = rules.Rule("near", (rules.Condition("near", ">", 0.0),), "greedy", "so")
    monkeypatch.setitem(toy_greedy.TABLE, "start", (asks, *toy_greedy.TABLE["start"]))
    assert planned().has_host_copy


@pytest.mark.parametrize("toys", [0, 2])
def test_a_rule_asks_for_a_feature_of_the_toy(toy, toys, monkeypatch):
    toy.features["toys"] = toys
    asks = rules.Rule("no toy", (rules.Condition("toys", "<", 1),), "cpu", "so")
    monkeypatch.setitem(toy_greedy.TABLE, "place", (asks, *toy_greedy.TABLE["place"]))
    session = Session(btfperm.as_pattern(A))
    made = make_plan(session, Request(), "toy")
    assert made.backend == ("toy" if toys else "cpu") and toy.calls == ["measure toys"]
    passed_over = made.explain()["decisions"]["place"]["passed_over"]
    assert [rule["fails"] for rule in passed_over] == ["toys < 1, it is 2"] * (toys > 0)


def test_the_features_of_a_backend_end_with_it(toy):
    backends.register("another", "tests.path.toy_backend", "TOY", ["dolls"])
    assert backends.MEASURED_BY["dolls"] == "another"
    backends.unregister("another")
    assert "dolls" not in backends.MEASURED_BY and backends.MEASURED_BY["toys"] == "toy"


def test_the_toy_has_all_that_a_backend_needs(toy):
    needed = {name for name in vars(Backend) if not name.startswith("_")}
    needed |= vars(Backend)["__annotations__"].keys()
    assert "measure" in needed and all(hasattr(toy, name) for name in needed)


def test_a_restart_on_the_cpu_starts_from_the_matching_of_the_caller(toy):
    toy.abandons = True
    initial = btfperm.maximum_transversal(A).col_match.copy()
    initial[20:] = -1
    given = given_problem(btfperm.as_pattern(A), [*initial, 0])  # there is no column 40
    assert 0 < given.size < RANK
    t = found(given, ToyPattern.of(A), initializer="none")
    assert t.backend == "cpu" and "on a toy abandoned after 3" in t.choice
    assert t.counters["initial_dropped"] == 1


def test_an_abandoned_initializer_is_replaced_where_the_backend_is_requested(toy):
    toy.abandons = True
    t = found(backend="toy", algorithm="finish", initializer="auto")
    assert t.initializer == "greedy" and t.algorithm in ("finish", "none")


def test_an_undecided_proof_is_computed_on_the_cpu(toy):
    toy.undecided = True
    t = found()
    assert t.backend == "toy" and t.maximum and toy.calls[-1] == "prove"


@pytest.mark.parametrize("legal", [True, False])
def test_a_wrong_matching_is_repaired(toy, monkeypatch, legal):
    def lies(m, indptr, indices, row_match, col_match, *_):
        if legal:
            row_match[:], col_match[:] = -1, -1
        else:
            row_match[0] = np.flatnonzero(col_match != 0)[0]
        return 0, False, {"edges": 0}

    monkeypatch.setattr(toy_greedy, "finish", lies)
    monkeypatch.setattr(toy_greedy, "honest", HONEST, raising=False)
    second = Algorithm(**SECOND, function="tests.path.toy_greedy:honest")
    old = registry.find("hopcroft-karp", initializer=False, package="toy")
    registry.remove(old)
    registry.add(second)
    try:
        with pytest.warns(DefectWarning, match="went wrong, hopcroft-karp finished"):
            t = found()
    finally:
        registry.remove(second)
        registry.add(old)
    assert t.algorithm == "hopcroft-karp" and t.counters["second_edges"] >= 0


HONEST = toy_greedy.finish


@pytest.fixture
def recertifying(toy):
    """The toy backend checks transversals of the caller by `recertify` of toy_backend.py."""
    registry.add_step("toy", "recertification", "toy", "tests.path.toy_backend", "recertify")
    registry.add_step(
        "toy", "recertification", "cpu", "btfperm.transversal.certificate", "certified"
    )
    yield toy
    for backend in ("toy", "cpu"):
        registry.remove_step("toy", "recertification", backend)


@pytest.mark.parametrize("undecided", [False, True])
def test_a_transversal_is_certified_again_on_the_toy_or_the_cpu(recertifying, undecided):
    recertifying.undecided = undecided
    t = btfperm.maximum_transversal(A)
    found = recertified(ToyPattern.of(A), t, "toy")
    assert recertifying.calls == (["recertify", "uploaded"] if undecided else ["recertify"])
    assert found == t and found.verified
    wrong = dataclasses.replace(t, col_match=np.roll(t.col_match, 1))
    recertifying.undecided = True
    with pytest.raises(btfperm.InvalidArgumentError, match="belongs to another matrix"):
        recertified(ToyPattern.of(A), wrong, "toy")


def test_a_toy_that_fails_to_certify_again_is_an_error(recertifying):
    recertifying.fails_at = "recertify"
    with pytest.raises(BackendUnavailableError, match="broke in recertify"):
        recertified(ToyPattern.of(A), btfperm.maximum_transversal(A), "toy")


def test_what_follows_a_failed_certification_is_decided_by_after(recertifying, monkeypatch):
    recertifying.fails_at = "recertify"
    answers = {
        Event.BACKEND_FAILED: Action.WARN_AND_RESTART_ON_CPU,
        Event.UNDECIDED: Action.PROVE_ON_CPU,
    }
    monkeypatch.setattr("btfperm.path.recertify.after", lambda event, _: answers[event])
    t = btfperm.maximum_transversal(A)
    with pytest.warns(BackendWarning, match="broke in recertify; continued on the cpu"):
        assert recertified(ToyPattern.of(A), t, "toy") == t
    answers[Event.UNDECIDED] = Action.RAISE
    with (
        pytest.warns(BackendWarning),
        pytest.raises(BackendUnavailableError, match="toy could not check the transversal"),
    ):
        recertified(ToyPattern.of(A), t, "toy")


def test_an_unknown_backend_is_refused(toy):
    assert backends.names() == ("cpu", "gpu", "mpi", "toy")
    with pytest.raises(btfperm.InvalidArgumentError, match="there are auto, cpu, gpu, mpi, toy"):
        backends.check_backend("tpu")


def test_rules_are_found_by_package():
    assert rules.rules_of("transversal").TABLE["start"]
