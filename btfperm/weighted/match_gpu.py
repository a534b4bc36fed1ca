# SPDX-License-Identifier: BSD-3-Clause
"""The first and the last step for a graph that the caller holds on a device: the check of the
graph, and the check of the matching. Both run on this device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import device_of
from btfperm.backends.gpu.device import on
from btfperm.pattern.valued import position_of
from btfperm.weighted.device_graph import DeviceGraph, refuse_small_device
from btfperm.weighted.graph_call import scaled, unit_of
from btfperm.weighted.graph_certificate import (
    GUARANTEES,
    Bound,
    Facts,
    MatchingCheck,
    bounded,
    judge,
    judge_duals,
)
from btfperm.weighted.graph_certificate_gpu import DeviceChecks
from btfperm.weighted.graph_faults import refuse_fault, refuse_rectangles

if TYPE_CHECKING:
    from btfperm.backends.protocol import ValuedSession

__all__ = ["certify", "graph_there"]


def graph_there(session: ValuedSession, threads: int) -> DeviceGraph:
    """The graph of a session on the device that holds it, checked.

    Raises
    ------
    InvalidMatrixError : the matrix is not symmetric, or a weight is not positive or not finite
    BackendUnavailableError : the GPU fails, or its free memory is too small
    """
    pattern: Any = session.pattern
    weight = session.values
    refuse_rectangles(pattern)
    with on(device_of(pattern.indices)) as device:
        refuse_small_device(pattern.n, pattern.indices)
        graph = DeviceGraph(pattern.indptr, pattern.indices, weight)
        fault, p, largest = DeviceChecks(graph).find_fault()
        if fault:
            i, j = position_of(pattern, p)
            value = 1.0 if weight is None else float(weight[p])
            refuse_fault(pattern, fault, i, j, value, _weight_at(graph, j, i))
        graph.unit = unit_of(largest)
        if graph.unit != 1.0:
            graph.weight = scaled(weight, graph.unit)
    graph.pattern, graph.device = pattern, device
    return graph


def certify(
    problem: DeviceGraph, view: DeviceGraph, stopped_by: str | None, *_: Any
) -> tuple[Any, Any, MatchingCheck, Bound] | None:
    """The same as `certify` of ``graph_certificate.py``. None for a graph that was copied from the
    host: the caller then certifies on the host, which finds a better bound.

    Raises
    ------
    DefectError : the matching has not the property that its algorithm guarantees
    """
    if problem.host is not None:
        return None
    assert problem.found_by is not None
    guarantee = None if stopped_by else GUARANTEES[problem.found_by.name]
    with on(problem.device):
        checks = DeviceChecks(problem)
        facts = checks.check(problem.mate, problem.round_of, problem.rounds)
        counted = {name: facts[name] for name in Facts._fields}
        check = judge(problem.pattern, problem.mate, Facts(**counted), guarantee)
        bound = _bound_there(checks, facts, check)
    return bound.dual, bound.dual, check, bound


def _weight_at(graph: DeviceGraph, i: int, j: int) -> float:
    """The weight of entry (i, j), for a message; NaN if there is none."""
    begin, end = (int(graph.indptr[k]) for k in (j, j + 1))
    found = np.flatnonzero(graph.indices[begin:end].get() == i)
    if graph.weight is None or not found.size:
        return np.nan
    return float(graph.weight[begin + int(found[0])])


def _bound_there(checks: DeviceChecks, facts: Mapping[str, Any], check: MatchingCheck) -> Bound:
    """The better of two bounds: half of the heaviest edge of each vertex, and the weights of the
    matched edges if the matching is locally dominant."""
    names = ["half_of_heaviest", *(["matched_weight"] if check.locally_dominant else [])]
    totals = {name: checks.total(facts[name]) for name in names}
    best = min(names, key=totals.__getitem__)
    excess, largest, negative = checks.find_excess(facts[best])
    n = facts[best].size
    total = judge_duals(totals[best], excess, n, largest, negative, "the bound")
    return bounded(facts[best], total, check)
