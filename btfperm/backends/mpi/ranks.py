# SPDX-License-Identifier: BSD-3-Clause
"""The ranks of a communicator: how they wait for each other, and how they end a failed call.

A rank that waits polls: it tests in turn whether its MPI request is complete, and whether a notice
of a failed rank has arrived. So if one rank fails in a call (`guarded`), the call ends with an
error on all ranks, and no rank waits forever for the failed one. If a machine runs more ranks than
it has cores, each poll yields the core.

When a call fails, some ranks may have begun a collective operation that others have not begun. Each
rank then sends the others a description of the last operation that it began. A rank that has not
begun this operation begins it without data, so that it ends on all ranks. Then the communicator can
be used again. If that is not possible, a new communicator replaces it; if a rank does not answer,
later calls are refused.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np

from btfperm import _core, errors
from btfperm.backends.mpi.agreement import call_text, differences, hash_of
from btfperm.backends.mpi.failures import described, rebuilt
from btfperm.backends.mpi.launch import keyval, refuse_other_communicators, require_mpi
from btfperm.backends.mpi.leaving import LEAVE, leave_together
from btfperm.backends.threads import usable_cores

__all__ = ["Ranks"]

# Tags of the messages about a failure; another one is `LEAVE`.
_DESCRIPTION, _NOTICE = LEAVE + 1, LEAVE + 2
_MOST_TAG = 32_767  # the largest tag that every MPI library accepts
_POLLS = 50  # tests of a request between two tests for notices, if each rank has a core of its own
_REST = 2e-3  # seconds between two polls in `rest`, at most
_SHORT_REST = 1e-4  # seconds between two polls of a rank that has another thread
# Requests that a failure interrupted. They refer to arrays that MPI may still access, so the arrays
# must not be freed.
_UNFINISHED: list[Any] = []
# During a call, arrays of at least `_MAPPED` bytes are mapped on their own: otherwise, freed arrays
# leave gaps in the heap. After the call, the limit is the largest one that glibc permits, to which
# it rises by itself in a process that frees a large array. The variables are those with which a
# user sets another limit.
_MAPPED, _MAPPED_AFTERWARDS = 1 << 20, 1 << 25
_MALLOC_VARIABLES = ("MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
_PATIENCE = 5.0  # seconds for which a failed rank waits for the others
_NOTICE_TIME = 0.05  # seconds for a message, in `_gathered`


class _PeerFailed(Exception):  # noqa: N818
    """Another rank has sent a notice."""


class Ranks:
    """A duplicate of a communicator, which is freed when nothing refers to this object any more.
    The caller's communicator refers to this object until the caller frees that communicator.
    Without a communicator, the object has one rank and uses no MPI.

    Attributes
    ----------
    comm : the duplicate
    rank, size : the number of this rank in `comm`, and the number of ranks
    rank_here, ranks_here : the number of this rank among the ranks of its machine, and their number
    machine : the lowest rank of this machine, as a number in `comm`
    background : a thread that works beside this rank, or None. While it runs, this rank sleeps
        between two polls for short messages, so that both can use one core
    """

    failed: ClassVar[Ranks | None] = None  # the object whose call failed most recently
    comm: Any = None
    _mpi: Any = None
    _notices: Any = None  # a second duplicate, for notices of failed ranks
    rank, size, rank_here, ranks_here, machine = 0, 1, 0, 1, 0

    def __init__(self, comm: Any) -> None:
        if comm is not None:
            self._duplicate(comm)
        self._is_guarded, self._calls = False, 0
        self._failed_calls: set[int] = set()
        self.background: threading.Thread | None = None
        self._begun = 0  # number of collective operations that this rank has begun
        self._last: tuple[str, int, int] = ("barrier", 0, 0)  # the last one, as `_twin` gets it
        self._unfinished: Any = None  # the request of the last one, unless it is complete
        self._must_renew = False  # whether a new communicator must replace `comm`
        self._found: dict[int, list[Any]] = {}  # the descriptions of ranks after a failed call
        self._requests: list[Any] | None = None  # the operations for which `_settle` waits
        self._sends: list[Any] = []  # the messages of this rank about a failure
        self._yields = self.ranks_here > usable_cores()
        is_set = any(name in os.environ for name in _MALLOC_VARIABLES)
        self._maps_arrays = self.size > 1 and not is_set

    def _duplicate(self, comm: Any) -> None:
        self._mpi = require_mpi()
        self._held = [comm.Dup(), comm.Dup()]
        self.comm, self._notices = self._held
        weakref.finalize(self, _free, self._held).atexit = False
        self.rank, self.size = int(comm.rank), int(comm.size)
        here = self.comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        self.rank_here, self.machine = int(here.rank), int(here.bcast(self.rank))
        self.ranks_here = int(here.size)
        here.Free()

    @classmethod
    def of(cls, comm: Any) -> Self:
        """The object of a communicator. It is made at the first use of the communicator; later
        calls return the same object."""
        if isinstance(comm, cls):
            return comm
        refuse_other_communicators(comm)
        found = comm.Get_attr(keyval())
        if found is None:
            found = cls(comm)
            comm.Set_attr(keyval(), found)
        return found  # type: ignore[no-any-return]

    def is_like(self, comm: Any) -> bool:
        """Whether a communicator has the same ranks in the same order."""
        if isinstance(comm, Ranks):
            return comm is self
        refuse_other_communicators(comm)
        found = self._mpi.Comm.Compare(self.comm, comm)
        return found in (self._mpi.IDENT, self._mpi.CONGRUENT)

    # -- waiting -------------------------------------------------------------------------------

    def wait(self, request: Any, *, is_long: bool = False) -> None:
        """Waits for a request. `is_long`: it moves long messages. MPI copies a part of them in each
        poll, so this rank does not sleep.

        Raises _PeerFailed when a notice of another rank arrives.
        """
        polls = 0
        while not request.Test():
            polls += 1
            if self.background is not None and not self.background.is_alive():
                self.background = None
            may_sleep = self.background is not None and not is_long
            if not (may_sleep or self._yields) and polls % _POLLS:
                continue
            time.sleep(_SHORT_REST if may_sleep else 0)
            if self._notices.Iprobe(tag=self._notice_tag()):
                if request is not self._unfinished:
                    _UNFINISHED.append(request)
                raise _PeerFailed

    def run(self, request: Any, kind: str, size: int = 0, root: int = 0) -> None:
        """Waits for a collective operation that has just begun on `comm`; see `_twin`."""
        self._begun += 1
        self._last, self._unfinished = (kind, size, root), request
        self.wait(request, is_long=kind == "vectors")
        self._unfinished = None

    def _twin(self, kind: str, size: int, root: int) -> Any:
        """Begins the collective operation that another rank has begun, without data. `kind` is the
        operation, `size` the number of integers for each rank (of bytes in a broadcast), and `root`
        the rank that broadcasts."""
        own, all_of = np.zeros(size, np.int64), np.zeros((self.size, size), np.int64)
        if kind in ("sum", "max"):
            op = self._mpi.SUM if kind == "sum" else self._mpi.MAX
            return self.comm.Iallreduce(own, np.zeros_like(own), op=op)
        if kind == "gather":
            return self.comm.Iallgather(own, all_of)
        if kind == "all to all":
            return self.comm.Ialltoall(all_of, np.zeros_like(all_of))
        if kind == "broadcast":
            return self.comm.Ibcast(np.zeros(size, np.uint8), root=root)
        return self.comm.Ibarrier()

    def barrier(self) -> None:
        """Returns when all ranks have called it."""
        if self.size > 1:
            self.run(self.comm.Ibarrier(), "barrier")

    def rest(self) -> None:
        """As `barrier`, but until the first rank calls it, the others sleep and leave the cores to
        it. The first rank wakes each of them by a message: in a barrier, a rank also forwards
        messages, so that each of several steps would wait for the next poll of a rank."""
        if self.rank == 0:
            for rank in range(1, self.size):
                request = self._notices.Isend(bytearray(1), rank, tag=self._notice_tag() + 1)
                if not request.Test():
                    _UNFINISHED.append(request)
        else:
            begin = time.monotonic()
            while not self._notices.Iprobe(source=0, tag=self._notice_tag() + 1):
                if self._notices.Iprobe(tag=self._notice_tag()):
                    raise _PeerFailed
                time.sleep(min(max((time.monotonic() - begin) / 16, _SHORT_REST), _REST))
            self._notices.Recv(bytearray(1), 0, tag=self._notice_tag() + 1)
        self.barrier()

    # -- failures ------------------------------------------------------------------------------

    @contextmanager
    def guarded(self, call: str = "", given: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Runs the body of a ``with`` statement as one collective call. If it fails on some ranks,
        all ranks raise the error of the lowest rank that reports its error in time. The other ranks
        can raise the same error if it is an error of btfperm, KeyboardInterrupt or MemoryError;
        otherwise they raise a RuntimeError with its text.

        `call` is the name of the function, `given` its arguments. Before the body runs, all ranks
        raise an error if these differ between the ranks (``agreement.py``)."""
        if self._is_guarded:  # the outer call reports the failure
            yield
            return
        self._prepare()
        failure: BaseException | None = None
        self._is_guarded, self._calls = True, self._calls + 1
        try:
            if self._maps_arrays:
                _core.ranks.map_arrays(_MAPPED)
            self._agree(call_text(call, given or {}))
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
            if self._maps_arrays:
                _core.ranks.map_arrays(_MAPPED_AFTERWARDS)
        raise self._agreed(failure) from None

    def fail(self, failure: BaseException) -> BaseException:
        """An error that this rank met before a call that the other ranks make together: it ends
        this call on all ranks. Returns the error that they raise. Collective."""
        self._prepare()
        self._calls += 1
        return self._agreed(failure)

    def _agree(self, text: str) -> None:
        """Raises InvalidArgumentError on all ranks if one of them has another text."""
        if self.size == 1:
            return
        data = text.encode()
        hashes = self._gathered(np.array([hash_of(text), len(data)]))
        if (hashes == hashes[0]).all():
            return
        padded = data.ljust(8 * (int(hashes[:, 1].max()) // 8 + 1))
        texts = [row.tobytes().decode() for row in self._gathered(np.frombuffer(padded, np.int64))]
        raise errors.InvalidArgumentError(
            f"all ranks must make the same call with the same arguments, but {differences(texts)}"
        )

    def _gathered(self, numbers: Any) -> Any:
        """The numbers of each rank, a row for each. A rank that has received them may fail before
        others have, so a notice does not end the operation at once: these ranks may fail with
        errors of their own."""
        found = np.empty((self.size, numbers.size), np.int64)
        request = self.comm.Iallgather(numbers, found)
        try:
            self.run(request, "gather", numbers.size)
        except _PeerFailed:
            until = time.monotonic() + _NOTICE_TIME
            while not request.Test():
                if time.monotonic() > until:
                    raise
            self._unfinished = None
        return found

    @property
    def call(self) -> int:
        """The number of the current guarded call, for `holds`."""
        return self._calls

    def holds(self, call: int) -> bool:
        """Whether data that the ranks made in this call exist on all ranks: False if the call
        failed."""
        return call not in self._failed_calls

    def holds_since(self, call: int) -> bool:
        """As `holds`, but also False if a later call failed, because some ranks may have released
        the data in that call."""
        return call > max(self._failed_calls, default=-1)

    def _prepare(self) -> None:
        """Starts a guarded call: completes, on all ranks, what `_settle` could not complete after a
        failed call."""
        if self._found:
            self._settle(math.inf)
        if self._must_renew:
            self._must_renew = False
            before, self.comm = self.comm, self._notices.Dup()
            self._held[0] = self.comm
            before.Free()

    def _notice_tag(self) -> int:
        """The tag of the notices of this call, which contains the number of the call. So if a rank
        has left a call and fails in the next one, its notice does not end the first call on a rank
        that is still in it. The next number is the tag of the messages of `rest`."""
        return _NOTICE + 2 * (self._calls % ((_MOST_TAG - _NOTICE) // 2))

    def _agreed(self, failure: BaseException | None) -> BaseException:
        """The error that this rank raises after a failed call. `failure` is its own error, or None
        if only other ranks failed. Each rank calls this."""
        Ranks.failed = self  # first, because the rest may fail without memory
        self._failed_calls.add(self._calls)
        if failure is not None and self.size == 1:
            return failure
        mine = [None if failure is None else described(failure), self._begun, *self._last]
        text = json.dumps(mine).encode()
        send, others = self._notices.Isend, [r for r in range(self.size) if r != self.rank]
        tag = self._notice_tag()
        self._sends = [send(bytearray(1), rank, tag=tag) for rank in others if failure is not None]
        self._sends += [send(text, rank, tag=_DESCRIPTION) for rank in others]
        found = self._found = {self.rank: mine}
        self._requests = None
        self._settle(time.monotonic() + _PATIENCE)
        failures = {rank: each[0] for rank, each in found.items() if each[0] is not None}
        if failure is not None and failures[min(failures)] == failures[self.rank]:
            return failure
        if not failures:
            return errors.ResourceMissingError("another rank failed and did not report why")
        return rebuilt(*failures[min(failures)])

    def _settle(self, until: float) -> None:
        """Receives the description that each rank sends: its failure, or None, and the last
        collective operation that it began. Then waits until the operations that some ranks have
        begun are complete, and the messages of this rank, which MPI may send only while this rank
        calls it. It returns at the time `until` in any case, because a rank may find the notice
        late; `_prepare` of the next call then continues."""
        self._receive_descriptions(until)
        if len(self._found) < self.size:
            return
        if self._requests is None:
            self._requests = [*self._open_requests(), *self._sends]
            self._sends = []
        while self._requests:
            if self._requests[-1].Test():
                self._requests.pop()
            elif time.monotonic() < until:
                time.sleep(1e-4)
            else:
                return
        self._found = {}

    def _receive_descriptions(self, until: float) -> None:
        status = self._mpi.Status()
        while True:
            missing = set(range(self.size)) - self._found.keys()
            for rank in missing:
                if self._notices.Iprobe(source=rank, tag=_DESCRIPTION, status=status):
                    buffer = bytearray(status.Get_count())
                    self._notices.Recv(buffer, rank, tag=_DESCRIPTION)
                    self._found[rank] = json.loads(buffer)
            if not missing or time.monotonic() >= until:
                return
            time.sleep(1e-4)

    def _open_requests(self) -> list[Any]:
        """The requests of the collective operations that this rank has begun and not completed, or
        begins here because another rank has begun them. Also receives the notices of this call."""
        for rank, (failure, *_) in self._found.items():
            if failure is not None and rank != self.rank:
                self._notices.Recv(bytearray(1), rank, tag=self._notice_tag())
        begun = {rank: each[1] for rank, each in self._found.items()}
        least, most = min(begun.values()), max(begun.values())
        last = next(each[2:] for each in self._found.values() if each[1] == most)
        requests = [] if self._unfinished is None else [self._unfinished]
        if least < most - 1 or (least < most and last[0] == "vectors"):
            self._must_renew = True
            _UNFINISHED.extend(requests)
            requests = []
        elif self._begun < most:
            requests.append(self._twin(*last))
        self._begun, self._unfinished = 0, None
        return requests

    def leave_together(self) -> None:
        """Returns on all ranks at about the same time, see ``leaving.py``. The ranks call it before
        they exit with an error."""
        leave_together(self._notices, self.rank, self.size)


def _free(held: list[Any]) -> None:
    """Frees communicators that nothing uses any more. The MPI libraries exchange no messages for
    this, so the ranks need not do it at the same time."""
    from mpi4py import MPI

    if not MPI.Is_finalized():
        for comm in held:
            comm.Free()
