# SPDX-License-Identifier: BSD-3-Clause
"""A few numbers that kernels leave on the device and the host looks at between launches."""

from __future__ import annotations

import numpy as np

__all__ = ["Readback"]


class Readback:
    """Unsigned 64-bit numbers on the current device, zero at first: `array` for the kernels, `read`
    for the host."""

    def __init__(self, count: int) -> None:
        import cupy

        self.array = cupy.zeros(count, dtype=np.uint64)
        self._pinned = cupy.cuda.alloc_pinned_memory(8 * count)
        self._copy = np.frombuffer(self._pinned, np.uint64, count)
        self._stream = cupy.cuda.get_current_stream()
        runtime = cupy.cuda.runtime
        self._memcpy, self._kind = runtime.memcpyAsync, runtime.memcpyDeviceToHost

    def read(self) -> list[int]:
        """The numbers as all launches so far have left them: waits for these."""
        copy, array = self._copy, self.array
        self._memcpy(copy.ctypes.data, array.data.ptr, array.nbytes, self._kind, self._stream.ptr)
        self._stream.synchronize()
        return copy.tolist()  # type: ignore[no-any-return]
