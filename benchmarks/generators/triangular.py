# SPDX-License-Identifier: BSD-3-Clause
"""``tri_n`` and ``bandtri_n``: hidden triangular matrices, every block of size one."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, both_sides, pattern


def tri(n: int) -> sp.csc_array:
    """Diagonal and 4n random pairs (min, max), both sides permuted."""
    rng = np.random.default_rng(SEED)
    u = rng.integers(n, size=4 * n)
    v = rng.integers(n, size=4 * n)
    diagonal = np.arange(n)
    rows = np.concatenate([diagonal, np.minimum(u, v)])
    cols = np.concatenate([diagonal, np.maximum(u, v)])
    return both_sides(pattern(rows, cols, (n, n)))


def bandtri(n: int) -> sp.csc_array:
    """Diagonal, superdiagonal, 3 entries a row at distance 1 to 8, both sides permuted."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    rows = np.concatenate([diagonal, diagonal, np.repeat(diagonal, 3)])
    distance = rng.integers(1, 9, size=3 * n)
    cols = np.concatenate([diagonal, diagonal + 1, np.repeat(diagonal, 3) + distance])
    inside = cols < n
    return both_sides(pattern(rows[inside], cols[inside], (n, n)))
