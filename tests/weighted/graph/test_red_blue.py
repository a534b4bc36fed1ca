# SPDX-License-Identifier: BSD-3-Clause
"""red-blue and random-greedy with the option place=first are the algorithms of their paper."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests.oracles.plain_red_blue import plain_greedy, plain_red_blue, shuffled
from tests.weighted.graph.graphs import graph, path, random_graph, star

GRAPHS = {
    "few weights": random_graph(60, 150, 1, "few"),
    "ones": random_graph(80, 100, 2, "ones"),
    "different weights": random_graph(40, 300, 3),
    "star": star(30, 1.0),
    "path": path(40, np.arange(1.0, 40.0)),
}


@pytest.mark.parametrize("p", [0.2, 0.53406])
@pytest.mark.parametrize("select", ["weighted", "random"])
def test_red_blue_is_algorithm_3(select, p):
    for name, G in GRAPHS.items():
        for seed, threads in ((0, 1), (5, 2)):
            m = btfperm.match(
                G, algorithm="red-blue", seed=seed, threads=threads,
                options={"select": select, "place": "first", "p": p},
            )  # fmt: skip
            mate, rounds = plain_red_blue(G, seed, p, weighted=select == "weighted")
            assert (m.mate.tolist(), m.rounds) == (mate, rounds), name


@pytest.mark.parametrize("select", ["weighted", "random"])
def test_random_greedy_is_algorithm_1(select):
    for name, G in GRAPHS.items():
        for seed in range(4):
            for word, order in (
                ("random", shuffled(G.shape[0], seed)),
                ("natural", range(G.shape[0])),
            ):
                options = {"select": select, "place": "first", "order": word}
                m = btfperm.match(G, algorithm="random-greedy", options=options, seed=seed)
                assert m.mate.tolist() == plain_greedy(G, order, weighted=select == "weighted"), (
                    name
                )


def test_the_place_matters_for_the_size():
    """On a graph with very uneven degrees whose vertices are numbered at random, the published
    algorithm matches more vertices."""
    rng = np.random.default_rng(0)
    u = (4000 * rng.random(20000) ** 4).astype(int)
    v = (4000 * rng.random(20000) ** 4).astype(int)
    order = rng.permutation(4000)
    pairs = np.unique(np.sort(np.column_stack([u, v])[u != v], axis=1), axis=0)
    G = graph(4000, order[pairs], 1.0)
    sizes = {
        place: np.mean(
            [
                btfperm.match(
                    G, algorithm="red-blue", seed=k, options={"select": "random", "place": place}
                ).size
                for k in range(5)
            ]
        )
        for place in ("first", "random")
    }
    assert sizes["first"] > 1.01 * sizes["random"]
