# SPDX-License-Identifier: BSD-3-Clause
"""``algorithm="published"``: its rules on a GPU, and its errors. `test_auto.py` has a matrix for
each rule for the CPU; `test_gpu_small.py` runs ``published`` on a GPU."""

from __future__ import annotations

import pytest

import btfperm
from tests.transversal.test_auto import LARGE, first, random


@pytest.mark.parametrize(
    ("rule", "known"),
    [
        ("uneven columns", {"entries": 200_000, "degree": 4.2, "skew": 1.0}),
        ("uneven, long columns", {"entries": 200_000, "degree": 12.0, "skew": 0.6}),
        ("uneven, short columns", {"entries": 200_000, "degree": 4.2, "skew": 0.6}),
        ("large, irregular", {"entries": 40_000_000, "degree": 3.0}),
        ("large, few unmatched", {"entries": 20_000_000, "skew": 0.2, "free": 0.01}),
        ("very long paths", {"entries": 20_000_000, "skew": 0.2, "depth": 900}),
        ("the rest", {"entries": 10_000_000, "skew": 0.2, "depth": 900}),
        ("the rest", {"skew": 0.2}),
        ("the rest", {"entries": 200_000, "skew": 1.0, "degree": 3.0}),
        ("the rest", {"entries": 200_000, "skew": 0.6, "degree": 7.0}),
    ],
)
def test_which_published_search_on_a_gpu(rule, known):
    taken = first("published on gpu", LARGE | {"free": 0.1, "depth": 20} | known)
    assert taken.name == rule
    assert taken.choice == ("apfb-wr" if rule == "the rest" else "g-pr-shr")


def test_published_is_no_algorithm_that_runs_with_another_ones_options():
    A = random(300, 300, 3)
    t = btfperm.maximum_transversal(A, algorithm="published", deterministic=True)
    assert t.algorithm == "ss-bfs" and t.maximum
    with pytest.raises(btfperm.InvalidArgumentError, match="no algorithm of this run"):
        btfperm.maximum_transversal(A, algorithm="published", options={"alpha": 5})
    with pytest.raises(btfperm.InvalidArgumentError, match="there are auto, published, "):
        btfperm.maximum_transversal(A, algorithm="publshed")
    with pytest.raises(btfperm.InvalidArgumentError, match="unknown initializer"):
        btfperm.maximum_transversal(A, initializer="published")
