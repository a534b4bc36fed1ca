# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that together need every step of the decomposition."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tests import families


def with_diagonal(n, per_row, seed):
    """A full diagonal after a permutation, and random entries: one large component and small
    ones."""
    rng = np.random.default_rng(seed)
    k = int(n * per_row)
    A = sp.coo_array((np.ones(k), (rng.integers(0, n, k), rng.integers(0, n, k))), shape=(n, n))
    return sp.csc_array((A + sp.eye_array(n)).tocsc()[rng.permutation(n), :])


def small_blocks(n, size, seed):
    """Cycles of about `size`, and entries between them on one side of the diagonal only."""
    rng = np.random.default_rng(seed)
    j = np.arange(n)
    block = j // size
    first = block * size
    following = first + (j - first + 1) % np.minimum(size, n - first)
    rows = rng.integers(0, n, n)
    cols = rng.integers(0, n, n)
    above = block[rows] < block[cols]
    rows = np.concatenate([j, j, rows[above]])
    cols = np.concatenate([j, following, cols[above]])
    A = sp.coo_array((np.ones(rows.size), (rows, cols)), shape=(n, n)).tocsc()
    return sp.csc_array(A[rng.permutation(n), :][:, rng.permutation(n)])


def symmetric(n, seed):
    """A symmetric pattern with a full diagonal, in several components."""
    rng = np.random.default_rng(seed)
    k = n // 2 + n // 3
    A = sp.coo_array((np.ones(k), (rng.integers(0, n, k), rng.integers(0, n, k))), shape=(n, n))
    return sp.csc_array(A + A.T + sp.eye_array(n))


def with_hubs(n, seed):
    """Nearly full rows and columns, above blocks of two."""
    rng = np.random.default_rng(seed)
    j = np.arange(n)
    full = rng.permutation(n)[: n - 3]
    rows = [j, j ^ 1, np.zeros(full.size, int), full, full]
    cols = [j, j, full, np.full(full.size, n - 1), np.full(full.size, n - 2)]
    return families.csc(rows, cols, (n, n))


HARD = {
    "chain": families.chain(3_000).A,
    "bidiagonal": families.bidiagonal(5_000).A,
    "cycle": families.cycle(3_000).A,
    "surplus, wide": families.surplus_path(3_000, wide=True).A,
    "surplus, tall": families.surplus_path(3_000, wide=False).A,
    "ladder": families.scipy_ladder(60).A,
    "dead tree": families.deadtree(20_000, 1).A,
    "stars": families.stars(60, 70).A,
    "empty lines": families.empty_lines(5_000, 1).A,
    "dense": families.dense(700, 900).A,
    "hessenberg": families.hessenberg(150).A,
    "triangular": families.triangular(30_000, 1).A,
    "strip": families.strip(300, 1).A,
    "random, wide": families.random_rectangle(30_000, 50_000, 3, 1).A,
    "random, tall": families.random_rectangle(50_000, 30_000, 2, 1).A,
    "random, square": families.random_rectangle(60_000, 60_000, 3, 1).A,
    "giant": with_diagonal(50_000, 3, 1),
    "half a giant": with_diagonal(50_000, 1.2, 2),
    "blocks of 7": small_blocks(40_000, 7, 1),
    "blocks of 500": small_blocks(40_000, 500, 2),
    "symmetric": symmetric(40_000, 1),
    "hubs": with_hubs(40_000, 1),
    "nothing": sp.csc_array((300, 200)),
}
