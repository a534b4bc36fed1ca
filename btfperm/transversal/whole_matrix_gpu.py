# SPDX-License-Identifier: BSD-3-Clause
"""Gathers a matrix over ranks on the GPU of the first rank, and distributes the results from there,
for the search ``augmenting/first_rank_mpi.py``.

All ranks write their columns to one block of memory of that GPU, and read their parts of the
results from it (``backends/mpi/gpu_handles.py``). NCCL is not used, because its start takes longer
than the transfer.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import download
from btfperm.backends.gpu.staging import Ring
from btfperm.backends.mpi.gpu_handles import FirstMemory, aligned, bytes_beside_entries
from btfperm.pattern import DevicePattern
from btfperm.pattern.arrays import index_type
from btfperm.transversal.augmenting import first_rank_mpi

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem
    from btfperm.transversal.augmenting.first_rank_mpi import HandOut, Parts

__all__ = ["copying_threads", "gathered"]

_COPIED_APART = 1 << 10  # numbers that `_widen` copies twice


def gathered(problem: DistributedProblem) -> tuple[DevicePattern | None, HandOut]:
    """The whole matrix on the GPU of the first rank, or None on the others; and the function that
    hands out the results. Collective."""
    pattern, exchange = problem.pattern, problem.exchange
    shape, nnz = pattern.shape, pattern.nnz
    width = np.dtype(index_type(shape, nnz))
    own = pattern.indices  # of 32 bits even if the starts of more than 2^31 entries need 64
    indices_at = aligned((shape[1] + 1) * width.itemsize)
    rest_at = indices_at + aligned(nnz * width.itemsize)
    size = aligned(nnz * width.itemsize) + bytes_beside_entries(shape, width.itemsize)
    memory = FirstMemory(exchange, size)
    own_at = indices_at + nnz * (width.itemsize - own.itemsize)
    memory.gather([(own, own_at), (pattern.indptr[1:], rest_at)])
    sizes = exchange.from_all(own.size)[:, 0]
    before = (np.cumsum(sizes) - sizes).tolist()
    hand_out = partial(_hand_out, memory, rest_at)
    if exchange.rank:
        return None, hand_out
    indptr = memory.array(0, shape[1] + 1, width)
    ends = memory.array(rest_at, shape[1], np.int64)
    indptr[:1] = 0
    bounds = pattern.col_slices.bounds.tolist()
    for (first, last), entries in zip(itertools.pairwise(bounds), before, strict=True):
        part = indptr[first + 1 : last + 1]
        part[...] = ends[first:last]
        part += entries
    indices = memory.array(indices_at, nnz, width)
    if own.dtype != width:
        _widen(memory.array(own_at, nnz, own.dtype), indices)
    return DevicePattern._unchecked(shape, indptr, indices, pattern.name), hand_out


def copying_threads(_pattern: Any, _asked: int | None) -> int:
    """The number of threads of the call that searches on the GPU: those that copied the matrix, so
    that OpenMP need not end or start any. The search itself uses one."""
    return Ring.of_this_process().most_threads


def _widen(narrow: Any, wide: Any) -> None:
    """Copies 32-bit numbers to an array of 64-bit numbers that ends where they end. Each step
    copies half of the numbers that remain, because it must overwrite only numbers that were copied
    before; the last numbers are copied first to another place."""
    begin, size = 0, wide.size
    while size - begin > _COPIED_APART:
        end = (begin + size) // 2
        wide[begin:end] = narrow[begin:end]
        begin = end
    wide[begin:] = narrow[begin:].copy()


def _hand_out(memory: FirstMemory, offset: int, problem: DistributedProblem, parts: Parts) -> None:
    """Each rank copies its parts from the memory of the first rank's GPU, from an offset on; see
    `first_rank_mpi.hand_out`."""
    import cupy

    exchange = problem.exchange
    if not memory.is_shared:
        first_rank_mpi.hand_out(
            problem, [(_on_host(array, into), s, into) for array, s, into in parts]
        )
        return
    places = []
    for array, slices, into in parts:
        size = int(slices.bounds[-1])
        if array is not None:
            memory.array(offset, size, into.dtype)[...] = array
        places.append(offset + slices.first * into.itemsize)
        offset += aligned(size * into.itemsize)
    if not exchange.rank:
        cupy.cuda.get_current_stream().synchronize()
    exchange.barrier()
    memory.read([(into, place) for place, (_, _, into) in zip(places, parts, strict=True)])
    memory.close()


def _on_host(array: Any, into: Any) -> Any:
    """A copy on the host of an array of the GPU, of the type of another array."""
    if array is None:
        return None
    found = np.empty(array.size, dtype=into.dtype)
    download(array.astype(into.dtype, copy=False), found)
    return found
