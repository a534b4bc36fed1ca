# SPDX-License-Identifier: BSD-3-Clause
"""The ghosts of a rank: rows or columns in its lists that other ranks own.

The *items* here are the rows in the columns of a rank, or the columns in its rows. A rank gives
each item in its lists a local number: an item that it owns has its position in the range of this
rank, and the ghosts follow in ascending order (``ghosts.hpp``). Arrays with one element for each
owned item and each ghost are indexed by the local numbers.

In the first exchange, the owner of an item learns which ranks have it as a ghost. Afterwards,
`update` copies the values of all ghosts from their owners, with at most one message from each rank
to each other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange, Routed
    from btfperm.backends.mpi.slices import Slices

__all__ = ["Halo", "Waiting", "distinct"]

Array = npt.NDArray[Any]

ROUND = 1 << 16
"""`Halo.update` moves values in several rounds if a rank has more of them. A `Waiting` may always
send as many ghosts at once."""

PARTS = 16
"""A `Waiting` sends a sixteenth of the ghosts at once, if that is more than `ROUND`."""


def distinct(numbers: Array) -> tuple[Array, Array]:
    """The distinct numbers, ascending, and the place of each element of `numbers` among them. No
    number may be negative. All arrays have the same integer type, of 32 or 64 bits.

    >>> [found.tolist() for found in distinct(np.array([7, 2, 7]))]
    [[2, 7], [1, 0, 1]]
    """
    places = numbers.copy()
    found: Array = _core.ranks.number_ghosts(0, 0, int(places.max(initial=-1)) + 1, places)
    return found, places


def in_few_bytes(numbers: Array) -> Any:
    """Numbers in ascending order, in one or two bytes each (``ascending.hpp``)."""
    short = numbers.dtype == np.int32
    return (_core.ranks.Ascending32 if short else _core.ranks.Ascending64)(numbers)


class Shared(NamedTuple):
    """Chosen ghosts of all ranks, see `Halo.only`.

    Attributes
    ----------
    positions : the positions on this rank of the chosen items that other ranks have as ghosts,
        sorted by these ranks
    ghosts : the places of the chosen ghosts among all ghosts of this rank
    to_others : how many of `positions` each rank has as ghosts
    to_here : how many of `ghosts` each rank owns
    """

    exchange: Exchange
    positions: Array
    ghosts: Array
    to_others: Array
    to_here: Array

    def update(self, values: Array) -> Array:
        """Sends `values`, one for each of `positions`, to the ranks that have these items as
        ghosts. Returns the received values, one for each of `ghosts`. Collective."""
        return self._moved(values, self.to_others, self.to_here)

    def returned(self, values: Array) -> Array:
        """Sends `values`, one for each of `ghosts`, to the owners. Returns the received values, one
        for each of `positions`. Collective."""
        return self._moved(values, self.to_here, self.to_others)

    def _moved(self, values: Array, sent: Array, received: Array) -> Array:
        if self.exchange.size == 1:
            return values
        found: Array = self.exchange.move(values[:, None], sent, received)[:, 0]
        return found


class Halo:
    """The ghosts of a rank.

    Attributes
    ----------
    items : the local numbers of the items in the lists
    kind : the integer type of the items
    ghosts : the numbers of the ghosts in the whole matrix, ascending (``ascending.hpp``)
    own : number of items that this rank owns
    rounds : in how many rounds `update` moves its values; known after `shared`
    """

    def __init__(
        self, exchange: Exchange, slices: Slices, items: Array, kept: list[Array] | None = None
    ) -> None:
        """`items` are numbers in the whole matrix at first; local numbers overwrite them. If this
        call may fail and be repeated, the caller passes an empty list as `kept`. The ghosts are
        appended to it before the items are overwritten; a second call with the same `items` and
        `kept` takes the ghosts from there."""
        self.exchange, self.slices, self.own = exchange, slices, slices.size
        kept = [] if kept is None else kept
        if not kept:
            _core.ranks.number_ghosts(slices.first, slices.last, slices.count, items, kept)
        self._begins = np.searchsorted(kept[0], slices.bounds.astype(items.dtype))
        self._sent = np.diff(self._begins)
        self.ghosts: Any = in_few_bytes(kept[0])
        self.items, self.kind = items, items.dtype
        self._shared: list[Any] | None = None  # the first result of `shared`
        self.rounds = 1
        self._made_in = 0  # the call (`Ranks.call`) in which the ranks exchanged it
        self._received = self._sent

    @property
    def size(self) -> int:
        """The number of items: owned ones and ghosts."""
        return self.own + int(self.ghosts.size)

    def numbers(self) -> Array:
        """The number in the whole matrix of each local number."""
        return np.concatenate(
            (self.slices.numbers(self.kind), self.ghosts.part(0, self.ghosts.size))
        )

    def local_number(self, number: int) -> int:
        """The local number of an item; -1 if this rank neither owns it nor has it in a list."""
        if self.slices.first <= number < self.slices.last:
            return number - self.slices.first
        place: int = self.ghosts.count_below(number)
        is_ghost = self.ghosts.count_below(number + 1) > place
        return self.own + place if is_ghost else -1

    def update(self, values: Array, into: Array | None = None) -> Array:
        """Each rank passes the values of the items that it owns, by position. Returns the values of
        the ghosts of this rank, in the array `into` if it is given. Collective."""
        if self.exchange.size == 1:
            return values[:0]
        _, to_others, to_here = self.shared()
        found = np.empty(self.ghosts.size, dtype=values.dtype) if into is None else into
        begins = self._begins

        def give(a: int, b: int) -> tuple[Array, Array]:
            return values[self.positions(a, b)], to_others[a:b]

        def take(a: int, b: int, items: Array) -> None:
            found[begins[a] : begins[b]] = items

        self.exchange.swap(self.rounds, give, to_here, take)
        return found

    def shared(self) -> tuple[list[Any], Array, Array]:
        """For each rank, the positions of the items of this rank that the other rank has as ghosts,
        ascending (``ascending.hpp``); how many these are; and how many ghosts of this rank each
        rank owns. The call is collective the first time, after `forget_shared`, and after the
        failure of a guarded call (`Ranks.guarded`)."""
        if self._shared is None or not self.exchange.holds_since(self._made_in):
            self._made_in = self.exchange.call
            exchange, begins, sent = self.exchange, self._begins, self._sent
            received = self._received = exchange.counts_from(sent)
            most = exchange.largest(max(int(received.sum()), self.ghosts.size))[0]
            self.rounds = min(exchange.size, max(-(-most // ROUND), 1))
            shared: list[Any] = [None] * exchange.size

            def give(a: int, b: int) -> tuple[Array, Array]:
                return self.ghosts.part(begins[a], begins[b]), sent[a:b]

            def take(a: int, b: int, numbers: Array) -> None:
                numbers = numbers - self.kind.type(self.slices.first)
                for rank in range(a, b):
                    shared[rank] = in_few_bytes(numbers[: received[rank]])
                    numbers = numbers[received[rank] :]

            exchange.swap(self.rounds, give, received, take)
            self._shared = shared
        return self._shared, self._received, self._sent

    def positions(self, a: int, b: int) -> Array:
        """The positions of the items of this rank that the ranks a to b - 1 have as ghosts, sorted
        by these ranks. Collective as `shared`."""
        parts = [part.part(0, part.size) for part in self.shared()[0][a:b]]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def forget_shared(self) -> None:
        """Releases the memory of the result of `shared`. All ranks must call this, because the next
        call of `shared` is collective again."""
        self._shared = None

    def returned(self, values: Array) -> tuple[Array, Array]:
        """Sends `values`, one for each ghost of this rank, to the owners. Returns the positions on
        this rank of the items that other ranks have as ghosts, and the values that those ranks sent
        for them. Collective."""
        if self.exchange.size == 1:
            return np.empty(0, dtype=np.int64), values[:0]
        _, to_others, to_here = self.shared()
        positions = self.positions(0, self.exchange.size)
        return positions, self.exchange.move(values[:, None], to_here, to_others)[:, 0]

    def extended(self, values: Array) -> Array:
        """The values of the owned items, followed by those of the ghosts (`update`). Collective."""
        found = np.empty(self.size, dtype=values.dtype)
        found[: self.own] = values
        self.update(values, found[self.own :])
        return found

    def step(self, ghosts: Array, *fields: Array, waiting: int = 0) -> tuple[Array, int, int]:
        """Sends `fields` of some ghosts to their owners, by `Exchange.step`; `ghosts` are the
        places of these ghosts among all ghosts. Returns the received lines, whose first field is
        the position of the item on this rank, the number of lines of all ranks, and the sum of
        `waiting` over the ranks. Collective."""
        kind = self.kind
        if not (ghosts[1:] >= ghosts[:-1]).all():
            order = np.argsort(ghosts)
            ghosts, fields = ghosts[order], tuple(field[order] for field in fields)
        lines = np.empty((ghosts.size, 1 + len(fields)), dtype=kind)
        lines[:, 0] = self.ghosts.at(ghosts)
        for k, field in enumerate(fields):
            lines[:, 1 + k] = field
        sent = np.diff(np.searchsorted(ghosts, self._begins.astype(ghosts.dtype)))
        lines, (total, waiting) = self.exchange.step(lines, sent, waiting)
        lines[:, 0] -= kind.type(self.slices.first)
        return lines, total, waiting

    def to_owners(self, ghosts: Array, *fields: Array) -> Routed:
        """As `step`, but by `Exchange.route`, so that the owners can send answers by
        `Exchange.reply`. Collective."""
        numbers = self.ghosts.at(ghosts)
        got = self.exchange.route(self.slices, numbers, *fields, kind=self.kind)
        got.items[:, 0] -= self.kind.type(self.slices.first)
        return got


class Waiting:
    """The ghosts for which a rank has something to send to their owners. If they are many, the rank
    sends a part of them at once. The first parts of different ranks are for different owners, so
    that no owner receives much more than a part.

    Attributes
    ----------
    count : number of ghosts that wait
    """

    def __init__(self, halo: Halo) -> None:
        size, exchange = int(halo.ghosts.size), halo.exchange
        self._waits = np.zeros(size, dtype=np.uint8)
        self.count = 0
        self._most = max(size // PARTS, ROUND)
        self._next = int(halo._begins[(exchange.rank + 1) % exchange.size])

    def put(self, ghosts: Array) -> None:
        """Adds ghosts, by their places among all ghosts, without duplicates."""
        self.count += ghosts.size - int(np.count_nonzero(self._waits[ghosts]))
        self._waits[ghosts] = 1

    def put_all(self, chosen: Array) -> None:
        """Makes exactly the chosen ghosts wait. `chosen` has an element for each ghost."""
        self._waits[:] = chosen
        self.count = int(np.count_nonzero(chosen))

    def take(self) -> Array:
        """The ghosts that are sent next, ascending. They no longer wait."""
        begin, end = 0, self._waits.size
        if self.count > self._most:
            begin = self._next if self._next < end else 0
            end = self._next = begin + self._most
        part = self._waits[begin:end]
        chosen = np.flatnonzero(part)
        part[:] = 0
        self.count -= chosen.size
        chosen += begin
        return chosen
