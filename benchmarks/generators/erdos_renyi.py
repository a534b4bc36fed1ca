# SPDX-License-Identifier: BSD-3-Clause
"""``er_n_dD``, ``rect_wide_n``, ``rect_tall_n``: uniformly random pairs."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern


def random_pairs(m: int, n: int, count: int) -> sp.csc_array:
    """`count` pairs drawn with replacement, rows first; duplicates merged."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(m, size=count)
    return pattern(rows, rng.integers(n, size=count), (m, n))


def er(n: int, degree: float) -> sp.csc_array:
    """Square, `degree` entries a column on average; degree e is critical for Karp-Sipser."""
    return random_pairs(n, n, round(degree * n))


def rect_wide(n: int) -> sp.csc_array:
    """n/2 rows, n columns, 3 entries a column on average."""
    return random_pairs(n // 2, n, 3 * n)


def rect_tall(n: int) -> sp.csc_array:
    """n rows, n/2 columns, 6 entries a column on average."""
    return random_pairs(n, n // 2, 3 * n)
