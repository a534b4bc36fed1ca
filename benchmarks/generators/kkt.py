# SPDX-License-Identifier: BSD-3-Clause
"""``kkt_n`` and ``kkt_sing_n``: saddle point systems [[H, B'], [B, 0]]."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern


def saddle_point(states: int, constraints: int, used: int) -> sp.csc_array:
    """H tridiagonal; each row of B has 4 random entries among the first `used` columns."""
    n = states + constraints
    k = np.arange(states)
    b_rows = states + np.repeat(np.arange(constraints), 4)
    b_cols = np.random.default_rng(SEED).integers(used, size=4 * constraints)
    rows = np.concatenate([k, k[1:], k[:-1], b_rows, b_cols])
    cols = np.concatenate([k, k[:-1], k[1:], b_cols, b_rows])
    return pattern(rows, cols, (n, n))


def kkt(n: int) -> sp.csc_array:
    """3n/4 states and n/4 constraints; full rank at 2e5."""
    return saddle_point(3 * n // 4, n // 4, 3 * n // 4)


def kkt_sing(n: int) -> sp.csc_array:
    """3n/4 states, 0.3 n constraints on 0.21 n of them: structurally singular."""
    return saddle_point(3 * n // 4, 3 * n // 10, 21 * n // 100)
