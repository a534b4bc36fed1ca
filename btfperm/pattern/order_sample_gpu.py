# SPDX-License-Identifier: BSD-3-Clause
"""Samples columns of a pattern on a device; see ``order_sample.cu``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import SharedStruct

__all__ = ["OrderSample", "sample_order"]

_FILE = "pattern/order_sample.cu"
_DRAWS = 4096


class OrderSample(NamedTuple):
    """Sampled entries, those near the diagonal, and the length of the longest sampled column."""

    entries: int
    near: int
    longest: int


def sample_order(m: int, indptr: Any, indices: Any) -> Callable[[], OrderSample]:
    """Samples min(n, 4096) columns of an m x n pattern (compressed columns) on the current device;
    a column may be drawn twice. The returned function waits for the result and returns it."""
    n = int(indptr.size) - 1
    draws, sample = min(n, _DRAWS), SharedStruct(_FILE, "Sample")
    run = kernels(_FILE, indices.dtype.name)
    run.launch("sample_order", grid(draws), BLOCK, m, n, indptr, indices, draws, sample.array)
    return lambda: OrderSample(**sample.fields())
