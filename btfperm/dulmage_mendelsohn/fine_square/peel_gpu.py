# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``peel.cu``."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.by_levels import LevelSearch, Limits, Stand
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
    search = LevelSearch(graph.count, graph.width, Limits(_NARROW, window))
    run.launch("queue_ready", grid(n), BLOCK, n, graph.out, search.items, search.end)
    lists = graph.indptr, graph.pred, graph.out
    name = "peel_raising" if raising else "peel"
    stand = search.run(run, name, graph.lanes, *lists, height)
    graph.count -= stand.taken
    if graph.count:
        run.launch("take_out", grid(stand.taken), BLOCK, stand.taken, search.items, graph.out)
        if not raising:
            blocks = grid(graph.lanes * stand.taken)
            told = *lists, height, stand.taken, search.items
            run.launch("raise_left", blocks, BLOCK, graph.lanes, *told)
    return stand
