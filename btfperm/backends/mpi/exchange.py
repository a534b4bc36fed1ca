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
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from btfperm import _core, errors
from btfperm.backends.mpi.failures import described, rebuilt
from btfperm.backends.mpi.launch import keyval
from btfperm.backends.mpi.routed import Routed
from btfperm.backends.mpi.slices import Integers, Slices
from btfperm.backends.threads import usable_cores

__all__ = ["Exchange", "Routed"]

_DESCRIPTION, _LEAVE, _NOTICE = 1, 2, 3  # tags of the messages about a failure
_MOST_TAG = 32_767  # the largest one that every MPI has
_POLLS = 50  # tests of a request between two tests for notices, where ranks have cores of their own
_INLINE = 256  # lines that a rank may send together with the counts of a step, to all ranks in sum
_UNFINISHED: list[Any] = []  # interrupted requests; they hold arrays that MPI may still write to
_PATIENCE = 5.0  # seconds for which a failed rank waits for the others
_NOTICE_TIME = 0.05  # seconds between the message of rank 0 about the end and the end itself


class _PeerFailed(Exception):  # noqa: N818
    """Another rank has sent a notice."""


class Exchange:
    """The collective operations of one communicator, and counters of what they transferred.

    Attributes
    ----------
    comm : a duplicate of the caller's communicator; rank, size : of it
    rank_here : number of this rank among those of its machine; machine : the lowest of these
    counters : exchanges, collectives; messages and bytes of this rank to other ranks
    """

    failed: ClassVar[Exchange | None] = None  # an exchange whose ranks have agreed on a failure

    def __init__(self, comm: Any) -> None:
        from btfperm.backends.mpi.launch import require_mpi

        self._mpi = require_mpi()
        self.comm, self._notices = comm.Dup(), comm.Dup()
        self.rank, self.size = int(comm.rank), int(comm.size)
        self._owner: Any = None  # the communicator that keeps this exchange
        self._is_guarded, self._calls = False, 0
        here = self.comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        self.rank_here, self.machine = int(here.rank), int(here.bcast(self.rank))
        self._yields = int(here.size) > usable_cores()
        here.Free()
        self.links: dict[int, Any] = {}  # see `DeviceExchange.of`
        self.counters = dict.fromkeys(("exchanges", "collectives", "messages", "bytes"), 0)

    @classmethod
    def of(cls, comm: Any) -> Exchange:
        """The exchange of a communicator: made at its first use, then the same one."""
        if isinstance(comm, cls):
            return comm
        found = comm.Get_attr(keyval())
        if found is None:
            found = cls(comm)
            comm.Set_attr(keyval(), found)
            found._owner = comm
        return found  # type: ignore[no-any-return]

    def _forget(self) -> None:
        """Removes this exchange from its communicator, after a failure."""
        if self._owner is not None:
            self._owner.Delete_attr(keyval())

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
            if self._notices.Iprobe(tag=self._notice_tag()):
                _UNFINISHED.append(request)
                raise _PeerFailed

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Runs one collective call: if it fails on a rank, all ranks raise the error of the lowest
        rank that failed."""
        if self._is_guarded:  # the outer call reports the failure
            yield
            return
        failure: BaseException | None = None
        self._is_guarded, self._calls = True, self._calls + 1
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

    def _notice_tag(self) -> int:
        """The tag of a notice holds the number of the call: a rank that has left a call and fails
        in the next one must not end the call before on a rank that is still in it."""
        return _NOTICE + self._calls % (_MOST_TAG - _NOTICE)

    def _agreed(self, failure: BaseException | None) -> BaseException:
        """The error that all ranks raise. Called on each rank after the failure of one."""
        mine = None if failure is None else described(failure)
        if failure is not None:
            for rank in range(self.size):
                if rank != self.rank:
                    self._notices.Isend(bytearray(1), rank, tag=self._notice_tag())
        self._forget()
        Exchange.failed = self
        found = self._all_descriptions(mine)
        first = next((rank for rank, text in enumerate(found) if text is not None), None)
        if failure is not None and first in (None, self.rank):
            return failure
        if first is None:
            return errors.ResourceMissingError("another rank failed and did not report why")
        return rebuilt(*found[first])

    def _all_descriptions(self, mine: Any) -> list[Any]:
        """The description of the failure of each rank, None where it did not fail; those of ranks
        that do not answer are missing."""
        text = json.dumps(mine).encode()
        sends = [
            self._notices.Isend(text, rank, tag=_DESCRIPTION)
            for rank in range(self.size)
            if rank != self.rank
        ]
        found: list[Any] = [None] * self.size
        found[self.rank] = mine
        missing = set(range(self.size)) - {self.rank}
        until = time.monotonic() + _PATIENCE
        while missing and time.monotonic() < until:
            status = self._mpi.Status()
            if self._notices.Iprobe(tag=_DESCRIPTION, status=status):
                buffer = bytearray(status.Get_count())
                self._notices.Recv(buffer, status.source, tag=_DESCRIPTION)
                found[status.source] = json.loads(buffer)
                missing.discard(status.source)
            else:
                time.sleep(1e-4)
        for request in sends:
            request.Test()
        return found

    def leave_together(self) -> None:
        """Returns on all ranks at the same time, after rank 0 has printed its message and calls
        this, too, or after `_PATIENCE` seconds: a launcher may end all processes as soon as one has
        ended, and then report that it ended them."""
        leave_at = np.array([time.time() + _NOTICE_TIME])
        if self.rank == 0:
            for rank in range(1, self.size):
                self._notices.Isend(leave_at, rank, tag=_LEAVE)
        else:
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until and not self._notices.Iprobe(source=0, tag=_LEAVE):
                time.sleep(1e-3)
            if self._notices.Iprobe(source=0, tag=_LEAVE):
                self._notices.Recv(leave_at, 0, tag=_LEAVE)
        left = leave_at.item() - time.time()
        time.sleep(min(max(0.0, left), _PATIENCE))  # clocks of machines may differ

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

    def reals_from_all(self, *values: float) -> npt.NDArray[np.float64]:
        """(ranks, values) the real numbers of each rank."""
        return self.from_all(*np.array(values, dtype=np.float64).view(np.int64)).view(np.float64)

    def largest_real(self, value: float) -> float:  # NaN if a rank has NaN
        return float(self.reals_from_all(value).max())

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
        """The same to given ranks."""
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
        """The numbers that each rank has for this one: ``sent[p]`` is what this one has for p."""
        received = np.empty(self.size, dtype=np.int64)
        self.counters["collectives"] += 1
        self.wait(self.comm.Ialltoall(sent, received))
        return received

    @property
    def most_inline(self) -> int:
        """The number of lines for one rank up to which `step` sends them with their counts."""
        return max(_INLINE // self.size, 1)

    def step(
        self, lines: Any, sent: npt.NDArray[np.int64], *values: int, move: Any = None
    ) -> tuple[Any, list[int]]:
        """One step of a search: moves lines that are sorted by owner (``sent[p]`` of them for rank
        p), and adds up values of all ranks. Returns the received lines and a list: the number of
        lines of all ranks, then the sums. Numbers of lines and values travel in one small message
        per pair of ranks, which holds the lines, too, if no pair of ranks has many. Otherwise
        `move` moves them (default: `Exchange.move`), which alone reads lines beyond
        `most_inline`."""
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
        self.counters["collectives"] += 1
        self.wait(self.comm.Ialltoall(mine, found))
        too_many, *sums = found[:, 1:head].sum(axis=0).tolist()
        received = found[:, 0].copy()
        if too_many:
            return (move or self.move)(lines, sent, received), sums
        if not sums[0]:
            return lines, sums
        self.count_moved(sent, width, lines.itemsize)
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
        """Returns one answer for each received item to the rank that sent it. The result is in the
        order of the arrays that `route` was given."""
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
        """One message per pair of ranks with items: `items` are sorted by the rank that gets them.
        Counts are in lines and may exceed 2^31: mpi4py 4 then calls the functions of MPI 4 for
        large counts."""
        width = items.shape[1]
        found = np.empty((int(received.sum()), width), dtype=items.dtype)
        kind = self._mpi._typedict[items.dtype.char]
        self.count_moved(sent, width, items.itemsize)
        self.wait(
            self.comm.Ialltoallv((items, sent * width, kind), (found, received * width, kind))
        )
        return found

    def gather_to(self, root: int, array: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
        """The arrays of all ranks, one behind the other, on one rank; None on the others."""
        flat = array[:, None] if array.ndim == 1 else array
        sent = np.zeros(self.size, dtype=np.int64)
        sent[root] = flat.shape[0]
        found = np.ascontiguousarray(flat)
        if self.size > 1:
            found = self.move(found, sent, self.counts_from(sent))
        if self.rank != root:
            return None
        return found[:, 0] if array.ndim == 1 else found

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
