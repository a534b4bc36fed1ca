# SPDX-License-Identifier: BSD-3-Clause
"""``road_k``: k x k grid thinned to the mean degree of a road network."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, symmetric

MEAN_DEGREE = 2.4


def road(k: int) -> sp.csc_array:
    """Each edge of the grid is kept with the probability that leaves mean degree 2.4."""
    point = np.arange(k * k).reshape(k, k)
    u = np.concatenate([point[:, :-1].ravel(), point[:-1].ravel()])
    v = np.concatenate([point[:, 1:].ravel(), point[1:].ravel()])
    keep = np.random.default_rng(SEED).random(len(u)) < MEAN_DEGREE * k * k / (2 * len(u))
    return symmetric(u[keep], v[keep], k * k)
