# SPDX-License-Identifier: BSD-3-Clause
"""red-blue as an initializer of matrices on a GPU. As in ``bipartite_graph.hpp``, column j is the
vertex j, and row i is the vertex n + i."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from btfperm.pattern.arrays import index_type
from btfperm.weighted.device_graph import DeviceGraph
from btfperm.weighted.graph.red_blue_gpu import red_blue

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["red_blue_start"]


def red_blue_start(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Adds edges between unmatched rows and columns to the matching, by red-blue with random
    select, until none is left or a limit is reached."""
    import cupy

    n = problem.n
    graph = _graph_of(problem)
    alive = (cupy.concatenate([problem.col_match, problem.row_match]) == -1).nonzero()[0]
    how = {**options, "select": "random", "place": "random"}
    counters = red_blue(graph, budget, seed, how, alive)
    rows_of, cols_of = graph.mate[:n], graph.mate[n:]
    problem.col_match[:] = cupy.where(rows_of == -1, problem.col_match, rows_of - n)
    problem.row_match[:] = cupy.where(cols_of == -1, problem.row_match, cols_of)
    return {"edges": problem.nnz + counters["edges"], "phases": graph.rounds}


def _graph_of(problem: DeviceProblem) -> DeviceGraph:
    """The bipartite graph of all entries. Its lists of neighbours need not ascend."""
    import cupy

    m, n, nnz = problem.m, problem.n, problem.nnz
    row_indptr, row_lists = problem.by_rows
    width = index_type((m + n, m + n), 2 * nnz)
    indptr = cupy.empty(m + n + 1, dtype=width)
    indptr[: n + 1] = problem.indptr
    indptr[n:] = row_indptr
    indptr[n:] += width(nnz)
    indices = cupy.empty(2 * nnz, dtype=width)
    indices[:nnz] = problem.indices
    indices[:nnz] += width(n)
    indices[nnz:] = row_lists
    return DeviceGraph(indptr, indices)
