# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of local-max that match few edges: the sequential model follows the vertices matched last,
and finds what the CREW model finds, which visits the list of edges in each round."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm


def graph(u, v, weight, order):
    u, v = order[u], order[v]
    n = len(order)
    return sp.csc_array((np.r_[weight, weight], (np.r_[u, v], np.r_[v, u])), shape=(n, n))


def increasing_path(n):
    k = np.arange(n - 1)
    return k, k + 1, k + 1.0


def path_of_pairs(n):
    """A path in which each edge has the same weight as its neighbour on one side."""
    k = np.arange(n - 1)
    return k, k + 1, k // 2 + 1.0


def hub(n):
    """A vertex, the hub, is adjacent to half of all vertices. In each round it loses its heaviest
    edge, so its long column is searched again."""
    half = (n - 1) // 2
    k = np.arange(half)
    chain = np.arange(half - 1)
    u = np.r_[np.zeros(half, int), 1 + k, 1 + half + chain]
    v = np.r_[1 + k, 1 + half + k, 2 + chain]
    return u, v, np.r_[k + 1, k + 1.5, chain + 1.75]


def sloping_grid(n):
    side = int(n**0.5)
    k = np.arange(side * side)
    right, down = k[k % side + 1 < side], k[:-side]
    u, v = np.r_[right, down], np.r_[right + 1, down + side]
    return u, v, np.r_[right + 1.0, 1.5 * down + 2]


@pytest.mark.parametrize("limit", [0, 1.5, 8])
@pytest.mark.parametrize("ties", ["renewed", "fixed"])
@pytest.mark.parametrize("kind", [increasing_path, path_of_pairs, hub, sloping_grid])
def test_both_models_find_the_same_matching_in_the_same_rounds(kind, ties, limit):
    n = 400
    rng = np.random.default_rng(5)
    for order in (np.arange(n), rng.permutation(n)):
        G = graph(*kind(n), order)
        found = [
            btfperm.match(
                G, algorithm="local-max", threads=1, seed=3,
                options={"model": model, "ties": ties, "limit": limit},
            )
            for model in ("sequential", "crew")
        ]  # fmt: skip
        one, other = found
        assert (one.mate == other.mate).all()
        assert (one.rounds, list(one.edges_left)) == (other.rounds, list(other.edges_left))
        assert one.counters.get("sorted", 0) == other.counters.get("sorted", 0)


def test_a_path_of_increasing_weights_is_visited_a_few_times():
    """The list of edges would be visited eight times before the rest is sorted."""
    n = 4000
    G = graph(*increasing_path(n), np.arange(n))
    visited = btfperm.match(G, algorithm="local-max", threads=1).counters["edges"]
    assert visited < 6 * n
    by_list = btfperm.match(G, algorithm="local-max", threads=1, options={"model": "crew"})
    assert by_list.counters["edges"] > 7 * n


UNSYMMETRIC = """
import numpy as np, scipy.sparse as sp
from btfperm import _core
n = 300
weights = np.arange(1.0, n)
A = sp.diags_array([weights, weights], offsets=[-1, 1]).tolil()
A.resize((n + 2, n + 2))
A[n, n + 1] = 1  # and no entry in the mirrored position
A = A.tocsc()
A.sort_indices()
mate, rounds = (np.empty(n + 2, np.int32) for _ in range(2))
arrays = A.indptr.astype(np.int32), A.indices.astype(np.int32), A.data
named = {"ties": 0.0, "limit": 0.0, "model": 0.0}  # the defaults, but without a limit
_core.weighted.local_max(*arrays, mate, rounds, np.empty(n + 2), options=named)
print((mate[:n] >= 0).all())
"""


def test_rounds_end_for_a_pattern_that_is_not_symmetric():
    """`match` refuses such a matrix; the core is called by itself here."""
    run = [sys.executable, "-c", UNSYMMETRIC]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=100)
    assert done.stdout == "True\n"


def test_diagonal_entries_of_long_columns_are_no_edges():
    """The first round visits the edges."""
    n = 20
    A = np.add.outer(np.arange(n), np.arange(n)) + 1.0
    for diagonal in (True, False):
        np.fill_diagonal(A, diagonal)
        m = btfperm.match(A, algorithm="local-max", threads=1, max_work=1)
        assert m.counters["edges"] == n * (n - 1) // 2
