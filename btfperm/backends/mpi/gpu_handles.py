# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the GPU of the first rank, which all ranks of its machine write and read.

The first rank allocates the memory and sends the others a handle of it (CUDA's interprocess
communication). Each rank opens the handle on its own GPU, and then copies between its host memory
and that memory: the data pass the bus of its own GPU and the link between the GPUs, so that all
ranks copy at the same time. If the GPUs or the system do not permit that, or with
``BTFPERM_NCCL=0``, which turns off all exchanges between GPUs, the first rank receives the arrays
of the others in host memory and copies them to its GPU.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.staging import Ring

if TYPE_CHECKING:
    from btfperm.backends.mpi.exchange import Exchange

__all__ = ["FirstMemory", "aligned", "bytes_beside_entries"]

_HANDLE = 64  # bytes, of CUDA
_NONE = bytes(_HANDLE)
_ALIGNMENT = 256  # bytes
_ENABLE_ACCESS = 1  # cudaIpcMemLazyEnablePeerAccess

Array = npt.NDArray[Any]


def bytes_beside_entries(shape: tuple[int, int], index_bytes: int) -> int:
    """The size of the memory beside the entries: the starts of the columns; and a part that first
    holds the ends of the columns of all ranks, and then the results: the mates, and one byte for
    each row and column."""
    m, n = shape
    starts, ends, results = (n + 1) * index_bytes, 8 * n, (m + n) * (index_bytes + 1)
    return aligned(starts) + max(ends, results) + 4 * _ALIGNMENT


def aligned(size: int) -> int:
    """A number of bytes, rounded up so that an array may start there."""
    return -(-size // _ALIGNMENT) * _ALIGNMENT


class FirstMemory:
    """Memory on the first rank's GPU, which is CuPy's current device there; the other ranks use
    their current devices to access it. Making it is collective. The first rank's memory is freed
    with the last array that `array` returns.

    Attributes
    ----------
    is_shared : whether all ranks access the memory; the same on all ranks after `gather`
    """

    def __init__(self, exchange: Exchange, size: int) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        self._exchange = exchange
        self._block = None if exchange.rank else _Block(size)
        self._place = 0 if self._block is None else self._block.place
        self.is_shared = exchange.size == 1
        if self.is_shared:
            return
        handle = _NONE
        on_one_machine = exchange.ranks_here == exchange.size
        if self._place and on_one_machine and os.environ.get("BTFPERM_NCCL") != "0":
            try:  # a handle refers to a whole allocation of the driver
                handle = bytes(runtime.ipcGetMemHandle(self._place))
            except runtime.CUDARuntimeError:
                handle = _NONE
        words = exchange.from_all(*np.frombuffer(handle, dtype=np.int64).tolist())[0]
        if exchange.rank and words.any():
            try:
                self._place = runtime.ipcOpenMemHandle(words.tobytes(), _ENABLE_ACCESS)
            except runtime.CUDARuntimeError:
                self._place = 0

    def array(self, offset: int, size: int, kind: npt.DTypeLike) -> Any:
        """A CuPy array in the memory, on the first rank only; `offset` in bytes."""
        assert self._block is not None
        return self._block.array(offset, size, np.dtype(kind))

    def gather(self, parts: Sequence[tuple[Array, int]]) -> None:
        """Copies arrays of all ranks to the memory. For each array, the ranks give the same offset
        in bytes; their parts follow one another there in the order of the ranks. Collective."""
        exchange = self._exchange
        sizes = exchange.from_all(*(array.nbytes for array, _ in parts))
        before = sizes[: exchange.rank].sum(axis=0).tolist()
        is_copied = self._place > 0
        if is_copied:
            starts = [offset + begin for (_, offset), begin in zip(parts, before, strict=True)]
            is_copied = self._written([array for array, _ in parts], starts)
        self.is_shared = exchange.sums(int(is_copied))[0] == exchange.size
        if self.is_shared:
            return
        self.close()
        for k, (array, offset) in enumerate(parts):
            others = exchange.gather_to(0, array if exchange.rank else array[:0])
            if others is not None:
                self._written([others], [offset + int(sizes[0, k])])

    def _written(self, arrays: list[Array], starts: list[int]) -> bool:
        """Copies arrays of this rank; returns whether that was possible. Only on the first rank, a
        failure raises its error."""
        import cupy

        copies = [
            (np.ascontiguousarray(array), self._place + start)
            for array, start in zip(arrays, starts, strict=True)
        ]
        try:
            Ring.of_this_process().write(copies)
        except cupy.cuda.runtime.CUDARuntimeError:
            if not self._exchange.rank:
                raise
            return False
        return True

    def read(self, parts: Sequence[tuple[Array, int]]) -> None:
        """Copies from the memory into contiguous new arrays of this rank, each from an offset in
        bytes on."""
        copies = [(into, self._place + offset) for into, offset in parts]
        Ring.of_this_process().read(copies, is_new=True)

    def close(self) -> None:
        """Ends the access of another rank than the first."""
        import cupy

        if self._block is None and self._place:
            cupy.cuda.runtime.ipcCloseMemHandle(self._place)
            self._place = 0


class _Block:
    """Memory of the driver on CuPy's current device."""

    def __init__(self, size: int) -> None:
        import cupy

        runtime = cupy.cuda.runtime
        try:
            self.place = int(runtime.malloc(max(size, 1)))
        except runtime.CUDARuntimeError:  # CuPy keeps memory that nothing uses
            cupy.get_default_memory_pool().free_all_blocks()
            self.place = int(runtime.malloc(max(size, 1)))
        weakref.finalize(self, _free, runtime, self.place).atexit = False

    def array(self, offset: int, size: int, kind: np.dtype[Any]) -> Any:
        import cupy

        if not size:
            return cupy.empty(0, dtype=kind)
        return cupy.asarray(_Part(self, self.place + offset, size, kind))


class _Part:
    """A part of a block, as CuPy takes it; an array refers to the part, and the part to its
    block."""

    def __init__(self, block: _Block, place: int, size: int, kind: np.dtype[Any]) -> None:
        self.block = block
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": kind.str,
            "data": (place, False),
            "strides": None,
            "version": 3,
        }


def _free(runtime: Any, place: int) -> None:
    runtime.free(place)
