# SPDX-License-Identifier: BSD-3-Clause
"""time_limit and max_work: the result is a legal matching with true bounds, or maximum."""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.backends.protocol import Session
from btfperm.errors import LimitReachedError
from btfperm.transversal.certificate import rank_at_most
from tests import families, strategies
from tests.checks.check_transversal import check_transversal
from tests.oracles.plain_matching import structural_rank
from tests.transversal.methods import INITIALIZERS, each_algorithm, in_64_bits

BIG = families.renumbered(families.chain(50_000), "mixed", seed=3)


@cache
def long_chain():
    return families.renumbered(families.chain(400_000), "mixed", seed=3)


@each_algorithm
@given(
    A=strategies.any_matrix(),
    initializer=st.sampled_from(INITIALIZERS),
    max_work=st.integers(1, 60),
)
def test_work_limit_on_anything(A, algorithm, initializer, max_work):
    t = btfperm.maximum_transversal(
        A, algorithm=algorithm, initializer=initializer, max_work=max_work
    )
    check_transversal(A, t, rank=structural_rank(A))
    assert t.stopped_by in (None, "max_work")
    assert t.maximum or t.stopped_by == "max_work"


@each_algorithm
@pytest.mark.parametrize("initializer", ["none", "greedy"])
def test_work_limit_stops_a_large_search(algorithm, initializer):
    t = btfperm.maximum_transversal(
        BIG.A, algorithm=algorithm, initializer=initializer, max_work=25_000
    )
    assert not t.maximum and t.stopped_by == "max_work"
    check_transversal(BIG.A, t, rank=BIG.rank)
    with pytest.raises(LimitReachedError, match="max_work"):
        _ = t.structural_rank
    with pytest.raises(LimitReachedError, match="max_work"):
        t.cover()
    assert "max_work" in repr(t)
    # the partial answer is a valid initial matching
    again = btfperm.maximum_transversal(BIG.A, algorithm=algorithm, initial=t)
    assert again.structural_rank == BIG.rank


@each_algorithm
def test_a_search_that_never_ran_is_not_named(algorithm):
    """The limit stops the start, so no search follows."""
    t = btfperm.maximum_transversal(
        BIG.A, algorithm=algorithm, initializer="karp-sipser", max_work=1000
    )
    assert (t.initializer, t.algorithm, t.stopped_by) == ("karp-sipser", "none", "max_work")
    assert not any(key for key in t.counters if not key.startswith("start_"))
    full = btfperm.maximum_transversal(np.eye(3), algorithm=algorithm, initializer="greedy")
    assert full.algorithm == "none" and full.structural_rank == 3


@each_algorithm
def test_time_limit_stops_a_large_search(algorithm):
    """The search polls the clock about every 2^16 entries, so it ends long before it has read all
    that it would read without the limit."""
    t = btfperm.maximum_transversal(
        long_chain().A, algorithm=algorithm, initializer="none", time_limit=1e-4
    )
    assert not t.maximum and t.stopped_by == "time_limit"
    assert t.counters.get("edges", 0) <= 2**20
    check_transversal(long_chain().A, t, rank=long_chain().rank)


@each_algorithm
def test_generous_limits_change_nothing(algorithm):
    t = btfperm.maximum_transversal(
        families.chain(100).A, algorithm=algorithm, time_limit=3600.0, max_work=2**62
    )
    assert t.structural_rank == 100


def test_no_decomposition_without_a_maximum_transversal():
    for decompose in (btfperm.dulmage_mendelsohn, btfperm.block_triangular_form):
        with pytest.raises(LimitReachedError, match="max_work") as caught:
            decompose(BIG.A, initializer="none", max_work=1000)
        lower, upper = caught.value.rank_bounds
        assert lower <= BIG.rank <= upper and caught.value.exit_code == 1
        again = copy.copy(caught.value)
        assert (str(again), again.rank_bounds) == (str(caught.value), (lower, upper))


@given(A=strategies.any_matrix())
def test_the_bound_that_a_limit_leaves(A):
    """The bound is the number of nonempty rows or of nonempty columns, whichever is smaller. The
    core may stop the count early."""
    P = btfperm.as_pattern(A)
    for Q in (P, in_64_bits(A)):
        cols = np.count_nonzero(np.diff(Q.indptr))
        assert rank_at_most(Session(Q)) == min(cols, np.unique(Q.indices).size)


@pytest.mark.parametrize("initializer", [name for name in INITIALIZERS if name != "none"])
def test_a_start_that_uses_up_the_work_leaves_none_to_the_search(initializer):
    """If the start uses up the limit on the work, the search is stopped at once. No remaining work
    must not mean that there is no limit."""
    A = families.random_rectangle(3000, 3000, 3, 1).A
    how = {"initializer": initializer, "algorithm": "hopcroft-karp", "threads": 1}
    whole = btfperm.maximum_transversal(A, **how).counters
    for max_work in range(whole["start_edges"] - 2, whole["start_edges"] + 3):
        t = btfperm.maximum_transversal(A, **how, max_work=max_work)
        assert t.counters.get("edges", 0) < 100 < whole["edges"]
        assert t.maximum or t.stopped_by == "max_work"


@pytest.mark.parametrize("algorithm", ["hopcroft-karp", "pothen-fan", "ss-dfs"])
def test_the_start_and_the_search_share_the_work(algorithm):
    """The search visits what the start left of the limit. These searches count each entry at
    once."""
    A = families.random_rectangle(300, 300, 3, 1).A
    how = {"algorithm": algorithm, "initializer": "greedy", "threads": 1}
    begun = btfperm.maximum_transversal(A, **how).counters["start_edges"]
    t = btfperm.maximum_transversal(A, max_work=begun + 100, **how)
    assert t.stopped_by == "max_work" and t.counters["start_edges"] == begun
    assert t.counters["edges"] <= 100
