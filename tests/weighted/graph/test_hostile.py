# SPDX-License-Identifier: BSD-3-Clause
"""Graphs without edges, with a huge vertex, and with long paths; threads, limits, failures."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm import _core
from tests.checks.check_graph_matching import check_graph_matching
from tests.faults.test_allocation import each_failure
from tests.loops import looped
from tests.weighted.graph.graphs import IDS, NAMES, ROWS, VARIANTS, path, random_graph, star

each_variant = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)
MANY = 200_000
# Only parallel algorithms take other steps on several threads.
PARALLEL = {row.name for row in ROWS if row.parallel}


def each_variant_on(*counts):
    """Runs the test with each variant on one thread, parallel ones also on other numbers."""
    cases = [
        pytest.param(name, options, threads, id=f"{which}-{threads}")
        for which, (name, options) in zip(IDS, VARIANTS, strict=True)
        for threads in counts
        if threads == 1 or name in PARALLEL
    ]
    return pytest.mark.parametrize(("name", "options", "threads"), cases)


@pytest.fixture(scope="module")
def large():
    """Graphs with 200,000 edges, with a structure on which a method could take long."""
    rng = np.random.default_rng(0)
    return {
        "star, equal": btfperm.as_valued(star(MANY, 1.0)),
        "star, random": btfperm.as_valued(star(MANY, 1 - rng.random(MANY))),
        "path, equal": btfperm.as_valued(path(MANY, 1.0)),
        "path, increasing": btfperm.as_valued(path(MANY, np.arange(1.0, MANY))),
        "path, random": btfperm.as_valued(path(MANY, 1 - rng.random(MANY - 1))),
    }


@pytest.fixture
def everything_shared():
    before = _core.backends.share_always(True)
    yield
    _core.backends.share_always(before)


@each_variant
@looped("n", [0, 1, 2, 7])
def test_no_edges(name, options, n):
    for G in (
        sp.csc_array((n, n)),
        sp.diags_array([3.0] * n).tocsc() if n else sp.csc_array((0, 0)),
    ):
        m = btfperm.match(G, algorithm=name, options=options)
        assert m.mate.tolist() == [-1] * n
        assert (m.weight, m.size, m.edges, m.upper_bound, m.maximal) == (0.0, 0, 0, 0.0, True)
        assert "0 matched" in repr(m)


@pytest.mark.parametrize("kind", ["star, equal", "star, random"])
@pytest.mark.parametrize("name", NAMES)
def test_a_star(large, name, kind):
    m = btfperm.match(large[kind], algorithm=name, threads=2)
    assert m.size == 1 and m.maximal
    if name in ("local-max", "greedy", "gpa", "hem"):
        assert m.rounds <= 3
        largest = large[kind].values.max()
        # The first unmatched vertex of hem is a leaf.
        assert name == "hem" or m.weight == largest
        assert m.upper_bound == pytest.approx(largest, rel=0.03)


@pytest.mark.parametrize("kind", ["path, equal", "path, increasing", "path, random"])
@pytest.mark.parametrize("name", NAMES)
def test_a_long_path(large, name, kind):
    """The rounds of local-max alone would visit 10^10 edges of the increasing path."""
    m = btfperm.match(large[kind], algorithm=name, threads=2)
    assert m.maximal or name == "gpa"
    assert m.upper_bound >= m.weight
    assert m.counters["edges"] < 100 * MANY
    if name in ("local-max", "greedy", "gpa"):
        assert m.weight >= m.upper_bound / 2
    if (name, kind) == ("gpa", "path, increasing"):
        weight = np.arange(1.0, MANY)
        assert m.weight == max(weight[::2].sum(), weight[1::2].sum())


def test_largest_and_smallest_weights():
    for weight in (1.7e308, 5e-324, 1e-300):
        m = btfperm.match(path(3, weight))
        assert m.weight == weight and m.size == 1
        assert m.upper_bound == pytest.approx(weight, rel=0.03)
    m = btfperm.match(path(6, [1e300, 1e-300, 5e-324, 1.7e308, 1.0]), algorithm="gpa")
    assert m.weight == pytest.approx(1.7e308)
    assert btfperm.match(path(8, 1.7e308), algorithm="greedy").weight == np.inf


def _comparable(name, m):
    """The counters; the sequential local-max visits other edges than the one on threads."""
    return {k: v for k, v in m.counters.items() if (name, k) != ("local-max", "edges")}


@pytest.mark.parametrize(("weights", "seed"), [("uniform", 0), ("few", 1), ("ones", 2)])
@pytest.mark.usefixtures("everything_shared")
@each_variant
def test_the_same_matching_for_every_number_of_threads(name, options, weights, seed):
    G = random_graph(400, 1500, seed, weights)
    alone = btfperm.match(G, algorithm=name, options=options, seed=seed, threads=1)
    for threads in (2, 3, 5):
        m = btfperm.match(G, algorithm=name, options=options, seed=seed, threads=threads)
        assert m == alone and _comparable(name, m) == _comparable(name, alone)
        assert (m.edges_left == alone.edges_left).all()


@pytest.mark.usefixtures("everything_shared")
def test_a_star_and_a_clique_in_parts_of_threads():
    """In these graphs, two or all threads share a segment of a step of the CREW model."""
    clique = sp.csc_array(np.triu(np.ones((9, 9)), 1) + np.triu(np.ones((9, 9)), 1).T)
    for G in (star(50, 1.0), star(2, 1.0), clique, path(5, [1.0, 2.0, 2.0, 1.0])):
        for seed in range(5):
            results = [
                btfperm.match(G, options={"model": model}, threads=threads, seed=seed)
                for model in ("sequential", "crew")
                for threads in (1, 2, 7)
            ]
            assert all(result == results[0] for result in results)


@pytest.fixture(scope="module")
def medium():
    """A random graph, and the same graph as an input that needs no conversion."""
    G = random_graph(24_000, 80_000, 1)
    return G, btfperm.as_valued(G)


@each_variant_on(1, 2)
def test_limits_leave_a_legal_matching(medium, name, options, threads):
    A, G = medium
    how = {"algorithm": name, "options": options, "threads": threads}
    whole = btfperm.match(G, **how)
    assert whole.stopped_by is None
    stopped = 0
    for work in (1, *(int(share * whole.counters["edges"]) for share in (0.3, 0.8))):
        m = btfperm.match(G, max_work=work, **how)
        check_graph_matching(A, m.mate)
        assert m.size <= whole.size * 1.1 and m.upper_bound >= whole.weight
        if m.stopped_by == "max_work":
            stopped += 1
            assert "stopped by max_work" in repr(m)
        else:
            assert m == whole
    assert stopped >= 2
    m = btfperm.match(G, time_limit=1e-9, **how)
    check_graph_matching(A, m.mate)
    assert m.stopped_by == "time_limit"
    assert btfperm.match(G, max_work=10 * whole.counters["edges"], **how) == whole


@each_variant_on(1, 3)
@pytest.mark.usefixtures("everything_shared")
def test_every_allocation_fails_once(name, options, threads):
    G = random_graph(50, 150, 2)
    alone = btfperm.match(G, algorithm=name, options=options, threads=1)

    def call():
        assert btfperm.match(G, algorithm=name, options=options, threads=threads) == alone

    assert each_failure(call) > 0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "local-max-external"])
def test_64_bit_indices(name):
    G = random_graph(100, 300, 1)
    V = btfperm.as_valued(G)
    m = btfperm.match(V, algorithm=name)
    wide = [a.astype(np.int64) for a in (V.pattern.indptr, V.pattern.indices)]
    mate, round_of, dual = np.empty(100, np.int64), np.empty(100, np.int64), np.empty(100)
    (row,) = (row for row in ROWS if row.name == name)
    numbers = {o.name: 0.0 if o.forms else float(o.default) for o in row.options}
    stop, rounds, *_ = row.load()(*wide, V.values, mate, round_of, dual, options=numbers)
    assert (stop, rounds) == (0, m.rounds) and (mate == m.mate).all()
