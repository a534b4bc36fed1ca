# SPDX-License-Identifier: BSD-3-Clause
"""`match` with ``bipartite=True``: the matching of the graph [0, A; A', 0], whatever the shape."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from tests.checks.check_graph_matching import check_graph_matching
from tests.loops import looped
from tests.weighted.graph.graphs import IDS, VARIANTS

A = np.array([[3.0, 9, 0], [0, 8, 1]])
IN_MEMORY = [each for each in zip(VARIANTS, IDS, strict=True) if "external" not in each[0][0]]


def drawn(m, n, seed):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((m, n)) < 0.3, 1 - rng.random((m, n)), 0.0)
    return sp.csc_array(dense)


def graph_of(B):
    return sp.block_array([[None, B], [B.T, None]], format="csc")


@looped("variant", [v for v, _ in IN_MEMORY], ids=[name for _, name in IN_MEMORY])
def test_the_matching_of_the_symmetric_matrix(variant):
    name, options = variant
    for shape in ((7, 12), (12, 7), (9, 9), (1, 1), (1, 30)):
        B = drawn(*shape, seed=sum(shape))
        for weights in ("values", "ones"):
            how = {"algorithm": name, "options": options, "weights": weights, "seed": 5}
            m = btfperm.match(B, bipartite=True, **how)
            expected = btfperm.match(graph_of(B), **how)
            assert m == expected and m.edges == B.nnz and m.n == sum(shape)
            np.testing.assert_array_equal(m.dual, expected.dual)
            check_graph_matching(graph_of(B), m.mate)


@pytest.mark.parametrize("given", [A, sp.csr_array(A), btfperm.as_valued(A)], ids=type)
def test_rows_are_matched_to_columns(given):
    m = btfperm.match(given, bipartite=True)
    rows, cols = scipy.optimize.linear_sum_assignment(A, maximize=True)
    assert A[rows, cols].sum() == 11 and m.weight == 10  # half of the largest, at least
    assert (m.mate[:2] - 2).tolist() == [1, 2] and m.mate[2:].tolist() == [-1, 0, 1]


def test_patterns_and_the_diagonal():
    m = btfperm.match(btfperm.as_pattern(np.eye(4)), bipartite=True)
    assert m.size == m.weight == 4 and m.mate.tolist() == [4, 5, 6, 7, 0, 1, 2, 3]
    triple = (None, [1, 0], [0, 1, 1, 2])
    assert btfperm.match(triple, shape=(2, 3), bipartite=True).mate.tolist() == [4, 2, 1, -1, 0]
    for shape in ((0, 3), (3, 0)):
        empty = btfperm.match(sp.csc_array(shape), bipartite=True)
        assert empty.mate.tolist() == [-1] * 3 and empty.maximal
    moduli = btfperm.match(np.array([[0, -3.0]]), bipartite=True, weights="moduli")
    assert moduli.weight == 3


@pytest.mark.parametrize(
    ("value", "message"), [(-1.0, "is -1"), (np.nan, "is nan"), (np.inf, "is inf")]
)
def test_a_refused_weight_is_named_by_its_place_in_the_matrix(value, message):
    B = A.copy()
    B[1, 2] = value
    with pytest.raises(InvalidMatrixError, match=rf"row 1, column 2 .* {message}, and weights"):
        btfperm.match(B, bipartite=True)


def test_where_it_does_not_go():
    with pytest.raises(InvalidArgumentError, match="bipartite does not go with local-max-external"):
        btfperm.match(A, bipartite=True, algorithm="local-max-external")
    with pytest.raises(InvalidArgumentError, match="bipartite must be True or False"):
        btfperm.match(A, bipartite="yes")


@pytest.mark.parametrize("refused", [A, A[:, :2], np.array([[1.0, 2], [3, 1]])])
def test_the_errors_without_it_name_it(refused):
    with pytest.raises(InvalidMatrixError, match="bipartite=True matches its rows"):
        btfperm.match(refused)
    assert btfperm.match(refused, bipartite=True).maximal
