# SPDX-License-Identifier: BSD-3-Clause
"""``er:X:d``, ``rmat:X:d``, ``kron:X``, ``rgg:X``, ``del:X``, ``road:w``, ``hex:w``: large graphs.

The graphs on which GPU codes are compared, with n = 2^X or w^2 rows and columns. They are made on
the host (`make`) or, in less time, on a GPU (`make_on_device`). All but ``rmat``, ``kron`` and
``del`` are computed from splitmix64 words and are the same on both. On a GPU, ``rmat`` and ``kron``
draw from CuPy's generator, and the host triangulates ``del`` in strips, so that edges at the hull
differ.

Each family is a function that returns rows and columns of its entries, with duplicates.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from typing import Any

import numpy as np
import scipy  # loads scipy.spatial, which takes long, at its first use
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern
from benchmarks.generators.power_laws import recursive_edges
from benchmarks.generators.words import COLUMN_ORDER, ROW_ORDER, below, mix, shuffled, stream

HOLES = 60
STRIPS = 15
ER_PIECE = 1 << 27  # pairs that `er_columns` makes at a time
MARGIN = 12  # width of the margin, in mean distances of points

# Pairs at a distance of at most r: a first launch counts those of each point, a second writes them.
# One thread for each point inspects the points in its cell and in the (at most eight) cells around.
NEIGHBOURS = r"""
extern "C" __global__ void neighbours(int n, int side, double r2, const double* points,
                                      const int* starts, const int* cells, long long* places,
                                      int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x0 = cells[i] % side, y0 = cells[i] / side;
  long long k = found ? places[i] : 0;
  for (int y = max(0, y0 - 1); y <= min(side - 1, y0 + 1); ++y)
    for (int x = max(0, x0 - 1); x <= min(side - 1, x0 + 1); ++x)
      for (int j = starts[y * side + x]; j < starts[y * side + x + 1]; ++j) {
        const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
        if (j == i || dx * dx + dy * dy > r2) continue;
        if (found) found[k] = j;
        ++k;
      }
  if (!found) places[i] = k;
}
"""

Edges = tuple[Any, Any]


def make(family: str, *sizes: float) -> sp.csc_array:
    """Returns the pattern of a family and its sizes, on the host."""
    n = _order(family, sizes)
    rows, cols = FAMILIES[family](np, *sizes)
    return pattern(rows, cols, (n, n))


def make_on_device(name: str) -> Any:
    """Returns the `Pattern` of a name such as ``del:20+rcp``, on the current device."""
    import cupy

    import btfperm

    base, _, permuted = name.partition("+")
    family, *words = base.split(":")
    sizes = [float(word) if "." in word else int(word) for word in words]
    n = _order(family, sizes)
    rows, cols = FAMILIES[family](cupy, *sizes)
    if permuted:
        rows, cols = shuffled(cupy, ROW_ORDER, n)[rows], shuffled(cupy, COLUMN_ORDER, n)[cols]
    keys = cupy.unique(cols.astype(cupy.uint64) * cupy.uint64(n) + rows.astype(cupy.uint64))
    starts = cupy.searchsorted(keys, cupy.arange(n + 1, dtype=cupy.uint64) * cupy.uint64(n))
    width = cupy.int32 if keys.size < 2**31 else cupy.int64
    indices = (keys % cupy.uint64(n)).astype(width)
    return btfperm.as_pattern((None, indices, starts.astype(width)), shape=(n, n))


def made_on_device(name: str) -> Any:
    """Returns the `Pattern` of `make_on_device` on the host, and releases the device's memory."""
    import cupy

    made = make_on_device(name).on_host()
    cupy.get_default_memory_pool().free_all_blocks()
    return made


def scattered(A: sp.csc_array) -> sp.csc_array:
    """Permutes `A` as the suffix ``+rcp`` does: row or column k becomes number ``shuffled[k]``."""
    C: Any = A.tocoo()
    rows, cols = shuffled(np, ROW_ORDER, A.shape[0]), shuffled(np, COLUMN_ORDER, A.shape[1])
    return pattern(rows[C.row], cols[C.col], A.shape)


# -- families --------------------------------------------------------------------------------------


def er(xp: Any, exponent: int, degree: float) -> Edges:
    """degree * n random pairs: row mix(mix(999 + i)) and column mix(999 + i), each without its low
    11 bits and modulo n."""
    n, shift = 2**exponent, np.uint64(11)
    s = stream(xp, 999, round(degree * n))
    return below(mix(s) >> shift, n), below(s >> shift, n)


def er_columns(xp: Any, exponent: int, degree: float, first: int, last: int) -> tuple[Any, Any]:
    """(indptr, indices) of some columns of `er`, of which the whole may not fit the memory."""
    n, shift, keys = 2**exponent, np.uint64(11), []
    count = round(degree * n)
    for begin in range(0, count, ER_PIECE):
        s = stream(xp, 999 + begin, min(ER_PIECE, count - begin))
        cols = (s >> shift) % np.uint64(n)
        own = (cols >= np.uint64(first)) & (cols < np.uint64(last))
        rows = (mix(s[own]) >> shift) % np.uint64(n)
        keys.append((cols[own] - np.uint64(first)) * np.uint64(n) + rows)
        del s, cols, own, rows
    found = xp.unique(xp.concatenate(keys))
    ends = xp.arange(last - first + 1, dtype=np.uint64) * np.uint64(n)
    return xp.searchsorted(found, ends), (found % np.uint64(n)).astype(np.int32)


def rmat(xp: Any, exponent: int, degree: float) -> Edges:
    """degree * n edges with the quadrant probabilities .45, .15, .15, .25, not relabelled."""
    count = round(degree * 2**exponent)
    return recursive_edges(exponent, count, (0.45, 0.15, 0.15), _draw(_generator(xp)))


def kron(xp: Any, exponent: int) -> Edges:
    """48 n edges with the quadrant probabilities .57, .19, .19, .05; relabelled, symmetric, without
    the diagonal."""
    rng = _generator(xp)
    u, v = recursive_edges(exponent, 48 << exponent, (0.57, 0.19, 0.19), _draw(rng))
    if xp is np:
        label = rng.permutation(2**exponent)
    else:
        label = xp.argsort(xp.random.RandomState(2).random_sample(2**exponent))
    return _both_ways(xp, label[u], label[v])


def rgg(xp: Any, exponent: int) -> Edges:
    """Points with x and y from the low and the high half of mix(55 + i), and both directions of
    each pair at a distance of at most r = .55 sqrt(ln n / n). The points are numbered cell by cell
    of a grid of int(1 / r)^2 cells."""
    n = 2**exponent
    radius = 0.55 * np.sqrt(np.log(n) / n)
    s = stream(xp, 55, n)
    halves = xp.stack([s & np.uint64(0xFFFFFFFF), s >> np.uint64(32)], axis=1)
    points = halves.astype(np.float64) / 2.0**32
    side = int(1 / radius)
    grid = xp.minimum((points * side).astype(np.int64), side - 1)
    cells = grid[:, 1] * side + grid[:, 0]
    order = xp.argsort(cells, kind="stable")
    points, cells = xp.ascontiguousarray(points[order]), cells[order].astype(np.int32)
    if xp is np:
        pairs = scipy.spatial.cKDTree(points).query_pairs(radius, output_type="ndarray")
        return _both_ways(xp, pairs[:, 0], pairs[:, 1])
    starts = xp.searchsorted(cells, xp.arange(side * side + 1)).astype(np.int32)
    run = xp.RawKernel(NEIGHBOURS, "neighbours")
    numbers = np.int32(n), np.int32(side), np.float64(radius * radius)
    blocks, places = -(-n // 256), xp.zeros(n + 1, np.int64)
    run((blocks,), (256,), (*numbers, points, starts, cells, places[1:], np.uint64(0)))
    places = xp.cumsum(places)
    found = xp.empty(int(places[-1]), np.int32)
    run((blocks,), (256,), (*numbers, points, starts, cells, places[:-1].copy(), found))
    return found, xp.searchsorted(places, xp.arange(found.size), side="right") - 1


def delaunay(xp: Any, exponent: int) -> Edges:
    """Delaunay triangulation of ``default_rng(X).random((n, 2))``, points in Morton order."""
    n = 2**exponent
    points = np.random.default_rng(exponent).random((n, 2))
    order = xp.argsort(xp.asarray(_morton(points)), kind="stable")
    if xp is np:
        corners = scipy.spatial.Delaunay(points[order]).simplices
        return _both_ways(xp, corners.ravel(), np.roll(corners, 1, axis=1).ravel())
    place = xp.empty(n, np.int64)
    place[order] = xp.arange(n)
    u, v = xp.asarray(_triangulated(exponent))
    return _both_ways(xp, place[u], place[v])


def road(xp: Any, width: int) -> Edges:
    """Grid of width^2 points, with each edge to the right and down with probability .6."""
    here = xp.arange(width * width).reshape(width, width)
    right, down = (below(mix(31 + k + 2 * here), 1000) < 600 for k in (0, 1))
    right[:, -1] = False
    down[-1] = False
    u = xp.concatenate([here[right], here[down]])
    return _both_ways(xp, u, xp.concatenate([here[right] + 1, here[down] + width]))


def hexagons(xp: Any, width: int) -> Edges:
    """A brick wall with 60 round holes: edges (x, y)-(x + 1, y), and (x, y)-(x, y + 1) if x + y is
    even. The points in the holes remain as empty rows and columns.
    """
    here = xp.arange(width * width).reshape(width, width)
    solid = xp.asarray(_outside_the_holes(width))
    even = (xp.arange(width)[:, None] + xp.arange(width)) % 2 == 0
    right = solid[:, :-1] & solid[:, 1:]
    down = solid[:-1] & solid[1:] & even[:-1]
    u = xp.concatenate([here[:, :-1][right], here[:-1][down]])
    return _both_ways(xp, u, xp.concatenate([here[:, 1:][right], here[1:][down]]))


FAMILIES: dict[str, Any] = {
    "er": er,
    "rmat": rmat,
    "kron": kron,
    "rgg": rgg,
    "del": delaunay,
    "road": road,
    "hex": hexagons,
}


# -- parts -----------------------------------------------------------------------------------------


def _order(family: str, sizes: Any) -> int:
    return int(sizes[0]) ** 2 if family in ("road", "hex") else 2 ** int(sizes[0])


def _generator(xp: Any) -> Any:
    return np.random.default_rng(SEED) if xp is np else xp.random.RandomState(1)


def _draw(rng: Any) -> Callable[[int], Any]:
    """Returns the function that draws numbers in [0, 1): in double precision by NumPy, in single
    precision by CuPy."""
    if isinstance(rng, np.random.Generator):
        return rng.random
    return partial(rng.random_sample, dtype=np.float32)


def _both_ways(xp: Any, u: Any, v: Any) -> Edges:
    """Returns both directions of each edge {u, v}, without the diagonal."""
    off = u != v
    u, v = u[off], v[off]
    return xp.concatenate([u, v]), xp.concatenate([v, u])


def _outside_the_holes(width: int) -> Any:
    s = stream(np, 777, HOLES)
    centre_x, centre_y = below(s, width), below(s >> np.uint64(20), width)
    radius = 10 + below(s >> np.uint64(48), max(1, width // 40))
    solid = np.ones((width, width), bool)
    for x0, y0, r in zip(centre_x, centre_y, radius, strict=True):
        top, left = max(0, y0 - r), max(0, x0 - r)
        part = solid[top : y0 + r + 1, left : x0 + r + 1]
        y, x = np.indices(part.shape)
        part &= (y + top - y0) ** 2 + (x + left - x0) ** 2 > r * r
    return solid


def _morton(points: np.ndarray) -> np.ndarray:
    """The Morton number (z-order) of each point of the unit square: 16 bits for each coordinate, x
    in the even bits."""
    key = np.zeros(len(points), np.uint64)
    for axis in (0, 1):
        bits = (points[:, axis] * 2**16).astype(np.uint64)
        for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            bits = (bits | (bits << np.uint64(shift))) & np.uint64(mask)
        key |= bits << np.uint64(axis)
    return key


@lru_cache(maxsize=1)  # the permuted graph is generated just after the natural one
def _triangulated(exponent: int) -> Any:
    """The edges of the triangulation, between points in the order of the generator."""
    with ProcessPoolExecutor(STRIPS, initializer=_onto_all_cores) as pool:
        parts = pool.map(_strip, [exponent] * STRIPS, range(STRIPS))
        return np.concatenate(list(parts), axis=1)


def _onto_all_cores() -> None:
    """Lets this process use all cores: OMP_PROC_BIND may have bound the parent's thread to one
    core, and a child inherits that."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


def _strip(exponent: int, k: int) -> Any:
    """The edges with an end in one strip of the square."""
    points = np.random.default_rng(exponent).random((2**exponent, 2))
    x, margin = points[:, 0], MARGIN / np.sqrt(len(points))
    begin, end = k / STRIPS, (k + 1) / STRIPS
    near = np.flatnonzero((x >= begin - margin) & (x < end + margin))
    corners = scipy.spatial.Delaunay(points[near]).simplices
    u, v = near[corners.ravel()], near[np.roll(corners, 1, axis=1).ravel()]
    inside = (x >= begin) & (x < end)
    kept = inside[u] | inside[v]
    return np.stack([u[kept], v[kept]])
