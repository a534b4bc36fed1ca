# SPDX-License-Identifier: BSD-3-Clause
"""Random matrices with a few more columns than rows, or fewer: most have full rank, and searches
end when one side is matched before they have visited the other. The tests run each start before
each search."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.pattern import as_pattern
from tests.oracles import plain_matching
from tests.transversal.methods import ALGORITHMS, each_initializer, noted


def rectangle(rng):
    """1 to 30 rows, up to 8 columns more or fewer, and one to four entries in a column."""
    m = int(rng.integers(1, 31))
    n = max(1, m + int(rng.integers(-8, 9)))
    return sp.csc_array(rng.random((m, n)) < rng.uniform(1, 4) / m)


@each_initializer
@pytest.mark.parametrize("threads", [1, 2])
def test_ranks_are_proven(initializer, threads, run_seed):
    """A wrong certificate is a `DefectWarning`, which fails here."""
    rng = np.random.default_rng(run_seed)
    deficient = 0
    for case in range(60):
        A = rectangle(rng)
        rank = plain_matching.structural_rank(A)
        deficient += rank < min(A.shape)
        P = as_pattern(A)
        for algorithm in ALGORITHMS:
            with noted(case=case, shape=A.shape, algorithm=algorithm):
                t = btfperm.maximum_transversal(
                    P, initializer=initializer, algorithm=algorithm, threads=threads
                )
                assert t.structural_rank == rank and t.maximum
    assert 0 < deficient < 60
