# SPDX-License-Identifier: BSD-3-Clause
"""``deadtree_n``: surplus columns whose search trees cover the core and find nothing."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern


def deadtree(n: int) -> sp.csc_array:
    """Core of n (diagonal, cycle, 3n random), n/50 surplus columns (n/25 random entries) and n/50
    empty rows: rank n, and a search that does not prune walks the core for each surplus column."""
    rng = np.random.default_rng(SEED)
    k = np.arange(n)
    surplus = n // 50
    core_rows, core_cols = rng.integers(n, size=(2, 3 * n))
    rows = np.concatenate([k, k, core_rows, rng.integers(n, size=2 * surplus)])
    cols = np.concatenate([k, (k + 1) % n, core_cols, rng.integers(n, n + surplus, 2 * surplus)])
    return pattern(rows, cols, (n + surplus, n + surplus))
