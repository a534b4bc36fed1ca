# SPDX-License-Identifier: BSD-3-Clause
"""A maximum matching of the rows and columns of one rank, computed on its GPU: a part of the
initializer ``initial/own_blocks_mpi.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm import registry
from btfperm.backends.gpu.arrays import download
from btfperm.backends.gpu.budget import Budget
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.errors import BackendUnavailableError
from btfperm.path.fallback import Action, Event, State, after
from btfperm.pattern import DevicePattern
from btfperm.pattern.arrays import index_type
from btfperm.transversal.auto_table import DEFAULT_ON_GPU
from btfperm.transversal.owned_pairs_gpu import match_own_rows

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["match_own_block"]


def match_own_block(problem: DistributedProblem, seconds: float, seed: int) -> int:
    """Writes the matching to the problem, in which nothing may be matched. `seconds` is a time
    limit; 0 means none. If the memory of the GPU is too small for a maximum matching, it computes a
    maximal one. Returns the number of visited entries."""
    import cupy

    try:
        return _searched(problem, seconds, seed)
    except (BackendUnavailableError, cupy.cuda.memory.OutOfMemoryError):
        if after(Event.NO_ROOM, State("start", "gpu")) is not Action.MATCH_OWN_ROWS:
            raise
    # The exception was deleted at the end of the `except` block, and with it the last references to
    # the arrays of the search. So their memory can be freed here.
    cupy.get_default_memory_pool().free_all_blocks()
    return match_own_rows(problem)


def _searched(problem: DistributedProblem, seconds: float, seed: int) -> int:
    """Runs meeting-trees on a copy of the rank's columns that omits entries in rows of other ranks.
    The matching is maximum unless the limit ended the search. Returns the number of entries of the
    copy.

    Raises
    ------
    BackendUnavailableError, OutOfMemoryError : the memory of the GPU is too small for the search
    """
    import cupy

    indptr, items = problem.on_device
    rows, cols = problem.rows.size, problem.cols.size
    is_own = items < problem.halo.own
    own = items[is_own]
    width = np.dtype(index_type((rows, cols), int(own.size)))
    before = cupy.zeros(items.size + 1, dtype=np.int64)
    before[1:] = cupy.cumsum(is_own, dtype=np.int64)
    starts = before[indptr].astype(width)
    del before, is_own
    block = DeviceProblem.empty(
        DevicePattern._unchecked((rows, cols), starts, own.astype(width, copy=False))
    )
    block.check_room()
    row = registry.find(DEFAULT_ON_GPU, initializer=False, backend="gpu")
    row.load()(block, Budget(seconds), seed, row.defaults)
    row_match, col_match = np.empty(rows, dtype=width), np.empty(cols, dtype=width)
    download(block.row_match, row_match)
    download(block.col_match, col_match)
    problem.match_own(row_match, col_match)
    return int(own.size)
