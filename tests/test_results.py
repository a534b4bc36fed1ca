# SPDX-License-Identifier: BSD-3-Clause
"""Results are frozen, small in print, and say what they are."""

from __future__ import annotations

import copy
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

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


def test_every_field_is_there_and_what_is_made_on_demand_is_made_once():
    A = sp.csc_array(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]]))
    t = btfperm.maximum_transversal(A)
    for result, late in (
        (t, "choice"),
        (btfperm.dulmage_mendelsohn(A), "meta"),
        (btfperm.block_triangular_form(A), "meta"),
    ):
        names = {field.name for field in fields(result)}
        assert names <= set(dir(result)) and late not in vars(result)
        assert names - {late} == vars(result).keys() - {"_makers"}
        twin, again = copy.copy(result), copy.deepcopy(result)
        assert getattr(result, late) and getattr(result, late) is getattr(result, late)
        assert getattr(twin, late) == getattr(again, late) == getattr(result, late)
        assert getattr(replace(result), late) is getattr(result, late)
        with pytest.raises(AttributeError, match="has no attribute 'colour'"):
            _ = result.colour


def arrays_of(result):
    """Every array that can be reached from a result, by name; cached ones included."""
    names = [name for name in dir(result) if not name.startswith("_")]
    found = {}
    for name in names:
        value = getattr(result, name)
        if isinstance(value, np.ndarray):
            found[name] = value
        elif isinstance(value, btfperm.Pattern):
            found |= {f"{name}.indptr": value.indptr, f"{name}.indices": value.indices}
        elif isinstance(value, btfperm.Transversal):
            found |= {f"{name}.{inner}": array for inner, array in arrays_of(value).items()}
    return found


@given(strategies.any_matrix())
def test_all_arrays_are_read_only(A):
    d = btfperm.dulmage_mendelsohn(A)
    square = btfperm.block_triangular_form(sp.csc_array((3, 3)))  # with paired_row
    given = btfperm.dulmage_mendelsohn(A, transversal=btfperm.maximum_transversal(A))
    for result in (btfperm.maximum_transversal(A), d, d.block_graph(), square, given):
        arrays = arrays_of(result)
        assert len(arrays) >= 4
        writeable = [name for name, array in arrays.items() if array.flags.writeable]
        assert not writeable, f"{type(result).__name__}: {writeable}"
    assert not any(array.flags.writeable for array in d.transversal.cover())


def test_a_transversal_says_how_to_save_it(tmp_path):
    t = btfperm.maximum_transversal(np.eye(3))
    assert "dulmage_mendelsohn(A, transversal=t).save(path)" in type(t).__doc__
    btfperm.dulmage_mendelsohn(np.eye(3), transversal=t).save(tmp_path / "perm.npz")
    np.testing.assert_array_equal(btfperm.load(tmp_path / "perm.npz").row_match, t.row_match)


def test_the_package_is_typed():
    assert (Path(btfperm.__file__).parent / "py.typed").is_file()


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


def test_a_transversal_names_what_made_it():
    assert repr(btfperm.maximum_transversal(np.eye(2))).endswith("verified, by ss-bfs>")
    t = btfperm.maximum_transversal(np.eye(2), initializer="none", initial=[0, 1])
    assert repr(t).endswith("verified>")


TRIPLE = (np.array([2.0, 3.0, 4.0]), np.array([1, 0, 1]), np.array([0, 1, 3]))
DENSE = np.array([[0.0, 3], [2, 4]])


@pytest.mark.parametrize("face", [btfperm.dulmage_mendelsohn, btfperm.preorder])
def test_apply_takes_triples_and_paths(face, tmp_path):
    result = face(DENSE)
    expected = result.apply(DENSE)
    np.testing.assert_array_equal(result.apply(TRIPLE).toarray(), expected)
    path = tmp_path / "A.mtx"
    btfperm.write_matrix(path, sp.coo_array(DENSE))
    np.testing.assert_array_equal(result.apply(path).toarray(), expected)
    np.testing.assert_array_equal(result.apply(str(path)).toarray(), expected)
    P = result.apply((None, *TRIPLE[1:]))
    np.testing.assert_array_equal(P.to_scipy().toarray() != 0, expected != 0)
    with pytest.raises(btfperm.InvalidMatrixError, match="triple"):
        result.apply((TRIPLE[0], np.array([9, 0, 1]), TRIPLE[2]))
