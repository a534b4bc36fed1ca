# SPDX-License-Identifier: BSD-3-Clause
"""The way of host arrays to a device, and back: through a ring of pinned buffers.

A copy from or to ordinary memory is staged by the driver, one thread, at a fraction of the bus.
Here several threads fill pinned buffers while the copies of filled ones run, or empty those that
have come. The ring is made once a process: pinning is slow, and the user's own arrays need not be
pinned.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.threads import usable_cores

__all__ = ["Ring"]

_BUFFERS = 16
_BUFFER_BYTES = 2 << 20
_WORTH_STAGING = 2 * _BUFFER_BYTES  # below, one plain copy is as quick
_THREADS = 8


class Ring:
    """Pinned buffers, and the threads that fill and empty them."""

    @staticmethod
    @cache
    def of_this_process() -> Ring:
        return Ring()

    def __init__(self) -> None:
        self._buffers: list[npt.NDArray[np.uint8]] = []
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def upload(self, array: npt.NDArray[Any]) -> Any:
        """A copy of a contiguous array on CuPy's current device, in its current stream."""
        import cupy

        if array.nbytes < _WORTH_STAGING:
            return cupy.asarray(array)
        result = cupy.empty(array.shape, dtype=array.dtype)
        with self._lock:
            self._copy(array.reshape(-1).view(np.uint8), int(result.data.ptr))
        return result

    def _copy(self, source: npt.NDArray[np.uint8], target: int) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        stream = cupy.cuda.get_current_stream()
        threads = self._made_ready()
        emptied = [cupy.cuda.Event(disable_timing=True) for _ in self._buffers]
        starts = range(0, source.size, _BUFFER_BYTES)

        def fill(piece: int) -> npt.NDArray[np.uint8]:
            begin = starts[piece]
            part = source[begin : begin + _BUFFER_BYTES]
            buffer = self._buffers[piece % _BUFFERS][: part.size]
            np.copyto(buffer, part)
            return buffer

        waiting = {k: threads.submit(fill, k) for k in range(min(_BUFFERS, len(starts)))}
        try:
            for piece, begin in enumerate(starts):
                buffer = waiting.pop(piece).result()
                runtime.memcpyAsync(
                    target + begin,
                    buffer.ctypes.data,
                    buffer.size,
                    runtime.memcpyHostToDevice,
                    stream.ptr,
                )
                emptied[piece % _BUFFERS].record(stream)
                earlier = piece - _BUFFERS // 2  # half the ring is copied while half is filled
                if earlier >= 0 and earlier + _BUFFERS < len(starts):
                    emptied[earlier % _BUFFERS].synchronize()
                    waiting[earlier + _BUFFERS] = threads.submit(fill, earlier + _BUFFERS)
        finally:  # the buffers are free for the next array, after a failure or Ctrl-C, too
            wait(waiting.values())
            stream.synchronize()

    def download(self, array: Any, into: npt.NDArray[Any]) -> None:
        """Copies a contiguous CuPy array, in its current stream, into one of the host, which is
        complete on return."""
        if array.nbytes < _WORTH_STAGING or not into.flags.c_contiguous:
            array.get(out=into, blocking=True)
            return
        with self._lock:
            self._copy_back(int(array.data.ptr), into.reshape(-1).view(np.uint8))

    def _copy_back(self, source: int, target: npt.NDArray[np.uint8]) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        stream = cupy.cuda.get_current_stream()
        threads = self._made_ready()
        filled = [cupy.cuda.Event(disable_timing=True) for _ in self._buffers]
        device = int(cupy.cuda.Device().id)

        def empty(piece: int, part: npt.NDArray[np.uint8]) -> None:
            with cupy.cuda.Device(device):
                filled[piece % _BUFFERS].synchronize()
            np.copyto(part, self._buffers[piece % _BUFFERS][: part.size])

        running: dict[int, Future[None]] = {}
        try:
            for piece, begin in enumerate(range(0, target.size, _BUFFER_BYTES)):
                if piece >= _BUFFERS:
                    running.pop(piece - _BUFFERS).result()
                part = target[begin : begin + _BUFFER_BYTES]
                runtime.memcpyAsync(
                    self._buffers[piece % _BUFFERS].ctypes.data,
                    source + begin,
                    part.size,
                    runtime.memcpyDeviceToHost,
                    stream.ptr,
                )
                filled[piece % _BUFFERS].record(stream)
                running[piece] = threads.submit(empty, piece, part)
            for copied in running.values():
                copied.result()
        finally:  # nobody writes into the array after a failure or Ctrl-C
            stream.synchronize()
            wait(running.values())

    def _made_ready(self) -> ThreadPoolExecutor:
        import cupy

        if self._threads is None:
            for _ in range(_BUFFERS):
                memory = cupy.cuda.alloc_pinned_memory(_BUFFER_BYTES)
                self._buffers.append(np.frombuffer(memory, np.uint8, _BUFFER_BYTES))
            self._threads = ThreadPoolExecutor(min(_THREADS, usable_cores()), "btfperm-staging")
        return self._threads
