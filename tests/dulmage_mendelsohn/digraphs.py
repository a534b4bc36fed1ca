# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that together need every step of the decomposition."""

from __future__ import annotations

from collections.abc import Mapping

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


_MAKERS = {
    "chain": lambda: families.chain(3_000).A,
    "bidiagonal": lambda: families.bidiagonal(5_000).A,
    "cycle": lambda: families.cycle(3_000).A,
    "surplus, wide": lambda: families.surplus_path(3_000, wide=True).A,
    "surplus, tall": lambda: families.surplus_path(3_000, wide=False).A,
    "ladder": lambda: families.scipy_ladder(60).A,
    "dead tree": lambda: families.deadtree(20_000, 1).A,
    "stars": lambda: families.stars(60, 70).A,
    "empty lines": lambda: families.empty_lines(5_000, 1).A,
    "dense": lambda: families.dense(700, 900).A,
    "hessenberg": lambda: families.hessenberg(150).A,
    "triangular": lambda: families.triangular(30_000, 1).A,
    "strip": lambda: families.strip(300, 1).A,
    "random, wide": lambda: families.random_rectangle(30_000, 50_000, 3, 1).A,
    "random, tall": lambda: families.random_rectangle(50_000, 30_000, 2, 1).A,
    "random, square": lambda: families.random_rectangle(60_000, 60_000, 3, 1).A,
    "giant": lambda: with_diagonal(50_000, 3, 1),
    "half a giant": lambda: with_diagonal(50_000, 1.2, 2),
    "blocks of 7": lambda: small_blocks(40_000, 7, 1),
    "blocks of 500": lambda: small_blocks(40_000, 500, 2),
    "symmetric": lambda: symmetric(40_000, 1),
    "hubs": lambda: with_hubs(40_000, 1),
    "nothing": lambda: sp.csc_array((300, 200)),
}


class _Made(Mapping):
    """Each matrix is made at its first use: most processes that import these tests use none."""

    def __init__(self):
        self._made = {}

    def __iter__(self):
        return iter(_MAKERS)

    def __len__(self):
        return len(_MAKERS)

    def __getitem__(self, name):
        if name not in self._made:
            self._made[name] = _MAKERS[name]()
        return self._made[name]


HARD = _Made()
