# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition on a GPU: every array is the CPU's, entry by entry, whatever step found it; and
what lives on a device stays there."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm.backends.gpu.by_levels import Limits
from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_on_device
from btfperm.dulmage_mendelsohn.fine_square import (
    find_square_gpu,
    forward_backward_gpu,
    max_id_gpu,
    peel_gpu,
)
from btfperm.pattern import DevicePattern
from btfperm.transversal.device_problem import DeviceProblem
from tests import families, strategies
from tests.on_device import here, lives_there, matrix_there, pattern_there

pytestmark = pytest.mark.gpu

ARRAYS = ("row_perm", "col_perm", "row_blocks", "col_blocks")
COARSE = ("coarse_rows", "coarse_cols")


def assert_same(there, expected):
    for name in (*ARRAYS, *COARSE):
        theirs, ours = here(getattr(there, name)), getattr(expected, name)
        np.testing.assert_array_equal(theirs, ours, err_msg=name)


def decomposed(A, t=None, width=None):
    """By the device, with the matching that the CPU found."""
    P = pattern_there(A, width)
    t = btfperm.maximum_transversal(A) if t is None else t
    problem = DeviceProblem.empty(P)
    for name in ("row_match", "col_match"):
        getattr(problem, name).set(getattr(t, name).astype(P.indices.dtype))
    return decompose_on_device(problem, t.structural_rank)


def turned(A, seed):
    """A maximum matching of `A` that has little in common with the default one."""
    rng = np.random.default_rng(seed)
    m, n = A.shape
    rows, cols = rng.permutation(m), rng.permutation(n)
    coo = sp.coo_array(A)
    moved = sp.coo_array((coo.data, (rows[coo.row], cols[coo.col])), shape=(m, n))
    t = btfperm.maximum_transversal(moved, algorithm="hopcroft-karp", initializer="none")
    back = np.argsort(rows)
    col_match = np.full(n, -1)
    found = t.col_match[cols]
    col_match[found >= 0] = back[found[found >= 0]]
    return btfperm.maximum_transversal(A, initial=col_match, algorithm="hopcroft-karp")


@pytest.fixture(params=["as it is", "device", "no search", "contraction", "narrow", "no sweeps"])
def way(request, monkeypatch):
    """Each way through the steps, which the size and the shape of a matrix would choose."""
    if request.param == "as it is":
        return request.param
    monkeypatch.setattr(find_square_gpu, "_FEW_EDGES", 0)
    if request.param == "no search":
        monkeypatch.setattr(forward_backward_gpu, "_LIMITS", Limits(most=1))
    if request.param == "contraction":
        monkeypatch.setattr(find_square_gpu, "_SYMMETRIC", -1)
    if request.param == "narrow":
        monkeypatch.setattr(find_square_gpu, "_BLOCK_WINDOW", 2)
        monkeypatch.setattr(peel_gpu.peel, "__kwdefaults__", {"raising": False, "window": 2})
    if request.param == "no sweeps":
        monkeypatch.setattr(max_id_gpu, "_MOST_READINGS", 0)
    return request.param


@settings(max_examples=40, deadline=None)
@given(A=strategies.any_matrix(), wide=st.booleans())
def test_any_matrix(way, A, wide):
    assert_same(decomposed(A, width=np.int64 if wide else None), btfperm.dulmage_mendelsohn(A))


def with_diagonal(n, per_row, seed):
    """A full diagonal somewhere, and random entries: one large component and small ones."""
    rng = np.random.default_rng(seed)
    k = int(n * per_row)
    A = sp.coo_array((np.ones(k), (rng.integers(0, n, k), rng.integers(0, n, k))), shape=(n, n))
    return sp.csc_array((A + sp.eye_array(n)).tocsc()[rng.permutation(n), :])


def small_blocks(n, size, seed):
    """Cycles of about `size`, entries between them on one side of the diagonal alone."""
    rng = np.random.default_rng(seed)
    j = np.arange(n)
    block = j // size
    first = block * size
    following = first + (j - first + 1) % np.minimum(size, n - first)
    rows = rng.integers(0, n, n)
    cols = rng.integers(0, n, n)
    above = block[rows] < block[cols]
    rows = np.concatenate([j, j, rows[above]])
    cols = np.concatenate([j, following, cols[above]])
    A = sp.coo_array((np.ones(rows.size), (rows, cols)), shape=(n, n)).tocsc()
    return sp.csc_array(A[rng.permutation(n), :][:, rng.permutation(n)])


def symmetric(n, seed):
    """A symmetric pattern about its diagonal, in several components."""
    rng = np.random.default_rng(seed)
    k = n // 2 + n // 3
    A = sp.coo_array((np.ones(k), (rng.integers(0, n, k), rng.integers(0, n, k))), shape=(n, n))
    return sp.csc_array(A + A.T + sp.eye_array(n))


def with_hubs(n, seed):
    """Rows and columns that are nearly full, above blocks of two."""
    rng = np.random.default_rng(seed)
    j = np.arange(n)
    full = rng.permutation(n)[: n - 3]
    rows = [j, j ^ 1, np.zeros(full.size, int), full, full]
    cols = [j, j, full, np.full(full.size, n - 1), np.full(full.size, n - 2)]
    return families.csc(rows, cols, (n, n))


HARD = {
    "chain": families.chain(3_000).A,
    "bidiagonal": families.bidiagonal(5_000).A,
    "cycle": families.cycle(3_000).A,
    "surplus, wide": families.surplus_path(3_000, wide=True).A,
    "surplus, tall": families.surplus_path(3_000, wide=False).A,
    "ladder": families.scipy_ladder(60).A,
    "dead tree": families.deadtree(20_000, 1).A,
    "stars": families.stars(60, 70).A,
    "empty lines": families.empty_lines(5_000, 1).A,
    "dense": families.dense(700, 900).A,
    "hessenberg": families.hessenberg(150).A,
    "triangular": families.triangular(30_000, 1).A,
    "strip": families.strip(300, 1).A,
    "random, wide": families.random_rectangle(30_000, 50_000, 3, 1).A,
    "random, tall": families.random_rectangle(50_000, 30_000, 2, 1).A,
    "random, square": families.random_rectangle(60_000, 60_000, 3, 1).A,
    "giant": with_diagonal(50_000, 3, 1),
    "half a giant": with_diagonal(50_000, 1.2, 2),
    "blocks of 7": small_blocks(40_000, 7, 1),
    "blocks of 500": small_blocks(40_000, 500, 2),
    "symmetric": symmetric(40_000, 1),
    "hubs": with_hubs(40_000, 1),
    "nothing": sp.csc_array((300, 200)),
}


@pytest.mark.parametrize("numbering", ["forward", "mixed"])
@pytest.mark.parametrize("family", HARD)
def test_families(way, family, numbering, run_seed):
    A = families.renumbered(families.Hard(HARD[family], -1), numbering, run_seed).A
    assert_same(decomposed(A), btfperm.dulmage_mendelsohn(A))


@pytest.mark.parametrize("family", ["cycle", "giant", "blocks of 7", "random, wide", "symmetric"])
def test_independent_of_the_matching(way, family, run_seed):
    A = HARD[family]
    d, t = btfperm.dulmage_mendelsohn(A), turned(A, run_seed)
    assert (t.col_match != d.col_match).any()
    assert_same(decomposed(A, t), d)


def test_thirty_times_the_same():
    """Races fall out differently each time."""
    for A in (small_blocks(100_000, 5, 3), families.random_rectangle(90_000, 100_000, 3, 2).A):
        expected, t = btfperm.dulmage_mendelsohn(A), btfperm.maximum_transversal(A)
        for _ in range(30):
            assert_same(decomposed(A, t), expected)


def test_deep_and_wide(run_seed):
    """Levels of some hundred vertices: both ways of running a level, in turns."""
    rng, n = np.random.default_rng(run_seed), 400_000
    i = np.repeat(np.arange(n), 3)
    j = np.minimum(i + rng.integers(1, rng.integers(20, 4000), i.size), n - 1)
    A = families.csc([np.arange(n), i], [np.arange(n), j], (n, n))
    A = sp.csc_array(A[rng.permutation(n), :][:, rng.permutation(n)])
    assert_same(decomposed(A), btfperm.dulmage_mendelsohn(A))


def test_what_is_not_maximum_is_a_defect():
    t = btfperm.maximum_transversal(sp.eye_array(300, format="csc"))
    rows, cols = t.row_match.copy(), t.col_match.copy()
    rows[7] = cols[7] = -1
    less = btfperm.Transversal((300, 300), rows, cols, True, (299, 299), True, "", "")
    with pytest.raises(btfperm.DefectError, match="not maximum"):
        decomposed(sp.eye_array(300, format="csc"), less)


# -- the face: what lives on a device stays there --------------------------------------------------

GIANT = with_diagonal(3_000, 1.3, 5)
RECTANGLE = families.random_rectangle(3_000, 3_400, 2.5, 5).A


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "dense", "pattern"])
@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_results_live_beside_the_matrix(A, kind):
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


def test_nothing_is_brought_to_the_host(monkeypatch):
    """Given a matching, all happens where the matrix is."""
    P = pattern_there(GIANT)
    t = btfperm.maximum_transversal(P)

    def fail(*_):
        raise AssertionError("the matrix was brought to the host")

    monkeypatch.setattr(DevicePattern, "on_host", fail)
    monkeypatch.setattr(btfperm.Transversal, "on_host", fail)
    monkeypatch.setattr(find_square_gpu, "_FEW_EDGES", 0)
    d = btfperm.dulmage_mendelsohn(P, transversal=t)
    d.block_graph(), d.apply(P), d.row_block, d.matched_row_perm
    btfperm.block_triangular_form(P, transversal=t)
    btfperm.structural_rank(P, algorithm="apfb-wr", initializer="none")


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "dense", "pattern"])
@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_the_permuted_matrix_is_formed_there(A, kind):
    A = sp.csc_array(A)
    A.data[:] = np.arange(1.0, A.nnz + 1)
    theirs = pattern_there(A) if kind == "pattern" else matrix_there(A, kind)
    expected = btfperm.dulmage_mendelsohn(A)
    permuted = btfperm.dulmage_mendelsohn(theirs).apply(theirs)
    by_host = expected.apply(theirs)  # its permutations go to the matrix
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
    on_host = btfperm.dulmage_mendelsohn(theirs).apply(A)  # a matrix of the host stays there
    assert (on_host != expected.apply(A)).nnz == 0


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


@pytest.mark.parametrize("few", [0, 10_000], ids=["device", "as it is"])
@pytest.mark.parametrize("family", ["triangular", "half a giant", "random, wide", "blocks of 7"])
def test_block_graph(family, few, monkeypatch):
    monkeypatch.setattr(find_square_gpu, "_FEW_EDGES", few)
    P = pattern_there(HARD[family])
    graph = btfperm.dulmage_mendelsohn(P).block_graph()
    expected = btfperm.dulmage_mendelsohn(HARD[family]).block_graph()
    for name in ("indptr", "indices", "level", "work", "level_work", "level_blocks"):
        assert lives_there(getattr(graph, name)), name
        np.testing.assert_array_equal(here(getattr(graph, name)), getattr(expected, name), name)
    assert repr(graph) == repr(expected)


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


def test_every_convention_takes_it():
    from btfperm.conventions import CONVENTIONS

    theirs = btfperm.block_triangular_form(matrix_there(GIANT))
    for name, convention in CONVENTIONS.items():
        for mine, ours in zip(convention(theirs), convention(theirs.on_host()), strict=True):
            assert not lives_there(mine), name
            np.testing.assert_array_equal(mine, ours)


def test_the_cpu_when_it_is_asked_for():
    d = btfperm.dulmage_mendelsohn(matrix_there(GIANT), backend="cpu")
    assert isinstance(d.row_perm, np.ndarray) and not isinstance(d.pattern, DevicePattern)
    assert_same(d, btfperm.dulmage_mendelsohn(GIANT))


@pytest.mark.parametrize("where", ["host", "device"])
def test_a_transversal_of_another_matrix_is_refused(where):
    other = families.random_rectangle(3_000, 3_000, 4, 9).A
    t = btfperm.maximum_transversal(other if where == "host" else matrix_there(other))
    with pytest.raises(btfperm.InvalidArgumentError, match="another matrix"):
        btfperm.dulmage_mendelsohn(matrix_there(GIANT), transversal=t)


def test_a_failing_device_is_answered_by_the_cpu(monkeypatch):
    module = importlib.import_module("btfperm.dulmage_mendelsohn.decompose_gpu")

    def fails(*_):
        raise btfperm.BackendUnavailableError("device 0 failed (out of memory)")

    monkeypatch.setattr(module, "decompose_on_device", fails)
    theirs = matrix_there(GIANT)
    with pytest.warns(btfperm.BackendWarning, match="out of memory.*the cpu went on"):
        d = btfperm.dulmage_mendelsohn(theirs)
    assert isinstance(d.row_perm, np.ndarray)
    assert_same(d, btfperm.dulmage_mendelsohn(GIANT))
    with pytest.raises(btfperm.BackendUnavailableError, match="out of memory"):
        btfperm.dulmage_mendelsohn(theirs, backend="gpu")


def test_the_example_of_a_solver_pipeline(capsys):
    path = Path(__file__).parents[2] / "docs" / "examples" / "gpu_solver_pipeline.py"
    spec = importlib.util.spec_from_file_location("gpu_solver_pipeline", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main(10_000) < 1e-8
    assert "5,001 blocks" in capsys.readouterr().out
