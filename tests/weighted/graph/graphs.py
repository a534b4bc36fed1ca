# SPDX-License-Identifier: BSD-3-Clause
"""Graphs for the tests of `match`, and its algorithms with their options."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import btfperm

ROWS = [row for row in btfperm.algorithms("graph") if row.backend == "cpu"]
NAMES = [row.name for row in ROWS]

# Each algorithm with each word that its options accept, and with some numbers.
VARIANTS = [
    ("local-max", {}),
    ("local-max", {"ties": "fixed"}),
    ("local-max", {"model": "sequential"}),
    ("local-max", {"model": "crew"}),
    ("local-max", {"limit": 0}),
    ("local-max", {"limit": 0.1}),
    ("local-max", {"limit": 0.1, "model": "crew"}),
    ("local-max-external", {}),
    ("local-max-external", {"ties": "fixed"}),
    ("local-max-external", {"model": "candidates"}),
    ("greedy", {}),
    ("gpa", {}),
    ("gpa", {"extend": 1}),
    ("hem", {}),
    ("hem", {"order": "random"}),
    ("random-greedy", {}),
    ("random-greedy", {"select": "weighted"}),
    ("random-greedy", {"order": "natural", "place": "first"}),
    ("red-blue", {}),
    ("red-blue", {"select": "random"}),
    ("red-blue", {"p": 0.2}),
    ("red-blue", {"place": "first"}),
]
IDS = ["-".join([name, *(f"{k}={v}" for k, v in options.items())]) for name, options in VARIANTS]


def graph(n, pairs, weight):
    """The symmetric matrix of a list of edges without duplicates."""
    u, v = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    weight = np.broadcast_to(np.asarray(weight, dtype=float), u.shape)
    both = np.concatenate([u, v]), np.concatenate([v, u])
    return sp.coo_array((np.concatenate([weight, weight]), both), shape=(n, n)).tocsc()


def random_graph(n, m, seed, weights="uniform"):
    """About m random edges with weights from (0, 1], from {1, 2, 3}, or 1."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, (2, m))
    pairs = np.unique(np.sort(np.column_stack([u, v])[u != v], axis=1), axis=0)
    drawn = {
        "uniform": 1 - rng.random(len(pairs)),
        "few": rng.integers(1, 4, len(pairs)),
        "ones": np.ones(len(pairs)),
    }
    return graph(n, pairs, drawn[weights])


def path(n, weight):
    return graph(n, np.column_stack([np.arange(n - 1), np.arange(1, n)]), weight)


def star(leaves, weight):
    centre = leaves // 2  # in the middle, so that it is neither the first nor the last vertex
    others = np.delete(np.arange(leaves + 1), centre)
    return graph(leaves + 1, np.column_stack([np.full(leaves, centre), others]), weight)
