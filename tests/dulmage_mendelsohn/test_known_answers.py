# SPDX-License-Identifier: BSD-3-Clause
"""Real matrices: boundaries and blocks as in the index, and every array as the oracle's."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import btfperm
from btfperm.pattern import as_pattern
from tests.checks.check_btf import check_canonical_order, check_fine
from tests.checks.check_coarse import check_coarse
from tests.dulmage_mendelsohn.test_decomposition import assert_same
from tests.known_answers import known_answers, parametrized, read
from tests.loops import looped
from tests.oracles import plain_dulmage_mendelsohn
from tests.transversal.methods import ALGORITHMS, each_algorithm, in_64_bits, noted


@parametrized(known_answers())
def test_real_matrices(known):
    A = read(known.name)
    d = btfperm.dulmage_mendelsohn(A)
    assert d.structural_rank == known.structural_rank
    assert tuple(d.coarse_rows) == known.coarse_rows
    assert tuple(d.coarse_cols) == known.coarse_cols
    assert d.n_blocks == known.fine_blocks
    check_coarse(A, d, d.row_match, d.col_match)
    check_fine(A, d, d.col_match)
    check_canonical_order(A, d)
    assert_same(d, plain_dulmage_mendelsohn.dulmage_mendelsohn(A))


@parametrized(known_answers())
def test_in_64_bits(known):
    initializer = ("none", "karp-sipser")[known_answers().index(known) % 2]
    P = as_pattern(read(known.name))
    wide_P = in_64_bits(P)
    for algorithm in ALGORITHMS:
        options = {"algorithm": algorithm, "initializer": initializer, "threads": 1}
        with noted(algorithm=algorithm):
            d = btfperm.dulmage_mendelsohn(P, **options)
            wide = btfperm.dulmage_mendelsohn(wide_P, **options)
            assert_same(wide, d)
            np.testing.assert_array_equal(wide.row_match, d.row_match)
            np.testing.assert_array_equal(wide.block_graph().level, d.block_graph().level)


@each_algorithm
@looped("name", ["bp_1200", "laser", "Erdos971", "cat_ears_3_1", "lpA_25fv47"])
def test_with_every_algorithm(name, algorithm):
    A = read(name)
    d = btfperm.dulmage_mendelsohn(A, algorithm=algorithm, initializer="none")
    assert_same(d, btfperm.dulmage_mendelsohn(A))


@parametrized(known_answers())
def test_mixed_numbering_and_back(known, run_seed):
    """The decomposition of the renumbered matrix, mapped back, has the same parts and blocks."""
    A = sp.csc_array(read(known.name))
    rng = np.random.default_rng(run_seed)
    rows, cols = rng.permutation(A.shape[0]), rng.permutation(A.shape[1])
    d = btfperm.dulmage_mendelsohn(A[rows, :][:, cols])
    check_coarse(A[rows, :][:, cols], d, d.row_match, d.col_match)
    assert tuple(d.coarse_rows) == known.coarse_rows
    assert tuple(d.coarse_cols) == known.coarse_cols
    assert d.n_blocks == known.fine_blocks
