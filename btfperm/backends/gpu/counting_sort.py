# SPDX-License-Identifier: BSD-3-Clause
"""Sorts by whole numbers: the driver of ``counting_sort.cu``, and CuPy's sort for many keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.layout import constant

__all__ = ["places_in_order"]

_FILE = "backends/gpu/counting_sort.cu"


def places_in_order(keys: Any, below: int) -> Any:
    """The places of the elements of `keys` in ascending order of the keys, which are in 0 ... below
    - 1; the places of equal keys ascend."""
    import cupy

    n, width = int(keys.size), keys.dtype
    if below <= 1 or n <= 1:
        return cupy.arange(n, dtype=width)
    if below > constant(_FILE, "digits"):
        return cupy.argsort(keys).astype(width)
    run = kernels(_FILE, width.name)
    tiles, threads = -(-n // constant(_FILE, "tile")), 32 * constant(_FILE, "warps")
    counts, places = cupy.empty(tiles * below, dtype=width), cupy.empty(n, dtype=width)
    barrier = cupy.zeros(1, dtype=np.uint64)
    of_blocks = run.totals_of_blocks("sort_places", threads)
    tables = counts, of_blocks, places, barrier
    run.launch_together("sort_places", threads, n, keys, below, tiles, *tables)
    return places
