# SPDX-License-Identifier: BSD-3-Clause
"""``copapers_n`` and ``citations_n``: who wrote with whom, and who cites whom."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.generators.assemble import SEED, pattern, symmetric

CITED_PER_PAPER = 4.4


def copapers(n: int) -> sp.csc_array:
    """n papers, joined when they share an author, in the place of ``coPapersDBLP``.

    Authors have Pareto many papers, each a clique, some of them in common.
    """
    rng = np.random.default_rng(SEED)
    authors = n // 2
    output = np.minimum(2 + (2.2 * rng.pareto(1.45, size=authors)).astype(np.int64), 120)
    author = np.repeat(np.arange(authors), output)
    spread = (4 * output[author] * rng.standard_t(2, size=len(author))).astype(np.int64)
    paper = (n * author // authors + spread) % n
    paper[: min(n, len(paper))] = rng.permutation(n)[: len(paper)]
    marks = np.ones(len(paper), np.int8)
    wrote = sp.csr_array((marks, (paper, author)), shape=(n, authors))
    wrote.data[:] = 1
    joint = (wrote @ wrote.T).tocoo()
    upper = joint.row < joint.col
    order = rng.permutation(n)
    return symmetric(order[joint.row[upper]], order[joint.col[upper]], n)


def citations(n: int) -> sp.csc_array:
    """n papers in order of date, row i the later one, in the place of ``cit-Patents``.

    Four in five cite; what they cite is near in time, or what others cite as well.
    """
    rng = np.random.default_rng(SEED)
    count = rng.poisson(CITED_PER_PAPER, size=n)
    citing = np.repeat(np.arange(n), count)
    age = 1 + (0.02 * n * rng.pareto(1.2, size=len(citing))).astype(np.int64)
    cited = citing - age
    keep = cited >= 0
    return pattern(citing[keep], cited[keep], (n, n))
