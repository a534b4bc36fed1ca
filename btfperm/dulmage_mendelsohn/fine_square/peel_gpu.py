# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``peel.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.by_levels import NONE, LevelSearch, Limits, Stand
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import Digraph

__all__ = ["peel"]

# Below so many vertices a level, over so many levels, a core of the CPU is as quick.
_NARROW, _WINDOW = 30, 1000


def peel(graph: Digraph, height: Any, *, raising: bool = False, window: int = _WINDOW) -> Stand:
    """Takes out what can be peeled, and writes the heights of that. It gives up where levels are
    narrow.

    Parameters
    ----------
    height : zeros, and then what is left has there what it must not fall below; when `raising`,
        what no vertex must fall below at first
    """
    n, run = graph.n, graph.kernels("peel.cu")
    limits = Limits(_NARROW, window, in_order=NONE if raising else 0)
    search = LevelSearch(graph.count, graph.width, limits)
    run.launch("queue_ready", grid(n), BLOCK, n, graph.out, search.items, search.end)
    lists = graph.indptr, graph.pred, graph.out
    stand = search.run(run, "peel", graph.lanes, *lists, height)
    graph.count -= stand.taken
    if stand.gave_up:
        waiting = search.items[slice(*stand.left)]
        run.launch("put_back", grid(waiting.size), BLOCK, waiting.size, waiting, graph.out)
    if graph.count and stand.ordered:
        blocks = grid(graph.lanes * stand.ordered)
        told = *lists, height, stand.ordered, search.items
        run.launch("raise_left", blocks, BLOCK, graph.lanes, *told)
    return stand
