# SPDX-License-Identifier: BSD-3-Clause
"""Copies of arrays between the host and devices, and small operations on arrays of a device. An
array on the current device is used without a copy; a large array on the host is copied through
pinned memory (``staging.py``). Everything runs on CuPy's current device and stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.staging import Ring

__all__ = [
    "BLOCK",
    "COUNTING",
    "as_device_array",
    "brought",
    "device_of",
    "download",
    "downloaded",
    "grid",
    "lanes_for",
    "minus_ones",
    "transposed",
    "upload",
]

BLOCK = 256
# Maximum number of blocks of a kernel that counts: each warp adds its sum to the same counters, and
# these atomic operations are executed one after the other.
COUNTING = 4096
_MOST_BLOCKS = 1 << 20
_SMALL = 1 << 20  # bytes that `downloaded` copies with one wait


def as_device_array(array: Any) -> Any:
    """A CuPy array that shares the memory of an array on a device. CuPy's current stream waits for
    the stream that the array names, as the protocols ``__cuda_array_interface__`` and DLPack
    require."""
    import cupy

    if isinstance(array, cupy.ndarray):
        return array
    if hasattr(array, "__cuda_array_interface__"):
        return cupy.asarray(array)
    return cupy.from_dlpack(array)


def device_of(array: Any) -> int:
    """The number of the device that holds a CuPy array."""
    return int(array.device.id)


def brought(array: Any) -> Any:
    """A CuPy array on the current device: itself, or a copy if it is on another device."""
    import cupy

    return array if device_of(array) == cupy.cuda.Device().id else array.copy()


def upload(array: npt.NDArray[Any]) -> Any:
    """A copy on the current device."""
    return Ring.of_this_process().upload(np.ascontiguousarray(array))


def download(array: Any, into: npt.NDArray[Any]) -> None:
    """Copies a CuPy array to the host; waits until the copy is complete."""
    Ring.of_this_process().download(array, into)


def downloaded(*arrays: Any) -> list[npt.NDArray[Any]]:
    """Copies contiguous CuPy arrays to the host. If they are small in total, the host waits once
    for all copies."""
    import cupy

    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    if sum(array.nbytes for array in arrays) > _SMALL:
        return [array.get() for array in arrays]
    copies = []
    for array in arrays:
        pinned = cupy.cuda.alloc_pinned_memory(max(array.nbytes, 1))
        copy = np.frombuffer(pinned, array.dtype, array.size)
        place, kind = copy.ctypes.data, runtime.memcpyDeviceToHost
        runtime.memcpyAsync(place, array.data.ptr, array.nbytes, kind, stream.ptr)
        copies.append(copy)
    stream.synchronize()
    return copies


def grid(items: int, max_blocks: int = _MOST_BLOCKS) -> int:
    """The number of blocks for one thread per item, but at most `max_blocks`. With fewer threads
    than items, each thread processes several items, because the loops of kernels are strided."""
    return min(max(-(-items // BLOCK), 1), max_blocks)


def lanes_for(entries: int, lists: int) -> int:
    """The number of lanes that visit a list together: 4 if the lists are short on average, 8 or 32
    if they are longer."""
    mean = entries / max(lists, 1)
    return 4 if mean < 5.5 else 8 if mean < 12 else 32


def minus_ones(size: int, width: Any) -> Any:
    """An array of -1 on the current device."""
    import cupy

    array = cupy.empty(size, dtype=width)
    array.data.memset_async(0xFF, array.nbytes)
    return array


def transposed(m: int, indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Compressed rows from compressed columns, or columns from rows, by a counting sort. The order
    within a list is arbitrary. O(m + n + nnz) on the device."""
    import cupy

    width, n, nnz = indices.dtype, int(indptr.size) - 1, int(indices.size)
    run = kernels("backends/gpu/transpose.cu", width.name)
    starts = cupy.zeros(m + 1, dtype=width)
    run.launch("count_rows", grid(nnz), BLOCK, nnz, indices, starts)
    starts = cupy.cumsum(starts, dtype=width)
    following = starts[:-1].copy()
    lists = cupy.empty(nnz, dtype=width)
    run.launch("scatter", grid(32 * n), BLOCK, n, indptr, indices, following, lists)
    return starts, lists
