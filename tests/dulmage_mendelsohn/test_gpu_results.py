# SPDX-License-Identifier: BSD-3-Clause
"""Decompositions of matrices on a GPU: their arrays stay on the device, and their methods give the
same as for the matrix on the host."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from scipy.sparse.linalg import spsolve

import btfperm
from btfperm.dulmage_mendelsohn.fine_square import find_square_gpu
from btfperm.pattern import DevicePattern, permute
from tests import families, strategies
from tests.dulmage_mendelsohn.digraphs import HARD, with_diagonal
from tests.on_device import (
    ARRAYS,
    assert_same,
    here,
    lives_there,
    matrix_there,
    needs_a_device,
    pattern_there,
)

pytestmark = pytest.mark.gpu

GIANT = with_diagonal(3_000, 1.3, 5)
RECTANGLE = families.random_rectangle(3_000, 3_400, 2.5, 5).A


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "dense", "pattern"])
@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_results_are_on_the_device_of_the_matrix(A, kind):
    theirs = pattern_there(A) if kind == "pattern" else matrix_there(A, kind)
    d, expected = btfperm.dulmage_mendelsohn(theirs), btfperm.dulmage_mendelsohn(A)
    for name in (*ARRAYS, "row_match", "col_match", "row_block", "col_block", "matched_row_perm"):
        assert lives_there(getattr(d, name)), name
    for name in (*ARRAYS, "row_block", "col_block"):
        assert getattr(d, name).dtype == getattr(expected, name).dtype, name
    assert isinstance(d.coarse_rows, np.ndarray) and isinstance(d.pattern, DevicePattern)
    assert_same(d, expected)
    np.testing.assert_array_equal(here(d.row_block), expected.row_block)
    np.testing.assert_array_equal(here(d.col_block), expected.col_block)
    assert repr(d) == repr(expected)
    back = d.on_host()
    assert back.on_host() is back and isinstance(back.row_perm, np.ndarray)
    assert isinstance(back.transversal.col_match, np.ndarray)
    again = btfperm.dulmage_mendelsohn(A, transversal=back.transversal)
    np.testing.assert_array_equal(again.matched_row_perm, here(d.matched_row_perm))


def test_nothing_is_copied_to_the_host(monkeypatch):
    """Given a matching, all steps run on the device that holds the matrix."""
    P = pattern_there(GIANT)
    t = btfperm.maximum_transversal(P)

    def fail(*_):
        raise AssertionError("the matrix was brought to the host")

    monkeypatch.setattr(DevicePattern, "on_host", fail)
    monkeypatch.setattr(btfperm.Transversal, "on_host", fail)
    monkeypatch.setattr(find_square_gpu, "_MAX_CPU_EDGES", 0)
    d = btfperm.dulmage_mendelsohn(P, transversal=t)
    d.block_graph(), d.apply(P), d.row_block, d.matched_row_perm
    btfperm.block_triangular_form(P, transversal=t)
    btfperm.structural_rank(P, algorithm="apfb-wr", initializer="none")


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "dense", "pattern", "triple"])
@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_the_permuted_matrix_is_formed_there(A, kind):
    A = sp.csc_array(A)
    A.data[:] = np.arange(1.0, A.nnz + 1)
    whole = {"pattern": pattern_there, "triple": matrix_there}
    theirs = whole[kind](A) if kind in whole else matrix_there(A, kind)
    expected = btfperm.dulmage_mendelsohn(A)
    given = (theirs.data, theirs.indices, theirs.indptr) if kind == "triple" else theirs
    permuted = btfperm.dulmage_mendelsohn(theirs).apply(given)
    by_host = expected.apply(given)  # copies its permutations to the device of the matrix
    for found in (permuted, by_host):
        if kind == "pattern":
            assert isinstance(found, DevicePattern)
            ours = expected.apply(btfperm.as_pattern(A))
            np.testing.assert_array_equal(here(found.indptr), ours.indptr)
            np.testing.assert_array_equal(here(found.indices), ours.indices)
        elif kind == "dense":
            np.testing.assert_array_equal(here(found), expected.apply(A).toarray())
        else:
            assert type(found).__name__ == "csc_matrix" and lives_there(found.data)
            ours = expected.apply(A)
            ours.sort_indices()
            np.testing.assert_array_equal(here(found.indptr), ours.indptr)
            np.testing.assert_array_equal(here(found.indices), ours.indices)
            np.testing.assert_array_equal(here(found.data), ours.data)
    on_host = btfperm.dulmage_mendelsohn(theirs).apply(A)  # a matrix on the host stays there
    assert (on_host != expected.apply(A)).nnz == 0


@pytest.mark.parametrize("indices", [[0, 2, 1], [0, -1, 1]])
def test_a_triple_that_is_no_matrix_is_not_permuted(indices):
    import cupy

    triple = (np.ones(3), indices, [0, 2, 3])
    with pytest.raises(btfperm.InvalidMatrixError):
        permute(tuple(map(cupy.asarray, triple)), np.array([1, 0]), np.array([1, 0]))


@settings(max_examples=30, deadline=None)
@given(A=strategies.any_square())
def test_block_triangular_form(A):
    t = btfperm.maximum_transversal(A)
    expected = btfperm.block_triangular_form(A, transversal=t)
    f = btfperm.block_triangular_form(pattern_there(A), transversal=t)
    assert f.completed == expected.completed and lives_there(f.row_perm)
    assert_same(f, expected)
    np.testing.assert_array_equal(here(f.matched_row_perm), expected.matched_row_perm)
    np.testing.assert_array_equal(here(f.blocks), expected.blocks)
    assert repr(f) == repr(expected)


@pytest.mark.parametrize("threshold", [0, 10_000], ids=["device", "as it is"])
@pytest.mark.parametrize("family", ["triangular", "half a giant", "random, wide", "blocks of 7"])
def test_block_graph(family, threshold, monkeypatch):
    monkeypatch.setattr(find_square_gpu, "_MAX_CPU_EDGES", threshold)
    P = pattern_there(HARD[family])
    graph = btfperm.dulmage_mendelsohn(P).block_graph()
    expected = btfperm.dulmage_mendelsohn(HARD[family]).block_graph()
    for name in ("indptr", "indices", "level", "work", "level_work", "level_blocks"):
        assert lives_there(getattr(graph, name)), name
        np.testing.assert_array_equal(here(getattr(graph, name)), getattr(expected, name), name)
    assert repr(graph) == repr(expected)
    for theirs, ours in zip(graph.levels(), expected.levels(), strict=True):
        assert lives_there(theirs) and theirs.dtype == ours.dtype
        np.testing.assert_array_equal(here(theirs), ours)
    assert graph == expected and hash(graph) == hash(expected)


LINES = ("rows", "cols", "unmatched_rows", "unmatched_cols")


@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_parts_and_blocks_stay_on_the_device(A):
    d = btfperm.dulmage_mendelsohn(matrix_there(A))
    expected = btfperm.dulmage_mendelsohn(A, transversal=d.on_host().transversal)
    for name in ("horizontal", "square", "vertical"):
        theirs, ours = getattr(d, name), getattr(expected, name)
        assert theirs == ours and theirs.blocks == ours.blocks
        for lines in LINES:
            assert lives_there(getattr(theirs, lines))
            np.testing.assert_array_equal(here(getattr(theirs, lines)), getattr(ours, lines))
    for theirs, ours in zip(d, expected, strict=True):
        assert (theirs.number, theirs.part, theirs.shape) == (ours.number, ours.part, ours.shape)
    for k in (0, d.n_blocks // 2, d.n_blocks - 1):
        assert d.block(k) == expected.block(k)
        for lines in LINES:
            assert lives_there(getattr(d.block(k), lines))
            ours = getattr(expected.block(k), lines)
            np.testing.assert_array_equal(here(getattr(d.block(k), lines)), ours)
    assert d == expected and hash(d) == hash(expected) and d.transversal == expected.transversal
    cover = expected.transversal.cover()
    assert d.transversal.cover() == cover and hash(d.transversal.cover()) == hash(cover)
    assert d._repr_html_() == expected._repr_html_()


def test_the_block_graph_of_another_matrix_is_refused():
    d = btfperm.dulmage_mendelsohn(pattern_there(families.triangular(200, 1).A))
    with pytest.raises(btfperm.InvalidArgumentError, match="below the diagonal blocks"):
        d.block_graph(pattern_there(families.dense(200, 200).A))


@pytest.mark.parametrize("suffix", ["npz", "mat", "json", "txt"])
def test_a_file_is_that_of_the_host(tmp_path, suffix):
    path = tmp_path / f"perm.{suffix}"
    d = btfperm.dulmage_mendelsohn(matrix_there(RECTANGLE))
    d.save(path)
    if suffix != "mat":
        loaded = btfperm.load(path)
        assert_same(loaded, btfperm.dulmage_mendelsohn(RECTANGLE))
        np.testing.assert_array_equal(loaded.col_match, here(d.col_match))


def test_every_convention_accepts_device_results():
    from btfperm.conventions import CONVENTIONS

    theirs = btfperm.block_triangular_form(matrix_there(GIANT))
    for name, convention in CONVENTIONS.items():
        for mine, ours in zip(convention(theirs), convention(theirs.on_host()), strict=True):
            assert not lives_there(mine), name
            np.testing.assert_array_equal(mine, ours)


def test_a_named_cpu_backend():
    d = btfperm.dulmage_mendelsohn(matrix_there(GIANT), backend="cpu")
    assert isinstance(d.row_perm, np.ndarray) and not isinstance(d.pattern, DevicePattern)
    assert_same(d, btfperm.dulmage_mendelsohn(GIANT))


@pytest.mark.parametrize("where", ["host", "device"])
def test_a_transversal_of_another_matrix_is_refused(where):
    other = families.random_rectangle(3_000, 3_000, 4, 9).A
    t = btfperm.maximum_transversal(other if where == "host" else matrix_there(other))
    with pytest.raises(btfperm.InvalidArgumentError, match="another matrix"):
        btfperm.dulmage_mendelsohn(matrix_there(GIANT), transversal=t)


def test_the_cpu_replaces_a_failing_device(monkeypatch):
    module = importlib.import_module("btfperm.dulmage_mendelsohn.decompose_gpu")

    def fails(*_):
        raise btfperm.BackendUnavailableError("device 0 failed (out of memory)")

    monkeypatch.setattr(module, "decompose_on_device", fails)
    theirs = matrix_there(GIANT)
    with pytest.warns(
        btfperm.BackendWarning, match="out of memory.*continued on the cpu"
    ) as caught:
        d = btfperm.dulmage_mendelsohn(theirs)
    assert [w.filename for w in caught] == [__file__]
    assert isinstance(d.row_perm, np.ndarray)
    assert_same(d, btfperm.dulmage_mendelsohn(GIANT))
    with pytest.raises(btfperm.BackendUnavailableError, match="out of memory"):
        btfperm.dulmage_mendelsohn(theirs, backend="gpu")


def the_example():
    path = Path(__file__).parents[2] / "docs" / "examples" / "gpu_solver_pipeline.py"
    spec = importlib.util.spec_from_file_location("gpu_solver_pipeline", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


def plant_nvmath(monkeypatch, direct_solver):
    """Plants nvmath-python with this direct solver."""
    for name in ("nvmath", "nvmath.sparse", "nvmath.sparse.advanced"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules[name].direct_solver = direct_solver


@pytest.mark.parametrize("planted", [False, True], ids=["as it is", "a direct solver"])
def test_the_example_of_a_solver_pipeline(capsys, monkeypatch, planted):
    needs_a_device("no solvers")
    from cupyx.scipy.sparse.linalg import spsolve

    if planted:
        plant_nvmath(monkeypatch, spsolve)
    assert the_example().main(10_000) < 1e-8
    printed = capsys.readouterr().out
    assert "5,001 blocks" in printed and ("with cuDSS" in printed or not planted)


def test_the_example_calls_the_installed_direct_solver(monkeypatch):
    """The example calls it as nvmath-python requires: CSR, and a right-hand side on the same
    device."""
    import cupy

    def direct_solver(a, b, /):
        assert type(a).__name__ == "csr_matrix" and lives_there(a.data) and lives_there(b)
        return cupy.asarray(spsolve(a.get().tocsc(), b.get()))

    plant_nvmath(monkeypatch, direct_solver)
    x = np.arange(1.0, 31.0)
    A = sp.csc_array(with_diagonal(30, 3, 5) + 40 * sp.eye_array(30))
    found, solver = the_example().solve_with_a_gpu_solver(matrix_there(A), cupy.asarray(A @ x))
    assert solver == "cuDSS"
    np.testing.assert_allclose(here(found), x)
