# SPDX-License-Identifier: BSD-3-Clause
"""The arcs, levels and work of the block graph are those of the oracle."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.errors import InvalidArgumentError, InvalidMatrixError
from btfperm.results import DulmageMendelsohn
from tests import families, strategies
from tests.oracles import plain_dulmage_mendelsohn


def check_graph(A, d, graph):
    expected = plain_dulmage_mendelsohn.block_graph(A, d)
    assert graph.n_blocks == d.n_blocks == len(expected.level)
    successors = [lst.tolist() for lst in np.split(graph.indices, graph.indptr[1:-1])]
    if graph.n_blocks:
        assert successors == [sorted(s) for s in expected.successors]
    assert graph.indptr[0] == 0 and graph.indptr[-1] == graph.indices.size
    assert graph.level.tolist() == expected.level
    assert graph.work.tolist() == expected.work
    assert graph.n_levels == max(expected.level, default=-1) + 1
    blocks_at = [expected.level.count(h) for h in range(graph.n_levels)]
    assert graph.level_blocks.tolist() == blocks_at
    work_at = [
        sum(w for w, level in zip(expected.work, expected.level, strict=True) if level == h)
        for h in range(graph.n_levels)
    ]
    assert graph.level_work.tolist() == work_at
    levels = [[k for k, h in enumerate(expected.level) if h == at] for at in range(graph.n_levels)]
    assert [blocks.tolist() for blocks in graph.levels()] == levels
    assert [graph.blocks_at(h).tolist() for h in range(graph.n_levels)] == levels
    for blocks in graph.levels():
        assert blocks.dtype == graph.level.dtype and not blocks.flags.writeable


@given(strategies.any_matrix())
def test_block_graph_is_the_oracles(A):
    d = btfperm.dulmage_mendelsohn(A)
    check_graph(A, d, d.block_graph())


@pytest.mark.parametrize("seed", range(4))
def test_many_blocks_of_one_level(seed):
    A = sp.random_array((90, 90), density=0.01 * (seed + 1), rng=seed)
    A = sp.csc_array(sp.triu(A) + sp.eye_array(90))
    d = btfperm.dulmage_mendelsohn(A)
    assert d.n_blocks == 90
    check_graph(A, d, d.block_graph())


@given(strategies.any_square())
def test_block_graph_of_the_triangular_form(A):
    f = btfperm.block_triangular_form(A)
    check_graph(A, f, f.block_graph())


@given(strategies.any_matrix())
def test_a_result_without_its_pattern_takes_the_matrix(A):
    """A result from a file has no pattern."""
    d = btfperm.dulmage_mendelsohn(A)
    arrays = {
        name: getattr(d, name)
        for name in (
            *("shape", "row_perm", "col_perm", "row_blocks", "col_blocks"),
            *("coarse_rows", "coarse_cols", "row_match", "col_match", "structural_rank"),
        )
    }
    bare = DulmageMendelsohn(**arrays)
    check_graph(A, d, bare.block_graph(sp.csr_array(A)))


def test_a_level_that_does_not_exist_is_refused():
    graph = btfperm.dulmage_mendelsohn(families.bidiagonal(5).A).block_graph()
    for level in (-1, 5, 1.5):
        with pytest.raises(InvalidArgumentError, match="the level must be a whole number"):
            graph.blocks_at(level)
    assert list(btfperm.dulmage_mendelsohn(np.zeros((0, 0))).block_graph().levels()) == []


def test_block_graph_of_a_deep_chain():
    n = 300_000
    d = btfperm.dulmage_mendelsohn(families.renumbered(families.bidiagonal(n), "mixed", 5).A)
    graph = d.block_graph()
    np.testing.assert_array_equal(graph.level, np.arange(n)[::-1])
    np.testing.assert_array_equal(graph.indices, np.arange(1, n))
    assert graph.level_work.sum() == graph.work.sum() == n


def test_levels_run_through_all_parts():
    """The second square block has an arc to the vertical block, so its level is higher than that of
    the first square block. The order of the square blocks depends on their heights in the square
    part only, which are equal."""
    A = sp.coo_array(
        np.array(
            [
                [1, 1, 1, 1, 0],
                [0, 0, 1, 0, 0],
                [0, 0, 0, 1, 1],
                [0, 0, 0, 0, 1],
                [0, 0, 0, 0, 1],
            ]
        )
    )
    d = btfperm.dulmage_mendelsohn(A)
    graph = d.block_graph()
    check_graph(A, d, graph)
    assert graph.level.tolist() == [2, 0, 1, 0]
    assert graph.indices.tolist() == [1, 2, 3]


def test_a_matrix_that_is_changed_in_place_does_not_change_its_decomposition():
    """If the arrays were shared, the core would use indices outside the matrix."""
    A = sp.csc_array(
        (np.ones(50), np.arange(50, dtype=np.int32), np.arange(51, dtype=np.int32)), shape=(50, 50)
    )
    d = btfperm.dulmage_mendelsohn(A)
    A.indices[:] = 1_500_000_000
    assert d.block_graph().n_levels == 1
    with pytest.raises(InvalidMatrixError):
        d.block_graph(A)


def test_another_matrix_is_refused():
    """The permutations of a triangular matrix leave an entry of a cycle below the blocks."""
    d = btfperm.dulmage_mendelsohn(families.bidiagonal(5).A)
    with pytest.raises(InvalidArgumentError, match="another matrix"):
        d.block_graph(families.cycle(5).A)


@pytest.mark.parametrize("boundaries", [[0, 1, 1], [0, 1, 3], [1, 1, 2], [0, 3, 2], [0, 2]])
def test_boundaries_that_do_not_divide_the_columns_are_refused(boundaries):
    d = btfperm.dulmage_mendelsohn(np.eye(2))
    other = dataclasses.replace(d, col_blocks=np.array(boundaries))
    with pytest.raises(InvalidArgumentError, match="no permutations and blocks"):
        other.block_graph()
