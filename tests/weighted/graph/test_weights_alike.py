# SPDX-License-Identifier: BSD-3-Clause
"""A weight that no edge may have is refused wherever it stands, in memory and in files that are
read in parts; and triples with and without values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from btfperm.weighted.external import number_of_bytes
from tests.loops import looped
from tests.uneven import cycle_with_tail

EXTERNAL = "local-max-external"


@looped("algorithm", ["local-max", EXTERNAL, "greedy"])
@looped("value", [0.0, -0.0, -1.0, np.inf, -np.inf, np.nan])
@looped("kind", ["file", "memory"])
def test_a_wrong_weight_is_refused_at_every_place(tmp_path, algorithm, value, kind):
    G = sp.coo_array(cycle_with_tail())
    for at in (0, 3, 7):
        weights = G.data.copy()
        weights[at] = weights[at + 8] = value
        wrong = sp.coo_array((weights, (G.row, G.col)), shape=G.shape)
        path = tmp_path / "g.mtx"
        btfperm.write_matrix(path, wrong)
        given = path if kind == "file" else sp.csc_array(wrong)
        with pytest.raises(btfperm.BtfpermError, match="must be positive and finite") as error:
            btfperm.match(given, algorithm=algorithm)
        u, v = sorted((int(G.row[at]), int(G.col[at])))
        named = (f"row {u}, column {v} (", f"row {v}, column {u} (")
        assert any(text in str(error.value) for text in named)
        m = btfperm.match(given, algorithm=algorithm, weights="ones")
        assert m.weight == m.size == 4


@pytest.mark.parametrize("algorithm", ["local-max", EXTERNAL])
@pytest.mark.parametrize("symmetry", ["hermitian", "skew-symmetric"])
def test_files_whose_halves_have_different_values(tmp_path, algorithm, symmetry):
    field, value = ("complex", "3.0 4.0") if symmetry == "hermitian" else ("real", "5.0")
    path = tmp_path / "g.mtx"
    path.write_text(
        f"%%MatrixMarket matrix coordinate {field} {symmetry}\n3 3 2\n2 1 {value}\n3 2 {value}\n"
    )
    with pytest.raises(btfperm.BtfpermError, match=r"weights|symmetric matrix"):
        btfperm.match(path, algorithm=algorithm)
    assert btfperm.match(path, algorithm=algorithm, weights="moduli").weight == 5
    assert btfperm.match(path, algorithm=algorithm, weights="ones").weight == 1


def test_an_edge_of_the_first_vertex_that_is_given_twice(tmp_path):
    path = tmp_path / "g.mtx"
    for pair, named in (("2 1", "1 and 0"), ("3 2", "2 and 1"), ("3 1", "2 and 0")):
        path.write_text(
            f"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n{pair} 1\n{pair} 1\n"
        )
        with pytest.raises(
            btfperm.BtfpermError, match=f"the edge between {named} .* is given twice"
        ):
            btfperm.match(path, algorithm=EXTERNAL)


def test_triples_with_and_without_values():
    G = sp.csc_array(cycle_with_tail())
    for values, weight in ((G.data, btfperm.match(G).weight), (None, 4)):
        triple = (values, G.indices, G.indptr)
        assert btfperm.match(triple, shape=G.shape).weight == weight >= 4
    assert btfperm.match(G.astype(bool)).weight == btfperm.match(btfperm.as_pattern(G)).weight == 4


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("65536", 2**16),
        ("64K", 2**16),
        ("64 KiB", 2**16),
        ("3M", 3 * 2**20),
        ("1.25GB", 5 * 2**28),
        ("2T", 2**41),
        (2**61, 2**61),
        (None, 2**30),
    ],
)
def test_units_of_memory(text, count):
    assert number_of_bytes(text) == count


@pytest.mark.parametrize(
    "text", ["65535", "63K", "4194304T", -1, 0, "-1G", "1 G B", "1g", "1E9", ""]
)
def test_no_numbers_of_bytes(text):
    with pytest.raises(btfperm.InvalidArgumentError, match="memory must be"):
        number_of_bytes(text)


def test_results_name_their_algorithm():
    A = np.array([[3.0, 1, 0], [1, 2, 0], [0, 1, 5]])
    names = {
        "product": btfperm.weighted_transversal(A).algorithm,
        "sum": btfperm.weighted_transversal(A, objective="sum").algorithm,
        "bottleneck": btfperm.weighted_transversal(A, objective="bottleneck").algorithm,
        "heavy": btfperm.weighted_transversal(A, algorithm="heavy-perfect").algorithm,
    }
    assert names == {
        "product": "mc64",
        "sum": "mc64",
        "bottleneck": "bisection",
        "heavy": "heavy-perfect",
    }
