# SPDX-License-Identifier: BSD-3-Clause
"""Real matrices with known structural ranks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests.checks.check_matching import check_maximum
from tests.checks.check_transversal import check_transversal
from tests.known_answers import known_answers, parametrized, read, shared_answers
from tests.oracles.plain_pattern import pattern
from tests.transversal.methods import ALGORITHMS, INITIALIZERS, noted


@parametrized(known_answers())
def test_structural_rank(known):
    """Every algorithm and every initializer; each pair of them occurs on some matrix."""
    A = sp.csc_array(read(known.name))
    turn = [known.name for known in known_answers()].index(known.name)
    count = max(len(ALGORITHMS), len(INITIALIZERS))
    for k in range(count):
        algorithm = ALGORITHMS[k % len(ALGORITHMS)]
        initializer = INITIALIZERS[(k + turn) % len(INITIALIZERS)]
        with noted(algorithm=algorithm, initializer=initializer):
            t = btfperm.maximum_transversal(A, initializer=initializer, algorithm=algorithm)
            assert t.structural_rank == known.structural_rank
            check_transversal(A, t)


@parametrized(known_answers())
def test_structural_rank_by_auto(known):
    A = read(known.name)
    assert (A.shape, pattern(A).nnz) == (known.shape, known.entries)
    assert btfperm.structural_rank(A) == known.structural_rank
    assert btfperm.structural_rank(sp.coo_array(A).T) == known.structural_rank
    assert btfperm.structural_rank(A, drop_zeros=True) == known.rank_without_zeros
    t = btfperm.maximum_transversal(A)
    check_maximum(A, t.row_match, t.col_match)


@parametrized(shared_answers(), reason="../shared/matrices is not there")
def test_the_larger_set(known):
    A = btfperm.read(known.path)
    assert (A.shape, A.nnz) == (known.shape, known.entries)
    t = btfperm.maximum_transversal(A)
    assert t.structural_rank == known.structural_rank
    assert btfperm.structural_rank(A, drop_zeros=True) == known.rank_without_zeros
    if known.fine_blocks is not None and known.structural_rank == min(A.shape):
        d = btfperm.dulmage_mendelsohn(A, transversal=t)
        assert d.n_blocks == known.fine_blocks


@pytest.mark.parametrize("copies", [1, 2])
def test_scipy_11458(copies):
    """20 x 25 with empty columns, and two copies of it stacked: an old SciPy found no matching."""
    rng = np.random.default_rng(11458)
    base = sp.random_array((20, 25), density=0.1, rng=rng)
    A = sp.vstack([base] * copies)
    t = btfperm.maximum_transversal(A)
    check_transversal(A, t)
    assert t.maximum
