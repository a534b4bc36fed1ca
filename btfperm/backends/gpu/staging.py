# SPDX-License-Identifier: BSD-3-Clause
"""Copies between the host and a device, through pinned buffers.

The NVIDIA driver copies from or to ordinary memory by one thread, at a fraction of the bandwidth of
the bus. Pinned memory is memory that the system does not move, and the device copies it at full
bandwidth. This module copies a large array to a device in pieces: threads fill one pinned buffer
while the device copies the buffers that are already full. In the other direction, threads empty a
full buffer while the device fills the others. The buffers are allocated once per process, because
pinning is slow.

There are two ways. If one process copies alone, the threads of OpenMP share each piece. If several
processes copy at the same time, or if the pages of the target are new, several threads of Python
copy a piece each, through buffers of their own. They do not wait for each other, so that a thread
whose core is busy delays only its piece; OpenMP need not end and start threads for a team of
another size; and each new page is cleared once, not by each thread that touches it at that time.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import is_forked, start_threads, usable_cores

__all__ = ["Ring"]

_WORTH_STAGING = 4 << 20  # for fewer bytes, one plain copy is as fast
_THREADS = 16

Bytes = npt.NDArray[np.uint8]
Piece = tuple[Bytes, int]  # an array of the host, and an address on the device
Copies = Sequence[tuple[npt.NDArray[Any], int]]
Work = Callable[[list[Bytes], int, Iterator[Piece], Any], None]


class Way(NamedTuple):
    """How pieces are copied.

    Attributes
    ----------
    workers : the largest number of threads that copy a piece each
    buffers : pinned buffers of each of them
    size : bytes of a buffer, and of a piece; whole huge pages, so that workers share none
    """

    workers: int
    buffers: int
    size: int


TOGETHER, APART = Way(1, 4, 4 << 20), Way(8, 2, 2 << 20)


class Ring:
    """Pinned buffers, and the number of threads that fill and empty them."""

    @staticmethod
    @cache
    def of_this_process() -> Ring:
        return Ring()

    def __init__(self) -> None:
        self._buffers: dict[Way, list[Bytes]] = {TOGETHER: [], APART: []}
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._is_alone = True
        self.most_threads = _THREADS

    def share_cores(self, processes: int) -> None:
        """Sets the number of threads for several processes that copy at the same time, on the cores
        that each of them may use."""
        self._is_alone = processes == 1
        self.most_threads = max(1, min(_THREADS, usable_cores() // processes))

    def upload(self, array: npt.NDArray[Any]) -> Any:
        """A copy of a contiguous array on CuPy's current device, in its current stream."""
        import cupy

        if array.nbytes < _WORTH_STAGING:
            return cupy.asarray(array)
        result = cupy.empty(array.shape, dtype=array.dtype)
        self.write([(array, int(result.data.ptr))])
        return result

    def download(self, array: Any, into: npt.NDArray[Any]) -> None:
        """Copies a contiguous CuPy array, in its current stream, into an array of the host; waits
        until the copy is complete."""
        if array.nbytes < _WORTH_STAGING or not into.flags.c_contiguous:
            array.get(out=into, blocking=True)
            return
        self.read([(into, int(array.data.ptr))])

    def write(self, copies: Copies) -> None:
        """Copies contiguous arrays of the host to addresses of a device, in CuPy's current stream;
        waits until the copies are complete."""
        self._in_pieces(copies, _filled, TOGETHER if self._is_alone else APART)

    def read(self, copies: Copies, *, is_new: bool = False) -> None:
        """Copies into contiguous arrays of the host from addresses of a device, in CuPy's current
        stream; waits until the copies are complete. `is_new`: nothing has used most pages of the
        arrays yet."""
        self._in_pieces(copies, _emptied, TOGETHER if self._is_alone and not is_new else APART)

    def _in_pieces(self, copies: Copies, work: Work, way: Way) -> None:
        """Divides arrays into pieces, and calls `work` on several threads, which take them."""
        import cupy

        device, stream = cupy.cuda.Device().id, cupy.cuda.get_current_stream()
        pieces = [piece for copy in copies for piece in _pieces(*copy, way.size)]
        left = iter(pieces)  # next() of it is one step of the interpreter, also on many threads

        def run(worker: int) -> None:
            own = slice(way.buffers * worker, way.buffers * (worker + 1))
            with cupy.cuda.Device(device):
                work(self._buffers[way][own], team, left, stream)

        with self._lock:
            workers, team = self._made_ready(way, len(pieces))
            others: list[Future[None]] = []
            try:
                for worker in range(1, workers):
                    assert self._pool is not None
                    try:
                        others.append(self._pool.submit(run, worker))
                    except RuntimeError:  # the system refuses another thread
                        break
                run(0)
            finally:  # after a failure or Ctrl-C, too, no copy may use the buffers any more
                for _ in left:
                    pass
                wait(others)
                stream.synchronize()
            for other in others:
                other.result()

    def _made_ready(self, way: Way, pieces: int) -> tuple[int, int]:
        """The number of workers for a number of pieces, and of threads that share each piece.
        Allocates the buffers at their first use."""
        import cupy

        threads = min(self.most_threads, usable_cores())
        workers = 1 if is_forked() else max(1, min(way.workers, threads, pieces))
        buffers = self._buffers[way]
        while len(buffers) < way.buffers * workers:
            memory = cupy.cuda.alloc_pinned_memory(way.size)
            buffers.append(np.frombuffer(memory, np.uint8, way.size))
        if workers > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(APART.workers - 1, "btfperm-copy")
        return workers, start_threads(threads) if way is TOGETHER else 1


def _pieces(array: npt.NDArray[Any], place: int, size: int) -> Iterator[Piece]:
    """Parts of an array, which end at multiples of `size` among the addresses of the host, and
    their addresses on a device."""
    words = array.reshape(-1).view(np.uint8)
    begin = -words.ctypes.data % size
    bounds = [0, *range(begin, words.size, size), words.size]
    for first, last in itertools.pairwise(bounds):
        if last > first:
            yield words[first:last], place + first


def _filled(buffers: list[Bytes], team: int, left: Iterator[Piece], stream: Any) -> None:
    """Copies pieces to the device until none is left."""
    import cupy

    runtime = cupy.cuda.runtime
    copied = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
    for turn, (part, place) in enumerate(left):
        k = turn % len(buffers)
        if turn >= len(buffers):
            copied[k].synchronize()
        _core.backends.copy_bytes(part, buffers[k][: part.size], team)
        kind = runtime.memcpyHostToDevice
        runtime.memcpyAsync(place, buffers[k].ctypes.data, part.size, kind, stream.ptr)
        copied[k].record(stream)


def _emptied(buffers: list[Bytes], team: int, left: Iterator[Piece], stream: Any) -> None:
    """Copies pieces from the device until none is left."""
    import cupy

    runtime = cupy.cuda.runtime
    filled = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
    asked: list[tuple[Bytes, int]] = []

    def take() -> None:
        part, k = asked.pop(0)
        filled[k].synchronize()
        _core.backends.copy_bytes(buffers[k][: part.size], part, team)

    for turn, (part, place) in enumerate(left):
        k = turn % len(buffers)
        if turn >= len(buffers):
            take()
        kind = runtime.memcpyDeviceToHost
        runtime.memcpyAsync(buffers[k].ctypes.data, place, part.size, kind, stream.ptr)
        filled[k].record(stream)
        asked.append((part, k))
    while asked:
        take()
