# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms that visit vertices or edges once do what their definitions say, and count it."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests.checks.check_graph_matching import check_maximal, edges_of
from tests.weighted.graph.graphs import path, random_graph


def heaviest_neighbour(G, v, alive):
    """The neighbour of v at its heaviest edge, among those in `alive`; -1: none."""
    part = slice(G.indptr[v], G.indptr[v + 1])
    near = [(x, w) for w, x in zip(G.indices[part], G.data[part], strict=True) if alive[w]]
    return max(near)[1] if near else -1


def test_hem_matches_the_vertices_in_order():
    for seed in range(5):
        G = random_graph(60, 200, seed)  # all weights differ
        mate, alive = np.full(60, -1), np.ones(60, bool)
        for v in range(60):
            w = heaviest_neighbour(G, v, alive) if alive[v] else -1
            if w >= 0:
                mate[[v, w]] = w, v
                alive[[v, w]] = False
        np.testing.assert_array_equal(btfperm.match(G, algorithm="hem").mate, mate)


def is_a_run(G, mate):
    """Whether `mate` is the result of visits in some order, in which each vertex takes its heaviest
    unmatched neighbour. A pair that can be next can also be later, so any such pair is tried."""
    alive = np.ones(mate.size, bool)
    pairs = {(v, w) for v, w in enumerate(mate.tolist()) if v < w}
    while pairs:
        ready = [
            (v, w)
            for v, w in pairs
            if w == heaviest_neighbour(G, v, alive) or v == heaviest_neighbour(G, w, alive)
        ]
        if not ready:
            return False
        alive[list(ready[0])] = False
        pairs.remove(ready[0])
    return True


@pytest.mark.parametrize(
    ("name", "options"), [("hem", {"order": "random"}), ("random-greedy", {"select": "weighted"})]
)
def test_each_vertex_takes_its_heaviest_neighbour(name, options):
    matchings = set()
    for seed in range(6):
        G = random_graph(40, 160, 7)
        m = btfperm.match(G, algorithm=name, options=options, seed=seed)
        check_maximal(G, m.mate)
        assert is_a_run(G, m.mate)
        matchings.add(tuple(m.mate.tolist()))
    assert len(matchings) > 1, "the order is random"
    any_neighbour = btfperm.match(G, algorithm="random-greedy", options={"select": "random"})
    assert not is_a_run(G, any_neighbour.mate)


def test_work_is_counted():
    """The expected counts for a path of 6 vertices with increasing weights are computed by hand.
    hem visits the vertices 0, 2 and 4, each with its list; gpa adds all edges to one path, and
    visits it twice."""
    G = path(6, np.arange(1, 6.0))

    def counted(name, **options):
        m = btfperm.match(G, algorithm=name, options=options, threads=1)
        assert m.mate.tolist() == [1, 0, 3, 2, 5, 4]
        return m.rounds, m.counters

    assert counted("greedy") == (1, {"edges": 5 + 5, "sorted": 5})
    assert counted("gpa") == (1, {"edges": 5 + 5 + 2 * 5, "sorted": 5})
    assert counted("gpa", extend=1) == (2, {"edges": 5 + 5 + 2 * 5 + 5, "sorted": 5})
    assert counted("hem") == (1, {"edges": 2 + 3 + 3})
    # Three visits of a vertex, each with one entry or, from the other end, with two.
    rounds, counters = counted("random-greedy", select="weighted")
    assert rounds == 1 and 3 + 3 <= counters["edges"] <= 3 + 6 and "sorted" not in counters
    for limit, expected in ((0, {"edges": 5 + 3 + 1}), (0.1, {"edges": 5 + 3, "sorted": 3})):
        assert counted("local-max", limit=limit)[1] == expected


def test_gpa_leaves_an_odd_cycle_open():
    """In a triangle and in a cycle of five vertices, the lightest edge would close an odd cycle. So
    gpa leaves it out, and matches the path of the other edges."""
    for n in (3, 5):
        u, v = np.arange(n), np.roll(np.arange(n), -1)
        weight = np.arange(n, 0.0, -1)
        G = path(n, weight[:-1]).tolil()
        G[u[-1], v[-1]] = G[v[-1], u[-1]] = weight[-1]
        m = btfperm.match(G.tocsc(), algorithm="gpa")
        assert m.weight == weight[:-1:2].sum() and m.size == n // 2
        assert edges_of(G)[0].size == n


def test_gpa_closes_an_even_cycle():
    """The lightest edge and the heaviest one are opposite, and heavier than the other two."""
    G = path(4, [5.0, 10.0, 5.0]).tolil()
    G[0, 3] = G[3, 0] = 1.0
    m = btfperm.match(G.tocsc(), algorithm="gpa")
    assert m.weight == 11 and m.mate.tolist() == [3, 2, 1, 0]
