# SPDX-License-Identifier: BSD-3-Clause
"""A matrix of the host that is decomposed on a GPU: it is copied there once, for the search and for
the later steps, and all results are on the host."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

import btfperm
from btfperm.backends.gpu.backend import GPU
from tests import families
from tests.dulmage_mendelsohn.digraphs import HARD, with_diagonal
from tests.on_device import ARRAYS, assert_same, lives_there

GIANT = with_diagonal(3_000, 1.3, 5)
RECTANGLE = families.random_rectangle(3_000, 3_400, 2.5, 5).A
# The numbers of entries from which on a matrix of the host is decomposed on a GPU.
BOUNDS = ("btfperm.backends.gpu.backend._WORTH_A_COPY", "btfperm.path.decompose._SMALL")
module = importlib.import_module("btfperm.dulmage_mendelsohn")


@pytest.fixture
def uploads(monkeypatch):
    """The lengths of the arrays that are copied to a device, in this order."""
    from btfperm.backends.gpu import staging

    seen = []
    real = staging.Ring.upload

    def upload(self, array):
        seen.append(array.size)
        return real(self, array)

    monkeypatch.setattr(staging.Ring, "upload", upload)
    return seen


@pytest.mark.gpu
@pytest.mark.parametrize("algorithm", ["g-pr-shr", "meeting-trees"])
@pytest.mark.parametrize("A", [GIANT, RECTANGLE], ids=["square", "rectangular"])
def test_one_copy_for_all_steps(A, algorithm, uploads):
    P = btfperm.as_pattern(A)
    expected = btfperm.dulmage_mendelsohn(A)
    d = btfperm.dulmage_mendelsohn(P, algorithm=algorithm, backend="gpu", initializer="none")
    assert d.pattern is P and d.transversal.backend == "gpu"
    assert not any(lives_there(getattr(d, name)) for name in (*ARRAYS, "row_match", "row_block"))
    assert_same(d, expected)
    assert sorted(uploads) == sorted([P.indptr.size, P.indices.size])


@pytest.mark.gpu
@pytest.mark.parametrize("family", ["random, wide", "half a giant", "blocks of 7", "nothing"])
def test_families(family):
    A = HARD[family]
    d = btfperm.dulmage_mendelsohn(A, algorithm="apfb-wr", backend="gpu")
    assert_same(d, btfperm.dulmage_mendelsohn(A))
    assert isinstance(d.row_perm, np.ndarray)


@pytest.mark.gpu
def test_block_triangular_form():
    A = families.random_rectangle(2_000, 2_000, 1.5, 3).A  # singular, so the form is completed
    t = btfperm.maximum_transversal(A)
    expected = btfperm.block_triangular_form(A, transversal=t)
    f = btfperm.block_triangular_form(A, initial=t, algorithm="apfb-wr", backend="gpu")
    assert f.completed == expected.completed > 0
    assert f.structural_rank == expected.structural_rank
    for name in (*ARRAYS, "matched_row_perm"):
        assert isinstance(getattr(f, name), np.ndarray)


@pytest.mark.gpu
def test_a_gpu_in_use_decomposes_large_matrices(monkeypatch, uploads):
    expected = btfperm.dulmage_mendelsohn(RECTANGLE)
    assert not uploads  # the matrix is too small
    btfperm.maximum_transversal(GIANT, backend="gpu", algorithm="apfb-wr")
    uploads.clear()
    t = btfperm.maximum_transversal(RECTANGLE)
    for bound in BOUNDS:  # at first both exclude the GPU, then only `_SMALL`
        assert_same(btfperm.dulmage_mendelsohn(RECTANGLE, transversal=t), expected)
        assert not uploads
        monkeypatch.setattr(bound, 0)
    assert_same(btfperm.dulmage_mendelsohn(RECTANGLE, transversal=t), expected)
    assert len(uploads) == 4  # the pattern and the matching
    uploads.clear()
    assert_same(btfperm.dulmage_mendelsohn(RECTANGLE, backend="cpu"), expected)
    assert not uploads


@pytest.mark.gpu
def test_the_cpu_replaces_a_failing_device(monkeypatch):
    gpu = importlib.import_module("btfperm.dulmage_mendelsohn.decompose_gpu")

    def fails(*_):
        raise btfperm.BackendUnavailableError("device 0 failed (out of memory)")

    monkeypatch.setattr(gpu, "decompose_on_device", fails)
    with pytest.warns(btfperm.BackendWarning, match="out of memory.*continued on the cpu"):
        d = btfperm.dulmage_mendelsohn(GIANT, algorithm="apfb-wr", backend="gpu")
    assert_same(d, btfperm.dulmage_mendelsohn(GIANT))


# -- without a GPU ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "n", "width"),
    [
        (2**31, 5, np.int64),
        (5, 2**31, np.int64),
        (2**30, 2**30, np.int32),
        (7, 2**31 - 7, np.int32),
    ],
)
def test_too_large_matrices_are_refused(m, n, width):
    """A matrix with 2^31 rows or columns, or, with 32-bit indices, with 2^31 of both together."""
    decompose = importlib.import_module("btfperm.dulmage_mendelsohn.decompose_gpu")
    problem = SimpleNamespace(m=m, n=n, width=np.dtype(width))
    with pytest.raises(btfperm.BackendUnavailableError, match="too many rows and columns"):
        decompose.decompose_on_device(problem, 0)


def test_every_decomposition_that_falls_back_to_the_cpu_warns(monkeypatch):
    """A failed search is reported once in a process, a failed decomposition each time."""

    def fails(*_):
        raise btfperm.BackendUnavailableError("device 0 failed (as planned)")

    for bound in BOUNDS:
        monkeypatch.setattr(bound, 0)
    monkeypatch.setattr(GPU, "is_in_use", lambda: True)
    monkeypatch.setattr(GPU, "decompose", fails)
    expected = btfperm.dulmage_mendelsohn(GIANT, backend="cpu")
    for _ in range(2):
        with pytest.warns(btfperm.BackendWarning, match="as planned.*continued on the cpu"):
            assert_same(btfperm.dulmage_mendelsohn(GIANT), expected)


def test_the_result_has_the_pattern_that_was_given():
    P = btfperm.as_pattern(GIANT)
    assert btfperm.dulmage_mendelsohn(P).pattern is P
    assert btfperm.block_triangular_form(P).pattern is P


def test_the_copies_are_released_whatever_happens(monkeypatch):
    sessions = []

    def fails(session, *_):
        sessions.append(session)
        session.copies["pattern"] = {0: session.pattern}
        raise RuntimeError("in the middle")

    monkeypatch.setattr(module, "proven_transversal", fails)
    with pytest.raises(RuntimeError, match="middle"):
        btfperm.dulmage_mendelsohn(GIANT)
    assert not sessions[0].copies
