# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition on a GPU against an oracle, on matrices small enough for an emulated device.

Most other tests of decompositions on a GPU compare them with the CPU of this package, which would
not show an error of both. These tests also run in the suite of machines without a GPU, see
`tests/backends/test_on_emulated_gpu.py`.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.dulmage_mendelsohn import coarse_gpu
from tests import families
from tests.checks.check_btf import check_block_triangular_form
from tests.dulmage_mendelsohn.digraphs import small_blocks, symmetric, with_diagonal
from tests.dulmage_mendelsohn.test_gpu_decomposition import way  # noqa: F401 - a fixture
from tests.on_device import ARRAYS, COARSE, EMULATED, here, pattern_there
from tests.oracles import plain_dulmage_mendelsohn as plain
from tests.oracles import plain_matching


def coupled(seed, surplus=5):
    """Returns three random blocks on the diagonal, a wide, a square and a tall one, with entries
    above them; rows and columns are permuted. `surplus` is the number of columns minus rows of the
    wide block."""
    rng = np.random.default_rng(seed)
    wide = 9 + surplus
    parts = [
        families.random_rectangle(9, wide, 2, seed).A,
        with_diagonal(20, 1.2, seed),
        families.random_rectangle(14, 9, 2, seed + 1).A,
    ]
    A = sp.lil_array(sp.block_diag(parts))
    for _ in range(12):
        A[rng.integers(0, 29), rng.integers(wide + 20, A.shape[1])] = 1
        A[rng.integers(0, 9), rng.integers(wide, A.shape[1])] = 1
    A = sp.csc_array(A)
    return sp.csc_array(A[rng.permutation(A.shape[0]), :][:, rng.permutation(A.shape[1])])


def long_lists(seed):
    """Returns a matrix whose lists are so long that bits mark the vertices that the coarse search
    has reached. The vertices do not fill the last word of bits. The horizontal and the vertical
    part are so small that no round runs from the other side."""
    rng = np.random.default_rng(seed)
    A = sp.csc_array(sp.block_diag([rng.random((k, k + 1)) < 0.9 for k in (5, 6)]))
    A = sp.csc_array(sp.block_diag([A, rng.random((42, 42)) < 0.9, rng.random((11, 8)) < 0.9]))
    assert A.nnz >= coarse_gpu._MIN_MARKED_LENGTH * max(A.shape) and sum(A.shape) % 32 == 31
    return A


def dense(m, n):
    """Returns a matrix whose rounds of the coarse search run from the other side at once."""
    return families.random_rectangle(m, n, 0.3 * m, m).A + sp.eye_array(m, n)


SMALL = {
    "chain": families.chain(30).A,
    "cycle": families.cycle(25).A,
    "bidiagonal": families.bidiagonal(30).A,
    "surplus, wide": families.surplus_path(12, wide=True).A,
    "surplus, tall": families.surplus_path(12, wide=False).A,
    "stars": families.stars(4, 7).A,
    "empty lines": families.empty_lines(40, 1).A,
    "triangular": families.triangular(40, 1).A,
    "blocks of 4": small_blocks(48, 4, 1),
    "giant": with_diagonal(60, 3, 1),
    "half a giant": with_diagonal(60, 1.2, 2),
    "symmetric": symmetric(50, 1),
    "all parts": coupled(1),
    "all parts, again": coupled(2),
    "all parts, wide": coupled(3, surplus=25),
    "all parts, tall": coupled(4, surplus=1),
    "all parts, long lists": long_lists(5),
    "surplus, dense and wide": dense(40, 90),
    "surplus, dense and tall": dense(90, 40),
    "no entries": sp.csc_array((4, 3)),
    "no rows": sp.csc_array((0, 3)),
}


def names_for(which, seed):
    """Returns the names of the matrices to test.

    `which` is a value of the fixture `way`. A real GPU tests all matrices with each value. An
    emulated device takes about a second for each matrix, so it tests all matrices only with "as it
    is". With "asked", rounds of the coarse search run from the other side, so it tests only the
    matrices "all parts" and "surplus", each of which has a horizontal or a vertical part. With any
    other value, it tests a random half of all matrices.
    """
    if not EMULATED or which == "as it is":
        return list(SMALL)
    if which == "asked":
        return [name for name in SMALL if name.startswith(("all parts", "surplus"))]
    return random.Random(f"{which} {seed}").sample(list(SMALL), len(SMALL) // 2)


@pytest.mark.gpu
def test_is_that_of_the_oracle(way, run_seed):  # noqa: F811
    for name in names_for(way, run_seed):
        A = SMALL[name]
        A = families.renumbered(families.Hard(sp.csc_array(A), -1), "mixed", run_seed).A
        d, expected = btfperm.dulmage_mendelsohn(pattern_there(A)), plain.dulmage_mendelsohn(A)
        for array in (*ARRAYS, *COARSE):
            np.testing.assert_array_equal(
                here(getattr(d, array)), getattr(expected, array), err_msg=f"{name}, {array}"
            )
        assert d.structural_rank == expected.structural_rank
        graph, plain_graph = d.block_graph(), plain.block_graph(A, expected)
        starts, heads = here(graph.indptr), here(graph.indices)
        for k, successors in enumerate(plain_graph.successors):
            assert heads[starts[k] : starts[k + 1]].tolist() == sorted(successors), name
        assert here(graph.work).tolist() == plain_graph.work, name


@pytest.mark.gpu
def test_block_triangular_form_of_singular_and_regular_matrices(run_seed):
    for name, A in SMALL.items():
        if A.shape[0] != A.shape[1] or not A.shape[0]:
            continue
        A = families.renumbered(families.Hard(sp.csc_array(A), -1), "mixed", run_seed).A
        f = btfperm.block_triangular_form(pattern_there(A))
        arrays = (here(getattr(f, name)) for name in ("row_perm", "col_perm", "blocks"))
        check_block_triangular_form(A, *arrays, here(f.paired_row), int(f.completed))
        assert f.structural_rank == plain_matching.structural_rank(A), name
        arrays = [value for value in vars(f.on_host()).values() if hasattr(value, "dtype")]
        assert len(arrays) > 3 and all(isinstance(array, np.ndarray) for array in arrays)


@pytest.mark.gpu
def test_a_singular_host_matrix_is_completed_after_a_search_on_a_gpu():
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, 60, (2, 150))
    A = sp.csc_array((np.ones(150), (rows, cols)), shape=(60, 60))
    f = btfperm.block_triangular_form(A, algorithm="g-pr-shr")
    assert f.completed > 0
    arrays = (f.row_perm, f.col_perm, f.blocks)
    check_block_triangular_form(A, *map(here, arrays), here(f.paired_row), int(f.completed))
