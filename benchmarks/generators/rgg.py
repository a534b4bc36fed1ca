# SPDX-License-Identifier: BSD-3-Clause
"""``rgg_n_2_X``: random geometric graph of 2^X points, numbered by strips."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

from benchmarks.generators.assemble import SEED, symmetric


def rgg(exponent: int) -> sp.csc_array:
    """Pairs within r = 0.55 sqrt(ln n / n); points by strip floor(x * int(1/r)), then by y."""
    n = 2**exponent
    radius = 0.55 * np.sqrt(np.log(n) / n)
    points = np.random.default_rng(SEED).random((n, 2))
    strip = np.floor(points[:, 0] * int(1 / radius))
    points = points[np.lexsort((points[:, 1], strip))]
    pairs = cKDTree(points).query_pairs(radius, output_type="ndarray")
    return symmetric(pairs[:, 0], pairs[:, 1], n)
