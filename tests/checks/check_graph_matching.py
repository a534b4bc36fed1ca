# SPDX-License-Identifier: BSD-3-Clause
"""Checks for a matching in a graph and for the bound on its weight."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def edges_of(G):
    """(u, v, weight) of the entries above the diagonal."""
    upper = sp.triu(sp.coo_array(G), 1).tocoo()
    return upper.row, upper.col, upper.data


def check_graph_matching(G, mate):
    """Checks that `mate` is a matching of `G`, and returns its weight and its size."""
    mate = np.asarray(mate)
    n = G.shape[0]
    assert mate.shape == (n,) and mate.dtype.kind == "i"
    assert ((mate >= -1) & (mate < n)).all()
    matched = np.flatnonzero(mate >= 0)
    assert (mate[matched] != matched).all(), "a vertex is matched to itself"
    assert (mate[mate[matched]] == matched).all(), "two vertices have the same mate"
    u, v, weight = edges_of(G)
    inside = mate[u] == v
    assert 2 * inside.sum() == matched.size, "a matched pair is no edge"
    with np.errstate(over="ignore"):
        return float(weight[inside].sum()), int(inside.sum())


def check_maximal(G, mate):
    u, v, _ = edges_of(G)
    assert ((mate[u] >= 0) | (mate[v] >= 0)).all(), "an edge joins two unmatched vertices"


def check_dominant(G, mate):
    """Each edge shares an end with a matched edge that is at least as heavy."""
    check_maximal(G, mate)
    u, v, weight = edges_of(G)
    at = np.zeros(G.shape[0])
    inside = mate[u] == v
    at[u[inside]] = at[v[inside]] = weight[inside]
    assert (weight <= np.maximum(at[u], at[v])).all(), "an edge is heavier than its neighbours"


def check_tight(G, dual):
    """No dual can become smaller while the others stay, up to rounding errors."""
    u, v, weight = edges_of(G)
    least = np.zeros(G.shape[0])
    np.maximum.at(least, u, weight - dual[v])
    np.maximum.at(least, v, weight - dual[u])
    assert (dual <= least + 1e-9 * weight.max(initial=0.0)).all(), (
        "a dual is larger than it must be"
    )


def check_bound(G, dual, bound):
    """The duals are feasible and their sum is the bound, up to rounding errors."""
    u, v, weight = edges_of(G)
    largest = weight.max(initial=0.0)
    assert (dual >= 0).all()
    assert (dual[u] + dual[v] >= weight - 1e-9 * largest).all(), "a dual is too small"
    assert bound >= dual.sum() * (1 - 1e-12)
    assert bound <= dual.sum() * (1 + 1e-9) + 1e-300
