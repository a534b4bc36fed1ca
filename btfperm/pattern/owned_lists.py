# SPDX-License-Identifier: BSD-3-Clause
"""Lists of the rows, columns or vertices that one rank owns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core

__all__ = ["OwnedLists", "owned_lists", "owned_values", "piece_of"]

LEAST_PIECE = 1 << 16  # items that an exchange may always send at once


class OwnedLists(NamedTuple):
    """List k holds ``items[indptr[k]:indptr[k + 1]]``, without duplicates. The items of each list
    ascend if `owned_lists` made it."""

    indptr: npt.NDArray[np.int64]
    items: npt.NDArray[Any]

    def lengths(self) -> npt.NDArray[np.int64]:
        """The length of each list."""
        return np.diff(self.indptr)

    def list_of_each(self, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """The list of each item."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=kind), self.lengths())


def piece_of(items: npt.NDArray[Any]) -> int:
    """How many items of this rank are sent at once, because an exchange needs several times the
    memory of the items that it sends."""
    return max(items.size // 32, LEAST_PIECE)


def owned_lists(
    first: int, count: int, lists: npt.NDArray[Any], items: npt.NDArray[Any]
) -> OwnedLists:
    """The lists ``first`` to ``first + count - 1`` from pairs of a list and an item, of one integer
    type. `items` is overwritten.

    >>> made = owned_lists(5, 2, np.array([6, 5, 6, 6]), np.array([3, 4, 1, 3]))
    >>> made.indptr.tolist(), made.items.tolist()
    ([0, 1, 3], [4, 1, 3])
    """
    indptr = np.empty(count + 1, dtype=np.int64)
    used = _core.pattern.owned_lists(first, lists, items, indptr)
    if 2 * used < items.size:
        items = items[:used].copy()
    return OwnedLists(indptr, items[:used])


def owned_values(
    first: int,
    count: int,
    lists: npt.NDArray[Any],
    items: npt.NDArray[Any],
    values: npt.NDArray[Any],
) -> tuple[OwnedLists, npt.NDArray[Any]]:
    """The lists ``first`` to ``first + count - 1`` from triples of a list, an item and a value, and
    the value of each item. Values of duplicates are added up, from the smallest to the largest.

    >>> made, values = owned_values(
    ...     5, 2, np.array([6, 5, 6, 6]), np.array([3, 4, 1, 3]), np.array([2.0, 1.0, 4.0, 0.5])
    ... )
    >>> made.indptr.tolist(), made.items.tolist(), values.tolist()
    ([0, 1, 3], [4, 1, 3], [1.0, 4.0, 2.5])
    """
    indptr = np.empty(count + 1, dtype=np.int64)
    own_items, own_values = np.empty_like(items), np.empty_like(values)
    numbers = values.view(np.float64), own_values.view(np.float64)
    used = _core.pattern.owned_values(
        first, lists, items, numbers[0], indptr, own_items, numbers[1]
    )
    if 2 * used < items.size:
        own_items, own_values = own_items[:used].copy(), own_values[:used].copy()
    return OwnedLists(indptr, own_items[:used]), own_values[:used]
