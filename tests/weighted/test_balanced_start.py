# SPDX-License-Identifier: BSD-3-Clause
"""The start of mc64 from balanced prices, in large blocks that are badly scaled."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from tests.weighted.test_weighted_transversal import check_scalings

SIDE = 165  # of a grid, whose matrix has 135,465 entries
N = SIDE**2


def grid():
    """The Laplacian of a grid, whose diagonal has the largest product and the largest sum."""
    line = sp.diags_array([-1.0, 2.2, -1.0], offsets=[-1, 0, 1], shape=(SIDE, SIDE))
    one = sp.eye_array(SIDE)
    return sp.csc_array(sp.kron(one, line) + sp.kron(line, one))


@pytest.mark.parametrize("algorithm", ["mc64", "heavy-perfect"])
def test_scaled_rows_and_columns_need_few_searches(algorithm):
    rng = np.random.default_rng(3)
    rows, cols = (3 * rng.normal(size=N) for _ in range(2))
    order = rng.permutation(N)
    A = sp.diags_array(np.exp(rows)) @ grid() @ sp.diags_array(np.exp(cols))
    A = sp.csc_array(sp.csr_array(A)[order])
    w = btfperm.weighted_transversal(A, algorithm=algorithm)
    assert np.array_equal(order[w.col_match], np.arange(N))
    assert w.objective == pytest.approx(N * np.log(4.4) + rows.sum() + cols.sum(), rel=1e-12)
    check_scalings(A, w)
    assert w.counters["searches"] < N / 100 and w.counters["bids"] == 0


def test_a_start_that_is_no_better_is_not_used():
    """All values of a row are equal, so every transversal has the same product, and balanced prices
    give no better start."""
    rng = np.random.default_rng(4)
    A = grid()
    A.data[:] = np.exp(3 * rng.normal(size=N))[A.indices]
    w = btfperm.weighted_transversal(A)
    assert w.objective == pytest.approx(np.log(A.diagonal()).sum(), rel=1e-12)
    check_scalings(A, w)


def test_sums_of_the_largest_doubles_do_not_overflow():
    rng = np.random.default_rng(5)
    A = sp.csc_array(sp.csr_array(grid())[rng.permutation(N)])
    A.data *= np.exp(3 * rng.normal(size=A.nnz))
    small = btfperm.weighted_transversal(A, objective="sum")
    huge = A * (1e303 / abs(A.data).max())
    w = btfperm.weighted_transversal(huge, objective="sum")
    assert np.array_equal(w.row_match, small.row_match)
    assert np.isfinite(w.objective) and w.gap <= 1e-9 * w.objective


def test_limits_end_the_start():
    """Whatever the limit is, the search ends without a result or with the right one."""
    rng = np.random.default_rng(6)
    scales = (sp.diags_array(np.exp(3 * rng.normal(size=N))) for _ in range(2))
    A = sp.csc_array(next(scales) @ grid() @ next(scales))
    for most in np.linspace(1, 14, 14) * A.nnz:
        try:
            w = btfperm.weighted_transversal(A, max_work=int(most))
        except btfperm.LimitReachedError:
            continue
        assert np.array_equal(w.row_match, np.arange(N))
