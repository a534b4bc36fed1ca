# SPDX-License-Identifier: BSD-3-Clause
"""The checks of `match` fail on wrong answers."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm import _core
from btfperm.errors import DefectError
from btfperm.weighted import match as matching
from btfperm.weighted.graph_certificate import check_duals, check_matching, find_bound
from tests.checks.check_graph_matching import (
    check_bound,
    check_dominant,
    check_graph_matching,
    check_maximal,
)
from tests.weighted.graph.graphs import graph, path, random_graph

# The path 0 - 1 - 2 - 3 with the weights 2, 3, 2, and the vertex 4 alone
G = graph(5, [(0, 1), (1, 2), (2, 3)], [2.0, 3.0, 2.0])
V = btfperm.as_valued(G)
BEST, HEAVIEST = [1, 0, 3, 2, -1], [-1, 2, 1, -1, -1]


def checked(mate, guarantee="maximal"):
    mate = np.array(mate, dtype=V.pattern.indices.dtype)
    round_of = (mate >= 0).astype(mate.dtype)
    return check_matching(V.pattern, V.values, mate, round_of, 1, guarantee)


def test_right_answers_pass():
    best = checked(BEST)
    assert (best.weight, best.size, best.edges, best.maximal) == (4.0, 2, 3, True)
    assert not best.locally_dominant
    assert checked(HEAVIEST, "dominant").locally_dominant
    assert checked([-1] * 5, None).edges_left.tolist() == [3]


@pytest.mark.parametrize(
    "mate",
    [
        [1, 2, 1, -1, -1],  # 0 and 2 have the same mate
        [1, -1, -1, -1, -1],  # only one of two
        [2, -1, 0, -1, -1],  # no edge, beyond the only neighbour of 0
        [3, -1, -1, 0, -1],  # no edge, beyond the only neighbour of 0, below that of 3
        [0, -1, -1, -1, -1],  # itself
        [5, -1, -1, -1, -1],  # no vertex
        [-2, -1, -1, -1, -1],
        [-1, -1, -1, 4, 3],  # no edge, of a vertex without edges
    ],
)
def test_no_matching(mate):
    for guarantee in ("maximal", "half", None):
        with pytest.raises(DefectError, match="is matched to"):
            checked(mate, guarantee)
    with pytest.raises(AssertionError):
        check_graph_matching(G, np.array(mate))


def test_a_pair_that_lies_between_neighbours():
    """The matched vertices 0 and 1 are not adjacent, but each has a neighbour with a larger number
    than its mate."""
    A = btfperm.as_valued(graph(4, [(0, 3), (1, 2)], 1.0))
    mate = np.array([1, 0, -1, -1], dtype=A.pattern.indices.dtype)
    with pytest.raises(DefectError, match="is matched to"):
        check_matching(A.pattern, A.values, mate, np.ones_like(mate), 1, None)


def test_not_maximal():
    for guarantee in ("maximal", "dominant"):
        with pytest.raises(DefectError, match="not maximal: the vertices 2 and 3"):
            checked([1, 0, -1, -1, -1], guarantee)
    assert not checked([1, 0, -1, -1, -1], "half").maximal
    with pytest.raises(AssertionError):
        check_maximal(G, np.array([1, 0, -1, -1, -1]))


def test_not_locally_dominant():
    with pytest.raises(DefectError, match="not locally dominant: the edge between 1 and 2"):
        checked(BEST, "dominant")
    with pytest.raises(AssertionError):
        check_dominant(G, np.array(BEST))


@pytest.mark.parametrize(
    "dual", [[2, 0, 2.9, 0, 0], [2, 0, 3, -1, 0], [2, np.nan, 3, 0, 0], [0] * 5]
)
def test_duals_that_are_not_feasible(dual):
    with pytest.raises(DefectError, match="not feasible"):
        check_duals(V.pattern, V.values, np.array(dual, dtype=float), "a test")
    with pytest.raises(AssertionError):
        check_bound(G, np.array(dual, dtype=float), np.sum(dual))


def test_too_light_for_the_duals_of_gpa():
    dual = np.array([1, 2.5, 2.5, 1, 0])  # for each vertex, half of the weight of its edges
    mate = np.full(5, -1, V.pattern.indices.dtype)
    with pytest.raises(DefectError, match="less than half of 7"):
        find_bound(V.pattern, V.values, mate, checked(mate, None), dual, "half")
    assert find_bound(V.pattern, V.values, np.array(BEST), checked(BEST), dual, "half").total >= 4


def test_heavier_than_the_bound():
    fault = checked(BEST)._replace(weight=100.0)
    with pytest.raises(DefectError, match="more than its bound"):
        find_bound(V.pattern, V.values, np.array(BEST), fault, np.zeros(5), "maximal")


@pytest.mark.parametrize(("last", "left"), [(0, [0]), (9, [0]), (1, [0])])
def test_a_matched_vertex_counts_in_one_of_the_rounds(last, left):
    """A matched vertex whose round is beyond the last one counts in the last round, and one whose
    round is before the first counts in the first, as on a GPU."""
    mate, round_of = (np.array(x, V.pattern.indices.dtype) for x in (BEST, [last] * 4 + [0]))
    found = check_matching(V.pattern, V.values, mate, round_of, 1, "maximal")
    assert found.edges_left.tolist() == left and found.matched_share.tolist() == [0.8]
    found = check_matching(V.pattern, V.values, mate, np.maximum(round_of, 2), 2, "maximal")
    assert found.edges_left.tolist() == [3, 0]


def test_a_wrong_algorithm_is_detected(monkeypatch):
    """Every result passes the checks before it is returned."""
    A = random_graph(100, 400, 0)
    right = _core.weighted.greedy

    def wrong(indptr, indices, weight, mate, *rest, **how):
        answer = right(indptr, indices, weight, mate, *rest, **how)
        mate[np.flatnonzero(mate >= 0)[0]] = -1
        return answer

    monkeypatch.setattr(_core.weighted, "greedy", wrong)
    with pytest.raises(DefectError):
        btfperm.match(A, algorithm="greedy")


def test_a_fault_of_the_bound_is_detected(monkeypatch):
    def wrong(indptr, indices, weight, dual, *_):
        dual[:] = 0

    monkeypatch.setattr(_core.weighted, "bound_by_auction", wrong)
    with pytest.raises(DefectError, match="not feasible"):
        matching.match(path(4, 1.0), algorithm="hem")


@pytest.mark.parametrize("call", ["find_fault", "check_graph_matching", "greedy"])
def test_arrays_of_wrong_sizes_are_refused(call):
    P = V.pattern
    short = np.empty(2, P.indices.dtype)
    rest = {
        "find_fault": (),
        "check_graph_matching": (short, short, np.zeros(2, np.int64)),
        "greedy": (short, short, np.empty(2)),
    }[call]
    weight = V.values[:1] if call == "find_fault" else V.values
    with pytest.raises(ValueError, match="places"):
        getattr(_core.weighted, call)(P.indptr, P.indices, weight, *rest)
