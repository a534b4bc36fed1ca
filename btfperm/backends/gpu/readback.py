# SPDX-License-Identifier: BSD-3-Clause
"""A few numbers that kernels leave on the device and the host looks at between launches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["Readback"]


class Readback:
    """Unsigned 64-bit numbers on the current device, in its current stream: `array` for the
    kernels, zero at first unless `begin` says otherwise, and `read` for the host."""

    def __init__(self, count: int, begin: Mapping[int, int] | None = None) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        self._memcpy, self._kind = runtime.memcpyAsync, runtime.memcpyDeviceToHost
        self._stream = cupy.cuda.get_current_stream()
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * count)
        self._copy = np.frombuffer(self._pinned, np.uint64, count)
        self._place = int(self._copy.ctypes.data)
        if begin is None:
            self.array = cupy.zeros(count, dtype=np.uint64)
            return
        self.array = cupy.empty(count, dtype=np.uint64)
        self._copy.fill(0)
        for place, number in begin.items():
            self._copy[place] = number
        kind, stream = runtime.memcpyHostToDevice, self._stream.ptr
        self._memcpy(self.array.data.ptr, self._place, self.array.nbytes, kind, stream)

    def read(self) -> list[int]:
        """The numbers as all launches so far have left them: waits for these."""
        array, stream = self.array, self._stream
        self._memcpy(self._place, array.data.ptr, array.nbytes, self._kind, stream.ptr)
        stream.synchronize()
        return self._copy.tolist()  # type: ignore[no-any-return]
