# SPDX-License-Identifier: BSD-3-Clause
"""``trace_nX``: the triangles of a mesh, in the place of ``hugetrace``."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay

from benchmarks.generators.assemble import SEED, symmetric


def trace(exponent: int) -> sp.csc_array:
    """The Delaunay triangles of 2^(X-1) random points, about 2^X, joined when they share an edge.

    Three neighbours each, but for the hull's; numbered by strips, as `rgg`.
    """
    points = np.random.default_rng(SEED).random((2 ** (exponent - 1), 2))
    mesh = Delaunay(points)
    centre = points[mesh.simplices].mean(axis=1)
    strip = np.floor(centre[:, 0] * int(np.sqrt(len(centre)) / 3))
    order = np.lexsort((centre[:, 1], strip))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    here = np.repeat(np.arange(len(order)), 3)
    there = mesh.neighbors.ravel()
    inside = there > here
    return symmetric(place[here[inside]], place[there[inside]], len(order))
