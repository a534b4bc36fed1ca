# SPDX-License-Identifier: BSD-3-Clause
"""A search or a decomposition on a GPU checks for enough free memory before it allocates any. In
these tests CUDA reports less free memory than there is."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm.backends.gpu import device
from tests import families
from tests.on_device import pattern_there

pytestmark = pytest.mark.gpu


@pytest.fixture
def small_device(monkeypatch):
    """Returns a function that sets the number of bytes that the GPU seems to have free, and returns
    a list with one item for each query of this number."""
    asked = []

    def has(free):
        monkeypatch.setattr(device, "_LEAST_CHECKED", 0)
        monkeypatch.setattr(device, "free_memory", lambda: asked.append(free) or free)
        return asked

    return has


def bytes_of_a_search(A, lists):
    (m, n), nnz = A.shape, A.nnz
    return 4 * (lists * nnz + nnz // 16 + 17 * (m + n))


@pytest.mark.parametrize("place", ["there", "here"])
def test_a_search_checks_for_memory_before_it_allocates_any(place, small_device):
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    matrix, lists = (pattern_there(A), 1) if place == "there" else (A, 2)
    needed = bytes_of_a_search(A, lists)
    asked = small_device(needed)
    assert btfperm.maximum_transversal(matrix, backend="gpu").maximum
    assert len(asked) == 1  # one query for the start and the search together
    small_device(needed - 1)
    with pytest.raises(btfperm.BackendUnavailableError, match="search in a matrix of 3,000 x"):
        btfperm.maximum_transversal(matrix, backend="gpu")


def test_auto_continues_on_the_cpu_if_the_device_is_too_small(small_device):
    A = families.random_rectangle(3_000, 3_000, 3, 1).A
    P = pattern_there(A)
    small_device(1_000)
    with pytest.warns(btfperm.BackendWarning, match=r"GPU memory.*continued on the cpu"):
        t = btfperm.maximum_transversal(P)
    assert t.backend == "cpu" and t.structural_rank == btfperm.structural_rank(A)
    t = btfperm.maximum_transversal(P, algorithm="pothen-fan", initializer="none")
    assert t.maximum  # this algorithm needs no memory of the device


def test_a_decomposition_checks_for_memory_before_it_allocates_any(small_device):
    P = pattern_there(families.triangular(3_000, 1).A)
    t = btfperm.maximum_transversal(P)
    least = 4 * (P.nnz + 2 * (P.m + P.n))
    asked = small_device(least)
    assert btfperm.dulmage_mendelsohn(P, transversal=t).n_blocks == 3_000
    assert len(asked) == 1
    small_device(least - 1)
    with pytest.warns(btfperm.BackendWarning, match="decomposition of a matrix of 3,000 x 3,000"):
        d = btfperm.dulmage_mendelsohn(P, transversal=t)
    assert d.n_blocks == 3_000 and isinstance(d.row_perm, np.ndarray)
