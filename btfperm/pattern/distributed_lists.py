# SPDX-License-Identifier: BSD-3-Clause
"""The lists that a rank owns, from items that any rank has read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.pattern.owned_lists import OwnedLists, owned_lists, piece_of

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange
    from btfperm.backends.mpi.slices import Slices

__all__ = ["routed"]


def routed(
    exchange: Exchange, slices: Slices, own: list[npt.NDArray[Any]], symmetric: bool
) -> OwnedLists:
    """The lists that this rank owns. `own` holds the items of this rank and the list of each item,
    and is emptied. Only the items of lists of other ranks are sent; if the items are sorted by list
    over the ranks, as in most files, those are few. The last items are sent first, so that their
    memory can be released."""
    items, lists = own
    own.clear()
    if symmetric:
        off = items != lists
        items, lists = (
            np.concatenate((items, lists[off])),
            np.concatenate((lists, items[off])),
        )
        del off
    stays = (lists >= slices.first) & (lists < slices.last)
    lists, away_lists = _divided(lists, stays)
    items, away_items = _divided(items, stays)
    del stays
    size = piece_of(away_items)
    pieces = exchange.largest(-(-away_items.size // size))[0]
    # The parts in the order of the ranks that hold them: those of lower ranks, of this rank, and of
    # higher ranks. So lists that are sorted over the ranks remain sorted.
    parts: tuple[list[npt.NDArray[Any]], ...] = ([lists], [items])
    del lists, items
    for piece in reversed(range(pieces)):
        part = slice(piece * size, (piece + 1) * size)
        got = exchange.route(slices, away_lists[part], away_items[part], kind=away_items.dtype)
        lower = int(got.received[: exchange.rank].sum())
        for field, found in enumerate(parts):
            arrived = got.field(field)
            found.insert(0, arrived[:lower])
            found.append(arrived[lower:])
        del got, arrived
        if piece * size < away_items.size:
            away_items, away_lists = _cut(away_items, piece * size), _cut(away_lists, piece * size)
    joined = []
    for found in parts:
        joined.append(found[0] if len(found) == 1 else np.concatenate(found))
        found.clear()  # releases the parts before the next list is joined
    return owned_lists(slices.first, slices.size, *joined)


def _divided(
    array: npt.NDArray[Any], chosen: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """(the chosen items, the others)."""
    count = int(np.count_nonzero(chosen))
    if count == array.size:
        return array, array[:0]
    first = int(chosen.argmax())
    if count and chosen[first : first + count].all():  # one run, which needs no selection
        others = np.concatenate((array[:first], array[first + count :]))
        return array[first : first + count], others
    return array[chosen], array[~chosen]


def _cut(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The first `size` items. The memory of the others is released if the array owns it."""
    if array.base is None and array.flags.owndata:
        array.resize(size, refcheck=False)
        return array
    return array[:size]
