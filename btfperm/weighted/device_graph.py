# SPDX-License-Identifier: BSD-3-Clause
"""Arguments and results of the algorithms for graphs on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import upload
from btfperm.backends.gpu.device import refuse_beyond_free

__all__ = ["DeviceGraph", "Matched"]


@dataclass(frozen=True)
class DeviceGraph:
    """A graph on the current device: a symmetric pattern with a positive weight for each entry off
    the diagonal; entries on the diagonal are ignored.

    Attributes
    ----------
    indptr, indices : compressed columns, CuPy arrays of one index type
    weight : (nnz,) CuPy array of float64; None: all weights are 1
    """

    indptr: Any
    indices: Any
    weight: Any = None

    @classmethod
    def of_host(cls, indptr: Any, indices: Any, weight: Any = None) -> DeviceGraph:
        """A copy of arrays of the host.

        Raises
        ------
        BackendUnavailableError : the free memory of the device is too small
        """
        refuse_small_device(indptr.size - 1, indices)
        there = None if weight is None else upload(weight)
        return cls(upload(indptr), upload(indices), there)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return int(self.indptr.size) - 1

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return int(self.indices.size)

    @property
    def weight_or_null(self) -> Any:
        """The weights as an argument of a kernel, in which null means that all are 1."""
        return np.uint64(0) if self.weight is None else self.weight


@dataclass
class Matched:
    """The matching that an algorithm returns, and its counters.

    Attributes
    ----------
    mate : (n,) the vertex matched to each vertex, or -1
    round_of : (n,) the round in which it was matched, from 1 on; 0: unmatched
    rounds : number of rounds
    edges : edges visited
    sorted : edges that the CPU sorted
    """

    mate: Any
    round_of: Any
    rounds: int = 0
    edges: int = 0
    sorted: int = 0


def refuse_small_device(n: int, indices: Any) -> None:
    """Raises BackendUnavailableError if the current device has too little free memory for the
    algorithm with the largest need, local-max: three lists of all entries with their weights, two
    more indices for each entry, and eight for each vertex."""
    width = indices.dtype.itemsize
    needed = indices.size * (3 * (2 * width + 8) + 2 * width) + 8 * n * width
    refuse_beyond_free(needed, f"a graph of {n:,} vertices with {indices.size:,} entries")
