# SPDX-License-Identifier: BSD-3-Clause
"""Driver of red-blue for graphs on a GPU. The algorithm is described in ``red_blue.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, lanes_for, minus_ones
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.weighted.device_graph import Matched

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["red_blue"]

_FILE = "weighted/graph/red_blue.cu"
# Each launch ends with the round in which it has visited this number of edges, so that the host can
# check limits.
_LAUNCH_EDGES = 1 << 29


def red_blue(
    graph: DeviceGraph, budget: Budget, seed: int, options: Mapping[str, float]
) -> Matched:
    """Runs rounds until every vertex is matched or dead."""
    import cupy

    n, width = graph.n, graph.indices.dtype
    found = Matched(minus_ones(n, width), cupy.zeros(n, dtype=width))
    if not n:
        return found
    run = kernels(_FILE, width.name)
    state = SharedStruct(_FILE, "State", {"size": n})
    how = (
        n, np.uint64(seed), int(options["select"] == 0), np.uint64(options["p"] * 2.0**32),
        lanes_for(graph.nnz, n),
    )  # fmt: skip
    lists = cupy.arange(n, dtype=width), cupy.empty(n, dtype=width)
    colour, sigma = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    results = colour, sigma, found.mate, found.round_of
    of_blocks = run.totals_of_blocks("run_rounds", BLOCK)
    while True:
        until = np.uint64(found.edges + budget.work_left(found.edges, _LAUNCH_EDGES))
        run.launch_together(
            "run_rounds", BLOCK, *how, until, graph.indptr, graph.indices, graph.weight_or_null,
            *lists, *results, of_blocks, state.array,
        )  # fmt: skip
        fields = state.fields()
        found.edges, found.rounds = fields["edges"], fields["rounds"]
        if not fields["size"] or budget.spent(found.edges):
            return found
