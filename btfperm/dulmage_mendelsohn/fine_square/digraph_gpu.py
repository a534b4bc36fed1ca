# SPDX-License-Identifier: BSD-3-Clause
"""The square part as a graph on the device, whole and in parts; see ``digraph.cu``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from btfperm import _core
from btfperm.backends.gpu.arrays import BLOCK, grid, lanes_for, transposed
from btfperm.backends.gpu.compile import Kernels, kernels
from btfperm.backends.gpu.readback import Readback
from btfperm.transversal.device_problem import DeviceProblem

__all__ = [
    "NULL",
    "Digraph",
    "edges_between",
    "heads",
    "numbered",
    "of_pairs",
    "on_host",
    "part_of",
    "whole",
]

NULL = np.uint64(0)  # a pointer to nothing
_FILE = "dulmage_mendelsohn/fine_square/digraph.cu"


@dataclass
class Digraph:
    """Vertices 0 ... n - 1 with lists of predecessors, on the current device.

    Attributes
    ----------
    indptr, pred : the lists; -1 in them is no edge
    out : successors of each vertex that are not taken out yet; -1: a vertex that is out itself
    count : vertices that are in
    list_successors : makes (indptr, succ, row_of) of successor lists; v's is that of row_of[v], or
        of v itself where row_of is null
    """

    indptr: Any
    pred: Any
    out: Any
    count: int
    list_successors: Callable[[], tuple[Any, Any, Any]]

    @property
    def n(self) -> int:
        return int(self.indptr.size) - 1

    @property
    def width(self) -> Any:
        return self.pred.dtype

    @property
    def lanes(self) -> int:
        """Threads for a list."""
        return lanes_for(int(self.pred.size), self.n)

    def kernels(self, file: str) -> Kernels:
        return kernels(f"dulmage_mendelsohn/fine_square/{file}", self.width.name)


def whole(problem: DeviceProblem, of_col: Any, count: int) -> Digraph:
    """The `count` columns of the square part: those with of_col[j] = 0, or all."""
    import cupy

    n, width = problem.n, problem.width
    pred = cupy.empty(problem.nnz, dtype=width)
    out = cupy.zeros(n, dtype=width)
    lanes = lanes_for(problem.nnz, n)
    kernels(_FILE, width.name).launch(
        "contract",
        grid(lanes * n),
        BLOCK,
        n,
        lanes,
        problem.indptr,
        problem.indices,
        problem.row_match,
        NULL if of_col is None else of_col,
        pred,
        out,
    )

    def list_successors() -> tuple[Any, Any, Any]:
        return *problem.by_rows, problem.col_match

    return Digraph(problem.indptr, pred, out, count, list_successors)


def part_of(graph: Digraph, side: Any = None, dropped: int = 0) -> tuple[Digraph, Any]:
    """What is not taken out, as a graph of its own, and the vertex that each of its vertices was.

    With `side`, what is on side `dropped` goes, too, and so do edges from one side to another.
    """
    import cupy

    n, width, lanes = graph.n, graph.width, graph.lanes
    run = kernels(_FILE, width.name)
    sides = NULL if side is None else side
    totals, place = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    run.launch("mark_kept", grid(n), BLOCK, n, graph.out, sides, dropped, totals)
    totals = cupy.cumsum(totals, dtype=width)
    count = int(totals[-1])
    own = cupy.empty(count, dtype=width)
    run.launch("number_kept", grid(n), BLOCK, n, totals, place, own)
    degree = cupy.zeros(count + 1, dtype=width)
    lists = own, graph.indptr, graph.pred, place, sides
    walk = grid(lanes * count), BLOCK, count, lanes, *lists
    run.launch("count_kept", *walk, degree[1:])
    indptr = cupy.cumsum(degree, dtype=width)
    pred = cupy.empty(int(indptr[-1]), dtype=width)
    out = cupy.zeros(count, dtype=width)
    run.launch("fill_kept", *walk, indptr[:-1].copy(), pred, out)
    return Digraph(indptr, pred, out, count, _turned(indptr, pred)), own


def edges_between(graph: Digraph, name: Any, number: Any) -> tuple[Any, Any]:
    """The numbers of the names at head and tail of each edge between different names, in any order;
    what has the name -1 is left out."""
    import cupy

    lanes, total = graph.lanes, Readback(1)
    ends = [cupy.empty(graph.pred.size, dtype=graph.width) for _ in range(2)]
    kernels(_FILE, graph.width.name).launch(
        "list_between",
        grid(lanes * graph.n),
        BLOCK,
        graph.n,
        lanes,
        graph.indptr,
        graph.pred,
        name,
        number,
        *ends,
        total.array,
    )
    count = total.read()[0]
    return ends[0][:count], ends[1][:count]


def of_pairs(heads: Any, tails: Any, n: int, width: Any) -> Digraph:
    """The graph of edges given by their ends; duplicates stay."""
    import cupy

    count, run = int(heads.size), kernels(_FILE, width.name)
    degree, out = cupy.zeros(n + 1, dtype=width), cupy.zeros(n, dtype=width)
    run.launch("count_ends", grid(count), BLOCK, count, heads, tails, degree[1:], out)
    indptr = cupy.cumsum(degree, dtype=width)
    pred = cupy.empty(count, dtype=width)
    run.launch("place_tails", grid(count), BLOCK, count, heads, tails, indptr[:-1].copy(), pred)
    return Digraph(indptr, pred, out, n, _turned(indptr, pred))


def numbered(name: Any) -> tuple[Any, Any]:
    """New numbers, at each vertex that is a name (name[v] = v), ascending; and those vertices."""
    import cupy

    n, width = int(name.size), name.dtype
    run = kernels(_FILE, width.name)
    totals, number = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    run.launch("mark_names", grid(n), BLOCK, n, name, totals)
    totals = cupy.cumsum(totals, dtype=width)
    members = cupy.empty(int(totals[-1]), dtype=width)
    run.launch("number_kept", grid(n), BLOCK, n, totals, number, members)
    return number, members


def heads(graph: Digraph) -> Any:
    """The head of each edge, beside `pred`, which has the tails."""
    import cupy

    result = cupy.empty(graph.pred.size, dtype=graph.width)
    kernels(_FILE, graph.width.name).launch(
        "heads_of_lists",
        grid(graph.lanes * graph.n),
        BLOCK,
        graph.n,
        graph.lanes,
        graph.indptr,
        result,
    )
    return result


def on_host(graph: Digraph, height: Any) -> tuple[Any, Any]:
    """The blocks of a graph without holes in its lists, found by one core: a name for each vertex
    and the height of its block, on the device again. `height` is what it must not fall below."""
    import cupy

    here = height.get()
    name = np.empty_like(here)
    _core.blocks_of_digraph(graph.indptr.get(), graph.pred.get(), here, name)
    return cupy.asarray(name), cupy.asarray(here)


def _turned(indptr: Any, pred: Any) -> Callable[[], tuple[Any, Any, Any]]:
    return lambda: (*transposed(int(indptr.size) - 1, indptr, pred), NULL)
