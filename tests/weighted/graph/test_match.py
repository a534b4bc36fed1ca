# SPDX-License-Identifier: BSD-3-Clause
"""`match`: every algorithm against exact matchings, its guarantees, and its bound."""

from __future__ import annotations

import copy
import pickle
from functools import cache

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import btfperm
from btfperm.weighted.external import EXTERNAL
from btfperm.weighted.graph_certificate import GUARANTEES
from tests.checks.check_graph_matching import (
    check_bound,
    check_dominant,
    check_graph_matching,
    check_maximal,
    check_tight,
    edges_of,
)
from tests.transversal.methods import noted
from tests.weighted.graph.graphs import IDS, NAMES, VARIANTS, graph, path, random_graph

each_variant = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=IDS)


def optimum(G):
    exact = nx.max_weight_matching(nx.from_scipy_sparse_array(G))
    return sum(G[u, v] for u, v in exact)


@cache
def graph_and_optimum(n, m, seed, weights):
    """A random graph and the largest weight of a matching. They are cached, because it takes long
    to compute the optimum."""
    G = random_graph(n, m, seed, weights)
    return G, optimum(G)


def check_all(G, m):
    """Everything that a result states, by the checks that share nothing with btfperm."""
    weight, size = check_graph_matching(G, m.mate)
    assert m.size == size and m.weight == pytest.approx(weight, rel=1e-12)
    check_bound(G, m.dual, m.upper_bound)
    if m.algorithm != EXTERNAL:  # EXTERNAL has no list of the edges in memory
        check_tight(G, m.dual)
    assert m.upper_bound >= m.weight
    assert m.edges == edges_of(G)[0].size
    assert m.edges_left.shape == m.matched_share.shape == (m.rounds,)
    assert (np.diff(m.edges_left) <= 0).all() and (np.diff(m.matched_share) >= 0).all()
    u, v, _ = edges_of(G)
    left = int(((m.mate[u] < 0) & (m.mate[v] < 0)).sum())
    if m.rounds:
        assert m.edges_left[-1] == left
        assert m.matched_share[-1] == pytest.approx(2 * size / max(m.n, 1))
    assert m.maximal == (left == 0)
    guarantee = GUARANTEES[m.algorithm]
    if guarantee != "half":
        check_maximal(G, m.mate)
    if guarantee == "dominant":
        check_dominant(G, m.mate)
        assert m.locally_dominant
    if m.locally_dominant:
        check_dominant(G, m.mate)
    for pair in m.pairs().tolist():
        assert pair[0] < pair[1] == m.mate[pair[0]]


def test_every_algorithm_is_tested_and_has_a_guarantee():
    assert set(NAMES) == {name for name, _ in VARIANTS} == set(GUARANTEES)
    words = {
        (row.name, option.name, word)
        for row in btfperm.algorithms("graph")
        for option in row.options
        for word in option.forms
        if word not in (option.default, "auto")
    }
    assert words <= {(name, k, v) for name, options in VARIANTS for k, v in options.items()}


@each_variant
@pytest.mark.parametrize("weights", ["uniform", "few", "ones"])
def test_against_the_exact_matching(name, options, weights):
    for seed, (n, m) in enumerate(((8, 12), (20, 30), (40, 120), (60, 70), (25, 300), (30, 45))):
        with noted(n=n, m=m, seed=seed):
            G, best = graph_and_optimum(n, m, seed, weights)
            found = btfperm.match(G, algorithm=name, options=options, seed=seed)
            check_against(G, found, best, weights)


def check_against(G, found, best, weights):
    """Checks a matching, and its weight and its bound beside the largest weight of a matching."""
    check_all(G, found)
    assert found.weight <= best * (1 + 1e-12) <= found.upper_bound * (1 + 1e-9)
    if found.algorithm != EXTERNAL:  # which finds no bound of its own
        halves = G.max(axis=0).toarray().sum() / 2  # a bound that needs no search
        assert found.upper_bound <= halves * (1 + 1e-12)
    if GUARANTEES[found.algorithm] in ("dominant", "half"):
        assert 2 * found.weight >= best * (1 - 1e-12)
    if weights == "ones" and found.maximal:
        assert 2 * found.size >= best


@st.composite
def any_graph(draw):
    n = draw(st.integers(0, 12))
    every = [(u, v) for v in range(n) for u in range(v)]
    pairs = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    weight = st.sampled_from([1.0, 1.0, 2.0, 3.0, 5e-324, 1e-9, 1e300, 1.7e308])
    values = draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs)))
    G = sp.lil_array(graph(n, pairs, values)) if n else sp.lil_array((0, 0))
    for v in draw(st.lists(st.integers(0, max(n - 1, 0)), max_size=3)) if n else []:
        G[v, v] = draw(st.sampled_from([-1.0, 7.0]))
    return sp.csc_array(G)


@given(any_graph(), st.sampled_from(VARIANTS), st.integers(0, 99), st.sampled_from([1, 2]))
def test_properties(G, variant, seed, threads):
    name, options = variant
    m = btfperm.match(G, algorithm=name, options=options, seed=seed, threads=threads)
    _, size = check_graph_matching(G, m.mate)
    assert m.size == size
    assert m == btfperm.match(G, algorithm=name, options=options, seed=seed, threads=threads)
    if GUARANTEES[name] == "dominant":
        check_dominant(G, m.mate)
    elif GUARANTEES[name] == "maximal":
        check_maximal(G, m.mate)


@each_variant
def test_the_diagonal_is_ignored(name, options):
    """A diagonal with random entries, some of them heavier than all edges, changes nothing: the
    matching, its numbers and its bound are right for the graph without the diagonal."""
    rng = np.random.default_rng(3)
    for seed in range(4):
        G = random_graph(40, 90, seed)
        loops = sp.diags_array(np.where(rng.random(40) < 0.7, 50 * rng.random(40), 0.0))
        check_all(G, btfperm.match(sp.csc_array(G + loops), algorithm=name, options=options))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("least", [5e-324, 1.5e-323])
def test_weights_whose_halves_are_rounded(name, least):
    """Some duals are halves of weights, and half of one of these weights is rounded. An entry of
    the diagonal, which is no edge, does not change the unit of the weights."""
    edge = sp.csc_array([[0, least], [least, 0]])
    for G in ([[7, least], [least, 0]], sp.block_diag((edge, [[7]], sp.csc_array((3, 3))))):
        m = btfperm.match(sp.csc_array(G), algorithm=name, seed=0)
        assert m.weight == least
        assert least <= m.upper_bound <= 2 * least


@pytest.mark.parametrize("seed", range(6))
def test_local_max_is_greedy_for_different_weights(seed):
    """There is one locally dominant matching if all weights differ."""
    G = random_graph(300, 1500, seed)
    one = btfperm.match(G, algorithm="greedy")
    for options in ({}, {"limit": 0.01}, {"model": "crew"}, {"ties": "fixed"}):
        assert btfperm.match(G, options=options) == one


@pytest.mark.parametrize("weights", ["uniform", "few", "ones"])
def test_the_sorted_rest_is_what_the_rounds_match(weights):
    """If the random numbers are fixed, rounds until no edge is left give the same matching as some
    rounds and a pass over the remaining edges in sorted order."""
    for seed in range(5):
        G = random_graph(200, 900, seed, weights)
        by_rounds = btfperm.match(G, options={"ties": "fixed", "limit": 0}, seed=seed)
        for limit in (0.001, 0.3, 1.1):
            for model in ("sequential", "crew"):
                options = {"ties": "fixed", "limit": limit, "model": model}
                mixed = btfperm.match(G, options=options, seed=seed)
                assert mixed == by_rounds
                assert mixed.rounds <= by_rounds.rounds
                assert limit > 1 or mixed.counters["sorted"] > 0


def test_gpa_finds_the_best_matching_of_paths_and_even_cycles():
    rng = np.random.default_rng(0)
    for n in (2, 3, 4, 7, 50, 51):
        G = path(n, 1 - rng.random(n - 1))
        assert btfperm.match(G, algorithm="gpa").weight == pytest.approx(optimum(G))
    for n in (4, 6, 20, 50):
        ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
        G = graph(n, ring, 1 - rng.random(n))
        assert btfperm.match(G, algorithm="gpa").weight == pytest.approx(optimum(G))


def test_gpa_need_not_be_maximal_but_can_be_extended():
    G = random_graph(2000, 6000, 1)
    published, extended = (btfperm.match(G, algorithm="gpa", options={"extend": k}) for k in (0, 1))
    assert not published.maximal and extended.maximal
    assert extended.weight > published.weight


def test_quality_in_the_order_of_the_papers():
    """On a random graph with 4 n edges, greedy and local-max reach nearly the weight of gpa. The
    weights of hem, red-blue and random-greedy are smaller, in this order."""
    G = random_graph(20_000, 80_000, 0)
    weight = {name: btfperm.match(G, algorithm=name).weight for name in NAMES}
    assert weight["greedy"] == pytest.approx(weight["local-max"])
    assert 0.95 < weight["local-max"] / weight["gpa"] < 1
    order = ["gpa", "local-max", "hem", "red-blue", "random-greedy"]
    assert sorted(weight, key=weight.get, reverse=True)[0] == "gpa"
    assert [weight[name] for name in order] == sorted((weight[k] for k in order), reverse=True)
    assert btfperm.match(G, algorithm="gpa").upper_bound < 1.1 * weight["gpa"]


def test_rounds_halve_the_edges():
    """Lemma 1 of Birn et al.: on average, a round removes at least half of the edges. The weights
    are equal here."""
    G = random_graph(20_000, 160_000, 3, "ones")
    m = btfperm.match(G)
    before = np.concatenate([[m.edges], m.edges_left[:-1]])
    assert (m.edges_left[:3] < before[:3] / 2).all() and m.rounds < 15


def test_share_of_the_first_round():
    """Equation 2 of Fagginger Auer and Bisseling, for random select on a random graph."""
    G = btfperm.as_valued(random_graph(15_000, 300_000, 4, "ones"))
    for p in (0.3, 0.53406, 0.7):
        m = btfperm.match(G, algorithm="red-blue", options={"select": "random", "p": p})
        expected = 2 * (1 - p) * (1 - np.exp(-p / (1 - p)))
        assert m.matched_share[0] == pytest.approx(expected, rel=0.02), p


# -- results ---------------------------------------------------------------------------------------


def test_the_result_describes_itself():
    m = btfperm.match(path(4, [2.0, 3.0, 2.0]), algorithm="hem")
    assert repr(m) == (
        "<GraphMatching of 4 vertices, 3 edges: 2 matched, weight 4, at most 4, maximal, by hem>"
    )
    html = m._repr_html_()
    assert "GraphMatching" in html and "<th>weight</th><td>4</td>" in html
    for array in (m.mate, m.dual, m.edges_left, m.matched_share):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        m.weight = 1.0
    assert copy.deepcopy(m) == pickle.loads(pickle.dumps(m)) == m
    assert hash(m) == hash(copy.copy(m)) and m != 3
    assert m != btfperm.match(path(4, [2.0, 3.0, 2.0]), algorithm="greedy")


@pytest.mark.parametrize("name", NAMES)
def test_seeds(name):
    G = random_graph(500, 2000, 0, "ones")
    draws = {"hem": {"order": "random"}}.get(name, {})
    mates = [btfperm.match(G, algorithm=name, options=draws, seed=k).mate for k in (None, 0, 1)]
    assert (mates[0] == mates[1]).all()
    assert (mates[0] != mates[2]).any() == (name not in ("greedy", "gpa"))
