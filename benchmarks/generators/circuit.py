# SPDX-License-Identifier: BSD-3-Clause
"""``circuit_n``: one large irreducible block and many tiny ones, as in circuit Jacobians."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, Index, both_sides, pattern

BLOCK_SHARE = 0.6
HUBS = 20
COUPLING = 3  # scale of the Pareto(1.2) distances, either way round the cycle


def tiny_cycles(first: int, end: int, rng: np.random.Generator) -> tuple[Index, Index]:
    """Cycles of length 1 to 5 (1 three times as likely) that cover first, ..., end - 1."""
    lengths = rng.choice([1, 1, 1, 2, 3, 4, 5], size=end - first)
    ends = np.minimum(first + np.cumsum(lengths), end)
    ends = ends[: np.searchsorted(ends, end) + 1]
    starts = np.concatenate([[first], ends[:-1]])
    member = np.arange(first, end)
    successor = member + 1
    successor[ends - 1 - first] = starts
    return member, successor


def circuit(n: int) -> sp.csc_array:
    """Full rank: the diagonal is there. Rows and columns are permuted at random."""
    rng = np.random.default_rng(SEED)
    nb = int(BLOCK_SHARE * n)
    block = np.arange(nb)
    near = rng.integers(nb, size=2 * nb)
    distance = 1 + (COUPLING * rng.pareto(1.2, size=2 * nb)).astype(np.int64)
    distance *= rng.choice([-1, 1], size=2 * nb)
    hub = np.repeat(rng.integers(nb, size=HUBS), nb // 200)
    hub_cols = rng.integers(nb, size=len(hub))
    member, successor = tiny_cycles(nb, n, rng)
    above = rng.integers(n, size=2 * (n - nb))
    above_cols = rng.integers(nb, n, size=2 * (n - nb))
    upper = above < above_cols
    diagonal = np.arange(n)
    rows = [diagonal, block, near, hub, member, above[upper]]
    cols = [diagonal, (block + 1) % nb, (near + distance) % nb, hub_cols, successor]
    return both_sides(
        pattern(np.concatenate(rows), np.concatenate([*cols, above_cols[upper]]), (n, n))
    )
