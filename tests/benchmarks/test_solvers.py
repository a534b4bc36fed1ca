# SPDX-License-Identifier: BSD-3-Clause
"""The sections about solvers: their matrices, their routes, and the means of their reports."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import btfperm
from benchmarks.cases import Case, generated, names
from benchmarks.report import Options
from benchmarks.solvers import (
    auctions,
    layouts,
    newton,
    orders,
    overhead,
    ratios,
    weights,
    weights_base,
)
from benchmarks.solvers.routes import ALL_ROUTES, routes
from benchmarks.solvers.systems import laid_out, matrix_of, system_of, tied
from benchmarks.solvers.weighted_peers import (
    FASTEST,
    MUMPS,
    NAMES,
    PEERS,
    SPRAL,
    SUPERLU,
    seconds_of,
)
from benchmarks.timing import race

MATRICES = Path(__file__).parents[2] / "matrices"
NAME = "pfjac_case_ACTIVSg2000"


def options(folder=MATRICES):
    return Options("tiny", folder, 1, 20.0, ["auto"], 1, lambda _: None)


@pytest.fixture(scope="module")
def jacobian():
    path = MATRICES / f"{NAME}.mtx.gz"
    return matrix_of(Case(NAME, "", lambda: None, {}, path))


def test_layouts_permute_rows(jacobian):
    A = sp.csr_array(jacobian)
    assert abs(laid_out(jacobian, "natural") - A).nnz == 0
    for layout in ("swapped", "shuffled"):
        B = sp.csr_array(laid_out(jacobian, layout))
        assert abs(B - A).nnz > 0
        ours, theirs = (sorted(map(tuple, (abs(M).sum(axis=1)[:, None]))) for M in (A, B))
        assert ours == theirs


def test_swapped_rows_have_equal_patterns(jacobian):
    """The pattern stays, and the values of both rows of each pair change places."""
    B = laid_out(jacobian, "swapped")
    assert np.array_equal(B.indptr, jacobian.indptr) and np.array_equal(B.indices, jacobian.indices)
    assert np.count_nonzero(B.data != jacobian.data) > jacobian.nnz / 2


def test_tied_copies_are_one_block(jacobian):
    A = tied(jacobian, 3)
    assert A.shape == (3 * jacobian.shape[0],) * 2
    parts, _ = sp.csgraph.connected_components(A)
    assert parts == sp.csgraph.connected_components(jacobian)[0]


def test_every_route_solves(jacobian):
    outcomes = race(routes(1), system_of(jacobian), repeats=1, limit=30.0)
    assert set(outcomes) >= {"splu", "btfperm, superlu"} and set(outcomes) <= set(ALL_ROUTES)
    for name, outcome in outcomes.items():
        (notes,) = outcome.notes
        assert notes["error"] < 1e-14, name
        assert notes["fill"] > jacobian.nnz / 2, name


@pytest.mark.parametrize(
    "section", [layouts, newton, ratios, overhead, orders, weights, weights_base]
)
def test_a_section_reports_each_matrix(section):
    report = section.run(generated(["circuit_50"]), options())
    assert report.complaints == []
    assert all(row["matrix"].startswith("circuit_50") for row in report.data["rows"])
    assert report.data["rows"] and "circuit_50" in report.markdown


def test_long_weighted_searches():
    """Every matrix of the smallest set; a contradiction between two answers is a complaint."""
    report = auctions.run(auctions.cases("tiny", Path()), options())
    assert report.complaints == []
    rows = report.data["rows"]
    assert [row["matrix"] for row in rows] == names("auctions", "tiny")
    for row in rows:
        assert row["heavy-perfect"]["objective"] <= row["mc64"]["objective"] + 1e-9
        wrong = {**row, "heavy-perfect": {"objective": row["mc64"]["objective"] - 1, "gap": 0.5}}
        assert len(auctions._contradictions(wrong)) == 1


def test_matrices_without_a_solution_are_left_out():
    for name in ("kkt_sing_60", "rect_wide_50"):
        assert matrix_of(*generated([name])) is None


def test_a_ratio_is_one_of_solved_matrices():
    rows = [
        {"matrix": "a", "class": "x", "n": 9, "KLU": {"fill": 4.0}, "btfperm, klu": {"fill": 2.0}},
        {"matrix": "b", "class": "x", "n": 9, "KLU": {"fill": 1.0}, "btfperm, klu": {"fill": 8.0}},
        {"matrix": "c", "class": "x", "n": 9, "KLU": {"reason": "singular"}, "btfperm, klu": {}},
    ]
    fill = ratios.RATIOS[0]
    assert ratios._ratios(rows, fill) == {"a": 0.5, "b": 8.0}
    assert ratios._line("fill", {"a": 0.5, "b": 8.0})[2:] == ["2.000", "0.500", "8.000", "`b`"]


@pytest.mark.parametrize("peer", PEERS, ids=NAMES)
def test_peers_agree(peer):
    if peer.missing:
        pytest.skip(peer.missing)
    A = matrix_of(*generated(["circuit_300"]))
    search = peer.search(A)
    for _ in range(2):  # the second call starts from the arrays of the first
        search()
        assert math.isclose(search.objective(), btfperm.weighted_transversal(A).objective)


def test_the_fastest_peer():
    row = {MUMPS: {"seconds": 3.0}, SUPERLU: {"seconds": 2.0}, SPRAL: {"seconds": 4.0}}
    assert seconds_of(row, FASTEST) == seconds_of(row, SUPERLU) == 2
    assert seconds_of({**row, SPRAL: {"reason": "x"}}, FASTEST) is None
    assert seconds_of({SPRAL: row[SPRAL]}, FASTEST) is None
    assert seconds_of({SPRAL: row[SPRAL], MUMPS: {"seconds": 9.0}}, FASTEST) == 4
