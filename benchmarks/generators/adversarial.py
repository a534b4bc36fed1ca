# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that make some algorithm slow."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, pattern

# ``chain_n``, ``chains_hk_k``, ``chains_KxN``: augmenting paths through all columns of a chain.


def closed_chains(lengths: Index) -> sp.csc_array:
    """Chains: column i has entries in rows i and i + 1; a closing column in the first row only.

    Each chain has one closing column. The closing columns are numbered after all others, so that
    greedy leaves one augmenting path through all columns of each chain.
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
    """One chain: one augmenting path through all n columns."""
    return closed_chains(np.array([n]))


def chains_hk(k: int) -> sp.csc_array:
    """Chains of lengths 1 to k: Hopcroft-Karp needs about k phases."""
    return closed_chains(np.arange(1, k + 1))


def chains(count: int, length: int) -> sp.csc_array:
    """`count` chains of one length."""
    return closed_chains(np.full(count, length))


# ``deadtree_n``: surplus columns whose search trees cover the core and find no unmatched row.


def deadtree(n: int) -> sp.csc_array:
    """Core of n (diagonal, cycle, 3n random), n/50 surplus columns (n/25 random entries) and n/50
    empty rows: rank n. A search that does not prune visits much of the core for each surplus column
    that has an entry."""
    rng = np.random.default_rng(SEED)
    k = np.arange(n)
    surplus = n // 50
    core_rows, core_cols = rng.integers(n, size=(2, 3 * n))
    rows = np.concatenate([k, k, core_rows, rng.integers(n, size=2 * surplus)])
    cols = np.concatenate([k, (k + 1) % n, core_cols, rng.integers(n, n + surplus, 2 * surplus)])
    return pattern(rows, cols, (n + surplus, n + surplus))


# ``ladder_n``: layered pattern on which SciPy 1.17's matching takes exponential time.


def check_ladder(n: int) -> None:
    """Raises ValueError unless n = 3L + 3 with L >= 1."""
    if n % 3 or n < 6:
        raise ValueError(f"ladder_{n}: the order must be 3 L + 3 with L >= 1; try ladder_57")


def ladder(n: int) -> sp.csc_array:
    """n = 3L + 3. Rows a(d,k), c(i), s, t; columns (d,k), e(i), one empty.

    a(d,k), d < L, holds (d,k) and, but for the last level, (d+1,0), (d+1,1); c(i), i <= L, holds
    e(i), e(i+1); s holds (0,0), (0,1); t holds e(0).
    """
    check_ladder(n)
    levels = n // 3 - 1
    a = np.arange(2 * levels)
    c = np.arange(levels + 1)
    first_c, s, t = 2 * levels, 3 * levels + 1, 3 * levels + 2
    e = 2 * levels + c
    inner = a[:-2]
    next_level = 2 * (inner // 2 + 1)
    rows = [a, inner, inner, first_c + c, first_c + c, np.array([s, s, t])]
    cols = [a, next_level, next_level + 1, e, e + 1, np.array([0, 1, e[0]])]
    return pattern(np.concatenate(rows), np.concatenate(cols), (n, n))


# ``kshard_n_kK``: Karp-Sipser's bad family (Dufossé, Kaya, Uçar 2015).


def check_karp_sipser_hard(n: int, k: int) -> None:
    """Raises ValueError unless n is even and k at most n/2."""
    if n % 2 or not 0 <= k <= n // 2:
        raise ValueError(f"kshard_{n}_k{k}: n must be even and k at most n/2; try kshard_2000_k8")


def karp_sipser_hard(n: int, k: int) -> sp.csc_array:
    """Halves R1, R2 and C1, C2: R1 x C1 full, R2 x C2 empty, R1 x C2 and R2 x C1 identities; then
    the last k rows of R1 and the last k columns of C1 full. The two identities form a perfect
    matching."""
    check_karp_sipser_hard(n, k)
    half = n // 2
    A = np.zeros((n, n), bool)
    A[:half, :half] = True
    i = np.arange(half)
    A[i, half + i] = True
    A[half + i, i] = True
    A[half - k : half, :] = True
    A[:, half - k : half] = True
    rows, cols = np.nonzero(A)
    return pattern(rows, cols, (n, n))
