# SPDX-License-Identifier: BSD-3-Clause
"""What `match` accepts as a graph, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from tests.weighted.graph.graphs import path, random_graph

DENSE = np.array([[0.0, 4, 1], [4, 0, 5], [1, 5, 0]])


@pytest.mark.parametrize(
    "given",
    [
        DENSE,
        DENSE.astype(np.float32),
        DENSE.astype(np.int64),
        sp.csc_array(DENSE),
        sp.csr_array(DENSE),
        sp.coo_array(DENSE),
        btfperm.as_valued(DENSE),
        DENSE + np.diag([np.nan, -3, np.inf]),
    ],
    ids=["dense", "float32", "int64", "csc", "csr", "coo", "ValuedPattern", "diagonal"],
)
def test_matrices_of_many_types(given):
    m = btfperm.match(given)
    assert m.mate.tolist() == [-1, 2, 1] and m.weight == 5.0


@pytest.mark.parametrize(
    "given",
    [
        DENSE != 0,
        sp.csc_array(DENSE != 0),
        btfperm.as_pattern(DENSE),
        (None, [1, 2, 0, 2, 0, 1], [0, 2, 4, 6]),
    ],
    ids=["dense", "sparse", "Pattern", "triple"],
)
def test_without_values_each_edge_has_the_weight_one(given):
    shape = (3, 3) if isinstance(given, tuple) else None
    m = btfperm.match(given, shape=shape)
    assert m.weight == m.size == 1
    assert m == btfperm.match(DENSE, weights="ones")


def test_moduli():
    assert btfperm.match(-DENSE, weights="moduli").weight == 5
    hermitian = np.array([[0, 3 + 4j], [3 - 4j, 0]])
    assert btfperm.match(hermitian, weights="moduli").weight == 5
    zeros = sp.csc_array(([0.0, 0.0, 2.0, 2.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert btfperm.match(zeros, weights="moduli").edges == 1
    smallest = np.array([[0, np.iinfo(np.int64).min], [np.iinfo(np.int64).min, 0]])
    assert btfperm.match(smallest, weights="moduli").weight == 2.0**63


@pytest.mark.parametrize("suffix", ["mtx", "npz"])
def test_files(tmp_path, suffix):
    file = tmp_path / f"g.{suffix}"
    btfperm.write_matrix(file, sp.csc_array(DENSE))
    assert btfperm.match(file).weight == 5
    assert btfperm.match(str(file), weights="ones").weight == 1
    btfperm.write_matrix(file, sp.csc_array(DENSE != 0))
    assert btfperm.match(file).weight == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.ones((2, 3)), "a graph has a square matrix, not one of 2 x 3"),
        ([[0, 1], [0, 0]], "row 0, column 1 .* has no counterpart in row 1, column 0"),
        ([[0, 0], [1, 0]], "row 1, column 0 .* has no counterpart in row 0, column 1"),
        ([[0, 1], [2, 0]], "row 1, column 0 .* is 2.0 and the one in row 0, column 1 is 1.0"),
        ([[0, -1], [-1, 0]], "row 1, column 0 .* is -1, and weights must be positive and finite"),
        (
            [[0, np.nan], [np.nan, 0]],
            "is nan, and weights must be positive and finite: use weights='ones'",
        ),
        ([[0, np.inf], [np.inf, 0]], "is inf, and weights must be positive"),
        ([[0, 1j], [1j, 0]], "complex values are no weights"),
        (
            sp.csc_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2)),
            "is 0, and weights must be positive",
        ),
    ],
)
def test_refused_matrices(given, message):
    given = given if sp.issparse(given) else np.array(given)
    with pytest.raises(InvalidMatrixError, match=message):
        btfperm.match(given)


@pytest.mark.parametrize("seed", range(8))
def test_one_missing_counterpart_is_named(seed):
    G = random_graph(30, 60, seed).tocoo()
    rng = np.random.default_rng(seed)
    k = int(rng.integers(G.nnz))
    i, j = int(G.row[k]), int(G.col[k])
    stays = np.arange(G.nnz) != k
    H = sp.coo_array((G.data[stays], (G.row[stays], G.col[stays])), shape=G.shape)
    with pytest.raises(InvalidMatrixError, match=f"row {j}, column {i} .* no counterpart"):
        btfperm.match(H)
    values = np.where(stays, G.data, 7.0)
    H = sp.coo_array((values, (G.row, G.col)), shape=G.shape)
    with pytest.raises(InvalidMatrixError, match=r"is .* and the one in row .* is ") as caught:
        btfperm.match(H)
    assert f"row {i}, column {j}" in str(caught.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"algorithm": "mc64"}, "unknown algorithm 'mc64'; there are auto, local-max"),
        ({"algorithm": "pothen-fan"}, "unknown algorithm"),
        ({"algorithm": 3}, "algorithm must be a string"),
        ({"weights": "none"}, "weights must be one of values, moduli, ones"),
        ({"options": {"q": 1}}, "no algorithm of this run has an option 'q'"),
        ({"options": {"ties": "some"}}, "ties of local-max must be one of renewed, fixed"),
        ({"algorithm": "red-blue", "options": {"p": 0}}, "p of red-blue must be between 2"),
        ({"algorithm": "red-blue", "options": {"p": 1}}, "p of red-blue must be between 2"),
        ({"threads": 0}, "threads"),
        ({"seed": -1}, "seed"),
        ({"time_limit": 0}, "time_limit"),
        ({"max_work": 0}, "max_work"),
        ({"shape": (2, 2)}, "shape"),
    ],
)
def test_refused_arguments(how, message):
    with pytest.raises(InvalidArgumentError, match=message):
        btfperm.match(path(3, 1.0), **how)


def test_the_searches_of_matrices_do_not_take_graph_algorithms():
    for name in ("hem", "gpa", "random-greedy"):
        with pytest.raises(InvalidArgumentError, match=f"unknown algorithm '{name}'"):
            btfperm.weighted_transversal(DENSE, algorithm=name)
        with pytest.raises(InvalidArgumentError, match=f"unknown algorithm '{name}'"):
            btfperm.maximum_transversal(DENSE, algorithm=name)
