# SPDX-License-Identifier: BSD-3-Clause
"""`match_by_degree` of the core gives items with few entries priority."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm import _core
from btfperm.pattern import as_pattern
from tests import families
from tests.checks.check_matching import check_matching
from tests.oracles.plain_pattern import column_lists


def chosen_items(A):
    """The greedy algorithm for a basis: each item, by ascending degree, if a path exists that
    matches it in addition to the items before it."""
    rows_of = column_lists(A)
    mate, chosen = {}, set()

    def finds_partner(j, visited):
        for i in rows_of[j]:
            if i not in visited:
                visited.add(i)
                if i not in mate or finds_partner(mate[i], visited):
                    mate[i] = j
                    return True
        return False

    for j in sorted(range(len(rows_of)), key=lambda j: (len(rows_of[j]), j)):
        if finds_partner(j, set()):
            chosen.add(j)
    return chosen


@pytest.mark.parametrize("shape", [(40, 40), (30, 50), (50, 30), (3, 40)])
def test_the_matched_items_are_those_of_the_greedy_algorithm(shape):
    for seed in range(10):
        A = families.random_rectangle(*shape, 2, seed).A
        P = as_pattern(A)
        row_match, col_match = (np.empty(size, P.indices.dtype) for size in P.shape)
        _core.diagnosis.match_by_degree(P.indptr, P.indices, row_match, col_match, 10**6)
        check_matching(A, row_match, col_match)
        assert set(np.flatnonzero(col_match >= 0).tolist()) == chosen_items(A)
