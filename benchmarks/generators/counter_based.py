# SPDX-License-Identifier: BSD-3-Clause
"""``er:X:d``, ``rmat:X:d``, ``kron:X``, ``rgg:X``, ``del:X``, ``road:w``, ``hex:w``: large graphs.

The graphs on which GPU codes are compared, n = 2^X or w x w. All but ``rmat``, ``kron`` (NumPy's
generator) and ``del`` are made of splitmix64 words, so that any program can make them again.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay, cKDTree

from benchmarks.generators.assemble import SEED, Index, pattern, symmetric
from benchmarks.generators.rmat import recursive_edges
from benchmarks.generators.splitmix import mix, remainders, stream

HOLES = 60


def counted_er(exponent: int, degree: float) -> sp.csc_array:
    """degree * n pairs: of t = mix(mix(999 + i)) and its argument."""
    n = 2**exponent
    s = stream(999, round(degree * n))
    shift = np.uint64(11)
    return pattern(remainders(mix(s) >> shift, n), remainders(s >> shift, n), (n, n))


def counted_rmat(exponent: int, degree: float) -> sp.csc_array:
    """degree * n edges (.45 .15 .15 .25), as they come."""
    n = 2**exponent
    rng = np.random.default_rng(SEED)
    rows, cols = recursive_edges(exponent, round(degree * n), (0.45, 0.15, 0.15), rng)
    return pattern(rows, cols, (n, n))


def counted_kron(exponent: int) -> sp.csc_array:
    """48 n edges (.57 .19 .19 .05), relabelled by one permutation, symmetric, no diagonal."""
    n = 2**exponent
    rng = np.random.default_rng(SEED)
    u, v = recursive_edges(exponent, 48 * n, (0.57, 0.19, 0.19), rng)
    label = rng.permutation(n)
    return symmetric(label[u], label[v], n)


def counted_rgg(exponent: int) -> sp.csc_array:
    """Points with x and y from the halves of mix(55 + i), pairs within .55 sqrt(ln n / n), numbered
    by cells of that width."""
    n = 2**exponent
    radius = 0.55 * np.sqrt(np.log(n) / n)
    s = stream(55, n)
    halves = np.stack([s & np.uint64(0xFFFFFFFF), s >> np.uint64(32)], axis=1)
    points = halves.astype(np.float64) / 2.0**32
    side = int(1 / radius)
    cell = np.minimum((points * side).astype(np.int64), side - 1)
    points = points[np.argsort(cell[:, 1] * side + cell[:, 0], kind="stable")]
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    return symmetric(pairs[:, 0], pairs[:, 1], n)


def counted_delaunay(exponent: int) -> sp.csc_array:
    """Delaunay triangulation of ``default_rng(X).random((n, 2))``, points in Morton order."""
    n = 2**exponent
    points = np.random.default_rng(exponent).random((n, 2))
    corners = Delaunay(points[np.argsort(_morton(points), kind="stable")]).simplices
    return symmetric(corners.ravel(), np.roll(corners, 1, axis=1).ravel(), n)


def counted_road(width: int) -> sp.csc_array:
    """Grid of width^2 points, each edge to the right and down kept with probability .6."""
    here = np.arange(width * width).reshape(width, width)
    right = remainders(mix(31 + 2 * here), 1000) < 600
    down = remainders(mix(31 + 2 * here + 1), 1000) < 600
    right[:, -1] = False
    down[-1] = False
    u = np.concatenate([here[right], here[down]])
    v = np.concatenate([here[right] + 1, here[down] + width])
    return symmetric(u, v, width * width)


def counted_hex(width: int) -> sp.csc_array:
    """Brick wall: (x,y)-(x+1,y) always, (x,y)-(x,y+1) when x + y is even; but for 60 round holes.

    The points in the holes stay as empty lines.
    """
    here = np.arange(width * width).reshape(width, width)
    y, x = np.indices((width, width), np.int32)
    solid = _outside_the_holes(width)
    right = solid[:, :-1] & solid[:, 1:]
    down = solid[:-1] & solid[1:] & ((x + y)[:-1] % 2 == 0)
    u = np.concatenate([here[:, :-1][right], here[:-1][down]])
    v = np.concatenate([here[:, 1:][right], here[1:][down]])
    return symmetric(u, v, width * width)


def _outside_the_holes(width: int) -> Index:
    s = stream(777, HOLES)
    centre_x = remainders(s, width)
    centre_y = remainders(s >> np.uint64(20), width)
    radius = 10 + remainders(s >> np.uint64(48), max(1, width // 40))
    solid = np.ones((width, width), bool)
    for x0, y0, r in zip(centre_x, centre_y, radius, strict=True):
        top, left = max(0, y0 - r), max(0, x0 - r)
        part = solid[top : y0 + r + 1, left : x0 + r + 1]
        y, x = np.indices(part.shape)
        part &= (y + top - y0) ** 2 + (x + left - x0) ** 2 > r * r
    return solid


def _morton(points: np.ndarray) -> np.ndarray:
    """16 bits a coordinate, x in the even bits."""
    key = np.zeros(len(points), np.uint64)
    for axis in (0, 1):
        bits = (points[:, axis] * 2**16).astype(np.uint64)
        for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
            bits = (bits | (bits << np.uint64(shift))) & np.uint64(mask)
        key |= bits << np.uint64(axis)
    return key
