# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that kernels write on the device and the host reads between launches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from btfperm.backends.gpu.layout import layout

__all__ = ["Readback", "SharedStruct"]


class Readback:
    """Unsigned 64-bit numbers on the current device, for its current stream. Kernels write to
    `array`; the host calls `read`. The numbers are zero at first, except those in `begin`, which
    maps places to values."""

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
        """Waits for all launches so far and returns the numbers."""
        array, stream = self.array, self._stream
        self._memcpy(self._place, array.data.ptr, array.nbytes, self._kind, stream.ptr)
        stream.synchronize()
        return self._copy.tolist()  # type: ignore[no-any-return]


class SharedStruct(Readback):
    """A CUDA struct of 64-bit counters on the current device, in its current stream.

    Parameters
    ----------
    file : source of the kernels, which declares the struct; see ``layout.py``
    name : name of the struct
    start : first values of counters by name; the other words are zero
    extra : number of additional words after the struct
    """

    def __init__(
        self, file: str, name: str, start: Mapping[str, int] | None = None, extra: int = 0
    ) -> None:
        self.layout = layout(file, name)
        words = self.layout.words
        begin = None if start is None else {words[field]: start[field] for field in start}
        super().__init__(self.layout.size + extra, begin)

    def field(self, name: str) -> Any:
        """The part of `array` that holds a counter or an array of counters."""
        return self.array[self.layout.span(name)]

    def fields(self) -> dict[str, int]:
        """Waits for all launches so far and returns the counters by name."""
        values = self.read()
        return {name: values[place] for name, place in self.layout.words.items()}

    def zeros(self) -> dict[str, int]:
        """A dict like that of `fields` in which all counters are 0, without a copy."""
        return dict.fromkeys(self.layout.words, 0)
