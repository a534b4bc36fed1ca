# SPDX-License-Identifier: BSD-3-Clause
"""``chain_n``, ``chains_hk_k``, ``chains_KxN``: the longest augmenting paths there are."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import Index, pattern


def closed_chains(lengths: Index) -> sp.csc_array:
    """Column i of a chain holds rows i and i + 1, the closing column only the chain's first row.

    Closing columns stand after all others, so that greedy leaves each chain one augmenting path
    through all of its columns.
    """
    ends = np.cumsum(lengths)
    n = int(ends[-1])
    starts = ends - lengths
    inner = np.ones(n, bool)
    inner[ends - 1] = False
    row = np.flatnonzero(inner)
    col = np.arange(len(row))
    closing = len(row) + np.arange(len(lengths))
    rows = np.concatenate([row, row + 1, starts])
    return pattern(rows, np.concatenate([col, col, closing]), (n, n))


def chain(n: int) -> sp.csc_array:
    """One chain: one augmenting path of length n."""
    return closed_chains(np.array([n]))


def chains_hk(k: int) -> sp.csc_array:
    """Chains of lengths 1 to k: Hopcroft-Karp needs about k phases."""
    return closed_chains(np.arange(1, k + 1))


def chains(count: int, length: int) -> sp.csc_array:
    """`count` chains of one length."""
    return closed_chains(np.full(count, length))
