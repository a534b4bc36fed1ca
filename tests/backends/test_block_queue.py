# SPDX-License-Identifier: BSD-3-Clause
"""A block's queue on a GPU: each item that the second step puts in comes out exactly once, from the
queue or from the list of items that did not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.gpu

_CAPACITY = 64  # capacity of the queue, as in block_queue.cu


@pytest.mark.parametrize("second", [0, 1, 40, 63, 64, 65, 128, 200])
@pytest.mark.parametrize("first", [0, 1, 40, 63, 64])
def test_each_item_comes_out_once(first, second):
    import cupy

    from btfperm.backends.gpu.compile import Kernels

    run = Kernels(str(Path(__file__).with_name("block_queue.cu")), "int32")
    taken, stored = cupy.full(_CAPACITY, -1, dtype=np.int32), cupy.full(256, -1, dtype=np.int32)
    sizes = cupy.zeros(2, dtype=np.uint64)
    run.launch("two_steps", 1, 96, first, second, taken, stored, sizes)
    n_taken, n_stored = (int(size) for size in sizes.get())
    assert n_taken <= _CAPACITY - first, "the first step's items keep their places"
    found = np.concatenate([taken.get()[:n_taken], stored.get()[:n_stored]])
    np.testing.assert_array_equal(np.sort(found), 1000 + np.arange(second))
