# SPDX-License-Identifier: BSD-3-Clause
"""The owner of each row and column: contiguous ranges of indices, one for each rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core

__all__ = ["Slices", "even_slices", "weighted_slices"]

Integers = npt.NDArray[np.signedinteger[Any]]

#: The number of buckets for each rank, see `weighted_slices`.
BUCKETS_PER_RANK = 256


class Slices:
    """Ranges of the indices 0 to count - 1: rank p owns ``bounds[p]:bounds[p + 1]``.

    Attributes
    ----------
    bounds : (ranks + 1,) ascending; a rank may own nothing
    first, last : the range of this rank
    """

    def __init__(self, bounds: Integers, rank: int) -> None:
        self.bounds = bounds.astype(np.int64, copy=False)
        self.first, self.last = int(bounds[rank]), int(bounds[rank + 1])

    @property
    def size(self) -> int:
        """Number of indices of this rank."""
        return self.last - self.first

    @property
    def count(self) -> int:
        """Number of indices of all ranks."""
        return int(self.bounds[-1])

    def owners(self, indices: Integers) -> npt.NDArray[np.int32]:
        """The rank that owns each index. O(size log ranks)."""
        kind = indices.dtype if indices.dtype in (np.int32, np.int64) else np.int64
        found: npt.NDArray[np.int32] = _core.ranks.owners(
            self.bounds, np.ascontiguousarray(indices, dtype=kind)
        )
        return found

    def numbers(self, kind: npt.DTypeLike) -> Integers:
        """The indices of this rank."""
        return np.arange(self.first, self.last, dtype=kind)

    def __repr__(self) -> str:
        return f"<Slices: {self.first}:{self.last} of {self.count}>"


def even_slices(count: int, ranks: int, rank: int) -> Slices:
    """Ranges whose lengths differ by at most one."""
    return Slices(np.arange(ranks + 1, dtype=np.int64) * count // ranks, rank)


def bucket_width(count: int, ranks: int) -> int:
    """The number of indices in a bucket of `weighted_slices`."""
    return max(-(-count // (BUCKETS_PER_RANK * ranks)), 1)


def weighted_slices(count: int, weights: Integers, ranks: int, rank: int) -> Slices:
    """Ranges with about equal sums of weights; each index adds 1 to its weight. The indices are
    divided into buckets of `bucket_width` successive indices, and a range consists of whole
    buckets. `weights` holds the sum of the weights in each bucket; it must be the same on each
    rank.

    >>> weighted_slices(4, np.array([5, 1, 1, 1]), 2, 0).bounds.tolist()
    [0, 1, 4]
    """
    width = bucket_width(count, ranks)
    sums = np.concatenate(([0], np.cumsum(weights + width)))
    targets = np.arange(1, ranks) * (sums[-1] / ranks)
    after = np.searchsorted(sums, targets)
    nearer = targets - sums[np.maximum(after - 1, 0)] < sums[after] - targets
    inner = np.minimum((after - nearer) * width, count)
    return Slices(np.concatenate(([0], inner, [count])), rank)
