# SPDX-License-Identifier: BSD-3-Clause
"""Driver of local-max for graphs on a GPU. The algorithm is described in ``local_max.cu``."""

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
# Each launch ends with the round in which it has visited this number of edges, so that the host can
# check limits.
_LAUNCH_EDGES = 1 << 29


def local_max(
    graph: DeviceGraph, budget: Budget, seed: int, options: Mapping[str, Any]
) -> dict[str, int]:
    """Runs rounds until no edge is left or the budget ends them, and returns the counters.

    After `limit` visits of each edge, on average, the CPU matches the edges that are left, in order
    of their weights. The option `limit` 0 sets no such limit.
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
            rest = [part[: fields["size"]] for part in lists[fields["turn"]] if part is not _NULL]
            in_order = _finish(graph, rest, seed, renewed)
            return {"edges": edges + in_order, **({"sorted": in_order} if in_order else {})}


_NULL: Any = np.uint64(0)


def _edge_list(graph: DeviceGraph) -> list[Any]:
    """Arrays for both entries of each edge: vertices, neighbours, weights (null: all are 1)."""
    import cupy

    vertices = [cupy.empty(graph.nnz, dtype=graph.indices.dtype) for _ in range(2)]
    return [*vertices, _NULL if graph.weight is None else cupy.empty(graph.nnz)]


def _finish(graph: DeviceGraph, rest: list[Any], seed: int, renewed: int) -> int:
    """The CPU sorts and matches the remaining edges, as ``local_max.hpp`` does. Returns their
    number."""
    v, u, *weight = (part.get() for part in rest)
    once = u < v
    weights = weight[0][once] if weight else np.ones(int(once.sum()))
    mate, round_of = graph.mate.get(), graph.round_of.get()
    graph.rounds += 1
    _core.weighted.finish_local_max(
        np.ascontiguousarray(u[once]), np.ascontiguousarray(v[once]), weights, mate, round_of,
        seed=seed, renewed=bool(renewed), round=graph.rounds,
    )  # fmt: skip
    graph.mate, graph.round_of = upload(mate), upload(round_of)
    return int(weights.size)
