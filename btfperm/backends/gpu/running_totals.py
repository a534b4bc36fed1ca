# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of ``running_totals.cu``."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.compile import kernels

__all__ = ["running_totals"]

_THREADS, _TILE = 512, 2048  # as in running_totals.cu
_MOST_PARTS = 512


def running_totals(array: Any) -> Any:
    """Each word with all before it, in the same type; the array is not changed. O(n)."""
    import cupy

    n, totals = int(array.size), cupy.empty_like(array)
    if n == 0:
        return totals
    tiles = -(-n // _TILE)
    part = -(-tiles // min(tiles, _MOST_PARTS)) * _TILE
    parts = -(-n // part)
    run = kernels("backends/gpu/running_totals.cu", array.dtype.name)
    sums = cupy.empty(parts, dtype=array.dtype)
    given = np.int64(n), np.int64(part), array, sums
    run.launch("sum_parts", parts, _THREADS, *given)
    run.launch("total_parts", parts, _THREADS, *given, totals)
    return totals
