# SPDX-License-Identifier: BSD-3-Clause
"""``algorithm="published"``: its rules on a GPU, and its errors. `test_auto.py` has a matrix for
each rule for the CPU, except those for many threads; `test_gpu_small.py` runs ``published`` on a
GPU."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.backends.protocol import Session
from btfperm.path import request
from btfperm.path.make_plan import make_plan, plan_search
from btfperm.path.rules import Condition
from btfperm.transversal.auto_table import TABLE
from tests.checks.check_transversal import check_transversal
from tests.transversal.test_auto import LARGE, first, random

MEDIUM = {"threads": 16, "entries": 1_000_000}


@pytest.mark.parametrize(
    ("rule", "known"),
    [
        ("uneven columns", {"entries": 200_000, "degree": 4.2, "skew": 1.0}),
        ("uneven, long columns", {"entries": 200_000, "degree": 12.0, "skew": 0.6}),
        ("uneven, short columns", {"entries": 200_000, "degree": 4.2, "skew": 0.6}),
        ("large, irregular", {"entries": 20_000_000, "degree": 3.0, "depth": 900}),
        ("the rest", {"entries": 19_999_999, "degree": 3.0, "depth": 900}),
        ("large, few unmatched", {"entries": 20_000_000, "skew": 0.2, "free": 0.01}),
        ("very long paths", {"entries": 20_000_000, "skew": 0.2, "depth": 900}),
        ("the rest", {"entries": 10_000_000, "skew": 0.2, "depth": 900}),
        ("the rest", {"skew": 0.2}),
        ("the rest", {"entries": 200_000, "skew": 1.0, "degree": 3.0}),
        ("the rest", {"entries": 200_000, "skew": 0.6, "degree": 7.0}),
    ],
)
def test_which_published_search_on_a_gpu(rule, known):
    taken = first("published on gpu", LARGE | {"free": 0.1, "depth": 20} | known)
    assert taken.name == rule
    assert taken.choice == ("apfb-wr" if rule == "the rest" else "g-pr-shr")


@pytest.mark.parametrize(
    ("rule", "choice", "known"),
    [
        ("large, many threads", "ms-bfs-graft", {"threads": 16}),
        ("large, many threads", "ms-bfs-graft", {"threads": 4, "entries": 5_000_000}),
        ("the rest", "ms-bfs", {"threads": 3}),
        ("the rest", "ms-bfs", {"threads": 1}),
        ("sixteen threads", "p-dbfs", {"threads": 16, "entries": 4_999_999}),
        ("sixteen threads", "p-dbfs", {"threads": 64, "entries": 500_000}),
        ("few unmatched, sixteen threads", "ms-bfs", MEDIUM | {"free": 0.0001}),
        ("sixteen threads", "p-dbfs", MEDIUM | {"free": 0.0002}),
        ("many unmatched, sixteen threads", "ms-bfs-graft", MEDIUM | {"free": 0.25}),
        ("long columns, sixteen threads", "pothen-fan", MEDIUM | {"free": 0.3, "degree": 40}),
        ("the rest", "ms-bfs", {"threads": 15, "entries": 4_999_999}),
        ("the rest", "ms-bfs", {"threads": 16, "entries": 499_999}),
        ("dense", "pothen-fan", {"threads": 16, "density": 0.2}),
        ("small", "ss-bfs", {"threads": 16, "entries": 15_999}),
    ],
)
def test_which_published_search_on_the_cpu(rule, choice, known):
    taken = first("published", LARGE | {"free": 0.1} | known)
    assert (taken.name, taken.choice) == (rule, choice)


@pytest.fixture(scope="module")
def five_million():
    """The pattern of a band with five million entries."""
    n = 1_000_000
    indices = np.arange(n).reshape(-1, 1) + np.arange(5)
    indices = np.sort(indices % n, axis=1).astype(np.int32).ravel()
    return btfperm.as_pattern(
        (None, indices, np.arange(0, 5 * n + 1, 5, dtype=np.int32)), shape=(n, n)
    )


@pytest.mark.parametrize(("threads", "choice"), [(1, "ms-bfs"), (16, "ms-bfs-graft")])
def test_the_plan_depends_on_the_number_of_threads(five_million, monkeypatch, threads, choice):
    monkeypatch.setattr("btfperm.path.make_plan.start_threads", lambda wanted: wanted)
    asked = request.Request("published", backend="cpu", threads=threads)
    session = Session(five_million)
    plan = make_plan(session, asked, "transversal")
    plan_search(plan, session, 10)
    assert plan.algorithm.name == choice
    explained = plan.explain()
    decision = explained["decisions"]["published"]
    assert decision["choice"] == choice and explained["features"]["threads"] == threads
    fails = {each["rule"]: each["fails"] for each in decision["passed_over"]}
    if threads == 1:
        assert fails["large, many threads"] == "threads >= 4, it is 1"
    else:
        assert "the best published search on several threads" in plan.why()


def test_a_search_on_many_threads_is_explained_and_right(monkeypatch):
    rules = [
        rule._replace(when=(Condition("threads", ">=", 4),))
        if rule.name == "large, many threads"
        else rule
        for rule in TABLE["published"]
    ]
    monkeypatch.setitem(TABLE, "published", tuple(rules))
    A = random(60_000, 60_000, 2.5)
    before = _core.backends.share_always(True)
    try:
        t = btfperm.maximum_transversal(A, algorithm="published", threads=4)
    finally:
        _core.backends.share_always(before)
    assert t.algorithm == "ms-bfs-graft" and t.maximum and "large, many threads" in t.choice
    check_transversal(A, t, rank=btfperm.maximum_transversal(A, threads=1).size)
    t = btfperm.maximum_transversal(A, algorithm="published", threads=4, deterministic=True)
    assert t.algorithm == "ms-bfs"


def test_published_is_no_algorithm_that_runs_with_another_ones_options():
    A = random(300, 300, 3)
    t = btfperm.maximum_transversal(A, algorithm="published", deterministic=True)
    assert t.algorithm == "ss-bfs" and t.maximum
    with pytest.raises(btfperm.InvalidArgumentError, match="no algorithm of this run"):
        btfperm.maximum_transversal(A, algorithm="published", options={"alpha": 5})
    with pytest.raises(btfperm.InvalidArgumentError, match="similar: published; "):
        btfperm.maximum_transversal(A, algorithm="publshed")
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown initializer"):
        btfperm.maximum_transversal(A, initializer="published")
