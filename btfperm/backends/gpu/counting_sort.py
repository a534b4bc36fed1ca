# SPDX-License-Identifier: BSD-3-Clause
"""Sorting by whole numbers: the host's side of ``counting_sort.cu``, and a library's sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.compile import kernels

__all__ = ["sort_by_keys"]

_KEYS, _THREADS, _TILE = 256, 256, 4096  # as in counting_sort.cu


def sort_by_keys(keys: Any, values: Any, below: int) -> tuple[Any, Any]:
    """Keys 0 ... below - 1 in ascending order, and their values, those of equal keys in the order
    they had. Without `values`, these are the places of the keys. The inputs are not changed."""
    import cupy

    n, width = int(keys.size), keys.dtype
    if below <= 1 or n <= 1:
        return keys, cupy.arange(n, dtype=width) if values is None else values
    if below > _KEYS:
        order = cupy.argsort(keys)
        return keys[order], order.astype(width) if values is None else values[order]
    run = kernels("backends/gpu/counting_sort.cu", width.name)
    blocks = -(-n // _TILE)
    counts = cupy.empty(blocks * _KEYS, dtype=width)
    run.launch("count_keys", blocks, _THREADS, n, keys, counts)
    totals = cupy.cumsum(counts, dtype=width)
    sorted_keys, sorted_values = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
    given = np.uint64(0) if values is None else values
    tables = counts, totals, sorted_keys, sorted_values
    run.launch("place_keys", blocks, _THREADS, n, keys, given, *tables)
    return sorted_keys, sorted_values
