# SPDX-License-Identifier: BSD-3-Clause
"""The square part as a graph on the device, whole and in parts; see ``digraph.cu``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from btfperm import _core
from btfperm.backends.gpu.arrays import BLOCK, downloaded, grid, lanes_for, transposed
from btfperm.backends.gpu.compile import Kernels, kernels
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.results import IndexArray

__all__ = [
    "NULL",
    "Contracted",
    "Digraph",
    "contracted",
    "heads",
    "of_pairs",
    "on_host",
    "part_of",
    "whole",
]

NULL = np.uint64(0)  # a null pointer
_FILE = "dulmage_mendelsohn/fine_square/digraph.cu"
_CONTRACTION = "dulmage_mendelsohn/fine_square/contraction.cu"


@dataclass
class Digraph:
    """Vertices 0 ... n - 1 with lists of predecessors, on the current device.

    Attributes
    ----------
    indptr, pred : the lists; an element -1 of `pred` is a hole, which stands for no edge
    out : number of remaining successors of each vertex; -1 for a vertex that was removed
    count : number of remaining vertices
    list_successors : returns (indptr, succ, row_of), the successor lists. The list of vertex v has
        the number row_of[v], or v if row_of is a null pointer
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
        """Number of threads that visit a list together."""
        return lanes_for(int(self.pred.size), self.n)

    def kernels(self, file: str) -> Kernels:
        return kernels(f"dulmage_mendelsohn/fine_square/{file}", self.width.name)


def whole(problem: DeviceProblem, of_col: Any, count: int) -> Digraph:
    """The square part as a graph. Its vertices are all columns. Those outside the square part, with
    of_col[j] != 0, are marked as removed; `of_col` is None if there are none. `count` is the number
    of columns of the square part."""
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
    """Returns the remaining vertices as a new graph, and the old vertex of each new vertex.

    If `side` is given, vertices v with ``side[v] == dropped`` are omitted, too, and so are edges
    between vertices with different sides.
    """
    import cupy

    n, width, edges = graph.n, graph.width, int(graph.pred.size)
    most = graph.count
    place, own, out, following = (cupy.empty(size, dtype=width) for size in (n, most, most, most))
    indptr, pred = cupy.empty(most + 1, dtype=width), cupy.empty(edges, dtype=width)
    run, state = kernels(_FILE, width.name), SharedStruct(_FILE, "Part")
    run.launch_together(
        "keep_part",
        BLOCK,
        n,
        graph.lanes,
        graph.indptr,
        graph.pred,
        graph.out,
        NULL if side is None else side,
        np.int32(dropped),
        place,
        own,
        indptr,
        following,
        pred,
        out,
        run.totals_of_blocks("keep_part", BLOCK),
        state.array,
    )
    fields = state.fields()
    count, edges = fields["vertices"], fields["edges"]
    indptr, pred = indptr[: count + 1], pred[:edges]
    return Digraph(indptr, pred, out[:count], count, _turned(indptr, pred)), own[:count]


class Contracted(NamedTuple):
    """A graph of components.

    Attributes
    ----------
    graph : its vertices are the components, in ascending order of their names; its edges are all
        edges between two different components, so that several may have the same head and tail
    number : (n,) for each vertex that is the name of a component, the number of the component in
        `graph`; undefined for other vertices
    members : for each component one vertex: its name v, or ``members[v]`` if the caller gave the
        argument `members`
    height : a lower bound on the height of each component; None if no floor was given
    """

    graph: Digraph
    number: Any
    members: Any
    height: Any


def contracted(
    graph: Digraph,
    name: Any,
    *,
    sets: bool = False,
    vertex: Any = None,
    members: Any = None,
    floor: Any = None,
) -> Contracted:
    """Contracts each component to one vertex. ``name[v]`` is a member of the component of v, the
    same for all its members; vertices with the name -1 and their edges are removed.

    Parameters
    ----------
    sets : whether `name` holds parents of ``union_find.cuh`` whose paths are not compressed yet;
        the kernel compresses them in `name`
    vertex : updated in place: before the call, for each vertex of an earlier graph, its vertex in
        `graph`; after the call, its vertex in the new graph. If `members` is None, the earlier
        graph is `graph`, and the old content is not read
    members : for each vertex of `graph`, one vertex of the earlier graph that was contracted to it
    floor : a lower bound on the height of each vertex of `graph`
    """
    import cupy

    n, width, edges = graph.n, graph.width, int(graph.pred.size)
    number, members_of, following, out = (cupy.empty(n, dtype=width) for _ in range(4))
    height: Any = NULL if floor is None else cupy.empty(n, dtype=width)
    heads, tails, pred = (cupy.empty(edges, dtype=width) for _ in range(3))
    indptr, state = cupy.empty(n + 1, dtype=width), SharedStruct(_CONTRACTION, "Contracted")
    run = kernels(_CONTRACTION, width.name)
    run.launch_together(
        "contract_names",
        BLOCK,
        n,
        graph.lanes,
        graph.indptr,
        graph.pred,
        int(sets),
        name,
        number,
        0 if vertex is None else int(vertex.size),
        int(members is None),
        NULL if vertex is None else vertex,
        NULL if members is None else members,
        members_of,
        NULL if floor is None else floor,
        height,
        heads,
        tails,
        indptr,
        following,
        pred,
        out,
        run.totals_of_blocks("contract_names", BLOCK),
        state.array,
    )
    fields = state.fields()
    count, edges = fields["names"], fields["edges"]
    indptr, pred = indptr[: count + 1], pred[:edges]
    smaller = Digraph(indptr, pred, out[:count], count, _turned(indptr, pred))
    return Contracted(
        smaller, number, members_of[:count], None if floor is None else height[:count]
    )


def of_pairs(heads: Any, tails: Any, n: int, width: Any) -> Digraph:
    """The graph with the edges ``tails[e] -> heads[e]``; duplicates are not removed."""
    import cupy

    count, run = int(heads.size), kernels(_FILE, width.name)
    degree, out = cupy.zeros(n + 1, dtype=width), cupy.zeros(n, dtype=width)
    run.launch("count_ends", grid(count), BLOCK, count, heads, tails, degree[1:], out)
    indptr = cupy.cumsum(degree, dtype=width)
    pred = cupy.empty(count, dtype=width)
    run.launch("place_tails", grid(count), BLOCK, count, heads, tails, indptr[:-1].copy(), pred)
    return Digraph(indptr, pred, out, n, _turned(indptr, pred))


def heads(graph: Digraph) -> Any:
    """The head of each edge; ``graph.pred`` holds the tails."""
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


def on_host(graph: Digraph, floor: Any = None) -> tuple[IndexArray, IndexArray]:
    """Finds the blocks of a graph without holes in its lists, by one core of the CPU. Returns two
    arrays on the host: for each vertex the name of its block, which is a member, and the height of
    the block, where `floor` gives a lower bound on the height of each vertex."""
    lists = graph.indptr, graph.pred
    indptr, pred, *given = downloaded(*lists, *([] if floor is None else [floor]))
    height = given[0] if given else np.zeros(graph.n, dtype=graph.width)
    name = np.empty_like(height)
    _core.dulmage_mendelsohn.blocks_of_digraph(indptr, pred, height, name)
    return name, height


def _turned(indptr: Any, pred: Any) -> Callable[[], tuple[Any, Any, Any]]:
    """A function that makes the successor lists, see `Digraph.list_successors`."""
    return lambda: (*transposed(int(indptr.size) - 1, indptr, pred), NULL)
