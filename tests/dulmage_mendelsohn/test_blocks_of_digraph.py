# SPDX-License-Identifier: BSD-3-Clause
"""Strong components and heights of a digraph on one core, compared with SciPy's components and with
heights by the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from btfperm import _core


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 14))
    vertex = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=40)) if n else []
    floor = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return n, np.array(edges, dtype=int).reshape(-1, 2), np.array(floor, dtype=int)


def found(n, edges, floor, width):
    """Components and heights. Edges are (tail, head)."""
    order = np.argsort(edges[:, 1], kind="stable")
    indptr = np.searchsorted(edges[order, 1], np.arange(n + 1)).astype(width)
    height, name = floor.astype(width), np.empty(n, dtype=width)
    _core.dulmage_mendelsohn.blocks_of_digraph(indptr, edges[order, 0].astype(width), height, name)
    return name, height


@pytest.mark.parametrize("width", [np.int32, np.int64])
@given(graph=graphs())
def test_components_and_heights(width, graph):
    n, edges, floor = graph
    name, height = found(n, edges, floor, width)
    A = sp.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, label = connected_components(A, connection="strong") if n else (0, np.empty(0, int))
    assert len(set(zip(name.tolist(), label.tolist(), strict=True))) == count
    assert (name[name] == name).all() and len(set(name.tolist())) == count
    expected = np.array([floor[label == c].max() for c in range(count)], dtype=int)
    for _ in range(count):  # a path visits no component twice
        for u, v in edges:
            if label[u] != label[v]:
                expected[label[u]] = max(expected[label[u]], expected[label[v]] + 1)
    np.testing.assert_array_equal(height, expected[label])


def test_a_path_of_a_million_vertices():
    n = 1_000_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    name, height = found(n, edges, np.zeros(n, dtype=int), np.int32)
    np.testing.assert_array_equal(name, np.arange(n))
    np.testing.assert_array_equal(height, np.arange(n)[::-1])


@pytest.mark.parametrize(
    ("indptr", "pred", "places"), [([0, 1], [], 1), ([0, 1], [0], 0), ([], [], 0)]
)
def test_arrays_of_wrong_lengths_are_refused(indptr, pred, places):
    arrays = (np.array(part, dtype=np.int32) for part in (indptr, pred))
    with pytest.raises(ValueError):
        _core.dulmage_mendelsohn.blocks_of_digraph(
            *arrays, np.zeros(places, dtype=np.int32), np.zeros(places, dtype=np.int32)
        )
