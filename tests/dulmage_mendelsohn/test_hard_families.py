# SPDX-License-Identifier: BSD-3-Clause
"""Long and deep structures: the decomposition must not recurse nor need a pass for each level."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests import families
from tests.checks.check_btf import check_canonical_order, check_fine
from tests.checks.check_coarse import check_coarse


@pytest.mark.parametrize("numbering", ["forward", "backward", "mixed"])
@pytest.mark.parametrize(
    "hard",
    [
        pytest.param(families.chain(50_000), id="chain"),
        pytest.param(families.bidiagonal(50_000), id="bidiagonal"),
        pytest.param(families.cycle(50_000), id="cycle"),
        pytest.param(families.surplus_path(50_000, wide=True), id="wide path"),
        pytest.param(families.surplus_path(50_000, wide=False), id="tall path"),
        pytest.param(families.stars(300, 300), id="stars"),
        pytest.param(families.scipy_ladder(5_000), id="ladder"),
        pytest.param(families.chains_hk(300), id="chains"),
        pytest.param(families.dense(300, 200), id="dense"),
    ],
)
def test_deep(hard, numbering, run_seed):
    hard = families.renumbered(hard, numbering, run_seed)
    d = btfperm.dulmage_mendelsohn(hard.A)
    assert d.structural_rank == hard.rank
    assert hard.fine_blocks in (None, d.n_blocks)
    check_coarse(hard.A, d, d.row_match, d.col_match)
    check_fine(hard.A, d, d.col_match)
    check_canonical_order(hard.A, d)


def test_a_million_columns_in_known_order():
    """The last column of a chain, which closes it, comes first; the other columns and all rows keep
    their order."""
    n = 1_000_000
    d = btfperm.dulmage_mendelsohn(families.chain(n).A)
    np.testing.assert_array_equal(d.row_perm, np.arange(n))
    np.testing.assert_array_equal(d.col_perm, np.r_[n - 1, np.arange(n - 1)])
    np.testing.assert_array_equal(d.row_blocks, np.arange(n + 1))


@pytest.mark.parametrize("numbering", ["forward", "backward"])
def test_a_million_columns_in_one_block(numbering):
    n = 1_000_000
    for hard in (
        families.cycle(n),
        families.surplus_path(n, wide=True),
        families.surplus_path(n, wide=False),
    ):
        d = btfperm.dulmage_mendelsohn(families.renumbered(hard, numbering).A)
        assert d.row_blocks.tolist() == [0, hard.A.shape[0]]
        assert d.col_blocks.tolist() == [0, hard.A.shape[1]]


def test_deadtree_and_random(run_seed):
    for hard in (
        families.deadtree(20_000, run_seed),
        families.triangular(20_000, run_seed),
        families.random_rectangle(20_000, 20_000, 2.7, run_seed),
        families.random_rectangle(10_000, 20_000, 6, run_seed),
        families.random_rectangle(20_000, 10_000, 3, run_seed),
    ):
        d = btfperm.dulmage_mendelsohn(hard.A)
        check_coarse(hard.A, d, d.row_match, d.col_match)
        check_fine(hard.A, d, d.col_match)
        check_canonical_order(hard.A, d)


def grid(side, seed, one_way=0):
    """A square grid with its diagonal, randomly numbered; or two, with `one_way` arcs from the
    first to the second. No row or column has only one entry."""
    rng = np.random.default_rng(seed)
    n = side * side
    k = np.arange(n)
    right, down = k[k % side < side - 1], k[k < n - side]
    rows = [k, right, right + 1, down, down + side]
    cols = [k, right + 1, right, down + side, down]
    if one_way:
        rows = [*rows, *(n + r for r in rows), rng.integers(0, n, one_way)]
        cols = [*cols, *(n + c for c in cols), n + rng.integers(0, n, one_way)]
        n *= 2
    blocks = 2 if one_way else 1
    return families.renumbered(
        families.Hard(families.csc(rows, cols, (n, n)), n, blocks), "mixed", seed
    )


@pytest.mark.parametrize("one_way", [0, 1, 500])
def test_grids(one_way, run_seed):
    """A symmetric pattern is usually one block, which a single search proves. Two grids must remain
    two blocks."""
    hard = grid(60, run_seed, one_way)
    d = btfperm.dulmage_mendelsohn(hard.A)
    assert d.n_blocks == hard.fine_blocks
    check_fine(hard.A, d, d.col_match)
    check_canonical_order(hard.A, d)


@pytest.mark.parametrize(("m", "n"), [(30_000, 8_000), (30_000, 20_000), (8_000, 30_000)])
@pytest.mark.parametrize("per_row", [0.3, 1.0, 3.0])
def test_many_unmatched(m, n, per_row, run_seed):
    """If many rows are unmatched, the vertical part is found by sweeps instead of a search."""
    hard = families.random_rectangle(m, n, per_row, run_seed)
    d = btfperm.dulmage_mendelsohn(hard.A)
    check_coarse(hard.A, d, d.row_match, d.col_match)
    check_fine(hard.A, d, d.col_match)
    check_canonical_order(hard.A, d)
