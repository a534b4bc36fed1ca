# SPDX-License-Identifier: BSD-3-Clause
"""``kron_sX`` and ``rmat_sX``: recursive matrices, power-law degrees."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, pattern, symmetric


def recursive_edges(
    scale: int, count: int, quadrants: tuple[float, float, float], rng: np.random.Generator
) -> tuple[Index, Index]:
    """Each level puts each edge into one quadrant with probability a, b, c, 1 - a - b - c."""
    a, b, c = quadrants
    rows = np.zeros(count, np.int64)
    cols = np.zeros(count, np.int64)
    for _ in range(scale):
        r = rng.random(count)
        rows = 2 * rows + (r >= a + b)
        cols = 2 * cols + (((r >= a) & (r < a + b)) | (r >= a + b + c))
    return rows, cols


def kron(scale: int) -> sp.csc_array:
    """16 * 2^X edges (.57 .19 .19 .05), relabelled, symmetric, no diagonal."""
    n = 2**scale
    rng = np.random.default_rng(SEED)
    u, v = recursive_edges(scale, 16 * n, (0.57, 0.19, 0.19), rng)
    label = rng.permutation(n)
    return symmetric(label[u], label[v], n)


def rmat(scale: int) -> sp.csc_array:
    """8 * 2^X entries (.45 .15 .15 .25), rows and columns relabelled independently."""
    n = 2**scale
    rng = np.random.default_rng(SEED)
    rows, cols = recursive_edges(scale, 8 * n, (0.45, 0.15, 0.15), rng)
    return pattern(rng.permutation(n)[rows], rng.permutation(n)[cols], (n, n))
