# SPDX-License-Identifier: BSD-3-Clause
"""The oracles agree with the definitions, with SciPy and with networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from scipy.sparse.csgraph import structural_rank as scipy_structural_rank

from tests import strategies
from tests.checks.check_btf import check_canonical_order, check_fine
from tests.checks.check_coarse import check_coarse
from tests.checks.check_matching import check_matching, check_maximum
from tests.oracles import brute_force, plain_block_triangular, plain_dulmage_mendelsohn
from tests.oracles.plain_matching import maximum_matching, structural_rank
from tests.oracles.plain_pattern import pattern


@given(strategies.tiny())
def test_plain_rank_is_the_brute_force_rank(A):
    rank = brute_force.structural_rank(A)
    assert structural_rank(A) == rank
    assert brute_force.minimum_cover_size(A) == rank  # Kőnig
    assert all(sum(i >= 0 for i in s) == rank for s in brute_force.maximum_matchings(A))


@given(strategies.any_matrix())
def test_plain_rank_is_scipys_and_networkxs(A):
    row_match, col_match = maximum_matching(A)
    check_matching(A, row_match, col_match)
    check_maximum(A, row_match, col_match)
    rank = int((row_match >= 0).sum())
    if min(A.shape):
        # SciPy < 1.18 may hang on duplicates, so it gets the canonical pattern
        assert rank == scipy_structural_rank(pattern(A))
    coo = pattern(A).tocoo()
    graph = nx.Graph([(("row", i), ("col", j)) for i, j in zip(coo.row, coo.col, strict=True)])
    assert rank == len(nx.max_weight_matching(graph, maxcardinality=True))


@given(strategies.tiny())
def test_plain_coarse_parts_are_those_of_the_definition(A):
    d = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    sets = brute_force.coarse_sets(A)
    rows = np.split(d.row_perm, d.coarse_rows[[1, 2]])
    cols = np.split(d.col_perm, d.coarse_cols[[2, 3]])
    assert [set(part.tolist()) for part in rows] == [
        sets.horizontal_rows,
        sets.square_rows,
        sets.vertical_rows,
    ]
    assert [set(part.tolist()) for part in cols] == [
        sets.horizontal_cols,
        sets.square_cols,
        sets.vertical_cols,
    ]


@given(strategies.nonsingular(5))
def test_plain_blocks_are_those_of_the_definition(A):
    d = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    rows = np.split(d.row_perm, d.row_blocks[1:-1])
    cols = np.split(d.col_perm, d.col_blocks[1:-1])
    if not A.shape[0]:
        return
    found = {
        (frozenset(r.tolist()), frozenset(c.tolist())) for r, c in zip(rows, cols, strict=True)
    }
    assert found == brute_force.square_blocks(A)
    csc = pattern(A)
    assert all(brute_force.is_irreducible(csc[r, :][:, c]) for r, c in zip(rows, cols, strict=True))


@given(strategies.any_matrix())
def test_plain_decomposition_passes_the_checks(A):
    row_match, col_match = maximum_matching(A)
    d = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    check_coarse(A, d, row_match, col_match)
    check_fine(A, d, col_match)
    check_canonical_order(A, d)


@given(strategies.block_triangular())
def test_designed_blocks_are_found(A):
    """`strategies.block_triangular` plants the blocks; networkx must find the same number."""
    d = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    _, col_match = maximum_matching(A)
    coo = pattern(A)[col_match, :].tocoo()
    digraph = nx.DiGraph()
    digraph.add_nodes_from(range(A.shape[0]))
    digraph.add_edges_from(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    assert nx.number_strongly_connected_components(digraph) == len(d.row_blocks) - 1


@given(strategies.any_square())
def test_plain_form_is_block_triangular(A):
    row_match, col_match = maximum_matching(A)
    form = plain_block_triangular.block_triangular_form(A, row_match, col_match)
    permuted = pattern(A)[form.row_perm, :][:, form.col_perm].tocoo()
    block = np.repeat(np.arange(len(form.blocks) - 1), np.diff(form.blocks))
    assert (block[permuted.row] <= block[permuted.col]).all()
    assert sorted(form.paired_row) == list(range(A.shape[0]))
