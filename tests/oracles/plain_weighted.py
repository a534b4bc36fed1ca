# SPDX-License-Identifier: BSD-3-Clause
"""The best maximum transversal of a small dense matrix, by dynamic programming over sets of
columns. It shares no code with btfperm."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

__all__ = ["best_transversal"]

_JOIN: dict[str, Callable[[float, float], float]] = {
    "product": lambda total, modulus: total + math.log(modulus),
    "sum": lambda total, modulus: total + modulus,
    "bottleneck": min,
}


def best_transversal(A: np.ndarray, kind: str) -> tuple[int, float]:
    """(structural rank, objective) of an m x n matrix; O(m n 2^n)."""
    m, n = A.shape
    join = _JOIN[kind]
    best = {0: math.inf if kind == "bottleneck" else 0.0}  # by the set of matched columns
    for i in range(m):
        before = dict(best)
        for j in range(n):
            if A[i, j] == 0:
                continue
            for columns, total in before.items():
                more = columns | 1 << j
                if more == columns:
                    continue
                value = join(total, abs(A[i, j]))
                if more not in best or best[more] < value:
                    best[more] = value
    rank = max(columns.bit_count() for columns in best)
    return rank, max(v for columns, v in best.items() if columns.bit_count() == rank)
