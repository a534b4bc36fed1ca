# SPDX-License-Identifier: BSD-3-Clause
"""``copurchase_n``: what was bought together, in the place of ``amazon0312``."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern

KIND = 40  # products of a kind stand together
MOST = 9  # a shop lists up to so many of them


def copurchase(n: int) -> sp.csc_array:
    """Each product lists a few others, most of them popular ones of its kind, and now and then a
    slow seller: the columns of these have few entries, and Karp-Sipser's random choices miss them.
    """
    rng = np.random.default_rng(SEED)
    listed = np.where(rng.random(n) < 0.6, MOST, rng.integers(1, MOST, size=n))
    product = np.repeat(np.arange(n), listed)
    kind = product // KIND
    step = rng.choice([0, 0, 0, 0, -1, 1], size=len(product))
    place = (KIND * rng.random(len(product)) ** 2).astype(np.int64)
    other = ((kind + step) * KIND + place) % n
    seldom = np.tile(np.arange(n), 2)
    by = (seldom + rng.integers(-KIND, KIND, size=2 * n)) % n
    order = rng.permutation(n)
    return pattern(
        order[np.concatenate([product, by])], order[np.concatenate([other, seldom])], (n, n)
    )
