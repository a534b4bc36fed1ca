# SPDX-License-Identifier: BSD-3-Clause
"""The last phases of guided-displacement, the default search: trees from the unmatched columns,
pushes along exact labels, Hopcroft-Karp. Most tests make one of them do all the work, from some
matching, and check the size of the result. Only trees prove that it is maximum; then the tests
check the cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from benchmarks.generators import make
from btfperm import _core
from btfperm.pattern import as_pattern
from tests import families, strategies
from tests.checks.check_cover import check_cover
from tests.checks.check_matching import check_matching
from tests.loops import looped
from tests.oracles.plain_matching import structural_rank

TREES = {"passes": 1e9, "max_phases": 10**9}
PUSHES = {"passes": 0}


@pytest.fixture(autouse=True)
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


def finish(A, options, *, threads=1, initial=None, start=None):
    """The pattern, col_match, the rows of the cover, whether the engine calls them proven, and the
    counters, for `finish_by_trees` alone."""
    P = as_pattern(A)
    rows, cols = np.full(P.m, -1, P.indices.dtype), np.full(P.n, -1, P.indices.dtype)
    if initial is not None:
        cols[:] = initial
        rows[cols[cols >= 0]] = np.flatnonzero(cols >= 0)
    cover = np.zeros(P.m, dtype=np.uint8)
    if start is not None:
        getattr(_core.transversal, start)(P.m, P.indptr, P.indices, rows, cols, cover)
    _, proven, counters = _core.transversal.finish_by_trees(
        P.m, P.indptr, P.indices, rows, cols, cover, threads=threads, options=options
    )
    check_matching(P.to_scipy(), rows, cols)
    return P, cols, cover, proven, counters


def check_proven(P, cols, cover):
    """Checks that the marked rows, and the matched columns whose row is not marked, are a cover."""
    matched = np.flatnonzero(cols >= 0)
    in_cols = matched[cover[cols[matched]] == 0]
    check_cover(P.to_scipy(), np.flatnonzero(cover), in_cols, matched.size)


@given(data=st.data(), A=strategies.any_matrix(), threads=st.integers(1, 3))
def test_trees_from_any_matching(data, A, threads):
    _, initial = data.draw(strategies.legal_matching(A.tocoo()))
    P, cols, cover, proven, _ = finish(A, TREES, threads=threads, initial=initial)
    assert proven and (cols >= 0).sum() == structural_rank(P.to_scipy())
    check_proven(P, cols, cover)


LARGE = {
    "random": lambda seed: families.random_rectangle(4000, 4000, 2.7, seed),
    "tall": lambda seed: families.random_rectangle(5000, 3000, 1.5, seed),
    "wide": lambda seed: families.random_rectangle(2500, 5000, 4, seed),
    "stars": lambda seed: families.renumbered(families.stars(30, 60), "mixed", seed),
    "dead trees": lambda seed: families.deadtree(3000, seed),
    "rivals": lambda seed: families.renumbered(families.rivals(60, 20), "mixed", seed),
    "chain": lambda seed: families.renumbered(families.chain(1500), "mixed", seed),
    "chains": lambda _: families.chains_hk(40),
    "triangle": lambda seed: families.triangular(1500, seed),
    "empty lines": lambda seed: families.empty_lines(3000, seed),
}


@looped("threads", [1, 2])
@looped("start", [None, "greedy"])
@looped("family", LARGE)
def test_trees(family, start, threads, run_seed):
    hard = LARGE[family](run_seed)
    P, cols, cover, proven, _ = finish(hard.A, TREES, threads=threads, start=start)
    rank = btfperm.structural_rank(P, algorithm="hopcroft-karp")
    assert proven and (cols >= 0).sum() == rank
    check_proven(P, cols, cover)


@looped("threads", [1, 2, 5])
@looped("passes", [1e9, 1e-3], ids=["to the end", "for once"])
@looped("family", LARGE)
def test_pushes(family, passes, threads, run_seed):
    """Pushes run to the end, or for one relabelling, after which Hopcroft-Karp finds the rest."""
    hard = LARGE[family](run_seed)
    P, cols, _, proven, counters = finish(
        hard.A, PUSHES | {"pushed_passes": passes}, threads=threads
    )
    rank = btfperm.structural_rank(P, algorithm="hopcroft-karp")
    assert not proven and (cols >= 0).sum() == rank
    assert counters["relabels"] >= 1
    assert (counters.get("phases", 0) > 0) == (passes < 1), "hopcroft-karp"


def test_pushes_end_in_time():
    """`pushed_passes` ends pushes that make no progress. There is one column more than rows with
    entries, so one stays unmatched, and each push raises a label by a small step. The empty rows
    increase m, so the next global relabelling is far away."""
    k, empty = 150, 20_000
    A = families.csc(
        [np.tile(np.arange(k), k + 1)], [np.repeat(np.arange(k + 1), k)], (k + empty, k + 1)
    )
    initial = np.append(np.arange(k - 1), [-1, -1])
    P, cols, _, _, counters = finish(A, PUSHES | {"pushed_passes": 4}, initial=initial)
    assert (cols >= 0).sum() == k
    assert counters["edges"] < 12 * P.nnz


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.95])
def test_a_work_limit_ends_pushes(share):
    """A limit that ends the search early leaves a legal matching that is not proved maximum."""
    A = make("blocks_3e4_h1000")
    whole = btfperm.maximum_transversal(A, algorithm="guided-displacement", threads=1)
    t = btfperm.maximum_transversal(
        A,
        algorithm="guided-displacement",
        threads=1,
        max_work=int(share * whole.counters["edges"]),
    )
    check_matching(as_pattern(A).to_scipy(), t.row_match, t.col_match)
    assert not t.maximum and t.rank_bounds[0] == (t.col_match >= 0).sum() < t.rank_bounds[1]


@given(data=st.data(), A=strategies.any_matrix())
def test_pushes_from_any_matching(data, A):
    _, initial = data.draw(strategies.legal_matching(A.tocoo()))
    P, cols, _, _, _ = finish(A, PUSHES, initial=initial)
    assert (cols >= 0).sum() == structural_rank(P.to_scipy())


def test_the_engine_turns_to_pushes():
    """Trees of several diagonal blocks block each other, so that each phase finds few paths."""
    A = make("blocks_3e4_h1000")
    t = btfperm.maximum_transversal(A, algorithm="guided-displacement", threads=1)
    assert t.structural_rank == 30_000 and t.counters["relabels"] > 0
    assert t.counters["edges"] < 40 * A.nnz


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_hopcroft_karp_takes_over(threads, run_seed):
    """One phase of trees finds some paths and gives no proof."""
    hard = families.random_rectangle(3000, 3000, 2.5, run_seed)
    options = {"max_phases": 1, "pushed_passes": 0}
    P, cols, _, proven, counters = finish(hard.A, options, threads=threads, start="greedy")
    assert not proven and counters["phases"] > 1
    assert (cols >= 0).sum() == btfperm.structural_rank(P, algorithm="hopcroft-karp")


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("below", [0, 1, 700, 3000])
def test_shared_trees_forget_their_numbers(below, threads, run_seed):
    """Roots are numbered up to the largest index, then from 0 again. A column of an old tree must
    not count as a column of a new one."""
    A = families.random_rectangle(4000, 4000, 2.5, run_seed).A
    last = np.iinfo(as_pattern(A).indices.dtype).max
    options = {"first_root": float(last - below), "passes": 1e9}
    P, cols, cover, proven, counters = finish(A, options, threads=threads)
    assert proven and counters["phases"] > 3
    assert (cols >= 0).sum() == btfperm.structural_rank(P, algorithm="hopcroft-karp")
    check_proven(P, cols, cover)


@pytest.mark.parametrize("work", [1, 10_000, 30_000])
def test_trees_stop_at_a_limit(work, run_seed):
    A = families.random_rectangle(20_000, 20_000, 2.7, run_seed).A
    P = as_pattern(A)
    rows, cols, cover, _ = _core.transversal.unmatched(P.m, P.indptr)
    stop, proven, _ = _core.transversal.finish_by_trees(
        P.m, P.indptr, P.indices, rows, cols, cover, max_work=work, options=TREES
    )
    assert stop == 3 and not proven
    check_matching(P.to_scipy(), rows, cols)
