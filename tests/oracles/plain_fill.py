# SPDX-License-Identifier: BSD-3-Clause
"""The pattern of LU factors by elimination of a dense matrix of truth values."""

from __future__ import annotations

from typing import Any

import numpy as np


def factors(B: Any) -> tuple[int, int, int]:
    """(entries of L below the diagonal, of U with the diagonal, multiplications and divisions) if
    the pivots are the diagonal entries of the square matrix of truth values `B`. O(n^3)."""
    F = np.array(B, dtype=bool)
    np.fill_diagonal(F, True)
    operations = 0
    for k in range(F.shape[0]):
        below, right = F[k + 1 :, k], F[k, k + 1 :]
        operations += int(below.sum()) * (1 + int(right.sum()))
        F[k + 1 :, k + 1 :] |= np.outer(below, right)
    return int(np.tril(F, -1).sum()), int(np.triu(F).sum()), operations


def local_fills(B: Any) -> list[int]:
    """Entries that the first pivot creates, for each diagonal entry as first pivot. O(n^3)."""
    F = np.array(B, dtype=bool)
    np.fill_diagonal(F, True)
    fills = []
    for k in range(F.shape[0]):
        others = np.arange(F.shape[0]) != k
        crossings = np.outer(F[:, k] & others, F[k] & others)
        fills.append(int((crossings & ~F).sum()))
    return fills


def minimum_degree(graph: Any) -> list[int]:
    """An order by exact minimum degree of a symmetric graph, given as truth values. O(n^3)."""
    G = np.array(graph, dtype=bool)
    np.fill_diagonal(G, False)
    left, order = set(range(G.shape[0])), []
    while left:
        v = min(left, key=lambda u: (int(G[u].sum()), u))
        around = np.flatnonzero(G[v])
        G[np.ix_(around, around)] = True
        np.fill_diagonal(G, False)
        G[v, :] = G[:, v] = False
        left.remove(v)
        order.append(v)
    return order
