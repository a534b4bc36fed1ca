# SPDX-License-Identifier: BSD-3-Clause
"""Gathers a matrix over ranks on the GPU of the first rank, and copies the results from there, for
the search ``augmenting/first_rank_mpi.py``.

NCCL is not used, because its start takes longer than the transfer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from btfperm.backends.gpu.arrays import download
from btfperm.backends.mpi.gpu_handles import gathered_on_device
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
    own = pattern.indices.astype(width, copy=False)
    indptr = gathered_on_device(exchange, ends, zeros=1)
    indices = gathered_on_device(exchange, own)
    if indptr is None:
        return None
    return DevicePattern._unchecked(pattern.shape, indptr, indices, pattern.name)


def copied(array: Any, into: npt.NDArray[Any]) -> None:
    """Copies an array of the GPU to the host."""
    download(array.astype(into.dtype, copy=False), into)
