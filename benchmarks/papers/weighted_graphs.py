# SPDX-License-Identifier: BSD-3-Clause
"""The weighted graphs of two papers on matchings in graphs, made by name.

``delaunay:x``, ``rgg:x``, ``random:x:alpha``: 2^x vertices, as in Birn et al. (Euro-Par 2013).
``grid:k``: k x k points and their neighbours; ``grid:1000`` has the edges of the matrix ecology1 of
Fagginger Auer and Bisseling (2012). ``kron:x``: a power law. ``star:n``: n edges at one vertex.
Weights are distances for ``delaunay``, otherwise uniform in (0, 1]; the seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import Delaunay, cKDTree

import btfperm
from benchmarks import generators
from benchmarks.cases import Case
from benchmarks.generators.assemble import SEED
from benchmarks.generators.power_laws import recursive_edges
from benchmarks.timing import CORES

Numbers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


class Graph(NamedTuple):
    """A graph by its edges u < v and their weights."""

    name: str
    n: int
    u: Numbers
    v: Numbers
    weight: Reals

    @property
    def edges(self) -> int:
        return len(self.u)


def make(name: str) -> Graph:
    """The graph of that name. The graph of another generated matrix has an edge for each entry,
    without a direction."""
    family, *sizes = name.split(":")
    if family in _FAMILIES:
        n, u, v, weight = _FAMILIES[family](*map(int, sizes))
    else:
        A: Any = generators.make(name).tocoo()
        n, u, v, weight = max(A.shape), A.row.astype(np.int64), A.col.astype(np.int64), None
    u, v = np.minimum(u, v), np.maximum(u, v)
    keys, first = np.unique(u * n + v, return_index=True)
    keep = first[keys // n != keys % n]
    u, v = u[keep].astype(np.int64), v[keep].astype(np.int64)
    if weight is None:
        weight = 1.0 - np.random.default_rng(SEED + 1).random(len(u))
    else:
        weight = weight[keep]
    return Graph(name, n, u, v, weight)


def read(path: Path) -> Graph:
    """The graph of a symmetric matrix, with the moduli of its values as weights, as in the papers.

    Raises ValueError if the matrix is no graph or has no edges."""
    from btfperm.weighted.graph_input import read_graph

    pattern, weight = read_graph(path, "moduli")
    cols = pattern.cols()
    above = pattern.indices < cols
    if not above.any():
        raise ValueError(f"{path} has no edges")
    rows = pattern.indices[above].astype(np.int64)
    return Graph(path.name, pattern.n, rows, cols[above].astype(np.int64), weight[above])


def matrix_of(graph: Graph, order: Numbers | None = None) -> Any:
    """The symmetric CSC matrix of a graph, its vertex v renamed to order[v]."""
    import scipy.sparse as sp

    u, v = (graph.u, graph.v) if order is None else (order[graph.u], order[graph.v])
    rows, cols = np.concatenate([u, v]).astype(np.int32), np.concatenate([v, u]).astype(np.int32)
    values = np.concatenate([graph.weight, graph.weight])
    made = sp.coo_array((values, (rows, cols)), shape=(graph.n, graph.n)).tocsc()
    made.sort_indices()
    return made


def loaded(cases: Sequence[Case]) -> dict[str, Graph]:
    """The graphs of the cases, by name. Real matrices that are no graphs or have only equal weights
    are left out.

    All graphs are made on all cores before the first measurement, because no other work may run
    during a measurement."""
    with ProcessPoolExecutor(min(CORES, max(1, len(cases)))) as pool:
        graphs = list(pool.map(_load, [case.name for case in cases], [c.path for c in cases]))
    return {graph.name: graph for graph in graphs if graph is not None}


def _load(name: str, path: Path | None) -> Graph | None:
    if path is None:
        return make(name)
    try:
        graph = read(path)
    except (ValueError, btfperm.BtfpermError):
        return None
    return None if (graph.weight == graph.weight[0]).all() else graph._replace(name=name)


# -- families: number of vertices, ends of the edges, their weights or None ------------------------


def _delaunay(exponent: int) -> tuple[int, Any, Any, Reals]:
    points = np.random.default_rng(SEED).random((2**exponent, 2))
    corners = Delaunay(points).simplices
    u, v = corners.ravel(), np.roll(corners, 1, axis=1).ravel()
    distance = np.linalg.norm(points[u] - points[v], axis=1)
    return 2**exponent, u.astype(np.int64), v.astype(np.int64), distance


def _rgg(exponent: int) -> tuple[int, Any, Any, None]:
    n = 2**exponent
    points = np.random.default_rng(SEED).random((n, 2))
    radius = 0.55 * np.sqrt(np.log(n) / n)
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    return n, pairs[:, 0], pairs[:, 1], None


def _random(exponent: int, alpha: int) -> tuple[int, Any, Any, None]:
    n = 2**exponent
    ends = np.random.default_rng(SEED).integers(0, n, (2, alpha * n))
    return n, ends[0], ends[1], None


def _grid(k: int) -> tuple[int, Any, Any, None]:
    point = np.arange(k * k).reshape(k, k)
    u = np.concatenate([point[:, :-1].ravel(), point[:-1].ravel()])
    v = np.concatenate([point[:, 1:].ravel(), point[1:].ravel()])
    return k * k, u, v, None


def _kron(exponent: int) -> tuple[int, Any, Any, None]:
    draw = np.random.default_rng(SEED).random
    u, v = recursive_edges(exponent, 16 << exponent, (0.57, 0.19, 0.19), draw)
    return 2**exponent, u, v, None


def _star(edges: int) -> tuple[int, Any, Any, None]:
    return edges + 1, np.zeros(edges, np.int64), np.arange(1, edges + 1), None


_FAMILIES: dict[str, Any] = {
    "delaunay": _delaunay,
    "rgg": _rgg,
    "random": _random,
    "grid": _grid,
    "kron": _kron,
    "star": _star,
}
