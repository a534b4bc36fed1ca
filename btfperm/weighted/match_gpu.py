# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms for graphs on a GPU: `run_on_gpu` for a graph of the host, `match_there` for a graph
on a device, which stays there and is checked there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import device_of
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.device import on
from btfperm.pattern.valued import position_of
from btfperm.registry import Algorithm
from btfperm.results.graph_matching import GraphMatching
from btfperm.weighted.device_graph import DeviceGraph, refuse_small_device
from btfperm.weighted.graph_call import Call, Clock, Run, result_of, unit_of
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

__all__ = ["match_there", "run_on_gpu"]


def run_on_gpu(
    row: Algorithm,
    clock: Clock,
    indptr: Any,
    indices: Any,
    weight: Any,
    mate: Any,
    round_of: Any,
    dual: Any,
    *,
    time_limit: float,
    max_work: int,
    threads: int,
    seed: int,
    options: Mapping[str, float],
) -> tuple[int, int, int, int]:
    """Has the contract of the functions of the core for graphs: sets mate and round_of, and returns
    the code of the limit that stopped it, and the numbers of rounds, visited edges and sorted
    edges. The copies between host and device are a stage of their own.

    Raises
    ------
    BackendUnavailableError : there is no GPU, it fails, or its free memory is too small
    """
    import cupy

    budget = Budget(time_limit, max_work)
    all_ones = bool((weight == 1.0).all())
    with on(None):
        graph = DeviceGraph.of_host(indptr, indices, None if all_ones else weight)
        cupy.cuda.get_current_stream().synchronize()
        clock.stop("copy")
        found = row.load()(graph, budget, seed, options)
        clock.stop("match")
        mate[:], round_of[:] = found.mate.get(), found.round_of.get()
        clock.stop("copy")
    dual[:] = 0.0
    return budget.stop, found.rounds, found.edges, found.sorted


def match_there(pattern: Any, weight: Any, call: Call, begin: float) -> GraphMatching:
    """The matching by one algorithm, its checks and its bound, on the device that holds the graph.

    Parameters
    ----------
    pattern : a `DevicePattern`
    weight : the weight of each entry, on the same device; None: all are 1

    Raises
    ------
    InvalidMatrixError, DefectError : as for `match`
    BackendUnavailableError : the GPU fails, or its free memory is too small
    """
    refuse_rectangles(pattern)
    row, request = call.row, call.request
    with on(device_of(pattern.indices)):
        refuse_small_device(pattern.n, pattern.indices)
        graph, unit = _checked_graph(pattern, weight)
        clock = Clock(begin, "read")
        budget = Budget(request.seconds_left(), request.work or 0)
        found = row.load()(graph, budget, request.seed, call.options)
        clock.stop("match")
        guarantee = None if budget.stop else GUARANTEES[row.name]
        checks = DeviceChecks(graph)
        facts = checks.check(found.mate, found.round_of, found.rounds)
        counted = {name: facts[name] for name in Facts._fields}
        check = judge(pattern, found.mate, Facts(**counted), guarantee)
        bound = _bound_there(checks, facts, check)
        clock.stop("check")
        run = Run(found.mate, budget.stop, found.rounds, found.edges, found.sorted, unit)
        return result_of(row, run, check, bound, clock.seconds)


def _checked_graph(pattern: Any, weight: Any) -> tuple[DeviceGraph, float]:
    """The graph with its weights divided by a unit, see `unit_of`, and this unit.

    Raises
    ------
    InvalidMatrixError : the matrix is not symmetric, or a weight is not positive or not finite
    """
    import cupy

    graph = DeviceGraph(pattern.indptr, pattern.indices, weight)
    fault, p, largest = DeviceChecks(graph).find_fault()
    if fault:
        i, j = position_of(pattern, p)
        value = 1.0 if weight is None else float(weight[p])
        refuse_fault(pattern, fault, i, j, value, _weight_at(graph, j, i))
    unit = unit_of(largest)
    if unit != 1.0:
        scaled = cupy.maximum(weight / unit, np.nextafter(0, 1))
        graph = DeviceGraph(graph.indptr, graph.indices, scaled)
    return graph, unit


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
