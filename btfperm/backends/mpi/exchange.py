# SPDX-License-Identifier: BSD-3-Clause
"""Messages between the ranks of a communicator, aggregated by owner.

Every wait polls: it tests the request and the notices of failed ranks in turn. So a rank that fails
(`guarded`) ends the call on all ranks with the same error, and no rank waits for ever. If a machine
runs more ranks than it has cores, each poll yields the core.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import errors
from btfperm.backends.mpi.slices import Integers, Slices
from btfperm.backends.threads import usable_cores

__all__ = ["Exchange", "Routed"]

_NOTICE = 1  # tag of the message of a failed rank
_POLLS = 50  # tests of a request between two tests for notices, if each rank has its own core
_PATIENCE = 5.0  # seconds for which a failed rank waits for the others


class Routed(NamedTuple):
    """The items that `Exchange.route` received, and their origin, for `Exchange.reply`.

    Attributes
    ----------
    items : (received, fields) one row for each item, in the order of the sending ranks
    received, sent : number of items from and to each rank
    order : order[k] is the place, in the caller's arrays, of the k-th item sent
    """

    items: npt.NDArray[Any]
    received: npt.NDArray[np.int64]
    sent: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]

    def field(self, k: int) -> npt.NDArray[Any]:
        """A contiguous copy of one field."""
        return np.ascontiguousarray(self.items[:, k])


class _PeerFailed(Exception):  # noqa: N818
    """Another rank has sent a notice."""


class Exchange:
    """The collective operations of one communicator, and counters of what they transferred.

    Attributes
    ----------
    comm : a duplicate of the caller's communicator; rank, size : of it
    counters : exchanges, collectives; messages and bytes of this rank to other ranks
    """

    failed: ClassVar[Exchange | None] = None  # an exchange whose ranks have agreed on a failure

    def __init__(self, comm: Any) -> None:
        from btfperm.backends.mpi.launch import require_mpi

        self._mpi = require_mpi()
        self.comm, self._notices = comm.Dup(), comm.Dup()
        self.rank, self.size = int(comm.rank), int(comm.size)
        self._owner: Any = None  # the communicator that keeps this exchange
        self._is_guarded = False
        self._yields = self._ranks_here() > usable_cores()
        self.counters = dict.fromkeys(("exchanges", "collectives", "messages", "bytes"), 0)

    def _ranks_here(self) -> int:
        here = self.comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        count = int(here.size)
        here.Free()
        return count

    @classmethod
    def of(cls, comm: Any) -> Exchange:
        """The exchange of a communicator: made at its first use, then the same one."""
        if isinstance(comm, cls):
            return comm
        keyval = _keyval()
        found = comm.Get_attr(keyval)
        if found is None:
            found = cls(comm)
            comm.Set_attr(keyval, found)
            found._owner = comm
        return found  # type: ignore[no-any-return]

    def _forget(self) -> None:
        """Removes this exchange from its communicator, after a failure."""
        if self._owner is not None:
            self._owner.Delete_attr(_keyval())

    # -- waiting -------------------------------------------------------------------------------

    def wait(self, request: Any) -> None:
        """Waits for a request of this communicator.

        Raises _PeerFailed when a notice of another rank arrives.
        """
        polls = 0
        while not request.Test():
            polls += 1
            if not self._yields and polls % _POLLS:
                continue
            time.sleep(0)
            if self._notices.Iprobe(tag=_NOTICE):
                raise _PeerFailed

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Runs one collective call: if it fails on a rank, all ranks raise the error of the lowest
        rank that failed."""
        if self._is_guarded:  # the outer call reports the failure
            yield
            return
        failure: BaseException | None = None
        self._is_guarded = True
        try:
            yield
            self.barrier()
        except _PeerFailed:
            pass
        except BaseException as error:
            failure = error
        else:
            return
        finally:
            self._is_guarded = False
        raise self._agreed(failure) from None

    def _agreed(self, failure: BaseException | None) -> BaseException:
        """The error that all ranks raise. Called on each rank after the failure of one."""
        mine = None if failure is None else _described(failure)
        if failure is not None:
            for rank in range(self.size):
                if rank != self.rank:
                    self._notices.Isend(bytearray(1), rank, tag=_NOTICE)
        self._forget()
        Exchange.failed = self
        found = self._all_descriptions(mine)
        first = next((rank for rank, text in enumerate(found) if text is not None), None)
        if failure is not None and first in (None, self.rank):
            return failure
        if first is None:
            return errors.ResourceMissingError("another rank failed and did not report why")
        return _rebuilt(*found[first])

    def _all_descriptions(self, mine: Any) -> list[Any]:
        """The description of the failure of each rank, None where it did not fail; those of ranks
        that do not answer are missing."""
        text = json.dumps(mine).encode()
        sends = [
            self._notices.Isend(text, rank, tag=_NOTICE + 1)
            for rank in range(self.size)
            if rank != self.rank
        ]
        found: list[Any] = [None] * self.size
        found[self.rank] = mine
        missing = set(range(self.size)) - {self.rank}
        until = time.monotonic() + _PATIENCE
        while missing and time.monotonic() < until:
            status = self._mpi.Status()
            if self._notices.Iprobe(tag=_NOTICE + 1, status=status):
                buffer = bytearray(status.Get_count())
                self._notices.Recv(buffer, status.source, tag=_NOTICE + 1)
                found[status.source] = json.loads(buffer)
                missing.discard(status.source)
            else:
                time.sleep(1e-4)
        for request in sends:
            request.Test()
        return found

    def leave_together(self) -> None:
        """Returns on the other ranks after rank 0 has called it, which has printed its message by
        then, or after `_PATIENCE`: a launcher may end all processes as soon as one has ended."""
        if self.rank == 0:
            for rank in range(1, self.size):
                self._notices.Isend(bytearray(1), rank, tag=_NOTICE + 2)
        until = time.monotonic() + (0.0 if self.rank == 0 else _PATIENCE)
        while time.monotonic() < until and not self._notices.Iprobe(source=0, tag=_NOTICE + 2):
            time.sleep(1e-3)

    # -- collectives on a few numbers ----------------------------------------------------------

    def _reduced(self, values: tuple[int, ...], op: Any) -> list[int]:
        if self.size == 1:
            return [int(value) for value in values]
        mine, result = np.array(values, dtype=np.int64), np.empty(len(values), dtype=np.int64)
        self.counters["collectives"] += 1
        self.wait(self.comm.Iallreduce(mine, result, op=op))
        return result.tolist()

    def sums(self, *values: int) -> list[int]:
        """The sum of each value over the ranks."""
        return self._reduced(values, self._mpi.SUM)

    def largest(self, *values: int) -> list[int]:
        """The largest of each value over the ranks."""
        return self._reduced(values, self._mpi.MAX)

    def sum_arrays(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The elementwise sum of an array that has the same length on each rank."""
        if self.size == 1:
            return values
        result = np.empty_like(values)
        self.counters["collectives"] += 1
        self.wait(self.comm.Iallreduce(values, result, op=self._mpi.SUM))
        return result

    def from_all(self, *values: int) -> npt.NDArray[np.int64]:
        """(ranks, values) the values of each rank."""
        mine = np.array(values, dtype=np.int64)
        found = np.empty((self.size, len(values)), dtype=np.int64)
        self.counters["collectives"] += 1
        self.wait(self.comm.Iallgather(mine, found))
        return found

    def before(self, value: int) -> int:
        """The sum of the values of lower ranks."""
        return int(self.from_all(value)[: self.rank, 0].sum())

    def barrier(self) -> None:
        """Returns when all ranks have called it."""
        if self.size > 1:
            self.wait(self.comm.Ibarrier())

    def broadcast(self, value: Any, root: int = 0) -> Any:
        """A small object of one rank on all ranks."""
        if self.size == 1:
            return value
        text = json.dumps(value).encode() if self.rank == root else b""
        size = self.largest(len(text))[0]
        buffer = np.zeros(size, dtype=np.uint8)
        if self.rank == root:
            buffer[:] = np.frombuffer(text, dtype=np.uint8)
        self.wait(self.comm.Ibcast(buffer, root=root))
        return json.loads(buffer.tobytes())

    def transferred(self) -> dict[str, int]:
        """What all ranks have sent since the last call, and their largest memory. Collective."""
        import resource

        own = self.counters
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        messages, size = self.sums(own["messages"], own["bytes"])
        found = {
            "exchanges": own["exchanges"],
            "collectives": own["collectives"],
            "messages": messages,
            "bytes_sent": size,
            "peak_bytes": self.largest(peak)[0],
        }
        self.counters = dict.fromkeys(own, 0)
        return found

    # -- items by owner ------------------------------------------------------------------------

    def route(
        self, slices: Slices, index: Integers, *fields: Integers, kind: Any = np.int64
    ) -> Routed:
        """Sends each item, its index and the other fields, to the owner of its index. `kind` is the
        integer type of the message, the same on each rank."""
        return self.route_to(slices.owners(index), index, *fields, kind=kind)

    def route_to(self, owner: Integers, *fields: Integers, kind: Any = np.int64) -> Routed:
        """Sends each item to the rank in `owner`."""
        sent = np.bincount(owner, minlength=self.size)
        small = np.uint16 if self.size <= 1 << 16 else np.int64
        order = np.argsort(owner.astype(small), kind="stable")
        items = np.empty((owner.size, len(fields)), dtype=kind)
        for k, field in enumerate(fields):
            items[:, k] = field[order]
        if self.size == 1:
            return Routed(items, sent, sent, order)
        received = np.empty(self.size, dtype=np.int64)
        self.wait(self.comm.Ialltoall(sent, received))
        return Routed(self._move(items, sent, received), received, sent, order)

    def reply(self, routed: Routed, *fields: Integers) -> tuple[npt.NDArray[Any], ...]:
        """Returns one answer for each received item to the rank that sent it. The result is in the
        order of the arrays that `route` was given."""
        items = np.empty((routed.items.shape[0], len(fields)), dtype=routed.items.dtype)
        for k, field in enumerate(fields):
            items[:, k] = field
        if self.size > 1:
            items = self._move(items, routed.received, routed.sent)
        answers = []
        for k in range(len(fields)):
            answer = np.empty(routed.order.size, dtype=items.dtype)
            answer[routed.order] = items[:, k]
            answers.append(answer)
        return tuple(answers)

    def _move(
        self,
        items: npt.NDArray[Any],
        sent: npt.NDArray[np.int64],
        received: npt.NDArray[np.int64],
    ) -> npt.NDArray[Any]:
        """Sends one message per pair of ranks with items. Counts are rows of `items` and may exceed
        2^31: mpi4py 4 then calls the functions of MPI 4 for large counts."""
        width = items.shape[1]
        found = np.empty((int(received.sum()), width), dtype=items.dtype)
        kind = self._mpi._typedict[items.dtype.char]
        self.counters["exchanges"] += 1
        others = sent.copy()
        others[self.rank] = 0
        self.counters["messages"] += int(np.count_nonzero(others))
        self.counters["bytes"] += int(others.sum()) * width * items.itemsize
        self.wait(
            self.comm.Ialltoallv((items, sent * width, kind), (found, received * width, kind))
        )
        return found

    def gather_to(self, root: int, array: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """The arrays of all ranks, one behind the other, on one rank; None on the others."""
        flat = array[:, None] if array.ndim == 1 else array
        owner = np.full(flat.shape[0], root, dtype=np.int64)
        routed = self.route_to(owner, *flat.T, kind=array.dtype)
        if self.rank != root:
            return None
        return routed.field(0) if array.ndim == 1 else routed.items

    def gather_all(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The arrays of all ranks, one behind the other, on each rank."""
        if self.size == 1:
            return array
        sizes = self.from_all(array.size)[:, 0]
        found = np.empty(int(sizes.sum()), dtype=array.dtype)
        kind = self._mpi._typedict[array.dtype.char]
        self.counters["exchanges"] += 1
        self.counters["messages"] += self.size - 1
        self.counters["bytes"] += array.nbytes * (self.size - 1)
        mine = np.ascontiguousarray(array)
        self.wait(self.comm.Iallgatherv((mine, array.size, kind), (found, sizes, kind)))
        return found


_key: list[int] = []


def _keyval() -> int:
    """The key under which a communicator keeps its exchange."""
    if not _key:
        from mpi4py import MPI

        _key.append(MPI.Comm.Create_keyval())
    return _key[0]


def _described(failure: BaseException) -> tuple[str, str, list[Any]]:
    """An error as plain data: its class, its text, and the other arguments of its constructor."""
    bounds = getattr(failure, "rank_bounds", None)
    return type(failure).__name__, str(failure), [list(bounds)] if bounds else []


def _rebuilt(name: str, text: str, more: list[Any]) -> BaseException:
    """The error of another rank."""
    if name == "KeyboardInterrupt":
        return KeyboardInterrupt()
    if name == "MemoryError":
        return MemoryError(text)
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.BtfpermError):
        return kind(text, *map(tuple, more))
    return RuntimeError(f"another rank failed: {name}: {text}")
