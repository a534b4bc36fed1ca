# SPDX-License-Identifier: BSD-3-Clause
"""Gathers a matrix over ranks on the GPU of the first rank: a part of the search
``augmenting/first_rank_mpi.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.pattern import DevicePattern
from btfperm.pattern.arrays import index_type

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["gathered"]


def gathered(problem: DistributedProblem) -> DevicePattern | None:
    """The whole matrix on the GPU of the first rank; None on the others. Collective."""
    pattern, link = problem.pattern, problem.link
    gather: Any = link.gather_to_first  # type: ignore[union-attr]
    lengths = gather(np.diff(pattern.indptr).astype(pattern.width))
    indices = gather(pattern.indices)
    if lengths is None or indices is None:
        return None
    import cupy

    width = np.dtype(index_type(pattern.shape, int(indices.size)))
    indptr = cupy.zeros(pattern.n + 1, dtype=width)
    indptr[1:] = cupy.cumsum(lengths, dtype=width)
    columns = indptr, indices.astype(width, copy=False)
    return DevicePattern._unchecked(pattern.shape, *columns, pattern.name)
