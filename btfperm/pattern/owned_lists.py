# SPDX-License-Identifier: BSD-3-Clause
"""Lists of the rows, columns or vertices that one rank owns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core

__all__ = ["OwnedLists", "owned_lists", "piece_of"]

LEAST_PIECE = 1 << 17  # items that an exchange may always send at once


class OwnedLists(NamedTuple):
    """List k holds ``items[indptr[k]:indptr[k + 1]]``, without duplicates; those that `owned_lists`
    makes ascend."""

    indptr: npt.NDArray[np.int64]
    items: npt.NDArray[Any]

    def lengths(self) -> npt.NDArray[np.int64]:
        """The length of each list."""
        return np.diff(self.indptr)

    def list_of_each(self, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """The list of each item."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=kind), self.lengths())


def piece_of(items: npt.NDArray[Any]) -> int:
    """How many of the items of this rank an exchange of all of them sends at once: it needs several
    times as much memory for each of them."""
    return max(items.size // 32, LEAST_PIECE)


def owned_lists(
    first: int, count: int, lists: npt.NDArray[Any], items: npt.NDArray[Any]
) -> OwnedLists:
    """The lists ``first`` to ``first + count - 1`` from pairs of a list and an item, of one integer
    type. The arrays are overwritten.

    >>> made = owned_lists(5, 2, np.array([6, 5, 6, 6]), np.array([3, 4, 1, 3]))
    >>> made.indptr.tolist(), made.items.tolist()
    ([0, 1, 3], [4, 1, 3])
    """
    indptr = np.empty(count + 1, dtype=np.int64)
    used = _core.pattern.owned_lists(first, lists, items, indptr)
    if 2 * used < items.size:
        items = items[:used].copy()
    return OwnedLists(indptr, items[:used])
