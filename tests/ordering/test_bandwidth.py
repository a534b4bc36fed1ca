# SPDX-License-Identifier: BSD-3-Clause
"""Reverse Cuthill-McKee: bandwidth and profile beside SciPy's order and known ones."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import reverse_cuthill_mckee

import btfperm
from btfperm.ordering import order_places
from tests.known_answers import known_answers, parametrized, read
from tests.ordering.test_order import arrow, grid, one_block

SQUARE = [k for k in known_answers() if k.shape == (k.structural_rank, k.structural_rank)]


def bandwidth_and_profile(A, order):
    """For A + A' in this order: the largest distance of an entry from the diagonal, and the sum
    over the rows of the distance of the row's first entry from the diagonal."""
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    C = sp.coo_array(A)
    i, j = place[C.row], place[C.col]
    i, j = np.concatenate((i, j)), np.concatenate((j, i))
    first = np.arange(order.size)
    np.minimum.at(first, i, j)
    return int(abs(i - j).max(initial=0)), int((np.arange(order.size) - first).sum())


def mixed(A, seed=1):
    order = np.random.default_rng(seed).permutation(A.shape[0])
    return sp.csc_array(sp.csr_array(A)[order, :].tocsc()[:, order])


@pytest.mark.parametrize(
    ("A", "bandwidth"),
    [
        (np.eye(60) + np.eye(60, k=1) + np.eye(60, k=-1), 1),
        (np.eye(60) + np.eye(60, k=1), 1),  # the pattern of B + B' counts
        (grid(12), 12),
        (sp.block_diag([np.ones((3, 3))] * 5), 2),
        (arrow(9), 8),
        (np.eye(4), 0),
    ],
    ids=["path", "triangle", "grid", "components", "star", "diagonal"],
)
def test_known_bandwidths(A, bandwidth):
    for seed in range(5):
        B = mixed(A, seed)
        order = order_places(*one_block(B), "rcm")
        assert bandwidth_and_profile(B, order)[0] <= bandwidth


@parametrized(SQUARE)
def test_beside_scipy(known):
    f = btfperm.block_triangular_form(read(known.name))
    B = sp.csc_array(f.apply(f.pattern).to_scipy())
    B.data[:] = 1
    one = one_block(sp.csc_array(abs(B) + sp.eye_array(B.shape[0])))
    own = bandwidth_and_profile(B, order_places(*one, "rcm"))
    symmetric = sp.csr_array(B + B.T)
    theirs = bandwidth_and_profile(B, reverse_cuthill_mckee(symmetric, symmetric_mode=True))
    assert own[0] <= 1.5 * theirs[0] + 2
    assert own[1] <= 1.5 * theirs[1] + 10


@given(n=st.integers(1, 40), per_row=st.floats(0.2, 4.0), seed=st.integers(0, 999))
def test_levels_bound_the_bandwidth(n, per_row, seed):
    """Neighbours are in the same level or in adjacent ones of a breadth-first search."""
    rng = np.random.default_rng(seed)
    A = sp.random_array((n, n), density=min(per_row / n, 1.0), rng=rng) + sp.eye_array(n)
    A = sp.csc_array(A)
    order = order_places(*one_block(A), "rcm")
    graph = sp.csr_array(A + A.T)
    count, label = sp.csgraph.connected_components(graph)
    forward = order[::-1]
    for component in range(count):
        nodes = forward[label[forward] == component]
        level = sp.csgraph.dijkstra(graph, indices=int(nodes[0]), unweighted=True)[nodes]
        assert (np.diff(level) >= 0).all()
        assert (np.diff(np.flatnonzero(label[forward] == component)) == 1).all()


def test_the_solver_gets_it():
    A = grid(15)
    p = btfperm.preorder(mixed(A), block_ordering="rcm")
    assert p.block_ordering == "rcm"
    assert bandwidth_and_profile(p.apply(mixed(A)), np.arange(225))[0] <= 20


def plain_order(A):
    """The reverse Cuthill-McKee order of a symmetric matrix by its definition. In each component, a
    search starts from a node of the smallest degree in the last level of the search before, until
    a search has no more levels than the one before. The root of that search begins the order."""
    B = sp.csc_array(A)
    n = A.shape[0]
    lists = np.split(B.indices, B.indptr[1:-1])
    near = [[i for i in rows.tolist() if i != k] for k, rows in enumerate(lists)]

    def levels_from(root, ordered, by_degree):
        found, levels = {root}, [[root]]
        while levels[-1]:
            levels.append([])
            for node in levels[-2]:
                new = [i for i in near[node] if i not in found and i not in ordered]
                found.update(new)
                levels[-1] += sorted(new, key=lambda i: (len(near[i]), i)) if by_degree else new
        return levels[:-1]

    order = []
    for root in range(n):
        longest = 0
        while root not in order:
            levels = levels_from(root, order, False)
            if len(levels) <= longest:
                order += chain.from_iterable(levels_from(root, order, True))
                break
            longest = len(levels)
            root = min(levels[-1], key=lambda i: len(near[i]))
    return np.array(order[::-1])


def test_the_order_is_that_of_its_definition():
    rng = np.random.default_rng(5)
    matrices = [mixed(grid(7)), mixed(arrow(9)), mixed(np.eye(30) + np.eye(30, k=2))]
    for density in (0.02, 0.05, 0.1):
        matrices += [sp.random_array((40, 40), density=density, rng=rng) for _ in range(6)]
    for A in matrices:
        A = sp.csc_array(A + A.T + sp.eye_array(A.shape[0]))
        A.sort_indices()
        found = order_places(*one_block(A), "rcm")
        np.testing.assert_array_equal(found, plain_order(A))
