# SPDX-License-Identifier: BSD-3-Clause
"""Meshes, grids and road networks."""

from __future__ import annotations

import numpy as np
import scipy  # loads scipy.spatial, which takes long, at its first use
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern, symmetric

# ``delaunay_nX``: Delaunay triangulation of 2^X random points in the unit square.


def delaunay(exponent: int) -> sp.csc_array:
    """A Delaunay triangulation as a symmetric matrix without diagonal, with about 6 entries per
    column. The points are in random order."""
    n = 2**exponent
    corners = scipy.spatial.Delaunay(np.random.default_rng(SEED).random((n, 2))).simplices
    u = corners.ravel()
    v = np.roll(corners, 1, axis=1).ravel()
    return symmetric(u, v, n)


# ``rgg_n_2_X``: random geometric graph of 2^X points, numbered by strips.


def rgg(exponent: int) -> sp.csc_array:
    """Pairs within r = 0.55 sqrt(ln n / n); points by strip floor(x * int(1/r)), then by y."""
    n = 2**exponent
    radius = 0.55 * np.sqrt(np.log(n) / n)
    points = np.random.default_rng(SEED).random((n, 2))
    strip = np.floor(points[:, 0] * int(1 / radius))
    points = points[np.lexsort((points[:, 1], strip))]
    pairs = scipy.spatial.cKDTree(points).query_pairs(radius, output_type="ndarray")
    return symmetric(pairs[:, 0], pairs[:, 1], n)


# ``trace_nX``: the triangles of a mesh, in the place of ``hugetrace``.


def trace(exponent: int) -> sp.csc_array:
    """The Delaunay triangles of 2^(exponent - 1) random points, about 2^exponent, joined when they
    share an edge.

    Three neighbours each, but for the hull's; numbered by strips, as `rgg`.
    """
    points = np.random.default_rng(SEED).random((2 ** (exponent - 1), 2))
    mesh = scipy.spatial.Delaunay(points)
    centre = points[mesh.simplices].mean(axis=1)
    strip = np.floor(centre[:, 0] * int(np.sqrt(len(centre)) / 3))
    order = np.lexsort((centre[:, 1], strip))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    here = np.repeat(np.arange(len(order)), 3)
    there = mesh.neighbors.ravel()
    inside = there > here
    return symmetric(place[here[inside]], place[there[inside]], len(order))


# ``grid3d_k``: 7-point stencil on k^3 points, with the diagonal.


def grid3d(k: int) -> sp.csc_array:
    """The 7-point stencil on a k x k x k grid: 7 k^3 - 6 k^2 entries. The points are numbered
    lexicographically."""
    point = np.arange(k**3).reshape(k, k, k)
    before = [point[:-1], point[:, :-1], point[:, :, :-1]]
    after = [point[1:], point[:, 1:], point[:, :, 1:]]
    u = np.concatenate([a.ravel() for a in before])
    v = np.concatenate([a.ravel() for a in after])
    diagonal = point.ravel()
    rows = np.concatenate([diagonal, u, v])
    return pattern(rows, np.concatenate([diagonal, v, u]), (k**3, k**3))


# ``road_k``: k x k grid thinned to the mean degree of a road network.

MEAN_DEGREE = 2.4


def road(k: int) -> sp.csc_array:
    """Each edge of the grid is drawn with the probability that gives mean degree 2.4."""
    point = np.arange(k * k).reshape(k, k)
    u = np.concatenate([point[:, :-1].ravel(), point[:-1].ravel()])
    v = np.concatenate([point[:, 1:].ravel(), point[1:].ravel()])
    keep = np.random.default_rng(SEED).random(len(u)) < MEAN_DEGREE * k * k / (2 * len(u))
    return symmetric(u[keep], v[keep], k * k)
