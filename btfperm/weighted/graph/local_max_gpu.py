# SPDX-License-Identifier: BSD-3-Clause
"""Driver of local-max for graphs on a GPU. The algorithm is described in ``local_max.cu`` and, for
the edges that are left after the limit, in ``local_max_chains.cu``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import _core
from btfperm.backends.gpu.arrays import BLOCK, minus_ones, upload
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.pattern.canonical_gpu import columns_of

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["local_max"]

_FILE = "weighted/graph/local_max.cu"
_CHAINS = "weighted/graph/local_max_chains.cu"
# Each launch ends with the round in which it has visited this number of edges, so that the host can
# check limits.
_LAUNCH_EDGES = 1 << 29


def local_max(
    graph: DeviceGraph, budget: Budget, seed: int, options: Mapping[str, Any]
) -> dict[str, int]:
    """Runs rounds until no edge is left or the budget ends them, and returns the counters.

    After `limit` visits of each edge, on average, the random numbers stay fixed, and chains of
    edges replace rounds. If edges remain after `limit` visits of each edge that was left, the CPU
    matches them in order of their weights. The option `limit` 0 sets no such limit.
    """
    width, edges = graph.indices.dtype, 0
    graph.clear()
    if not graph.nnz:
        return {"edges": 0}
    run = kernels(_FILE, width.name)
    state = SharedStruct(_FILE, "State")
    at = minus_ones(graph.n, width)
    lists = [_edge_list(graph) for _ in range(2)]
    of_blocks = run.totals_of_blocks("list_edges", BLOCK)
    heads = columns_of(graph.indptr, graph.nnz)
    entries = graph.nnz, heads, graph.indices, graph.weight_or_null
    run.launch_together("list_edges", BLOCK, *entries, *lists[0], at, of_blocks, state.array)
    del heads, entries
    most = math.ceil(options["limit"] * (state.fields()["size"] // 2)) or 1 << 62
    renewed = int(options["ties"] == "renewed")
    of_blocks = run.totals_of_blocks("run_rounds", BLOCK)
    while True:
        until = min(most, edges + budget.work_left(edges, _LAUNCH_EDGES))
        run.launch_together(
            "run_rounds", BLOCK, np.uint64(seed), renewed, np.uint64(until), *lists[0], *lists[1],
            at, graph.mate, graph.round_of, of_blocks, state.array,
        )  # fmt: skip
        fields = state.fields()
        edges, graph.rounds = fields["edges"], fields["rounds"]
        if not fields["size"] or budget.spent(edges):
            return {"edges": edges}
        if edges >= most:
            graph.rounds += 1
            size, turn = fields["size"], fields["turn"]
            ordered = [lists[turn], lists[1 - turn]]
            _match_chains(graph, ordered, size, at, seed, renewed, options["limit"])
            return {"edges": edges + size // 2, "sorted": size // 2}


_NULL: Any = np.uint64(0)


def _edge_list(graph: DeviceGraph) -> list[Any]:
    """Arrays for both entries of each edge: vertices, neighbours, weights (null: all are 1)."""
    import cupy

    vertices = [cupy.empty(graph.nnz, dtype=graph.indices.dtype) for _ in range(2)]
    return [*vertices, _NULL if graph.weight is None else cupy.empty(graph.nnz)]


def _match_chains(
    graph: DeviceGraph,
    lists: list[list[Any]],
    size: int,
    at: Any,
    seed: int,
    renewed: int,
    limit: float,
) -> None:
    """Matches the edges in the first `size` entries of the first list. The second list is
    workspace."""
    import cupy

    width = graph.indices.dtype
    run = kernels(_CHAINS, width.name)
    if graph.weight is None:
        lists = [[*parts[:2], cupy.full(size, 1.0)] for parts in lists]
    state = SharedStruct(_CHAINS, "State", {"size": size})
    second, link = (cupy.empty(graph.n, dtype=width) for _ in range(2))
    of_blocks = run.totals_of_blocks("match_chains", BLOCK)
    most, edges, turn = math.ceil(limit * (size // 2)), 0, 0
    while size and edges < most:
        until = np.uint64(min(most, edges + _LAUNCH_EDGES))
        run.launch_together(
            "match_chains", BLOCK, np.uint64(seed), renewed, graph.rounds, until, graph.n,
            *lists[0], *lists[1], at, second, link, graph.mate, graph.round_of, of_blocks,
            state.array,
        )  # fmt: skip
        fields = state.fields()
        edges, size, turn = fields["edges"], fields["size"], fields["turn"]
    if size:
        _sort(graph, [part[:size] for part in lists[turn]], seed, renewed)


def _sort(graph: DeviceGraph, rest: list[Any], seed: int, renewed: int) -> None:
    """The CPU sorts and matches the remaining edges, as ``local_max.hpp`` does."""
    v, u, weight = (part.get() for part in rest)
    once = u < v
    mate, round_of = graph.mate.get(), graph.round_of.get()
    _core.weighted.finish_local_max(
        np.ascontiguousarray(u[once]), np.ascontiguousarray(v[once]), weight[once], mate, round_of,
        seed=seed, renewed=bool(renewed), round=graph.rounds,
    )  # fmt: skip
    graph.mate, graph.round_of = upload(mate), upload(round_of)
