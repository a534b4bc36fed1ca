# SPDX-License-Identifier: BSD-3-Clause
"""Runs an algorithm for graphs on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.device import on
from btfperm.registry import Algorithm
from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["run_on_gpu"]


def run_on_gpu(
    row: Algorithm,
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
    """As the functions of the core for graphs: sets mate and round_of, and returns what stopped
    it, and the numbers of rounds, of visited edges and of sorted edges.

    Raises
    ------
    BackendUnavailableError : there is no GPU, it fails, or its free memory is too small
    """
    budget = Budget(time_limit, max_work)
    all_ones = bool((weight == 1.0).all())
    with on(None):
        graph = DeviceGraph.of_host(indptr, indices, None if all_ones else weight)
        found = row.load()(graph, budget, seed, options)
        mate[:], round_of[:] = found.mate.get(), found.round_of.get()
    dual[:] = 0.0
    return budget.stop, found.rounds, found.edges, found.sorted
