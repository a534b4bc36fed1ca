# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``radix_sort.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.compile import kernels

__all__ = ["sort_by_keys"]

_BITS, _THREADS, _TILE = 8, 256, 4096  # as in radix_sort.cu


def sort_by_keys(keys: Any, values: Any, below: int) -> tuple[Any, Any]:
    """Keys 0 ... below - 1 in ascending order, and their values, those of equal keys in the order
    they had. Without `values`, these are the places of the keys. The inputs are not changed."""
    import cupy

    n, width = int(keys.size), keys.dtype
    if values is None and (below <= 1 or n <= 1):
        values = cupy.arange(n, dtype=width)
    if n <= 1:
        return keys, values
    run = kernels("backends/gpu/radix_sort.cu", width.name)
    blocks, source = -(-n // _TILE), np.uint64(0) if values is None else values
    counts = cupy.empty(blocks << _BITS, dtype=width)
    room = cupy.empty((2, 2, n), dtype=width)
    turns = [(room[0, 0], room[0, 1]), (room[1, 0], room[1, 1])]
    for turn, shift in enumerate(range(0, (below - 1).bit_length(), _BITS)):
        run.launch("count_digits", blocks, _THREADS, n, keys, shift, counts)
        tables = counts, cupy.cumsum(counts, dtype=width), *turns[turn % 2]
        run.launch("place_keys", blocks, _THREADS, n, keys, source, shift, *tables)
        keys, values = turns[turn % 2]
        source = values
    return keys, values
