# SPDX-License-Identifier: BSD-3-Clause
"""``kshard_n_kK``: Karp-Sipser's bad family (Dufossé, Kaya, Uçar 2015)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import pattern


def karp_sipser_hard(n: int, k: int) -> sp.csc_array:
    """Halves R1, R2 and C1, C2: R1 x C1 full, R2 x C2 empty, R1 x C2 and R2 x C1 identities; then
    the last k rows of R1 and the last k columns of C1 full. Perfect: the two identities."""
    half = n // 2
    if n % 2 or not 0 <= k <= half:
        raise ValueError(f"kshard_{n}_k{k}: n must be even and k at most n/2; try kshard_2000_k8")
    A = np.zeros((n, n), bool)
    A[:half, :half] = True
    i = np.arange(half)
    A[i, half + i] = True
    A[half + i, i] = True
    A[half - k : half, :] = True
    A[:, half - k : half] = True
    rows, cols = np.nonzero(A)
    return pattern(rows, cols, (n, n))
