# SPDX-License-Identifier: BSD-3-Clause
"""Copies between the host and a device, through a ring of pinned buffers.

The NVIDIA driver copies from or to ordinary memory by one thread, at a fraction of the bandwidth of
the bus. Pinned memory is memory that the system does not move, and the device copies it at full
bandwidth. This module copies large arrays to a device in pieces: several threads of the core fill
one pinned buffer while the device copies the buffers that are already full. In the other direction,
the threads empty a full buffer while the device fills the others. The buffers are allocated once
per process, because pinning is slow.

The number of threads must be that of the parallel regions before and after a copy: OpenMP ends and
starts threads whenever it changes, which takes longer than a small copy.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends.threads import start_threads, usable_cores

__all__ = ["Ring"]

_BUFFERS = 4
_BUFFER_BYTES = 4 << 20
_WORTH_STAGING = _BUFFER_BYTES  # for fewer bytes, one plain copy is as fast
_THREADS = 16  # at most, of a process alone
_RANK_THREADS = 8  # at most, of each of several ranks
_HUGE_PAGE = 2 << 20
_BUFFERS_OF_PAGES = 2  # each has a huge page for each thread

Bytes = npt.NDArray[np.uint8]
Copies = Sequence[tuple[npt.NDArray[Any], int]]  # arrays of the host, and addresses on a device


class Ring:
    """Pinned buffers, and the number of threads that fill and empty them."""

    @staticmethod
    @cache
    def of_this_process() -> Ring:
        return Ring()

    def __init__(self) -> None:
        self._buffers: dict[int, list[Bytes]] = {}  # by their size
        self._lock = threading.Lock()
        self.most_threads = _THREADS

    def share_cores(self, ranks: int) -> None:
        """Sets the number of threads for several ranks that copy at the same time, on the cores
        that each of them may use. If there are several, half of the cores stay free: the threads
        wait for each other after each piece, and one whose core is busy delays the others."""
        cores = usable_cores() // (ranks if ranks == 1 else 2 * ranks)
        self.most_threads = max(1, min(_RANK_THREADS, cores))

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
        import cupy

        runtime = cupy.cuda.runtime
        with self._lock:
            stream = cupy.cuda.get_current_stream()
            threads = self._start_threads()
            buffers = self._made_ready(_BUFFERS, _BUFFER_BYTES)
            emptied = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
            try:
                for turn, (part, place) in enumerate(_pieces(copies, _BUFFER_BYTES)):
                    buffer, copied = buffers[turn % _BUFFERS], emptied[turn % _BUFFERS]
                    if turn >= _BUFFERS:
                        copied.synchronize()
                    _core.backends.copy_bytes(part, buffer[: part.size], threads)
                    kind = runtime.memcpyHostToDevice
                    runtime.memcpyAsync(place, buffer.ctypes.data, part.size, kind, stream.ptr)
                    copied.record(stream)
            finally:  # after a failure or Ctrl-C, too, no copy may use the buffers any more
                stream.synchronize()

    def read(self, copies: Copies, *, is_new: bool = False) -> None:
        """Copies into contiguous arrays of the host from addresses of a device, in CuPy's current
        stream; waits until the copies are complete. `is_new`: nothing has written to most pages of
        the arrays yet. Then each thread gets whole huge pages: if several threads wrote first to
        the same page, the system would clear a page for each of them."""
        import cupy

        runtime = cupy.cuda.runtime
        with self._lock:
            stream = cupy.cuda.get_current_stream()
            threads = self._start_threads()
            size, count = _BUFFER_BYTES, _BUFFERS
            if is_new and threads * _HUGE_PAGE > size:
                size, count = threads * _HUGE_PAGE, _BUFFERS_OF_PAGES
            buffers = self._made_ready(count, size)
            filled = [cupy.cuda.Event(disable_timing=True) for _ in buffers]
            pieces = list(_pieces(copies, size))

            def ask_for(turn: int) -> None:
                part, place = pieces[turn]
                to, kind = buffers[turn % count].ctypes.data, runtime.memcpyDeviceToHost
                runtime.memcpyAsync(to, place, part.size, kind, stream.ptr)
                filled[turn % count].record(stream)

            try:
                for turn in range(min(count, len(pieces))):
                    ask_for(turn)
                for turn, (part, _) in enumerate(pieces):
                    filled[turn % count].synchronize()
                    _core.backends.copy_bytes(buffers[turn % count][: part.size], part, threads)
                    if turn + count < len(pieces):
                        ask_for(turn + count)
            finally:  # the buffers are free for the next array, after a failure or Ctrl-C, too
                stream.synchronize()

    def _start_threads(self) -> int:
        return start_threads(min(self.most_threads, usable_cores()))

    def _made_ready(self, count: int, size: int) -> list[Bytes]:
        """The buffers of a size, which are allocated at their first use."""
        import cupy

        buffers = self._buffers.setdefault(size, [])
        while len(buffers) < count:
            memory = cupy.cuda.alloc_pinned_memory(size)
            buffers.append(np.frombuffer(memory, np.uint8, size))
        return buffers


def _pieces(copies: Copies, size: int) -> Iterator[tuple[Bytes, int]]:
    """Parts of arrays, which end at multiples of `size` among the addresses of the host, and their
    addresses on a device."""
    for array, place in copies:
        words = array.reshape(-1).view(np.uint8)
        begin = -words.ctypes.data % size
        bounds = [0, *range(begin, words.size, size), words.size]
        for first, last in itertools.pairwise(bounds):
            if last > first:
                yield words[first:last], place + first
