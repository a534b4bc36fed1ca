# SPDX-License-Identifier: BSD-3-Clause
"""``deterministic=True`` gives the same matching in each run and for each number of threads. The
tests of this option on a GPU are in `test_gpu_small.py`."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.backends.protocol import Session
from btfperm.errors import InvalidArgumentError
from btfperm.path.make_plan import make_plan
from btfperm.path.request import Request
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.transversal.methods import ROWS

PARALLEL = [row for row in ROWS if row.parallel]
MATRICES = {
    "square": families.random_rectangle(4_000, 4_000, 3, 5).A,
    "wide": families.random_rectangle(2_000, 4_000, 3, 6).A,
    "tall": families.random_rectangle(4_000, 2_000, 3, 7).A,
}
P = btfperm.as_pattern(MATRICES["square"])


@pytest.fixture(autouse=True)
def small_loops_are_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def assert_same(found):
    """Checks that all results have the arrays of the first."""
    first, *others = found
    for other in others:
        np.testing.assert_array_equal(other.row_match, first.row_match)
        np.testing.assert_array_equal(other.col_match, first.col_match)


def in_each_way(A, function=btfperm.maximum_transversal, **options):
    """Several runs with each number of threads."""
    return [
        function(A, threads=threads, deterministic=True, **options)
        for threads in (1, 2, 3, 4, None)
        for _ in range(3)
    ]


@pytest.mark.parametrize("name", MATRICES)
def test_auto(name):
    found = in_each_way(MATRICES[name])
    check_transversal(MATRICES[name], found[0], rank=btfperm.structural_rank(MATRICES[name]))
    assert_same(found)


@pytest.mark.parametrize("row", PARALLEL, ids=lambda row: row.name)
def test_algorithms_that_use_several_threads(row):
    which = {"initializer": row.name} if row.is_initializer else {"initializer": "none"}
    algorithm = "pothen-fan" if row.is_initializer else row.name
    assert_same(in_each_way(MATRICES["square"], algorithm=algorithm, **which))


@pytest.mark.parametrize("function", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_decompositions_accept_it(function):
    found = in_each_way(MATRICES["square"], function)
    assert_same([d.transversal for d in found])
    for d in found[1:]:
        np.testing.assert_array_equal(d.row_perm, found[0].row_perm)


def test_the_number_of_threads_does_not_change_what_auto_chooses():
    """Rules may depend on the number of threads, which is 1 for each of these calls."""
    chosen = set()
    for threads in (1, 4):
        request = Request(threads=threads, deterministic=True)
        assert request.threads == 1
        chosen.add(make_plan(Session(P), request, "transversal").features["threads"])
    assert chosen == {1}


def plan_of(has_initial=False, **asked):
    request = Request(deterministic=True, **asked)
    return make_plan(Session(P), request, "transversal", has_initial=has_initial)


def test_no_rule_moves_a_matrix_to_a_gpu(monkeypatch):
    from btfperm.path.rules import Rule
    from btfperm.transversal.auto_table import TABLE

    monkeypatch.setitem(TABLE, "place", (Rule("always", (), "gpu", "planted"),))
    other = make_plan(Session(P), Request(), "transversal")
    assert (other.backend, plan_of().backend) == ("gpu", "cpu")


@pytest.mark.parametrize("has_initial", [False, True])
@pytest.mark.parametrize(
    "asked", [{"backend": "gpu"}, {"device": 0}, {"algorithm": "ordered-trees"}]
)
def test_the_plan_for_a_gpu(asked, has_initial):
    plan = plan_of(has_initial, **asked)
    assert (plan.backend, plan.algorithm.name) == ("gpu", "ordered-trees")
    assert plan.initializer is None and plan.within is None
    assert plan.requested, "if the GPU fails, the CPU would give another matching"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"algorithm": "meeting-trees"}, "meeting-trees"),
        ({"algorithm": "apfb-wr"}, "apfb-wr"),
        ({"initializer": "red-blue", "backend": "gpu"}, "red-blue"),
    ],
)
def test_algorithms_of_a_gpu_that_depend_on_timing_are_refused(asked, name):
    with pytest.raises(InvalidArgumentError, match=f"{name} on the gpu backend may give another"):
        plan_of(**asked)


def test_a_backend_without_such_an_algorithm_is_refused():
    with pytest.raises(InvalidArgumentError, match="no algorithm on the toy backend"):
        btfperm.registry.find_deterministic("toy", "transversal")
