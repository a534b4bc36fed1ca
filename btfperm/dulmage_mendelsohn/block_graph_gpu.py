# SPDX-License-Identifier: BSD-3-Clause
"""The block graph on the device, computed by sorting the entries outside the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid, lanes_for
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.device import on
from btfperm.backends.gpu.readback import Readback
from btfperm.dulmage_mendelsohn.block_graph import another_matrix
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import of_pairs
from btfperm.dulmage_mendelsohn.fine_square.find_square_gpu import heights_above
from btfperm.pattern import DevicePattern
from btfperm.results import BlockGraph, Decomposition

__all__ = ["block_graph_on_device"]

_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)


def block_graph_on_device(pattern: DevicePattern, result: Decomposition) -> BlockGraph:
    """As `block_graph`, but the arrays are on the device. The cost is O(m + n + nnz), plus a sort
    of the entries outside the blocks, plus that of `heights_above`.

    Raises
    ------
    InvalidArgumentError : the matrix has entries below the diagonal blocks
    """
    import cupy

    with on(pattern.device):
        width, count = pattern.indices.dtype, result.n_blocks
        keys = _outside(pattern, result)
        entries = cupy.concatenate(
            [cupy.zeros(1, dtype=width), cupy.cumsum(cupy.diff(pattern.indptr)[result.col_perm])]
        )
        work = cupy.diff(entries[result.col_blocks])
        heads = keys >> _HALF
        work -= cupy.bincount(heads.astype(np.int64), minlength=count)[:count]
        keys = cupy.unique(keys)
        heads, tails = keys >> _HALF, keys & _LOWER
        if bool((heads <= tails).any()):
            raise another_matrix()
        ends = heads.astype(width), tails.astype(width)
        level = heights_above(of_pairs(*ends, count, width), cupy.zeros(count, dtype=width))
        arcs = cupy.sort(tails << _HALF | heads)
        starts = cupy.arange(count + 1, dtype=np.uint64) << _HALF
        return BlockGraph(
            cupy.searchsorted(arcs, starts).astype(width),
            (arcs & _LOWER).astype(width),
            level,
            work.astype(width),
        )


def _outside(pattern: DevicePattern, result: Decomposition) -> Any:
    """A key for each entry outside the blocks: the block of its column in the upper 32 bits, the
    block of its row in the lower ones."""
    import cupy

    n, width, n_keys = pattern.n, pattern.indices.dtype, Readback(1)
    lanes = lanes_for(pattern.nnz, n)
    keys = cupy.empty(pattern.nnz, dtype=np.uint64)
    kernels("dulmage_mendelsohn/block_graph.cu", width.name).launch(
        "list_outside",
        grid(lanes * n),
        BLOCK,
        n,
        lanes,
        pattern.indptr,
        pattern.indices,
        result.row_block.astype(width, copy=False),
        result.col_block.astype(width, copy=False),
        keys,
        n_keys.array,
    )
    return keys[: n_keys.read()[0]]
