# SPDX-License-Identifier: BSD-3-Clause
"""``delaunay_nX``: Delaunay triangulation of 2^X random points in the unit square."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay

from benchmarks.generators.assemble import SEED, symmetric


def delaunay(exponent: int) -> sp.csc_array:
    """Symmetric, no diagonal, about 6 entries a column, in random order."""
    n = 2**exponent
    corners = Delaunay(np.random.default_rng(SEED).random((n, 2))).simplices
    u = corners.ravel()
    v = np.roll(corners, 1, axis=1).ravel()
    return symmetric(u, v, n)
