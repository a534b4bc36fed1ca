# SPDX-License-Identifier: BSD-3-Clause
"""Results are frozen, small in print, and say what they are."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from tests import families, strategies
from tests.known_answers import known_answers, parametrized, read
from tests.oracles.plain_pattern import pattern


@parametrized(known_answers())
def test_repr_is_one_short_line_with_the_rank(known):
    A = read(known.name)
    things = [btfperm.maximum_transversal(A), btfperm.dulmage_mendelsohn(A)]
    things.append(things[-1].block_graph())
    if known.shape[0] == known.shape[1]:
        things.append(btfperm.block_triangular_form(A))
    for thing in things:
        assert len(repr(thing)) < 200 and "\n" not in repr(thing)
    for thing in things[:2]:
        assert f"structural rank {known.structural_rank:,}" in repr(thing)


@given(strategies.any_matrix())
def test_results_are_frozen(A):
    for result in (btfperm.maximum_transversal(A), btfperm.dulmage_mendelsohn(A)):
        with pytest.raises(FrozenInstanceError):
            result.row_match = None


@given(strategies.any_matrix())
def test_shapes_add_up(A):
    d = btfperm.dulmage_mendelsohn(A)
    shapes = np.array([d.horizontal_shape, d.square_shape, d.vertical_shape])
    assert tuple(shapes.sum(axis=0)) == A.shape == d.shape
    assert d.horizontal_shape[0] + d.square_shape[0] + d.vertical_shape[1] == d.structural_rank
    assert d.n_blocks == d.row_blocks.size - 1 == d.col_blocks.size - 1


@given(strategies.any_matrix())
def test_apply_is_the_permuted_matrix(A):
    d = btfperm.dulmage_mendelsohn(A)
    csc = sp.csc_array(A)
    permuted = d.apply(csc)
    assert sp.issparse(permuted)
    expected = csc.toarray()[d.row_perm, :][:, d.col_perm]
    np.testing.assert_array_equal(permuted.toarray(), expected)
    np.testing.assert_array_equal(d.apply(csc.toarray()), expected)
    P = d.apply(btfperm.as_pattern(A))
    assert (P.to_scipy() != pattern(A)[d.row_perm, :][:, d.col_perm]).nnz == 0


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (0, 0)])
def test_apply_refuses_a_matrix_of_another_shape(shape):
    d = btfperm.dulmage_mendelsohn(np.eye(3))
    with pytest.raises(btfperm.InvalidArgumentError):
        d.apply(np.zeros(shape))


def test_the_block_graph_needs_the_matrix_of_a_result_from_elsewhere():
    from dataclasses import replace

    bare = replace(btfperm.dulmage_mendelsohn(np.eye(3)), pattern=None)
    with pytest.raises(btfperm.BtfpermError):
        bare.block_graph()
    assert bare.block_graph(np.eye(3)).n_blocks == 3
    with pytest.raises(btfperm.InvalidArgumentError):
        bare.block_graph(np.eye(4))


def test_counters_are_plausible():
    """One path through all columns: its length is counted, and so are the entries read."""
    n = 1000
    chain = families.chain(n)
    t = btfperm.maximum_transversal(chain.A, initializer="greedy", algorithm="hopcroft-karp")
    assert t.counters["augmentations"] == 1
    assert t.counters["longest_path"] == t.counters["path_edges"] == 2 * n - 1
    assert t.counters["edges"] >= chain.A.nnz - 1
    assert set(t.seconds) >= {"start", "search", "certificate"}
