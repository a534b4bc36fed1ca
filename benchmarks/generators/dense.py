# SPDX-License-Identifier: BSD-3-Clause
"""``hessenberg_n`` and ``arrow_n``: dense lines."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import pattern


def hessenberg(n: int) -> sp.csc_array:
    """Dense lower triangle and superdiagonal."""
    rows, cols = np.tril_indices(n, 1, n)
    return pattern(rows, cols, (n, n))


def arrow(n: int) -> sp.csc_array:
    """Diagonal, dense first row and dense first column."""
    k = np.arange(n)
    zero = np.zeros(n, k.dtype)
    return pattern(np.concatenate([k, zero, k]), np.concatenate([k, k, zero]), (n, n))
