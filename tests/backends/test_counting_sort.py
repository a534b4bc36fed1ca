# SPDX-License-Identifier: BSD-3-Clause
"""Sorting on a GPU is NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from btfperm.backends.gpu.counting_sort import sort_by_keys

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("below", [1, 2, 255, 256, 257, 70_000, 2**31 - 1])
@pytest.mark.parametrize("size", [0, 1, 31, 4096, 4097, 300_000])
def test_stable(size, below, width, run_seed):
    import cupy

    rng = np.random.default_rng(run_seed)
    keys = rng.integers(0, below, size, dtype=width)
    values = rng.permutation(size).astype(width)
    order = np.argsort(keys, kind="stable")
    there = cupy.asarray(keys)
    found, places = sort_by_keys(there, None, below)
    np.testing.assert_array_equal(found.get(), keys[order])
    np.testing.assert_array_equal(places.get(), order)
    np.testing.assert_array_equal(
        sort_by_keys(there, cupy.asarray(values), below)[1].get(), values[order]
    )
    np.testing.assert_array_equal(there.get(), keys)
