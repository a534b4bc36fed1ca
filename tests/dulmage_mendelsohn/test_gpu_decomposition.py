# SPDX-License-Identifier: BSD-3-Clause
"""Every array of the decomposition on a GPU is equal to the CPU's, for each sequence of steps."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import btfperm
from btfperm.backends.gpu.by_levels import Limits
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.dulmage_mendelsohn import coarse_gpu
from btfperm.dulmage_mendelsohn.decompose_gpu import decompose_on_device
from btfperm.dulmage_mendelsohn.fine_square import (
    find_square_gpu,
    forward_backward_gpu,
    max_id_gpu,
    peel_gpu,
)
from tests import families, strategies
from tests.dulmage_mendelsohn.digraphs import HARD, small_blocks
from tests.on_device import assert_same, pattern_there

pytestmark = pytest.mark.gpu


def decomposed(A, t=None, width=None):
    """The decomposition on the device, with the matching of the CPU."""
    P = pattern_there(A, width)
    t = btfperm.maximum_transversal(A) if t is None else t
    problem = DeviceProblem.empty(P)
    for name in ("row_match", "col_match"):
        getattr(problem, name).set(getattr(t, name).astype(P.indices.dtype))
    return decompose_on_device(problem, t.structural_rank)


def turned(A, seed):
    """A maximum matching of `A` that is found in a random numbering, and so usually differs from
    the default one."""
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


WAYS = ["as it is", "device", "no search", "contraction", "narrow", "no sweeps", "asked"]


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Forces one alternative of the steps. With "as it is", the size and the shape of the matrix
    decide."""
    if request.param == "as it is":
        return request.param
    monkeypatch.setattr(find_square_gpu, "_MAX_CPU_EDGES", 0)
    if request.param == "no search":
        monkeypatch.setattr(forward_backward_gpu, "_LIMITS", Limits(max_levels=1))
    if request.param == "contraction":
        monkeypatch.setattr(find_square_gpu, "_SYMMETRIC", -1)
    if request.param == "narrow":
        monkeypatch.setattr(find_square_gpu, "_BLOCK_WINDOW", 2)
        monkeypatch.setattr(peel_gpu.peel, "__kwdefaults__", {"raising": False, "window": 2})
    if request.param == "asked":
        monkeypatch.setattr(coarse_gpu, "_LARGE_ROUND", 10**9)
        monkeypatch.setattr(coarse_gpu, "_MIN_MEAN_LENGTH", 0)
    if request.param == "no sweeps":
        monkeypatch.setattr(max_id_gpu, "_MAX_VISITS", 0)
    return request.param


@settings(max_examples=40, deadline=None)
@given(A=strategies.any_matrix(), wide=st.booleans())
def test_any_matrix(way, A, wide):
    assert_same(decomposed(A, width=np.int64 if wide else None), btfperm.dulmage_mendelsohn(A))


@pytest.mark.parametrize("numbering", ["forward", "mixed"])
@pytest.mark.parametrize("family", HARD)
def test_families(way, family, numbering, run_seed):
    A = families.renumbered(families.Hard(HARD[family], -1), numbering, run_seed).A
    assert_same(decomposed(A), btfperm.dulmage_mendelsohn(A))


@pytest.mark.parametrize("family", ["cycle", "giant", "blocks of 7", "random, wide", "symmetric"])
def test_independent_of_the_matching(way, family, run_seed):
    A = HARD[family]
    d = btfperm.dulmage_mendelsohn(A)
    drawn = (turned(A, run_seed + k) for k in range(40))  # a cycle has only two
    t = next(t for t in drawn if (t.col_match != d.col_match).any())
    assert_same(decomposed(A, t), d)


def test_thirty_times_the_same():
    """A race would give different results in repeated runs."""
    for A in (small_blocks(100_000, 5, 3), families.random_rectangle(90_000, 100_000, 3, 2).A):
        expected, t = btfperm.dulmage_mendelsohn(A), btfperm.maximum_transversal(A)
        for _ in range(30):
            assert_same(decomposed(A, t), expected)


def test_deep_and_wide(run_seed):
    """Levels have some hundred vertices, so both methods for a level are used alternately."""
    rng, n = np.random.default_rng(run_seed), 400_000
    i = np.repeat(np.arange(n), 3)
    j = np.minimum(i + rng.integers(1, rng.integers(20, 4000), i.size), n - 1)
    A = families.csc([np.arange(n), i], [np.arange(n), j], (n, n))
    A = sp.csc_array(A[rng.permutation(n), :][:, rng.permutation(n)])
    assert_same(decomposed(A), btfperm.dulmage_mendelsohn(A))


@pytest.mark.parametrize("way", ["as it is", "asked"], indirect=True)
@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize("length", [1, 2, 3, 40])
def test_a_matching_that_is_not_maximum_is_a_defect(way, length, count):
    """`count` augmenting paths, each through `length` rows and columns, from its unmatched last row
    to its unmatched first column: the searches meet at one end or in the middle."""
    n = count * length
    last = np.arange(n) % length == length - 1
    diagonals = np.ones(n), np.where(last, 0, 1)[: n - 1]
    A = sp.csc_array(sp.diags_array(diagonals, offsets=[0, 1], shape=(n, n)))
    A.eliminate_zeros()
    rows = np.where(last, -1, np.arange(n) + 1).astype(np.int32)
    cols = np.where(np.roll(last, 1), -1, np.arange(n) - 1).astype(np.int32)
    less = btfperm.Transversal((n, n), rows, cols, True, (n - count, n - count), True, "", "")
    with pytest.raises(btfperm.DefectError, match="not maximum"):
        decomposed(A, less)
