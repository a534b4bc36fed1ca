# SPDX-License-Identifier: BSD-3-Clause
"""Sorting on a GPU gives the same order as NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm.backends.gpu.counting_sort import places_in_order

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("below", [1, 2, 255, 256, 257, 70_000, 2**31 - 1])
@pytest.mark.parametrize("size", [0, 1, 31, 4096, 4097, 300_000])
def test_stable(size, below, width, run_seed):
    import cupy

    rng = np.random.default_rng(run_seed)
    keys = rng.integers(0, below, size, dtype=width)
    there = cupy.asarray(keys)
    places = places_in_order(there, below)
    assert places.dtype == width
    np.testing.assert_array_equal(places.get(), np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(there.get(), keys)
