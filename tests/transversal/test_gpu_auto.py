# SPDX-License-Identifier: BSD-3-Clause
"""`auto` on a machine with a GPU: it searches on the GPU, and abandons deep searches, which then
start again on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings

import btfperm
from btfperm.path.rules import Rule
from btfperm.pattern import as_pattern
from btfperm.pattern.features import sample
from btfperm.transversal.auto_table import TABLE
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.on_device import needs_a_device
from tests.oracles import plain_matching
from tests.transversal.methods import on_device

pytestmark = pytest.mark.gpu


@pytest.fixture
def takes_a_gpu(monkeypatch):
    """Returns a function that sets rules of the table: `place` is always the GPU; a keyword x
    replaces the rules "x on gpu"."""

    def rules(**others):
        monkeypatch.setitem(TABLE, "place", (Rule("always", (), "gpu", "so"),))
        for what, rule in others.items():
            monkeypatch.setitem(TABLE, f"{what} on gpu", (rule,))

    return rules


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(A=strategies.any_matrix())
def test_auto_on_a_gpu(takes_a_gpu, A):
    takes_a_gpu()
    t = btfperm.maximum_transversal(A)
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
    decisions = t.explain()["decisions"]
    assert decisions["place"]["choice"] == t.backend == "gpu"
    assert decisions["start on gpu"]["choice"] == t.initializer
    assert "start" not in decisions


@pytest.mark.parametrize("algorithm", ["apfb-wr", "g-pr-shr"])
@pytest.mark.parametrize("place", ["on host", "on device"])
def test_a_deep_search_is_abandoned_and_done_on_the_cpu(takes_a_gpu, algorithm, place):
    takes_a_gpu(algorithm=Rule("rash", (), algorithm, "so", within=2))
    hard = families.renumbered(families.chain(20_000), "mixed", seed=3)
    A, shape = (hard.A, {}) if place == "on host" else on_device(hard.A, "triple")
    t = btfperm.maximum_transversal(A, **shape)
    assert t.backend == "cpu" and f"{algorithm} on a gpu abandoned after 2 polls" in t.choice
    assert t.seconds["given_up"] > 0
    assert {"algorithm", "algorithm on gpu"} <= t.explain()["decisions"].keys()
    assert isinstance(t.row_match, np.ndarray) == (place == "on host")
    check_transversal(hard.A, t.on_host(), rank=hard.rank)
    stays = btfperm.maximum_transversal(A, backend="gpu", **shape)
    assert stays.backend == "gpu" and stays.algorithm == algorithm
    check_transversal(hard.A, stays.on_host(), rank=hard.rank)


def test_meeting_trees_is_abandoned_if_it_reads_few_entries(takes_a_gpu, monkeypatch):
    from btfperm.transversal.augmenting import meeting_trees_gpu

    start = Rule("by itself", (), "none", "so")
    takes_a_gpu(start=start, algorithm=Rule("rash", (), "meeting-trees", "so", within=2))
    hard = families.renumbered(families.chain(6_000), "mixed", seed=3)
    stays = btfperm.maximum_transversal(hard.A, backend="gpu")
    assert stays.algorithm == "meeting-trees" and stays.structural_rank == hard.rank
    # A launch has at most 32 rounds, and one or two more to end a phase.
    assert stays.counters["launches"] >= stays.counters["rounds"] / 34
    monkeypatch.setattr(meeting_trees_gpu, "_LAUNCH_ROUNDS", 1)
    t = btfperm.maximum_transversal(hard.A)
    assert t.backend == "cpu" and "meeting-trees on a gpu abandoned after 2 polls" in t.choice
    check_transversal(hard.A, t, rank=hard.rank)


def test_a_start_with_long_chains_is_made_on_the_cpu():
    needs_a_device("few concurrent threads make no long chains")
    n = 60_000
    A = sp.diags_array([np.ones(n)] * 2, offsets=[0, 1], shape=(n, n), format="csc")
    t = btfperm.maximum_transversal(A, backend="gpu")
    assert t.initializer == "greedy" and t.structural_rank == n
    assert "start_launches" not in t.counters, "this start ran on the cpu"
    named = btfperm.maximum_transversal(A, backend="gpu", initializer="greedy")
    assert named.counters["start_launches"] > 3 and named.structural_rank == n


def test_only_column_pointers_of_a_device_matrix_are_sampled():
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    theirs, shape = on_device(A, "triple")
    seen, whole = sample(as_pattern(theirs, **shape)), np.diff(as_pattern(A).indptr)
    assert abs(seen["skew"] - whole.std() / whole.mean()) < 0.2
    assert 0 < seen["longest"] <= whole.max()
    t = btfperm.maximum_transversal(theirs, **shape)
    assert t.backend == "gpu" and t.explain()["features"]["skew"] is None, "no rule uses it"
