# SPDX-License-Identifier: BSD-3-Clause
"""Copies arrays of the ranks of one machine to the GPU of the first rank.

Each rank copies its array to its own GPU, all at the same time, and sends the first rank a handle
of this memory (CUDA's interprocess communication). The first rank opens the handles and copies from
GPU to GPU. If the GPUs or the system do not permit that, or with ``BTFPERM_NCCL=0``, which turns
off all exchanges between GPUs, the first rank receives the arrays in host memory and copies them to
its GPU.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.arrays import upload

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange

__all__ = ["gathered_on_device"]

_HANDLE = 64  # bytes, of CUDA
_NONE = bytes(_HANDLE)
_ENABLE_ACCESS = 1  # cudaIpcMemLazyEnablePeerAccess

Array = npt.NDArray[Any]


def gathered_on_device(exchange: Exchange, own: Array, zeros: int = 0) -> Any:
    """Concatenates a number of zeros and the arrays of all ranks on the GPU of the first rank,
    which is CuPy's current device there; returns None on the other ranks. Collective."""
    import cupy

    sizes = exchange.from_all(own.size)[:, 0]
    whole: Any = None
    own_end = zeros + int(sizes[0])
    is_offered = exchange.rank > 0 and exchange.ranks_here == exchange.size
    with _offered(own if is_offered else own[:0]) as handle:
        if not exchange.rank:
            whole = cupy.zeros(zeros + int(sizes.sum()), dtype=own.dtype)
            whole[zeros:own_end] = upload(own)
        if exchange.size == 1:
            return whole
        handles = exchange.from_all(*np.frombuffer(handle, dtype=np.int64).tolist())
        is_copied = whole is None or _copied(handles, sizes, whole[own_end:])
        is_copied = exchange.sums(int(is_copied))[0] == exchange.size
    if not is_copied:
        others = exchange.gather_to(0, own if exchange.rank else own[:0])
        if others is not None:
            whole[own_end:] = upload(others)
    return whole


@contextmanager
def _offered(array: Array) -> Iterator[bytes]:
    """A handle of a copy of the array on the current GPU; `_NONE` if there is none. The copy has
    memory of the driver, because a handle refers to a whole allocation, not to a part of a pool."""
    import cupy

    runtime, place, handle = cupy.cuda.runtime, 0, _NONE
    failures = runtime.CUDARuntimeError, cupy.cuda.memory.OutOfMemoryError
    try:
        try:
            if array.size and os.environ.get("BTFPERM_NCCL") != "0":
                stream, copy = cupy.cuda.get_current_stream(), upload(array)
                place = runtime.malloc(array.nbytes)
                kind = runtime.memcpyDeviceToDevice
                runtime.memcpyAsync(place, copy.data.ptr, array.nbytes, kind, stream.ptr)
                stream.synchronize()
                handle = bytes(runtime.ipcGetMemHandle(place))
        except failures:
            handle = _NONE
        yield handle
    finally:
        if place:
            runtime.free(place)


def _copied(handles: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], target: Any) -> bool:
    """Copies the arrays of all ranks but the first from the GPUs to which the handles refer;
    returns whether that was possible."""
    import cupy

    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    ends = np.cumsum(sizes[1:]) * target.itemsize
    for end, handle, size in zip(ends.tolist(), handles[1:], sizes[1:].tolist(), strict=True):
        if not size:
            continue
        if not handle.any():
            return False
        try:
            place = runtime.ipcOpenMemHandle(handle.tobytes(), _ENABLE_ACCESS)
            try:
                length, kind = size * target.itemsize, runtime.memcpyDeviceToDevice
                to = target.data.ptr + end - length
                runtime.memcpyAsync(to, place, length, kind, stream.ptr)
                stream.synchronize()
            finally:
                runtime.ipcCloseMemHandle(place)
        except runtime.CUDARuntimeError:
            return False
    return True
