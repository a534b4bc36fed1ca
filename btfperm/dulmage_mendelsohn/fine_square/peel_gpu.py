# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``peel.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.by_levels import NONE, LevelSearch, Limits, SearchState
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph

__all__ = ["peel"]

# The peel ends early if `_WINDOW` successive levels have fewer than `_NARROW` vertices on average.
_NARROW, _WINDOW = 30, 1000


def peel(
    graph: Digraph, height: Any, *, raising: bool = False, window: int = _WINDOW
) -> SearchState:
    """Repeatedly removes vertices without successors and writes their heights. Ends early if
    `window` successive levels have fewer than `_NARROW` vertices on average.

    Parameters
    ----------
    height : before the call zeros or, with `raising`, a lower bound for each vertex; after the call
        the heights of the removed vertices, and lower bounds for the others
    """
    n, run = graph.n, graph.kernels("peel.cu")
    limits = Limits(_NARROW, window, in_order=NONE if raising else 0)
    search = LevelSearch(graph.count, graph.width, limits)
    run.launch("queue_ready", grid(n), BLOCK, n, graph.out, search.items, search.end)
    lists = graph.indptr, graph.pred, graph.out
    state = search.run(run, "peel", graph.lanes, *lists, height)
    graph.count -= state.taken
    if state.gave_up:
        waiting = search.items[slice(*state.left)]
        run.launch("put_back", grid(waiting.size), BLOCK, waiting.size, waiting, graph.out)
    if graph.count and state.ordered:
        blocks = grid(graph.lanes * state.ordered)
        common = *lists, height, state.ordered, search.items
        run.launch("raise_left", blocks, BLOCK, graph.lanes, *common)
    return state
