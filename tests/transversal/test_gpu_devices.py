# SPDX-License-Identifier: BSD-3-Clause
"""Several GPUs: the answer of each, where its arrays are, what is compiled for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import btfperm
from btfperm.backends.gpu.arrays import device_of
from tests import families
from tests.checks.check_transversal import check_transversal
from tests.on_device import ARRAYS, assert_same, pattern_there

pytestmark = pytest.mark.gpu

SECOND = 1
A = families.random_rectangle(3_000, 3_400, 2.5, 5).A
LARGE = families.random_rectangle(700_000, 700_000, 3, 5).A  # comes through the pinned ring
ROWS = [row for row in btfperm.algorithms() if row.backend == "gpu"]


@pytest.fixture(autouse=True)
def of_two():
    """Skips where there is one GPU; the current one is the first, and stays so."""
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
@pytest.mark.parametrize("lives", ["host", "second", "first"])
def test_every_algorithm_on_the_second(row, lives):
    pattern = {"host": lambda: A, "second": lambda: on_second(A), "first": lambda: pattern_there(A)}
    named = {"initializer": row.name} if row.is_initializer else {"algorithm": row.name}
    t = btfperm.maximum_transversal(pattern[lives](), backend="gpu", device=SECOND, **named)
    assert f"(device {SECOND})" in t.device
    check_transversal(A, t.on_host(), rank=btfperm.structural_rank(A))
    if lives != "host":
        assert where(t, ("row_match", "col_match")) == {SECOND if lives == "second" else 0}


def test_a_matrix_of_the_second_stays_there():
    P = on_second(A)
    t = btfperm.maximum_transversal(P)
    assert f"(device {SECOND})" in t.device
    assert where(t, ("row_match", "col_match", "row_in_cover", "col_in_cover")) == {SECOND}
    d = btfperm.dulmage_mendelsohn(P)
    assert where(d, ARRAYS) == {SECOND}
    assert_same(d, btfperm.dulmage_mendelsohn(A))
    assert P.T.device == SECOND


def test_a_large_matrix_of_the_host_goes_to_the_second_and_back():
    expected = btfperm.dulmage_mendelsohn(LARGE, backend="cpu")
    for device in (SECOND, 0, SECOND):
        d = btfperm.dulmage_mendelsohn(LARGE, device=device)
        assert f"(device {device})" in d.transversal.device
        assert all(isinstance(getattr(d, name), np.ndarray) for name in ARRAYS)
        assert_same(d, expected)


def test_both_at_once():
    rank = btfperm.structural_rank(LARGE, backend="cpu")
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(
            lambda device: btfperm.maximum_transversal(LARGE, algorithm="apfb-wr", device=device),
            [0, SECOND] * 3,
        )
    for t in found:
        check_transversal(LARGE, t, rank=rank)


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
