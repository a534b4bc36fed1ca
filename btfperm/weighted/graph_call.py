# SPDX-License-Identifier: BSD-3-Clause
"""The object that algorithms for graphs on the CPU work on, and the result of a call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import backends
from btfperm.registry import Algorithm
from btfperm.weighted.graph_input import on_host, refuse_faults

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session, ValuedSession
    from btfperm.path.run import Run
    from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["PACKAGE", "GraphProblem", "OfVertices", "fields_of", "scaled", "unit_of"]

PACKAGE = "weighted.graph"  # the package of the rules and of the steps in the registry

_LIMITS = ("time_limit", "max_work", "threads", "seed", "options")
_LARGEST_EXPONENT = 960  # fewer than 2^63 weights below 2^960 have a finite sum
_SMALL = 2.0**-_LARGEST_EXPONENT  # if all weights are between it and its inverse, the unit is 1


def unit_of(largest: float) -> float:
    """The power of 2 by which the weights are divided if the largest weight is `largest`. Without
    the division, sums of large weights may overflow, and half of a very small weight is not exact.
    A quotient is exact unless it is too small for a normal number."""
    exponent = math.frexp(largest)[1]
    excess = max(exponent - _LARGEST_EXPONENT, 0) + min(exponent + _LARGEST_EXPONENT, 0)
    return 2.0**excess


def scaled(weight: Any, unit: float) -> Any:
    """The weights divided by `unit`. Quotients that would be rounded to 0 become the smallest
    positive number."""
    with np.errstate(over="ignore"):  # only entries of the diagonal may overflow
        return np.maximum(weight / unit, np.nextafter(0, 1))


class OfVertices:
    """A problem whose matching is symmetric: `row_match` and `col_match` are the array `mate`."""

    mate: Any

    @property
    def row_match(self) -> Any:
        return self.mate

    col_match = row_match


class GraphProblem(OfVertices):
    """A graph on the host, and the current matching of its vertices.

    Attributes
    ----------
    pattern : the symmetric matrix; indptr, indices: its columns
    unit : see `unit_of`; weight: of each entry, in this unit
    mate : the vertex matched to each vertex, or -1, set by the algorithm
    round_of : the round in which each vertex was matched, from 1 on; rounds: number of rounds
    own_dual : the duals that gpa stores; zeros with other algorithms
    found_by : the algorithm that ran last

    Raises
    ------
    InvalidMatrixError : the matrix is not symmetric, or a weight is not positive or not finite
    """

    found_by: Algorithm

    def __init__(self, session: ValuedSession, threads: int) -> None:
        pattern, weight = on_host(session.pattern, session.values)
        refuse_faults(pattern, weight)
        self.unit = 1.0
        if not (weight.min(initial=1.0) > _SMALL and weight.max(initial=1.0) < 1 / _SMALL):
            edges = pattern.indices != pattern.cols()  # the diagonal is ignored
            self.unit = unit_of(float(weight.max(initial=0.0, where=edges)))
        self.pattern, self.indptr, self.indices = pattern, pattern.indptr, pattern.indices
        self.weight = weight if self.unit == 1.0 else scaled(weight, self.unit)
        self.mate, self.round_of = (np.empty(pattern.n, pattern.indices.dtype) for _ in range(2))
        self.own_dual = np.empty(pattern.n)
        self.rounds = 0

    def run(
        self, function: Callable[..., Any], *limits: Any
    ) -> tuple[int, dict[str, int | list[int]]]:
        """See `btfperm.backends.cpu.problem.Problem.run`."""
        arrays = self.indptr, self.indices, self.weight, self.mate, self.round_of, self.own_dual
        stop, self.rounds, visited, in_order = function(
            *arrays, **dict(zip(_LIMITS, limits, strict=True))
        )
        return stop, {"edges": visited, **({"sorted": in_order} if in_order else {})}

    def on_host(self) -> GraphProblem:
        """This problem, which is on the host already."""
        return self

    def on_device(self, session: Session, device: int | None) -> DeviceGraph:
        """A copy of the graph on a GPU."""
        from btfperm.weighted.device_graph import DeviceGraph

        return DeviceGraph.of_problem(self, device)


def fields_of(run: Run, read: float) -> dict[str, Any]:
    """The fields of the result that a run determines. Weights and duals are multiplied by the unit
    (see `unit_of`); `read` is the number of seconds before the run."""
    assert run.arrays is not None and run.proof is not None and run.algorithm is not None
    mate, _, dual, _ = run.arrays
    check, bound = run.proof[2:]
    unit, row, spent = run.problem.unit, run.algorithm, run.seconds
    if unit != 1.0:
        with np.errstate(over="ignore"):
            dual = dual * unit
    seconds = {"read": read + spent["start"]}
    if row.backend != run.session.pattern.backend and not backends.get(row.backend).is_on_host:
        seconds["copy"] = spent["transfer"]
    seconds |= {"match": spent["search"], "check": spent["certificate"]}
    return {
        "mate": mate,
        "weight": check.weight * unit,
        "size": check.size,
        "edges": check.edges,
        "rounds": run.problem.rounds,
        "edges_left": check.edges_left,
        "matched_share": check.matched_share,
        "maximal": check.maximal,
        "locally_dominant": check.locally_dominant,
        "upper_bound": bound.total * unit,
        "dual": dual,
        "algorithm": row.name,
        "backend": row.backend,
        "stopped_by": run.stopped_by,
        "counters": run.counters,
        "seconds": seconds,
        "explain": run.plan.explain,
    }
