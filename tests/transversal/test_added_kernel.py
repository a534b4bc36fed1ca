# SPDX-License-Identifier: BSD-3-Clause
"""An algorithm on a GPU that is not part of btfperm: kernels, a driver and a row suffice."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm import registry
from btfperm.registry import Algorithm
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.oracles import plain_matching
from tests.transversal.test_starts import check_start, start

pytestmark = pytest.mark.gpu

ROW = Algorithm(
    name="last-row",
    package="transversal",
    family="initial",
    backend="gpu",
    reference="-",
    summary="-",
    prefer="-",
    function="tests.transversal.added.last_row_gpu:last_row",
)


@pytest.fixture
def row():
    """The row, in the registry for one test."""
    registry.add(ROW)
    yield ROW
    registry.remove(ROW)


def test_its_matching_is_maximal_and_a_search_follows(row, run_seed):
    A = families.random_rectangle(60, 70, 2.5, run_seed).A
    P, problem, counters, _ = start(A, row)
    assert check_start(P, problem) <= counters["edges"] <= P.nnz
    last = P.indices[P.indptr[1:][np.diff(P.indptr) > 0] - 1]
    assert (problem.row_match[last] >= 0).all(), "each list begins with its last row"
    t = btfperm.maximum_transversal(A, initializer="last-row", algorithm="apfb", backend="gpu")
    assert (t.initializer, t.backend) == ("last-row", "gpu") and t.counters["start_edges"] > 0
    check_transversal(A, t, rank=plain_matching.structural_rank(A))
