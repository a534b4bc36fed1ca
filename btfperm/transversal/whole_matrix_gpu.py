# SPDX-License-Identifier: BSD-3-Clause
"""Gathers a matrix over ranks on the GPU of the first rank, and copies the results from there, for
the search ``augmenting/first_rank_mpi.py``.

The first rank copies its own columns straight to the GPU, and receives those of the other ranks in
host memory. NCCL is not used, because its start takes longer than the transfer; and on two H100,
the matrix arrived later by NCCL (benchmarks/results/2026-11-27-mpi-gpu-large-nccl).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.arrays import download, upload
from btfperm.pattern import DevicePattern
from btfperm.pattern.arrays import index_type

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["copied", "gathered"]


def gathered(problem: DistributedProblem) -> DevicePattern | None:
    """The whole matrix on the GPU of the first rank; None on the others. Collective."""
    pattern, exchange = problem.pattern, problem.exchange
    width = np.dtype(index_type(pattern.shape, pattern.nnz))
    before = exchange.from_all(pattern.indices.size)[: exchange.rank, 0].sum()
    ends = np.add(pattern.indptr[1:], before, dtype=np.int64).astype(width)
    arrays = []
    for first, own in ((1, ends), (0, pattern.indices.astype(width, copy=False))):
        others = exchange.gather_to(0, own if exchange.rank else own[:0])
        if others is not None:
            arrays.append(_joined(first, own, others))
    if not arrays:
        return None
    indptr, indices = arrays
    return DevicePattern._unchecked(pattern.shape, indptr, indices, pattern.name)


def _joined(zeros: int, own: npt.NDArray[Any], others: npt.NDArray[Any]) -> Any:
    """An array on the GPU: a number of zeros, then two arrays of the host."""
    import cupy

    last = zeros + own.size
    whole = cupy.zeros(last + others.size, dtype=own.dtype)
    whole[zeros:last] = upload(own)
    if others.size:
        whole[last:] = upload(others)
    return whole


def copied(array: Any, into: npt.NDArray[Any]) -> None:
    """Copies an array of the GPU to the host."""
    download(array.astype(into.dtype, copy=False), into)
