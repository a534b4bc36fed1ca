# SPDX-License-Identifier: BSD-3-Clause
"""Results are frozen, print briefly and describe themselves."""

from __future__ import annotations

import copy
import importlib
import re
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

import btfperm
from btfperm.conventions import CONVENTIONS, as_csparse
from btfperm.results import parts
from tests import families, strategies
from tests.known_answers import known_answers, parametrized, read
from tests.oracles import plain_dulmage_mendelsohn
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


def test_every_field_exists_and_late_fields_are_made_once():
    A = sp.csc_array(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 1]]))
    t = btfperm.maximum_transversal(A)
    for result, late in (
        (t, "choice"),
        (btfperm.dulmage_mendelsohn(A), "meta"),
        (btfperm.block_triangular_form(A), "meta"),
    ):
        names = {field.name for field in fields(result)}
        assert names <= set(dir(result)) and late not in vars(result)
        optional = {"log_row_scale", "log_col_scale", "weights"}  # None is the class's default
        assert names - {late} - optional == vars(result).keys() - {"_makers"} - optional
        twin, again = copy.copy(result), copy.deepcopy(result)
        assert getattr(result, late) and getattr(result, late) is getattr(result, late)
        assert getattr(twin, late) == getattr(again, late) == getattr(result, late)
        assert getattr(replace(result), late) is getattr(result, late)
        with pytest.raises(AttributeError, match="has no attribute 'colour'"):
            _ = result.colour


def arrays_of(result):
    """Every array that can be reached from a result, by name, including cached ones."""
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


def test_a_transversal_explains_how_to_save_it(tmp_path):
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
    """There is one path, through all columns. The counters hold its length and the entries read."""
    n = 1000
    chain = families.chain(n)
    t = btfperm.maximum_transversal(chain.A, initializer="greedy", algorithm="hopcroft-karp")
    assert t.counters["augmentations"] == 1
    assert t.counters["longest_path"] == t.counters["path_edges"] == 2 * n - 1
    assert t.counters["edges"] >= chain.A.nnz - 1
    assert set(t.seconds) >= {"start", "search", "certificate"}


def test_a_transversal_names_its_algorithm():
    assert repr(btfperm.maximum_transversal(np.eye(2))).endswith("verified, by ss-bfs>")
    t = btfperm.maximum_transversal(np.eye(2), initializer="none", initial=[0, 1])
    assert repr(t).endswith("verified>")


TRIPLE = (np.array([2.0, 3.0, 4.0]), np.array([1, 0, 1]), np.array([0, 1, 3]))
DENSE = np.array([[0.0, 3], [2, 4]])


@pytest.mark.parametrize("function", [btfperm.dulmage_mendelsohn, btfperm.preorder])
def test_apply_takes_triples_and_paths(function, tmp_path):
    result = function(DENSE)
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


# -- parts and blocks ------------------------------------------------------------------------------


def check_rectangle(d, part):
    """Rows and columns of a part or a block follow from its slices of the permuted matrix."""
    for lines, unmatched, perm, places, match in (
        (part.rows, part.unmatched_rows, d.row_perm, part.row_slice, d.row_match),
        (part.cols, part.unmatched_cols, d.col_perm, part.col_slice, d.col_match),
    ):
        assert lines.tolist() == perm.tolist()[places]
        assert unmatched.tolist() == [k for k in lines.tolist() if match[k] < 0]
        assert lines.dtype == perm.dtype == unmatched.dtype
        assert not lines.flags.writeable and not unmatched.flags.writeable
    assert part.shape == (part.rows.size, part.cols.size)


@given(strategies.any_matrix())
def test_coarse_parts_are_the_oracles(A):
    d = btfperm.dulmage_mendelsohn(A)
    expected = plain_dulmage_mendelsohn.dulmage_mendelsohn(A)
    rr, cc = expected.coarse_rows, expected.coarse_cols
    parts = d.horizontal, d.square, d.vertical
    assert [part.shape for part in parts] == [d.horizontal_shape, d.square_shape, d.vertical_shape]
    for part, rows, cols in zip(
        parts,
        (slice(0, rr[1]), slice(rr[1], rr[2]), slice(rr[2], rr[4])),
        (slice(0, cc[2]), slice(cc[2], cc[3]), slice(cc[3], cc[4])),
        strict=True,
    ):
        check_rectangle(d, part)
        assert sorted(part.rows.tolist()) == sorted(expected.row_perm[rows])
        assert sorted(part.cols.tolist()) == sorted(expected.col_perm[cols])
    assert d.underdetermined == d.horizontal and d.overdetermined == d.vertical
    assert d.horizontal != d.square != d.vertical and d.square != d.block_graph()
    assert sorted(d.vertical.unmatched_rows) == np.flatnonzero(d.row_match < 0).tolist()
    assert sorted(d.horizontal.unmatched_cols) == np.flatnonzero(d.col_match < 0).tolist()
    for part in (d.square, d.horizontal):
        assert part.unmatched_rows.size == 0
    for part in (d.square, d.vertical):
        assert part.unmatched_cols.size == 0
    assert [k for part in parts for k in part.blocks] == list(range(d.n_blocks))


@given(strategies.any_matrix())
def test_blocks_are_those_of_the_boundaries(A):
    d = btfperm.dulmage_mendelsohn(A)
    blocks = list(d)
    assert [block.number for block in blocks] == list(range(d.n_blocks))
    parts = {"horizontal": d.horizontal, "square": d.square, "vertical": d.vertical}
    for k, block in enumerate(blocks):
        check_rectangle(d, block)
        assert block == d.block(k) and hash(block) == hash(d.block(k))
        assert block.row_slice == slice(d.row_blocks[k], d.row_blocks[k + 1])
        assert block.col_slice == slice(d.col_blocks[k], d.col_blocks[k + 1])
        assert k in parts[block.part].blocks
        assert set(block.rows) <= set(parts[block.part].rows)
        assert (d.row_block[block.rows] == k).all() and (d.col_block[block.cols] == k).all()
        r, c = block.shape
        assert {"horizontal": r < c, "square": r == c > 0, "vertical": r > c}[block.part]


@given(strategies.any_square())
def test_blocks_of_a_triangular_form(A):
    f = btfperm.block_triangular_form(A)
    for k, block in enumerate(f):
        check_rectangle(f, block)
        assert block.part == "square" and block == f.block(k) and block.shape[0] == block.shape[1]
    assert sum(block.unmatched_rows.size for block in f) == f.completed


def test_a_block_that_does_not_exist_is_refused():
    d = btfperm.dulmage_mendelsohn(np.eye(3))
    for k in (-1, 3, 1.0, "0", None):
        with pytest.raises(btfperm.InvalidArgumentError, match="number of a block"):
            d.block(k)
    assert d.block(np.int64(2)).rows.tolist() == [2]
    assert list(btfperm.dulmage_mendelsohn(np.zeros((0, 0)))) == []


def test_blocks_are_made_one_at_a_time(monkeypatch):
    """The blocks are converted in pieces, and each `Block` is made only when it is needed."""
    monkeypatch.setattr(parts, "_PIECE", 4)
    d = btfperm.dulmage_mendelsohn(sp.eye_array(11))
    assert [(block.number, block.rows.tolist()) for block in d] == [(k, [k]) for k in range(11)]
    calls = []
    monkeypatch.setattr(parts, "Block", lambda *arguments: calls.append(arguments))
    next(iter(d))
    assert len(calls) == 1


def test_the_structural_rank_is_no_boundary_of_the_vertical_part():
    """The wrong result of slicing as in CSparse, and the right one: see `Decomposition`."""
    A = np.array([[0, 1, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    d = btfperm.dulmage_mendelsohn(A)
    csparse = btfperm.as_csparse(d)
    unmatched = csparse.p[csparse.rr[3] :]
    assert d.coarse_rows[3] == d.structural_rank == 2 and d.vertical.shape == (5, 2)
    assert sorted(unmatched) == sorted(d.vertical.unmatched_rows)
    assert sorted(d.row_perm[d.coarse_rows[3] :]) != sorted(unmatched)


# -- equality --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["npz", "json", "txt"])
@pytest.mark.parametrize("function", [btfperm.dulmage_mendelsohn, btfperm.block_triangular_form])
def test_a_loaded_result_equals_the_saved_one(function, suffix, tmp_path):
    for A in (read("west0479"), read("Erdos971"), np.zeros((2, 2)), np.zeros((0, 0))):
        d = function(A)
        d.save(tmp_path / f"perm.{suffix}")
        loaded = btfperm.load(tmp_path / f"perm.{suffix}")
        assert loaded == d and d == loaded and not loaded != d  # noqa: SIM202
        assert hash(loaded) == hash(d) and {d: 1}[loaded] == 1


def changed(array, k=0):
    other = np.array(array)
    other[k] += 1
    return other


def test_results_that_differ_in_one_field_are_not_equal():
    A = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]])
    t, d, f = (
        function(A)
        for function in (
            btfperm.maximum_transversal,
            btfperm.dulmage_mendelsohn,
            btfperm.block_triangular_form,
        )
    )
    graph, p = d.block_graph(), btfperm.preorder(np.eye(3))
    not_compared = {"meta", "transversal", "pattern", "form", "paired_row", "completed", "weights"}
    not_compared |= {"row_in_cover", "col_in_cover", "explain", "counters", "seconds", "choice"}
    not_compared |= {"algorithm", "initializer", "backend", "device", "verified", "stopped_by"}
    of_transversals = {"log_row_scale", "log_col_scale"}
    for result in (t, d, f, graph, p):
        assert result == replace(result) and hash(result) == hash(replace(result))
        assert result != "something else"
        for field in fields(result):
            value = getattr(result, field.name)
            if field.name in not_compared or (result is t and field.name in of_transversals):
                assert replace(result, **{field.name: None}) == result, field.name
                continue
            kinds = {str: str.upper, tuple: lambda v: (*v[:1], v[1] + 1), bool: lambda v: not v}
            kinds[type(None)] = lambda _: np.zeros(4)
            other = kinds.get(type(value), changed if np.ndim(value) else lambda v: v + 1)(value)
            assert replace(result, **{field.name: other}) != result, field.name
    assert d != f and d != t


def test_equality_does_not_depend_on_the_integer_type():
    d = btfperm.dulmage_mendelsohn(np.eye(3))
    wide = replace(d, row_perm=d.row_perm.astype(np.int64))
    assert wide == d and wide.row_perm.dtype != d.row_perm.dtype


def test_named_tuples_of_arrays_are_compared_by_value():
    A = np.array([[2, 1], [0, 3]])
    cover = btfperm.maximum_transversal(A).cover()
    f = btfperm.block_triangular_form(A)
    d = btfperm.dulmage_mendelsohn(A)
    pairs = [(cover, btfperm.maximum_transversal(A).cover())]
    pairs += [(convention(f), convention(f)) for convention in CONVENTIONS.values()]
    pairs += [(as_csparse(d), as_csparse(d))]
    for one, same in pairs:
        assert one == same and not one != same and hash(one) == hash(same)  # noqa: SIM202
        assert one == tuple(same) and tuple(same) == one
        other = one._replace(**{one._fields[0]: changed(one[0]) if one[0].size else np.ones(1)})
        assert one != other and not one == other and one != 3  # noqa: SIM201
    assert cover != (cover.rows,)


# -- copies, and tables for notebooks --------------------------------------------------------------


def test_results_can_be_pickled_and_factors_explain_why_they_cannot():
    pickle = importlib.import_module("pickle")
    A = read("west0479")
    d, p = btfperm.dulmage_mendelsohn(A), btfperm.preorder(A)
    for result in (d, d.transversal, d.block_graph(), d.transversal.cover(), d.block(3), p):
        assert pickle.loads(pickle.dumps(result)) == result
    factors = p.factor(A)
    for fails in (pickle.dumps, copy.deepcopy, copy.copy):
        with pytest.raises(TypeError, match=r"Factorization.*pickle the Preordering.*factor\(A\)"):
            fails(factors)


def test_tables_for_notebooks_are_small_and_escaped():
    name = "<script>alert('x')</script>\x1b[31m&\n" + "long" * 1000
    P = replace(btfperm.as_pattern(read("Erdos971")), source={"file": name, "sha256": ""})
    d = btfperm.dulmage_mendelsohn(P)
    f = btfperm.block_triangular_form(P)
    p = btfperm.preorder(np.eye(3))
    stopped = btfperm.maximum_transversal(families.chain(50_000).A, initializer="none", max_work=9)
    named = [d, f]
    others = [d.block(0), d.vertical, d.transversal, stopped, d.block_graph(), p]
    others.append(d.transversal.cover())
    for result in (*named, *others):
        table = result._repr_html_()
        assert len(table) < 2000 and "\n" not in table and "\x1b" not in table
        assert re.fullmatch(r"(<(/?(table|caption|tr|th|td))>|[^<>])*", table)
        tree = ElementTree.fromstring(table)
        assert len(tree.findall("tr")) >= 2 and tree.find("caption").text
        assert ("&lt;script&gt;" in table) == (result in named)
    assert "<td>414</td>" in d._repr_html_() and "<td>58</td>" in f._repr_html_()
    assert "matrix" not in replace(d, meta={"matrix": "no mapping"})._repr_html_()
