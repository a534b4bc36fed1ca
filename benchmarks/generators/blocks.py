# SPDX-License-Identifier: BSD-3-Clause
"""``digraph_n_dD``, ``wide_n_wW``, ``blocks_n_hH``: what is hard for a decomposition, not for a
matching. The diagonal is full; both sides are permuted."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, both_sides, pattern


def digraph(n: int, degree: float) -> sp.csc_array:
    """Diagonal and degree * n random pairs: one giant block, and many of one row."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    size = round(degree * n)
    rows = np.concatenate([diagonal, rng.integers(n, size=size)])
    cols = np.concatenate([diagonal, rng.integers(n, size=size)])
    return both_sides(pattern(rows, cols, (n, n)))


def wide(n: int, width: int) -> sp.csc_array:
    """Triangular: diagonal and 4 entries a row up to `width` above it, so some n / width deep."""
    rng = np.random.default_rng(SEED)
    diagonal = np.arange(n)
    rows = np.repeat(diagonal, 4)
    cols = rows + rng.integers(1, width + 1, size=4 * n)
    inside = cols < n
    rows = np.concatenate([diagonal, rows[inside]])
    return both_sides(pattern(rows, np.concatenate([diagonal, cols[inside]]), (n, n)))


def blocks(n: int, largest: int) -> sp.csc_array:
    """Blocks of 10 to `largest` rows, log-uniform, each a cycle and 2 entries a row; half the rows
    have one entry in a later block, half of these within the next 20 blocks."""
    rng = np.random.default_rng(SEED)
    sizes = np.exp(rng.uniform(np.log(10), np.log(largest), size=n // 10 + 1)).astype(np.int64)
    ends = np.minimum(np.cumsum(sizes), n)
    ends = ends[: np.searchsorted(ends, n) + 1]
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    block = np.repeat(np.arange(len(sizes)), sizes)
    row = np.arange(n)
    first, size = starts[block], sizes[block]
    inner = np.repeat(row, 2)
    inner_cols = first[inner] + rng.integers(0, size[inner])
    linked = np.flatnonzero(rng.random(n) < 0.5)
    left = len(sizes) - 1 - block[linked]
    reach = np.where(rng.random(len(linked)) < 0.5, np.minimum(left, 20), left)
    linked, reach = linked[reach > 0], reach[reach > 0]
    later = block[linked] + rng.integers(1, reach + 1)
    later_cols = starts[later] + rng.integers(0, sizes[later])
    rows = np.concatenate([row, row, inner, linked])
    cols = np.concatenate([row, first + (row + 1 - first) % size, inner_cols, later_cols])
    return both_sides(pattern(rows, cols, (n, n)))
