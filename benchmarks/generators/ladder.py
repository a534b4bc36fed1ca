# SPDX-License-Identifier: BSD-3-Clause
"""``ladder_n``: layered pattern on which SciPy 1.17's matching takes exponential time."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import pattern


def ladder(n: int) -> sp.csc_array:
    """n = 3L + 3. Rows a(d,k), c(i), s, t; columns (d,k), e(i), one empty.

    a(d,k), d < L, holds (d,k) and, but for the last level, (d+1,0), (d+1,1); c(i), i <= L, holds
    e(i), e(i+1); s holds (0,0), (0,1); t holds e(0).
    """
    levels, rest = divmod(n - 3, 3)
    if rest or levels < 1:
        raise ValueError(f"ladder_{n}: the order must be 3 L + 3 with L >= 1; try ladder_57")
    a = np.arange(2 * levels)
    c = np.arange(levels + 1)
    first_c, s, t = 2 * levels, 3 * levels + 1, 3 * levels + 2
    e = 2 * levels + c
    inner = a[:-2]
    next_level = 2 * (inner // 2 + 1)
    rows = [a, inner, inner, first_c + c, first_c + c, np.array([s, s, t])]
    cols = [a, next_level, next_level + 1, e, e + 1, np.array([0, 1, e[0]])]
    return pattern(np.concatenate(rows), np.concatenate(cols), (n, n))
