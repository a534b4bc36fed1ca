# SPDX-License-Identifier: BSD-3-Clause
"""Several GPUs: each gives the right answer and holds the arrays of its matrices. GPUs of one kind
share compiled kernels."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

import btfperm
from btfperm.backends.gpu.arrays import device_of
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.on_device import ARRAYS, assert_same, here, pattern_there

pytestmark = pytest.mark.gpu

SECOND = 1
A = families.random_rectangle(3_000, 3_400, 2.5, 5).A
ROWS = [row for row in btfperm.algorithms(package="transversal") if row.backend == "gpu"]


@cache
def large():
    """A matrix that uses pinned buffers."""
    return families.random_rectangle(700_000, 700_000, 3, 5).A


@pytest.fixture(autouse=True)
def of_two():
    """Skips if there is only one GPU. The current device is the first one, before and after."""
    import cupy

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two GPUs")
    yield
    assert cupy.cuda.Device().id == 0


def on_second(matrix):
    import cupy

    with cupy.cuda.Device(SECOND):
        return pattern_there(matrix)


def where(result, names):
    return {device_of(getattr(result, name)) for name in names}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("place", ["host", "second", "first"])
def test_every_algorithm_on_the_second(row, place):
    pattern = {"host": lambda: A, "second": lambda: on_second(A), "first": lambda: pattern_there(A)}
    named = {"initializer": row.name} if row.is_initializer else {"algorithm": row.name}
    t = btfperm.maximum_transversal(pattern[place](), backend="gpu", device=SECOND, **named)
    assert f"(device {SECOND})" in t.device
    check_transversal(A, t.on_host(), rank=btfperm.structural_rank(A))
    if place != "host":
        assert where(t, ("row_match", "col_match")) == {SECOND if place == "second" else 0}


def test_a_matrix_of_the_second_stays_there():
    P = on_second(A)
    t = btfperm.maximum_transversal(P)
    assert f"(device {SECOND})" in t.device
    assert where(t, ("row_match", "col_match", "row_in_cover", "col_in_cover")) == {SECOND}
    d = btfperm.dulmage_mendelsohn(P)
    assert where(d, ARRAYS) == {SECOND}
    assert_same(d, btfperm.dulmage_mendelsohn(A))
    assert P.T.device == SECOND


@pytest.mark.filterwarnings("error::btfperm.BackendWarning")
def test_results_on_the_second_are_used_while_the_first_is_current():
    """The current device is the first one, which holds nothing of the matrix."""
    P, expected = on_second(A), btfperm.dulmage_mendelsohn(A)
    d = btfperm.dulmage_mendelsohn(P)
    names = ("row_block", "col_block", "matched_row_perm")
    assert where(d, names) == {SECOND}
    np.testing.assert_array_equal(d.row_block.get(), expected.row_block)
    assert where(d.transversal.cover(), ("rows", "cols")) == {SECOND}
    assert d.block_graph().level.device.id == SECOND
    assert P.cols().device.id == SECOND
    assert d.apply(P).device == SECOND


@pytest.mark.filterwarnings("error::btfperm.BackendWarning")
def test_a_singular_matrix_of_the_second_has_its_form_there():
    square = families.random_rectangle(3_000, 3_000, 2, 5).A
    f = btfperm.block_triangular_form(on_second(square))
    assert f.completed > 0
    assert where(f, (*ARRAYS, "paired_row")) == {SECOND}
    t = f.transversal.on_host()
    assert_same(f, btfperm.block_triangular_form(square, transversal=t))


@pytest.mark.filterwarnings("error::btfperm.BackendWarning")
def test_arguments_may_be_on_another_device():
    expected = btfperm.dulmage_mendelsohn(A)
    t = btfperm.maximum_transversal(pattern_there(A))
    d = btfperm.dulmage_mendelsohn(on_second(A), transversal=t)
    assert where(d, (*ARRAYS, "row_match", "col_match")) == {SECOND}
    assert_same(d, expected)
    graph = expected.block_graph()
    np.testing.assert_array_equal(here(d.block_graph(pattern_there(A)).work), graph.work)


def test_a_triple_on_two_devices_becomes_a_matrix_on_the_device_of_its_indices():
    import cupy

    with cupy.cuda.Device(SECOND):
        indptr, values = cupy.asarray([0, 2, 3]), cupy.asarray([1.0, 0.0, 2.0])
    P = btfperm.as_pattern((values, cupy.asarray([0, 1, 1]), indptr), shape=(2, 2))
    assert P.device == device_of(P.indptr) == 0
    assert P.stored_zeros.nnz == 1


def test_a_large_matrix_of_the_host_goes_to_the_second_and_back():
    expected = btfperm.dulmage_mendelsohn(large(), backend="cpu")
    for device in (SECOND, 0, SECOND):
        d = btfperm.dulmage_mendelsohn(large(), device=device)
        assert f"(device {device})" in d.transversal.device
        assert all(isinstance(getattr(d, name), np.ndarray) for name in ARRAYS)
        assert_same(d, expected)


def test_both_at_once():
    rank = btfperm.structural_rank(large(), backend="cpu")
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(
            lambda device: btfperm.maximum_transversal(large(), algorithm="apfb-wr", device=device),
            [0, SECOND] * 3,
        )
    for t in found:
        check_transversal(large(), t, rank=rank)


def test_the_second_of_a_kind_needs_no_compiler(monkeypatch):
    import cupy

    from btfperm.backends.gpu import compile as compiled

    if len({cupy.cuda.Device(number).compute_capability for number in (0, SECOND)}) > 1:
        pytest.skip("needs two GPUs of one kind")
    btfperm.maximum_transversal(A, algorithm="g-pr-shr", device=0)

    def refuses(*_, **__):
        raise AssertionError("compiled again")

    compiled._kernels.cache_clear()
    cupy.clear_memo()
    monkeypatch.setattr(cupy.cuda.compiler, "compile_using_nvrtc", refuses)
    for device in (SECOND, 0):
        t = btfperm.maximum_transversal(A, algorithm="g-pr-shr", device=device)
        assert t.structural_rank == btfperm.structural_rank(A)
