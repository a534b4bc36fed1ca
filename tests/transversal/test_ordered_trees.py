# SPDX-License-Identifier: BSD-3-Clause
"""ordered-trees on a GPU gives the same matching in each run. `test_gpu.py` tests it as it tests
every algorithm of a GPU, and `test_gpu_small.py` tests ``deterministic=True``."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests import families
from tests.checks.check_transversal import check_transversal

pytestmark = pytest.mark.gpu

OURS = {"algorithm": "ordered-trees", "initializer": "none"}


@pytest.mark.parametrize(
    "A",
    [families.chain(3_000).A, families.random_rectangle(900, 900, 3, 4).A],
    ids=["chain", "random"],
)
def test_short_launches_give_the_same_matching(A, monkeypatch):
    """A launch that reaches its limit leaves unfinished trees and paths to the next one."""
    from btfperm.transversal.augmenting import ordered_trees_gpu

    whole = btfperm.maximum_transversal(A, **OURS)
    monkeypatch.setattr(ordered_trees_gpu, "_LAUNCH_LEVELS", 3)
    monkeypatch.setattr(ordered_trees_gpu, "_LAUNCH_SHIFTS", 2)
    parts = btfperm.maximum_transversal(A, **OURS)
    check_transversal(A, parts, rank=btfperm.structural_rank(A))
    np.testing.assert_array_equal(parts.row_match, whole.row_match)
    for name in ("phases", "rounds", "augmentations"):
        assert parts.counters[name] == whole.counters[name]


def test_each_run_gives_the_same_matching():
    A = families.random_rectangle(20_000, 20_000, 3, 8).A
    first, *others = (btfperm.maximum_transversal(A, **OURS).row_match for _ in range(20))
    for other in others:
        np.testing.assert_array_equal(other, first)
    assert int((first >= 0).sum()) == btfperm.structural_rank(A)
