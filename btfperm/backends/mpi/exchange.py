# SPDX-License-Identifier: BSD-3-Clause
"""Messages between the ranks of a communicator. All items for one rank are sent in one message.

Each operation waits as ``ranks.py`` describes: a rank that fails ends the call on all ranks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.mpi.ranks import Ranks
from btfperm.backends.mpi.routed import Routed
from btfperm.backends.mpi.slices import Integers, Slices

__all__ = ["Exchange", "Routed"]

# The number of lines that a rank may send in the messages with the counts of a step, in total for
# all ranks.
_INLINE = 256
_COUNTERS = ("exchanges", "collectives", "messages", "bytes", "all_to_alls", "all_to_all_bytes")


class Exchange(Ranks):
    """The collective operations of one communicator, and counters of what they transferred.

    Attributes
    ----------
    counters : since the start of the guarded call. ``exchanges``: steps and calls that moved items
        or lines. ``collectives``: collective operations on a few numbers. ``messages`` and
        ``bytes``: the messages with items from this rank to others. ``all_to_alls``: collectives in
        which each pair of ranks exchanges a small message, which holds numbers of lines, and the
        lines themselves if they are few; ``all_to_all_bytes``: their bytes from this rank to others
    """

    def __init__(self, comm: Any) -> None:
        super().__init__(comm)
        self.links: dict[int, Any] = {}  # see `DeviceExchange.of`
        self.counters = dict.fromkeys(_COUNTERS, 0)

    def _prepare(self) -> None:
        super()._prepare()
        self.counters = dict.fromkeys(_COUNTERS, 0)

    # -- collectives on a few numbers ----------------------------------------------------------

    def _reduced(self, values: tuple[int, ...], kind: str) -> list[int]:
        if self.size == 1:
            return [int(value) for value in values]
        op = self._mpi.MAX if kind == "max" else self._mpi.SUM
        mine, result = np.array(values, dtype=np.int64), np.empty(len(values), dtype=np.int64)
        self.counters["collectives"] += 1
        self.run(self.comm.Iallreduce(mine, result, op=op), kind, mine.size)
        return result.tolist()

    def sums(self, *values: int) -> list[int]:
        """The sum of each value over the ranks."""
        return self._reduced(values, "sum")

    def largest(self, *values: int) -> list[int]:
        """The largest of each value over the ranks."""
        return self._reduced(values, "max")

    def sum_arrays(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The elementwise sum of an array that has the same length on each rank."""
        if self.size == 1:
            return values
        result = np.empty_like(values)
        self.counters["collectives"] += 1
        self.run(self.comm.Iallreduce(values, result, op=self._mpi.SUM), "sum", values.size)
        return result

    def from_all(self, *values: int) -> npt.NDArray[np.int64]:
        """An array (ranks, values) of the values of each rank."""
        mine = np.array(values, dtype=np.int64)
        self.counters["collectives"] += 1
        if self.size == 1:
            return mine[None]
        found = np.empty((self.size, len(values)), dtype=np.int64)
        self.run(self.comm.Iallgather(mine, found), "gather", mine.size)
        return found

    def reals_from_all(self, *values: float) -> npt.NDArray[np.float64]:
        """An array (ranks, values) of the real numbers of each rank."""
        return self.from_all(*np.array(values, dtype=np.float64).view(np.int64)).view(np.float64)

    def largest_real(self, value: float) -> float:  # NaN if a rank has NaN
        return float(self.reals_from_all(value).max())

    def broadcast(self, value: Any, root: int = 0) -> Any:
        """Sends a small object, which JSON can represent, from the rank `root` to all ranks."""
        if self.size == 1:
            return value
        text = json.dumps(value).encode() if self.rank == root else b""
        size = self.largest(len(text))[0]
        buffer = np.zeros(size, dtype=np.uint8)
        if self.rank == root:
            buffer[:] = np.frombuffer(text, dtype=np.uint8)
        self.run(self.comm.Ibcast(buffer, root=root), "broadcast", size, root)
        return json.loads(buffer.tobytes())

    def transferred(self) -> dict[str, int | list[int]]:
        """The numbers of exchanges and collective operations, and of messages and bytes that all
        ranks have sent, since the start of the guarded call; and the peak memory of each rank since
        the start of its process. Collective."""
        import resource

        own = self.counters
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        totals = own["messages"], own["bytes"], own["all_to_all_bytes"]
        messages, size, size_of_pairs = self.sums(*totals)
        peaks: list[int] = self.from_all(peak)[:, 0].tolist()
        found: dict[str, int | list[int]] = {
            "exchanges": own["exchanges"],
            "collectives": own["collectives"],
            "messages": messages,
            "bytes_sent": size,
            "all_to_alls": own["all_to_alls"],
            "all_to_all_bytes": size_of_pairs,
            "peak_bytes": max(peaks),
            "peak_bytes_by_rank": peaks,
        }
        return found

    # -- items by owner ------------------------------------------------------------------------

    def route(
        self, slices: Slices, index: Integers, *fields: Integers, kind: Any = np.int64
    ) -> Routed:
        """Sends each item (its index and its other fields) to the owner of the index. `kind` is the
        integer type of the messages; it must be the same on each rank."""
        return self.route_to(slices.owners(index), index, *fields, kind=kind)

    def route_to(self, owner: Integers, *fields: Integers, kind: Any = np.int64) -> Routed:
        """As `route`, but sends item k to the rank ``owner[k]``."""
        columns = [np.ascontiguousarray(field, dtype=kind) for field in fields]
        lines, sent, order = _core.ranks.sort_by_owner(
            np.ascontiguousarray(owner, dtype=np.int32), self.size, columns, np.empty(0, kind)
        )
        items = lines.reshape(owner.size, len(fields))
        if self.size == 1:
            return Routed(items, sent, sent, order)
        received = self.counts_from(sent)
        return Routed(self.move(items, sent, received), received, sent, order)

    def counts_from(self, sent: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Exchanges one number between each pair of ranks: this rank sends ``sent[p]`` to rank p.
        Returns the numbers that it receives from each rank."""
        self._count_all_to_all(8)
        if self.size == 1:
            return sent.copy()
        received = np.empty(self.size, dtype=np.int64)
        self.run(self.comm.Ialltoall(sent, received), "all to all", 1)
        return received

    def _count_all_to_all(self, size: int) -> None:
        """Counts a collective in which each rank sends `size` bytes to each other one."""
        self.counters["collectives"] += 1
        self.counters["all_to_alls"] += 1
        self.counters["all_to_all_bytes"] += size * (self.size - 1)

    @property
    def most_inline(self) -> int:
        """The largest number of lines for one rank that `step` sends in the same message as the
        counts."""
        return max(_INLINE // self.size, 1)

    def step(
        self, lines: Any, sent: npt.NDArray[np.int64], *values: int, move: Any = None
    ) -> tuple[Any, list[int]]:
        """The communication of one step of a search: sends lines to other ranks, and adds up values
        of all ranks. A line is a row of `lines`; they are sorted by the receiving rank, and
        ``sent[p]`` of them are for rank p. Returns the received lines, and a list that holds the
        number of lines of all ranks and then the sums.

        Each rank sends one small message to each other rank. It holds the number of lines and the
        values, and also the lines if no rank has more than `most_inline` lines for another one.
        Otherwise, a call of `move` sends all lines (default: `Exchange.move`). If this rank has
        more than `most_inline` lines for another one, only `move` reads `lines`.
        """
        total, width = lines.shape
        if self.size == 1:
            return lines, [total, *values]
        head, most = 3 + len(values), self.most_inline
        mine = np.empty((self.size, head + most * width), dtype=np.int64)
        fits = int(sent.max()) <= most
        mine[:, 0], mine[:, 1:head] = sent, (not fits, total, *values)
        if fits and total:
            places = np.arange(total) - np.repeat(np.cumsum(sent) - sent, sent)
            slots = mine[:, head:].reshape(self.size, most, width)
            slots[np.repeat(np.arange(self.size), sent), places] = lines
            mine[:, head:] = slots.reshape(self.size, -1)
        found = np.empty_like(mine)
        self._count_all_to_all(8 * mine.shape[1])
        self.run(self.comm.Ialltoall(mine, found), "all to all", mine.shape[1])
        too_many, *sums = found[:, 1:head].sum(axis=0).tolist()
        received = found[:, 0].copy()
        if too_many:
            return (move or self.move)(lines, sent, received), sums
        if not sums[0]:
            return lines, sums
        self.counters["exchanges"] += 1
        is_line = np.arange(most) < received[:, None]
        inline = found[:, head:].reshape(self.size, most, width)[is_line]
        return inline.astype(lines.dtype), sums

    def count_moved(self, sent: npt.NDArray[np.int64], width: int, size: int) -> None:
        """Counts one exchange of lines with `width` fields of `size` bytes."""
        others = sent.copy()
        others[self.rank] = 0
        self.counters["exchanges"] += 1
        self.counters["messages"] += int(np.count_nonzero(others))
        self.counters["bytes"] += int(others.sum()) * width * size

    def reply(self, routed: Routed, *fields: Integers) -> tuple[npt.NDArray[Any], ...]:
        """Sends one answer for each received item back to the rank that sent the item. Returns the
        answers to the items that this rank has sent, in the order of its arguments of `route`."""
        items = np.empty((routed.items.shape[0], len(fields)), dtype=routed.items.dtype)
        for k, field in enumerate(fields):
            items[:, k] = field
        if self.size > 1:
            items = self.move(items, routed.received, routed.sent)
        answers = []
        for k in range(len(fields)):
            answer = np.empty(routed.order.size, dtype=items.dtype)
            answer[routed.order] = items[:, k]
            answers.append(answer)
        return tuple(answers)

    def move(
        self,
        items: npt.NDArray[Any],
        sent: npt.NDArray[np.int64],
        received: npt.NDArray[np.int64],
    ) -> npt.NDArray[Any]:
        """Sends the rows of `items`, which are sorted by the receiving rank, in one message to each
        rank for which there are any. ``sent[p]`` rows are for rank p, and ``received[p]`` come from
        it. These numbers may exceed 2^31: mpi4py 4 then calls the functions of MPI 4 for large
        counts."""
        width = items.shape[1]
        self.count_moved(sent, width, items.itemsize)
        if self.size == 1:
            return items.copy()
        found = np.empty((int(received.sum()), width), dtype=items.dtype)
        kind = self._mpi._typedict[items.dtype.char]
        lists = (items, sent * width, kind), (found, received * width, kind)
        self.run(self.comm.Ialltoallv(*lists), "vectors")
        return found

    def swap(
        self,
        rounds: int,
        give: Callable[[int, int], tuple[npt.NDArray[Any], npt.NDArray[np.int64]]],
        expected: npt.NDArray[np.int64],
        take: Callable[[int, int, npt.NDArray[Any]], None],
    ) -> None:
        """Exchanges items with all ranks, in at most as many rounds as there are ranks. In each of
        them, a rank sends items to some ranks and receives items from as many others, so that only
        these items need memory.

        ``give(a, b)`` returns the items for the ranks a to b - 1, sorted by these ranks, and how
        many of them each rank gets. ``expected[p]`` items come from rank p; ``take(a, b, items)``
        receives those of the ranks a to b - 1, sorted by these ranks. All ranks give the same
        `rounds`.
        """
        for k in range(rounds):
            first, last = k * self.size // rounds, (k + 1) * self.size // rounds
            sent, received = np.zeros((2, self.size), dtype=np.int64)
            parts = []
            for a, b in self._ranks_from(self.rank + first, last - first):
                items, sent[a:b] = give(a, b)
                parts.append(items)
            sources = self._ranks_from(self.rank - last + 1, last - first)
            for a, b in sources:
                received[a:b] = expected[a:b]
            items = parts[0] if len(parts) == 1 else np.concatenate(parts)
            parts.clear()
            found = self.move(items[:, None], sent, received)[:, 0]
            del items
            for a, b in sources:
                count = int(received[a:b].sum())
                take(a, b, found[:count])
                found = found[count:]
            del found

    def _ranks_from(self, first: int, count: int) -> list[tuple[int, int]]:
        """The `count` ranks that follow one another from `first` on, where rank 0 follows the last
        rank, as ascending ranges."""
        first %= self.size
        last = first + count
        if count == self.size:
            return [(0, count)]
        return [(first, last)] if last <= self.size else [(0, last - self.size), (first, self.size)]

    def gather_to(self, root: int, array: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """Concatenates the arrays of all ranks on the rank `root`; None on the others."""
        flat = array[:, None] if array.ndim == 1 else array
        sent = np.zeros(self.size, dtype=np.int64)
        sent[root] = flat.shape[0]
        found = np.ascontiguousarray(flat)
        if self.size > 1:
            found = self.move(found, sent, self.counts_from(sent))
        if self.rank != root:
            return None
        return found[:, 0] if array.ndim == 1 else found

    def scatter(
        self, whole: npt.NDArray[Any] | None, slices: Slices, kind: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """Sends each rank its part of an array that the first rank has; `whole` is None on the
        other ranks. Returns the part of this rank."""
        sent, received = np.zeros((2, self.size), dtype=np.int64)
        received[0] = slices.size
        if whole is None:
            whole = np.empty(0, dtype=kind)
        else:
            sent[:] = np.diff(slices.bounds)
        items = np.ascontiguousarray(whole, dtype=kind)[:, None]
        return items[:, 0].copy() if self.size == 1 else self.move(items, sent, received)[:, 0]

    def gather_all(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Concatenates the arrays of all ranks on each rank."""
        if self.size == 1:
            return array
        sizes = self.from_all(array.size)[:, 0]
        found = np.empty(int(sizes.sum()), dtype=array.dtype)
        kind = self._mpi._typedict[array.dtype.char]
        self.counters["exchanges"] += 1
        self.counters["messages"] += self.size - 1
        self.counters["bytes"] += array.nbytes * (self.size - 1)
        mine = np.ascontiguousarray(array)
        parts = (mine, array.size, kind), (found, sizes, kind)
        self.run(self.comm.Iallgatherv(*parts), "vectors")
        return found
