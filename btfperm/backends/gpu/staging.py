# SPDX-License-Identifier: BSD-3-Clause
"""Copies between the host and a device, through pinned buffers.

The NVIDIA driver copies from or to ordinary memory by one thread, at a fraction of the bandwidth of
the bus. Pinned memory is memory that the system does not move, and the device copies it at full
bandwidth. This module copies a large array in pieces, on several threads. Each thread has two
buffers of its own: it fills one while the device copies the other. In the other direction, it
empties one while the device fills the other. The buffers are allocated once per process, because
pinning is slow.

The threads are not those of OpenMP. They take pieces from a common list and do not wait for each
other, so that one whose core is busy delays only its own piece; and OpenMP would end and start
threads whenever a copy uses fewer of them than the search before and after it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import is_forked, usable_cores

__all__ = ["Ring"]

_BUFFER_BYTES = 2 << 20  # a huge page: different threads write to different new pages
_WORTH_STAGING = 4 << 20  # for fewer bytes, one plain copy is as fast
_THREADS = 8

Bytes = npt.NDArray[np.uint8]
Piece = tuple[Bytes, int]  # an array of the host, and an address on the device
Work = Callable[[list[Bytes], Iterator[Piece], Any], None]


class Ring:
    """Pinned buffers, two for each thread, and the largest number of threads."""

    @staticmethod
    @cache
    def of_this_process() -> Ring:
        return Ring()

    def __init__(self) -> None:
        self._buffers: list[Bytes] = []
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self.most_threads = _THREADS

    def share_cores(self, processes: int) -> None:
        """Sets the number of threads for several processes that copy at the same time, on the cores
        that each of them may use."""
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

    def write(self, copies: Sequence[tuple[npt.NDArray[Any], int]]) -> None:
        """Copies contiguous arrays of the host to addresses of a device, in CuPy's current stream;
        waits until the copies are complete."""
        self._in_pieces(copies, _filled)

    def read(self, copies: Sequence[tuple[npt.NDArray[Any], int]]) -> None:
        """Copies into contiguous arrays of the host from addresses of a device, in CuPy's current
        stream; waits until the copies are complete."""
        self._in_pieces(copies, _emptied)

    def _in_pieces(self, copies: Sequence[tuple[npt.NDArray[Any], int]], work: Work) -> None:
        """Divides arrays into pieces, and calls `work` on several threads, which take them."""
        import cupy

        device, stream = cupy.cuda.Device().id, cupy.cuda.get_current_stream()
        pieces = [piece for copy in copies for piece in _pieces(*copy)]
        left = iter(pieces)  # next() of it is one step of the interpreter, also on many threads

        def run(slot: int) -> None:
            with cupy.cuda.Device(device):
                work(self._buffers[2 * slot : 2 * slot + 2], left, stream)

        with self._lock:
            others: list[Future[None]] = []
            try:
                for slot in range(1, self._made_ready(len(pieces))):
                    assert self._pool is not None
                    try:
                        others.append(self._pool.submit(run, slot))
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

    def _made_ready(self, pieces: int) -> int:
        """Returns the number of threads for a number of pieces; allocates their buffers at their
        first use."""
        import cupy

        threads = 1 if is_forked() else min(self.most_threads, usable_cores(), pieces)
        while len(self._buffers) < 2 * threads:
            memory = cupy.cuda.alloc_pinned_memory(_BUFFER_BYTES)
            self._buffers.append(np.frombuffer(memory, np.uint8, _BUFFER_BYTES))
        if threads > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS - 1, "btfperm-copy")
        return threads


def _pieces(array: npt.NDArray[Any], place: int) -> Iterator[Piece]:
    """Parts of an array, which end at the boundaries of huge pages, and their addresses on a
    device."""
    words = array.reshape(-1).view(np.uint8)
    begin = -words.ctypes.data % _BUFFER_BYTES
    bounds = [0, *range(begin, words.size, _BUFFER_BYTES), words.size]
    for first, last in itertools.pairwise(bounds):
        if last > first:
            yield words[first:last], place + first


def _filled(buffers: list[Bytes], left: Iterator[Piece], stream: Any) -> None:
    """Copies pieces to the device until none is left."""
    import cupy

    runtime = cupy.cuda.runtime
    copied = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
    for turn, (part, place) in enumerate(left):
        buffer, event = buffers[turn % 2], copied[turn % 2]
        if turn >= 2:
            event.synchronize()
        _core.backends.copy_bytes(part, buffer[: part.size], 1)
        kind = runtime.memcpyHostToDevice
        runtime.memcpyAsync(place, buffer.ctypes.data, part.size, kind, stream.ptr)
        event.record(stream)


def _emptied(buffers: list[Bytes], left: Iterator[Piece], stream: Any) -> None:
    """Copies pieces from the device until none is left."""
    import cupy

    runtime = cupy.cuda.runtime
    filled = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
    asked: list[tuple[Bytes, int]] = []

    def take() -> None:
        part, k = asked.pop(0)
        filled[k].synchronize()
        _core.backends.copy_bytes(buffers[k][: part.size], part, 1)

    for turn, (part, place) in enumerate(left):
        if turn >= 2:
            take()
        kind = runtime.memcpyDeviceToHost
        runtime.memcpyAsync(buffers[turn % 2].ctypes.data, place, part.size, kind, stream.ptr)
        filled[turn % 2].record(stream)
        asked.append((part, turn % 2))
    while asked:
        take()
