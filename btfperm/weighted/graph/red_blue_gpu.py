# SPDX-License-Identifier: BSD-3-Clause
"""Driver of red-blue for graphs on a GPU. The algorithm is described in ``red_blue.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, lanes_for
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["red_blue"]

_FILE = "weighted/graph/red_blue.cu"
# Each launch ends with the round in which it has visited this number of edges, so that the host can
# check limits.
_LAUNCH_EDGES = 1 << 29
# A list is long if each lane of a group would visit more entries than this. Several warps share it.
_VISITS_OF_A_LANE = 64
_PART = 1024  # minimum number of entries in a part of a long list
_WARP = 32


def red_blue(
    graph: DeviceGraph,
    budget: Budget,
    seed: int,
    options: Mapping[str, Any],
    alive: Any = None,
) -> dict[str, int]:
    """Runs rounds until every vertex is matched or dead. `alive` are the vertices that may be
    matched, in ascending order; None: all of them."""
    import cupy

    n, width, edges = graph.n, graph.indices.dtype, 0
    graph.clear()
    size = n if alive is None else int(alive.size)
    if not size:
        return {"edges": 0}
    run = kernels(_FILE, width.name)
    state = SharedStruct(_FILE, "State", {"size": size})
    weighted = options["select"] == "weighted" and graph.weight is not None
    lanes = lanes_for(graph.nnz, n)
    longest = _VISITS_OF_A_LANE * lanes
    part = max(_PART, graph.nnz // (run.threads_at_once("run_rounds", BLOCK) // _WARP * 2))
    how = (
        n, np.uint64(seed), int(weighted), int(options["place"] == "first"),
        np.uint64(options["p"] * 2.0**32), lanes, longest, part,
    )  # fmt: skip
    max_parts = graph.nnz // part + graph.nnz // longest
    parts = cupy.empty((max_parts, 16 + 4 * width.itemsize), dtype=np.uint8)  # struct Part
    first = cupy.arange(n, dtype=width) if alive is None else alive.astype(width)
    lists = first, cupy.empty(size, dtype=width)
    # The kernels set the colour of the vertices that are alive; 0 stands for no colour.
    colour, sigma = cupy.zeros(n, dtype=width), cupy.empty(n, dtype=width)
    results = colour, sigma, graph.mate, graph.round_of
    of_blocks = run.totals_of_blocks("run_rounds", BLOCK)
    while True:
        until = np.uint64(edges + budget.work_left(edges, _LAUNCH_EDGES))
        run.launch_together(
            "run_rounds", BLOCK, *how, until, graph.indptr, graph.indices, graph.weight_or_null,
            *lists, *results, of_blocks, parts, state.array,
        )  # fmt: skip
        fields = state.fields()
        edges, graph.rounds = fields["edges"], fields["rounds"]
        if not fields["size"] or budget.spent(edges):
            return {"edges": edges}
