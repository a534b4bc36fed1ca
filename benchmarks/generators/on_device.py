# SPDX-License-Identifier: BSD-3-Clause
"""The graphs of ``counter_based.py``, made on a GPU: what takes minutes there takes a second.

``er``, ``road``, ``hex``, ``rgg`` and ``+rcp`` are the same graphs; ``rmat`` and ``kron`` draw from
CuPy's generator instead of NumPy's; ``del`` is made in strips, on all cores, and may differ at the
hull.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial import Delaunay

import btfperm
from benchmarks.generators.counter_based import _morton, _outside_the_holes
from benchmarks.generators.splitmix import COLUMN_ORDER, ROW_ORDER

STRIPS = 15
MARGIN = 12  # mean distances of points

# Pairs nearer than r, counted, then written: a thread a point, the nine cells around it.
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

Graph = tuple[Any, Any]  # columns and rows of the entries, on the device


def made_on_device(name: str) -> btfperm.Pattern:
    """The same pattern on the host, and nothing left on the device."""
    import cupy

    made = make_on_device(name).on_host()
    cupy.get_default_memory_pool().free_all_blocks()
    return made


def make_on_device(name: str) -> btfperm.Pattern:
    """The pattern of that name, such as ``er:22:3`` or ``del:20+rcp``, on the current device."""
    base, _, permuted = name.partition("+")
    family, *numbers = base.split(":")
    makers = {"er": er, "rmat": rmat, "kron": kron, "rgg": rgg, "del": delaunay}
    makers |= {"road": road, "hex": hexagons}
    sizes = [int(number) for number in numbers]
    n = sizes[0] ** 2 if family in ("road", "hex") else 2 ** sizes[0]
    cols, rows = makers[family](*sizes)
    if permuted:
        cols, rows = _shuffled(COLUMN_ORDER, n)[cols], _shuffled(ROW_ORDER, n)[rows]
    return _pattern(cols, rows, n)


def er(exponent: int, degree: int) -> Graph:
    """See `counter_based.counted_er`; so the others."""
    import cupy

    n, shift = 2**exponent, cupy.uint64(11)
    s = _stream(999, degree * n)
    return (s >> shift) % cupy.uint64(n), (_mix(s) >> shift) % cupy.uint64(n)


def rmat(exponent: int, degree: int) -> Graph:
    """``degree * n`` recursive edges."""
    rows, cols = _recursive(exponent, degree << exponent, (0.45, 0.15, 0.15))
    return cols, rows


def kron(exponent: int) -> Graph:
    """``48 n`` recursive edges, relabelled, both ways."""
    import cupy

    u, v = _recursive(exponent, 48 << exponent, (0.57, 0.19, 0.19))
    label = cupy.argsort(cupy.random.RandomState(2).random_sample(2**exponent))
    return _symmetric(label[u], label[v])


def rgg(exponent: int) -> Graph:
    """Points nearer than ``.55 sqrt(ln n / n)``."""
    import cupy

    n = 2**exponent
    radius = 0.55 * np.sqrt(np.log(n) / n)
    s = _stream(55, n)
    halves = cupy.stack([s & cupy.uint64(0xFFFFFFFF), s >> cupy.uint64(32)], axis=1)
    points = halves.astype(cupy.float64) / 2.0**32
    side = int(1 / radius)
    grid = cupy.minimum((points * side).astype(cupy.int64), side - 1)
    cells = grid[:, 1] * side + grid[:, 0]
    order = cupy.argsort(cells)
    points, cells = cupy.ascontiguousarray(points[order]), cells[order].astype(cupy.int32)
    starts = cupy.searchsorted(cells, cupy.arange(side * side + 1)).astype(cupy.int32)
    run = cupy.RawKernel(NEIGHBOURS, "neighbours")
    sizes = np.int32(n), np.int32(side), np.float64(radius * radius)
    places = cupy.zeros(n + 1, cupy.int64)
    run((-(-n // 256),), (256,), (*sizes, points, starts, cells, places[1:], np.uint64(0)))
    places = cupy.cumsum(places)
    found = cupy.empty(int(places[-1]), cupy.int32)
    run((-(-n // 256),), (256,), (*sizes, points, starts, cells, places[:-1].copy(), found))
    return cupy.searchsorted(places, cupy.arange(found.size), side="right") - 1, found


def delaunay(exponent: int) -> Graph:
    """Triangles of random points in Morton order."""
    import cupy

    edges = _triangulated(exponent)
    points = np.random.default_rng(exponent).random((2**exponent, 2))
    place = cupy.empty(2**exponent, cupy.int64)
    place[cupy.argsort(cupy.asarray(_morton(points)))] = cupy.arange(2**exponent)
    u, v = cupy.asarray(edges)
    return _symmetric(place[u], place[v])


def road(width: int) -> Graph:
    """Grid, each edge kept with probability .6."""
    import cupy

    here = cupy.arange(width * width, dtype=cupy.uint64)
    right, down = (
        _mix(cupy.uint64(31 + k) + cupy.uint64(2) * here) % cupy.uint64(1000) < 600 for k in (0, 1)
    )
    right &= here % cupy.uint64(width) < width - 1
    down &= here < width * (width - 1)
    u = cupy.concatenate([here[right], here[down]])
    v = cupy.concatenate([here[right] + cupy.uint64(1), here[down] + cupy.uint64(width)])
    return _symmetric(u, v)


def hexagons(width: int) -> Graph:
    """Brick wall with round holes."""
    import cupy

    solid = cupy.asarray(_outside_the_holes(width))
    here = cupy.arange(width * width).reshape(width, width)
    odd = (cupy.arange(width)[:, None] + cupy.arange(width)) % 2 == 1
    right = solid[:, :-1] & solid[:, 1:]
    down = solid[:-1] & solid[1:] & ~odd[:-1]
    u = cupy.concatenate([here[:, :-1][right], here[:-1][down]])
    return _symmetric(u, cupy.concatenate([here[:, 1:][right], here[1:][down]]))


# -- parts -----------------------------------------------------------------------------------------


def _mix(words: Any) -> Any:
    """`splitmix.mix` on the device."""
    import cupy

    z = words + cupy.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> cupy.uint64(30))) * cupy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> cupy.uint64(27))) * cupy.uint64(0x94D049BB133111EB)
    return z ^ (z >> cupy.uint64(31))


def _stream(start: int, count: int) -> Any:
    import cupy

    return _mix(cupy.arange(start, start + count, dtype=cupy.uint64))


def _shuffled(start: int, count: int) -> Any:
    import cupy

    low = _stream(start, count) & cupy.uint64(0xFFFFFFFF)
    return cupy.argsort(low.astype(cupy.uint32))


def _recursive(scale: int, count: int, quadrants: tuple[float, float, float]) -> Graph:
    import cupy

    a, b, c = quadrants
    draw = cupy.random.RandomState(1)
    rows, cols = cupy.zeros(count, cupy.int64), cupy.zeros(count, cupy.int64)
    for _ in range(scale):
        r = draw.random_sample(count, dtype=cupy.float32)
        rows = 2 * rows + (r >= a + b)
        cols = 2 * cols + (((r >= a) & (r < a + b)) | (r >= a + b + c))
    return rows, cols


@lru_cache(maxsize=1)  # natural and permuted come one after the other
def _triangulated(exponent: int) -> Any:
    """The edges of the triangulation, between points as drawn."""
    strips = [(exponent, k) for k in range(STRIPS)]
    with ProcessPoolExecutor(STRIPS, initializer=_onto_all_cores) as pool:
        return np.concatenate(list(pool.map(_strip, strips)), axis=1)


def _onto_all_cores() -> None:
    """OMP_PROC_BIND holds the parent's thread on one core, and so its children."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


def _strip(which: tuple[int, int]) -> Any:
    """The edges with an end in one strip of the square."""
    exponent, k = which
    points = np.random.default_rng(exponent).random((2**exponent, 2))
    x, margin = points[:, 0], MARGIN / np.sqrt(len(points))
    begin, end = k / STRIPS, (k + 1) / STRIPS
    near = np.flatnonzero((x >= begin - margin) & (x < end + margin))
    corners = Delaunay(points[near]).simplices
    u, v = near[corners.ravel()], near[np.roll(corners, 1, axis=1).ravel()]
    inside = (x >= begin) & (x < end)
    kept = inside[u] | inside[v]
    return np.stack([u[kept], v[kept]])


def _symmetric(u: Any, v: Any) -> Graph:
    import cupy

    off = u != v
    u, v = u[off], v[off]
    return cupy.concatenate([u, v]), cupy.concatenate([v, u])


def _pattern(cols: Any, rows: Any, n: int) -> btfperm.Pattern:
    """Columns in order, rows in order, no duplicates."""
    import cupy

    keys = cupy.unique(cols.astype(cupy.uint64) * cupy.uint64(n) + rows.astype(cupy.uint64))
    starts = cupy.searchsorted(keys, cupy.arange(n + 1, dtype=cupy.uint64) * cupy.uint64(n))
    width = cupy.int32 if keys.size < 2**31 else cupy.int64
    indices = (keys % cupy.uint64(n)).astype(width)
    return btfperm.as_pattern((None, indices, starts.astype(width)), shape=(n, n))
