# SPDX-License-Identifier: BSD-3-Clause
"""Plans by the rules of btfperm's own packages; test_toy.py has those of another package."""

from __future__ import annotations

import inspect
import pickle

import pytest
import scipy.sparse as sp

from btfperm import _core
from btfperm.backends.gpu import backend as gpu
from btfperm.backends.protocol import Session, ValuedSession
from btfperm.errors import InvalidArgumentError
from btfperm.path import make_plan as planning
from btfperm.path.decompose import place_of
from btfperm.path.make_plan import make_plan, plan_search
from btfperm.path.plan import Plan
from btfperm.path.request import Request
from btfperm.pattern import as_pattern
from btfperm.transversal.auto_table import DEFAULT

GRAPH = "weighted.graph"


@pytest.mark.parametrize(
    ("backend", "among", "name"),
    [
        ("cpu", "algorithm", DEFAULT),
        ("gpu", "algorithm", "meeting-trees"),
        ("mpi", "algorithm", "ms-bfs"),
        ("cpu", "published", "ms-bfs"),
        ("gpu", "published", "apfb-wr"),
        ("mpi", "published", "ms-bfs"),
    ],
)
def test_the_default_is_a_row_of_its_backend(backend, among, name):
    """The default has the options that the caller may set for its backend: only ms-bfs over ranks
    has `alpha`."""
    made = Plan("transversal", as_pattern([[1, 1], [0, 1]]), Request())
    made.backend, made.among = backend, among
    row = made.default()
    assert (row.name, row.backend) == (name, backend)
    assert row.has_option("alpha") == (backend == "mpi")


@pytest.mark.parametrize(
    ("package", "asked", "steps", "why"),
    [
        ("weighted", {}, "mc64, on cpu", "always: the largest product or sum"),
        ("weighted", {"algorithm": "heavy-perfect"}, "heavy-perfect, on cpu", ""),
        ("weighted", {"algorithm": "heavy-perfect", "backend": "gpu"}, "heavy-perfect, on gpu", ""),
        (
            "weighted.graph",
            {},
            "local-max, on cpu",
            "always: nearly the weight of greedy in less time",
        ),
        (GRAPH, {"algorithm": "gpa"}, "gpa, on cpu", ""),
        (
            "weighted.graph",
            {"backend": "gpu"},
            "local-max, on gpu",
            "always: nearly the weight of greedy",
        ),
        (GRAPH, {"algorithm": "local-max-external"}, "local-max-external, on cpu", ""),
    ],
)
def test_plans_of_weighted_searches(package, asked, steps, why):
    """Plans of weighted searches have no initial matching. No other backend may replace the
    requested one."""
    request = Request(**asked)
    made = make_plan(ValuedSession(as_pattern([[1, 1], [0, 1]]), package, None), request, package)
    assert repr(made) == f"<Plan: {steps}, 1 thread>" and made.why().startswith(why)
    assert made.named == ("algorithm" in asked) and bool(why) == (not made.named)
    assert made.requested == (made.backend == "gpu") and made.within is None
    taken = {what: rule["choice"] for what, rule in made.explain()["decisions"].items()}
    assert taken.get("algorithm") == (None if made.named else made.algorithm.name)
    assert taken.get("place") == ("cpu" if not asked else None)


@pytest.mark.parametrize(
    ("package", "asked", "message"),
    [
        ("weighted", {"backend": "gpu"}, "mc64 runs on the cpu backend, not on gpu"),
        ("weighted", {"algorithm": "local-max"}, "there are auto, mc64, heavy-perfect"),
        (GRAPH, {"algorithm": "mc64"}, "there are auto, local-max"),
        (
            "weighted.graph",
            {"options": {"p": 0.5}},
            "there are ties of local-max, limit of local-max",
        ),
    ],
)
def test_no_plan(package, asked, message):
    session = ValuedSession(as_pattern([[1, 1], [0, 1]]), package, None)
    with pytest.raises(InvalidArgumentError, match=message):
        make_plan(session, Request(**asked), package)


def plan_of(**asked):
    session = Session(as_pattern(sp.random(90, 60, density=0.1, random_state=1)))
    made = make_plan(session, Request(**asked), "transversal")
    plan_search(made, session, 7)
    return made


def test_limits_and_threads_are_fields_of_the_plan():
    made = plan_of(time_limit=2.5, max_work=70, initializer="greedy")
    assert (made.time_limit, made.max_work, made.threads) == (2.5, 70, 1)
    parts = made.explain()["plan"]
    assert (parts["time_limit"], parts["max_work"], parts["threads"]) == (2.5, 70, 1)
    assert (parts["backend"], parts["initializer"]) == ("cpu", "greedy")
    assert (parts["algorithm"], parts["within"]) == (made.algorithm.name, made.within)
    assert parts["reason"] == made.why() and parts["reason"].startswith("the start was 7 pairs")
    none = plan_of().explain()["plan"]
    assert none["time_limit"] is none["max_work"] is none["initializer"] is None


def test_a_restart_has_the_limits_of_the_caller():
    """The plan states the limits that the caller set. The request holds the remaining work, after
    the work of the first search is deducted."""
    asked = Request(max_work=70)
    asked.charge({"edges": 30})
    session = Session(as_pattern([[1, 1], [0, 1]]))
    again = make_plan(session, asked.on_cpu(), "transversal")
    assert (again.max_work, asked.work) == (70, 40)


@pytest.mark.parametrize(
    ("asked", "threads"),
    [({}, 6), ({"threads": 3}, 3), ({"deterministic": True}, 1), ({"backend": "gpu"}, 6)],
)
def test_the_rules_choose_the_threads_while_planning(monkeypatch, asked, threads):
    monkeypatch.setattr(planning, "start_threads", lambda wanted: wanted)
    monkeypatch.setattr(planning, "choose_threads", lambda asked, rule: asked or 6)
    monkeypatch.setattr(_core.backends, "threads_for_search", lambda nnz, wanted: wanted)
    made = plan_of(**asked)
    assert made.threads == made.features["threads"] == threads
    assert ("threads" in made.explain()["decisions"]) == (threads == 6)
    assert not made.threads_refused


@pytest.mark.parametrize(
    ("asked", "threads"),
    [
        ({}, 6),
        ({"algorithm": "apfb-wr"}, 1),
        ({"algorithm": "apfb-wr", "threads": 3}, 3),
        ({"threads": 3}, 3),
    ],
)
def test_one_thread_matches_before_a_search_on_a_gpu(monkeypatch, asked, threads):
    """The initializer before a search on a GPU uses one thread, unless the caller sets the number
    of threads (see `Backend.starts_in_order`)."""
    monkeypatch.setattr(planning, "start_threads", lambda wanted: wanted)
    monkeypatch.setattr(planning, "choose_threads", lambda asked, rule: asked or 6)
    monkeypatch.setattr(_core.backends, "threads_for_search", lambda nnz, wanted: wanted)
    made = plan_of(initializer="greedy", **asked)
    assert made.initializer_threads == threads
    assert made.explain()["plan"]["initializer_threads"] == threads


def test_threads_that_the_system_refuses(monkeypatch):
    monkeypatch.setattr(planning, "start_threads", lambda wanted: 2)
    monkeypatch.setattr(_core.backends, "threads_for_search", lambda nnz, wanted: wanted)
    made = plan_of(threads=5)
    assert (made.threads, made.threads_refused) == (2, True)


def test_to_explain_changes_nothing():
    made = plan_of()
    before = pickle.dumps(vars(made))
    first = made.explain()
    assert pickle.dumps(vars(made)) == before and made.explain() == first
    first["decisions"].clear()
    assert made.explain() != first


@pytest.mark.parametrize(
    ("nnz", "cores", "asked", "threads"),
    [
        (10, 64, None, 1),
        (999_999, 64, None, 1),
        (1_000_000, 64, None, 64),
        (4_999_999, 2, None, 1),
        (5_000_000, 2, None, 2),
        (10**9, 1, None, 1),
        (10, 64, 5, 5),
        (10**9, 64, 5, 5),
    ],
)
def test_threads(monkeypatch, nnz, cores, asked, threads):
    monkeypatch.setattr(planning, "usable_cores", lambda: cores)
    monkeypatch.setattr(planning, "start_threads", lambda wanted: wanted)
    monkeypatch.setattr(_core.backends, "threads_for_search", lambda nnz, wanted: wanted)
    # conftest.py may have wrapped it
    choose_threads = inspect.unwrap(planning.choose_threads)
    monkeypatch.setattr(planning, "choose_threads", choose_threads)
    assert planning.team_size(nnz, asked) == threads


@pytest.mark.parametrize(
    ("many", "forked", "in_use", "copies", "expected"),
    [
        (True, False, True, {}, (True, "uses a device already")),
        (True, False, False, {}, (False, "this process uses no device")),
        (True, True, True, {}, (False, "a process started by os.fork")),
        (False, False, True, {}, (False, "fewer than 9 entries")),
        (False, True, False, {0: "a copy"}, (True, "a device holds a copy")),
    ],
)
def test_a_gpu_states_why_it_decomposes_or_not(monkeypatch, many, forked, in_use, copies, expected):
    monkeypatch.setattr(gpu, "_WORTH_A_COPY", 3 if many else 9)
    monkeypatch.setattr(gpu, "is_forked", lambda: forked)
    monkeypatch.setattr(type(gpu.GPU), "is_in_use", lambda _: in_use)
    session = Session(as_pattern([[1, 1], [0, 1]]))
    session.keep_copies = True
    session.copies["pattern"] = copies
    place = place_of(session)
    is_faster, why = expected
    assert place["choice"] == ("gpu" if is_faster else "cpu")
    refused = [rule["fails"] for rule in place["passed_over"]]
    reasons = [place["because"]] if is_faster else refused
    assert len(reasons) == 1 and why in reasons[0]
