# SPDX-License-Identifier: BSD-3-Clause
"""Copies between the host and a device, through a ring of pinned buffers.

The NVIDIA driver copies from or to ordinary memory by one thread, at a fraction of the bandwidth of
the bus. Pinned memory is memory that the system does not move, and the device copies it at full
bandwidth. This module copies a large array to a device in pieces: several threads of the core fill
one pinned buffer while the device copies the buffers that are already full. In the other direction,
the threads empty a full buffer while the device fills the others. The buffers are allocated once
per process, because pinning is slow.
"""

from __future__ import annotations

import threading
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
_THREADS = 16


class Ring:
    """Pinned buffers, and the number of threads that fill and empty them."""

    @staticmethod
    @cache
    def of_this_process() -> Ring:
        return Ring()

    def __init__(self) -> None:
        self._buffers: list[npt.NDArray[np.uint8]] = []
        self._lock = threading.Lock()
        self.most_threads = _THREADS

    def share_cores(self, processes: int) -> None:
        """Sets the number of threads for several processes that copy at the same time, on the cores
        that each of them may use. With more threads than cores, the threads of a copy wait for each
        other, and the copy takes several times as long."""
        self.most_threads = max(1, min(_THREADS, usable_cores() // processes))

    def upload(self, array: npt.NDArray[Any]) -> Any:
        """A copy of a contiguous array on CuPy's current device, in its current stream."""
        import cupy

        if array.nbytes < _WORTH_STAGING:
            return cupy.asarray(array)
        result = cupy.empty(array.shape, dtype=array.dtype)
        self.write(array, int(result.data.ptr))
        return result

    def write(self, array: npt.NDArray[Any], target: int) -> None:
        """Copies a contiguous array to an address of a device, in CuPy's current stream; waits
        until the copy is complete."""
        with self._lock:
            self._copy(array.reshape(-1).view(np.uint8), target)

    def _copy(self, source: npt.NDArray[np.uint8], target: int) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        stream = cupy.cuda.get_current_stream()
        threads = self._made_ready()
        emptied = [cupy.cuda.Event(disable_timing=True) for _ in self._buffers]
        try:
            for piece, begin in enumerate(range(0, source.size, _BUFFER_BYTES)):
                part = source[begin : begin + _BUFFER_BYTES]
                buffer, copied = self._buffers[piece % _BUFFERS], emptied[piece % _BUFFERS]
                if piece >= _BUFFERS:
                    copied.synchronize()
                _core.backends.copy_bytes(part, buffer[: part.size], threads)
                place, kind = buffer.ctypes.data, runtime.memcpyHostToDevice
                runtime.memcpyAsync(target + begin, place, part.size, kind, stream.ptr)
                copied.record(stream)
        finally:  # after a failure or Ctrl-C, too, no copy may use the buffers any more
            stream.synchronize()

    def download(self, array: Any, into: npt.NDArray[Any]) -> None:
        """Copies a contiguous CuPy array, in its current stream, into an array of the host; waits
        until the copy is complete."""
        if array.nbytes < _WORTH_STAGING or not into.flags.c_contiguous:
            array.get(out=into, blocking=True)
            return
        self.read(int(array.data.ptr), into)

    def read(self, source: int, into: npt.NDArray[Any]) -> None:
        """Copies from an address of a device into a contiguous array of the host, in CuPy's current
        stream; waits until the copy is complete."""
        with self._lock:
            self._copy_back(source, into.reshape(-1).view(np.uint8))

    def _copy_back(self, source: int, target: npt.NDArray[np.uint8]) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        stream = cupy.cuda.get_current_stream()
        threads = self._made_ready()
        filled = [cupy.cuda.Event(disable_timing=True) for _ in self._buffers]
        starts = range(0, target.size, _BUFFER_BYTES)

        def ask_for(piece: int) -> None:
            begin, place = starts[piece], self._buffers[piece % _BUFFERS].ctypes.data
            size, kind = min(_BUFFER_BYTES, target.size - begin), runtime.memcpyDeviceToHost
            runtime.memcpyAsync(place, source + begin, size, kind, stream.ptr)
            filled[piece % _BUFFERS].record(stream)

        try:
            for piece in range(min(_BUFFERS, len(starts))):
                ask_for(piece)
            for piece, begin in enumerate(starts):
                filled[piece % _BUFFERS].synchronize()
                part = target[begin : begin + _BUFFER_BYTES]
                _core.backends.copy_bytes(
                    self._buffers[piece % _BUFFERS][: part.size], part, threads
                )
                if piece + _BUFFERS < len(starts):
                    ask_for(piece + _BUFFERS)
        finally:  # the buffers are free for the next array, after a failure or Ctrl-C, too
            stream.synchronize()

    def _made_ready(self) -> int:
        """Returns the number of threads for a copy; allocates the buffers at the first copy."""
        import cupy

        while len(self._buffers) < _BUFFERS:
            memory = cupy.cuda.alloc_pinned_memory(_BUFFER_BYTES)
            self._buffers.append(np.frombuffer(memory, np.uint8, _BUFFER_BYTES))
        return start_threads(min(self.most_threads, usable_cores()))
