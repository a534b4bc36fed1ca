# SPDX-License-Identifier: BSD-3-Clause
"""The checks of a matching in a graph, and the bound on the weight of every matching.

Each algorithm guarantees one of three properties if no limit ends it. The checks depend on it:

* ``dominant`` (greedy, local-max, local-max-external): maximal and locally dominant, so at least
  half of the optimum. `local-max-external` has its own check (``external_certificate.hpp``)
* ``half`` (gpa): feasible duals of the algorithm prove at least half of the optimum. The matching
  need be neither maximal nor locally dominant
* ``maximal`` (hem, random-greedy, red-blue): no edge joins two unmatched vertices
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.errors import DefectError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import IndexArray
from btfperm.pattern.valued import position_of

if TYPE_CHECKING:
    from btfperm.weighted.graph_call import GraphProblem

__all__ = [
    "GUARANTEES",
    "Bound",
    "Facts",
    "MatchingCheck",
    "bounded",
    "certify",
    "check_duals",
    "check_matching",
    "find_bound",
    "judge",
    "judge_duals",
]

GUARANTEES = {
    "greedy": "dominant",
    "local-max": "dominant",
    "local-max-external": "dominant",
    "gpa": "half",
    "hem": "maximal",
    "random-greedy": "maximal",
    "red-blue": "maximal",
}

# Rounding errors of sums, relative to the largest dual, or to the sum.
_TOLERANCE = 1e-10
# Half of the smallest positive number is rounded to zero, so the sum of the duals of the two ends
# of an edge may be too small by the smallest positive number. Twice this error is allowed.
_LEAST = 2 * float(np.finfo(np.float64).smallest_subnormal)
# Parameters of the auction that finds the bound (``graph_bound.hpp``): the step of a bid, relative
# to the mean of the largest weights of the vertices, and the largest number of passes.
_STEP, _PASSES = 0.02, 8.0

Reals = npt.NDArray[np.float64]


class MatchingCheck(NamedTuple):
    """The facts about a matching that the checks find. `GraphMatching` explains the names."""

    size: int
    weight: float
    edges: int
    edges_left: npt.NDArray[np.int64]
    matched_share: Reals
    maximal: bool
    locally_dominant: bool


class Bound(NamedTuple):
    """Feasible duals, and a bound on the weight of every matching: their sum, plus a bound on
    rounding errors."""

    dual: Reals
    total: float


class Facts(NamedTuple):
    """What the passes over the vertices and the entries find.

    Attributes
    ----------
    wrong : a vertex whose mate is no neighbour, or has another mate; -1: there is none
    size, weight : number of matched edges, and the sum of their weights
    edges : number of edges of the graph
    free_at, heavy_at : position of an entry between two unmatched vertices, and of one that is
        heavier than the matched edges at both of its ends; -1: there is none
    in_round, removed : (rounds,) numbers of vertices matched and of edges removed in each round. An
        edge is removed in the round in which the first of its ends is matched
    """

    wrong: int
    size: int
    weight: float
    edges: int
    free_at: int
    heavy_at: int
    in_round: npt.NDArray[np.int64]
    removed: npt.NDArray[np.int64]


def certify(
    problem: GraphProblem, view: GraphProblem, stopped_by: str | None, *_: Any
) -> tuple[Reals, Reals, MatchingCheck, Bound]:
    """Checks the matching of a problem and the property that its algorithm guarantees. Returns the
    duals of the bound, once for the rows and once for the columns, the check and the bound."""
    guarantee = None if stopped_by else GUARANTEES.get(problem.found_by.name)
    graph = problem.pattern, problem.weight
    check = check_matching(*graph, problem.mate, problem.round_of, problem.rounds, guarantee)
    bound = find_bound(*graph, problem.mate, check, problem.own_dual, guarantee)
    return bound.dual, bound.dual, check, bound


def check_matching(
    pattern: Pattern,
    weight: Reals,
    mate: IndexArray,
    round_of: IndexArray,
    rounds: int,
    guarantee: str | None,
) -> MatchingCheck:
    """Checks that `mate` is a matching, and that it is maximal or locally dominant if `guarantee`
    requires this; counts the edges left after each round. O(n log n + nnz).

    Raises
    ------
    DefectError : one of these conditions does not hold
    """
    removed = np.zeros(rounds + 1, np.int64)
    found: tuple[int, int, float, int, int, int] = _core.weighted.check_graph_matching(
        pattern.indptr, pattern.indices, weight, mate, round_of, removed
    )
    rounds_of_matched = np.minimum(np.maximum(round_of[mate >= 0], 1), max(rounds, 1))
    in_round = np.bincount(rounds_of_matched, minlength=rounds + 1)[1 : rounds + 1]
    return judge(pattern, mate, Facts(*found, in_round, removed[1:]), guarantee)


def judge(pattern: Pattern, mate: Any, facts: Facts, guarantee: str | None) -> MatchingCheck:
    """Checks, by the facts about a matching, that it is legal and has the properties that its
    algorithm guarantees. Returns the part of the facts that the result shows.

    Raises
    ------
    DefectError : one of these conditions does not hold
    """
    if facts.wrong >= 0:
        raise DefectError(
            f"vertex {facts.wrong} is matched to {int(mate[facts.wrong])}, which is no edge or has "
            "another mate; please report this"
        )
    if guarantee in ("dominant", "maximal") and facts.free_at >= 0:
        u, v = position_of(pattern, facts.free_at)
        raise DefectError(
            f"the matching is not maximal: the vertices {u} and {v} are unmatched and have an "
            "edge; please report this"
        )
    if guarantee == "dominant" and facts.heavy_at >= 0:
        u, v = position_of(pattern, facts.heavy_at)
        raise DefectError(
            f"the matching is not locally dominant: the edge between {u} and {v} is heavier than "
            "the matched edges at its ends; please report this"
        )
    return MatchingCheck(
        size=facts.size,
        weight=facts.weight,
        edges=facts.edges,
        edges_left=facts.edges - np.cumsum(facts.removed),
        matched_share=np.cumsum(facts.in_round) / max(mate.size, 1),
        maximal=facts.free_at < 0,
        locally_dominant=facts.free_at < 0 and facts.heavy_at < 0,
    )


def find_bound(
    pattern: Pattern,
    weight: Reals,
    mate: IndexArray,
    check: MatchingCheck,
    own_dual: Reals,
    guarantee: str | None,
) -> Bound:
    """An upper bound on the weight of every matching. Each of the following gives feasible duals:
    an auction; the matching, if it is locally dominant; gpa. The duals with the smallest sum are
    lowered as far as they stay feasible. O(n + nnz).

    Raises
    ------
    DefectError : the duals of the algorithm do not prove its guarantee, or the matching is heavier
        than a bound
    """
    duals = []
    if guarantee == "half":
        total = check_duals(pattern, weight, own_dual, "gpa")
        if not check.weight >= total / 2 * (1 - _TOLERANCE):
            raise DefectError(
                f"the matching has the weight {check.weight:g}, less than half of {total:g}; "
                "please report this"
            )
        duals.append(own_dual)
    if check.locally_dominant:
        duals.append(_weights_of_mates(pattern, weight, mate))
    by_auction = np.empty(pattern.n)
    graph = (pattern.indptr, pattern.indices, weight)
    _core.weighted.bound_by_auction(*graph, by_auction, _STEP, _PASSES)
    duals.append(by_auction)
    dual = min(duals, key=lambda y: float(y.sum()))
    _core.weighted.tighten_duals(*graph, dual)
    return bounded(dual, check_duals(pattern, weight, dual, "the bound"), check)


def bounded(dual: Any, total: float, check: MatchingCheck) -> Bound:
    """The bound that feasible duals with the sum `total` give.

    Raises
    ------
    DefectError : the matching is heavier than the bound
    """
    if check.weight > total * (1 + _TOLERANCE):
        raise DefectError(
            f"the matching has the weight {check.weight:g}, more than its bound {total:g}; please "
            "report this"
        )
    return Bound(dual, max(total, check.weight))


def check_duals(pattern: Pattern, weight: Reals, dual: Reals, whose: str) -> float:
    """Checks that the duals are feasible. Returns their sum plus a bound on rounding errors.
    `whose` names the duals in a message.

    Raises
    ------
    DefectError : the duals are not feasible
    """
    excess, at, total, negative = _core.weighted.check_graph_duals(
        pattern.indptr, pattern.indices, weight, dual
    )
    where = whose if at < 0 else f"{whose} (entry {position_of(pattern, at)}: {excess:.1e})"
    return judge_duals(total, excess, dual.size, float(dual.max(initial=0.0)), negative, where)


def judge_duals(
    total: float, excess: float, n: int, largest: float, negative: bool, where: str
) -> float:
    """`total` + n * excess / 2, an upper bound in spite of rounding errors; `total` is the sum of
    the n duals.

    `excess` is the largest excess of a weight over the sum of its two duals. If each dual is raised
    by excess / 2, no weight exceeds the sum of its two duals.

    Raises
    ------
    DefectError : a dual is negative, or `excess` is above the tolerance for the `largest` dual
    """
    if negative or not excess <= _TOLERANCE * largest + _LEAST:
        raise DefectError(f"the duals of {where} are not feasible; please report this")
    return float(total + n * excess / 2)


def _weights_of_mates(pattern: Pattern, weight: Reals, mate: Any) -> Reals:
    """The weight of the matched edge of each vertex, or 0."""
    dual = np.zeros(pattern.n)
    cols = pattern.cols()
    matched = mate[cols] == pattern.indices
    dual[cols[matched]] = weight[matched]
    return dual
