# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition of more than 2^31 entries, on a GPU with enough memory. The matrix is made on
the device, and the result is compared there with a closed form."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from btfperm.pattern import DevicePattern
from tests import on_device

pytestmark = pytest.mark.gpu

LAYERS, REACH = 64, 15
ENTRIES = 2_200_000_000
BYTES = 90 << 30  # free memory that the pattern and its decomposition need


def layered(width):
    """The pattern, and the row that is matched to each column. Columns are in layers, with the last
    layer first and descending in each layer. A column of layer l > 0 holds its own row and `REACH`
    rows of the layer before it. Layer 0 consists of full blocks of four."""
    import cupy

    n, singles = LAYERS * width, (LAYERS - 1) * width
    wide = (REACH + 1) * singles
    indices = cupy.empty(wide + 4 * width, dtype=np.int64)
    lists = indices[:wide].reshape(singles, REACH + 1)
    for begin in range(0, singles, 1 << 23):
        part = lists[begin : begin + (1 << 23)]
        own = n - 1 - cupy.arange(begin, begin + len(part))
        first = (own // width - 1) * width + cupy.minimum(own % width, width - REACH)
        part[:, :REACH] = first[:, None] + cupy.arange(REACH)
        part[:, REACH] = own
    own = width - 1 - cupy.arange(width)
    indices[wide:].reshape(width, 4)[:] = (own // 4 * 4)[:, None] + cupy.arange(4)
    degrees = cupy.full(n, REACH + 1, dtype=np.int64)
    degrees[singles:] = 4
    indptr = cupy.concatenate([cupy.zeros(1, dtype=np.int64), cupy.cumsum(degrees)])
    return DevicePattern((n, n), indptr, indices), n - 1 - cupy.arange(n)


def expected(width):
    """Permutations and boundaries: the layers in order, with ascending columns in each."""
    import cupy

    n = LAYERS * width
    place = cupy.arange(n)
    cols = n - width * (place // width + 1) + place % width
    rows = n - 1 - cols
    rows[:width] = width - 4 - place[:width] // 4 * 4 + place[:width] % 4
    blocks = cupy.concatenate([cupy.arange(0, width, 4), cupy.arange(width, n + 1)])
    return rows, cols, blocks


@pytest.mark.parametrize("entries", [1_000_000, ENTRIES], ids=["small", "beyond 2^31"])
def test_layers(entries):
    import cupy

    if entries > 2**31:
        cupy.get_default_memory_pool().free_all_blocks()
        if cupy.cuda.runtime.memGetInfo()[0] < BYTES:
            pytest.skip(f"needs {BYTES >> 30} GiB of free memory on the device")
    width = -(-entries // ((REACH + 1) * (LAYERS - 1) + 4)) // 4 * 4 + 4
    pattern, matched = layered(width)
    n = pattern.n
    assert pattern.nnz >= entries and pattern.indices.dtype == np.int64
    marks = np.zeros(0, dtype=np.uint8)
    t = btfperm.Transversal(
        (n, n), matched, matched.copy(), True, (n, n), True, "", "", marks, marks
    )
    d = btfperm.dulmage_mendelsohn(pattern, transversal=t)
    assert d.structural_rank == n and d.n_blocks == width // 4 + (LAYERS - 1) * width
    rows, cols, blocks = expected(width)
    for found, known in ((d.row_perm, rows), (d.col_perm, cols), (d.row_blocks, blocks)):
        assert on_device.lives_there(found) and found.dtype == np.int64
        assert bool((found == known).all())
    assert bool((d.col_blocks == blocks).all())
    del pattern, matched, d, t, rows, cols, blocks, found, known
    cupy.get_default_memory_pool().free_all_blocks()


def test_the_host_agrees():
    """The core agrees with the closed form on a small matrix."""
    pytest.importorskip("cupy")
    pattern, _ = layered(400)
    d = btfperm.dulmage_mendelsohn(pattern.on_host())
    for found, known in zip((d.row_perm, d.col_perm, d.row_blocks), expected(400), strict=True):
        np.testing.assert_array_equal(found, known.get())
