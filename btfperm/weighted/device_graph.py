# SPDX-License-Identifier: BSD-3-Clause
"""The object that algorithms for graphs on a GPU work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import minus_ones, upload
from btfperm.backends.gpu.device import on, refuse_beyond_free
from btfperm.registry import Algorithm
from btfperm.weighted.graph_call import OfVertices

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session
    from btfperm.weighted.graph_call import GraphProblem

__all__ = ["DeviceGraph"]


@dataclass
class DeviceGraph(OfVertices):
    """A graph on a device, and the current matching. The graph is a symmetric pattern with a
    positive weight for each entry off the diagonal; entries on the diagonal are ignored.

    Attributes
    ----------
    indptr, indices : compressed columns, CuPy arrays of one index type
    weight : (nnz,) CuPy array of float64, in the unit `unit` (see `unit_of`); None: all
        weights are 1
    pattern : the `DevicePattern` of the graph; None for a copy of `host`, the graph on the host
    device : number of the device
    mate, round_of : (n,) CuPy arrays with the meaning of those of `GraphProblem`; see `clear`
    rounds : the number of rounds
    found_by : the algorithm that ran last
    """

    indptr: Any
    indices: Any
    weight: Any = None
    unit: float = 1.0
    pattern: Any = None
    host: GraphProblem | None = None
    device: int | None = None
    mate: Any = None
    round_of: Any = None
    rounds: int = 0
    found_by: Algorithm | None = None

    @classmethod
    def of_host(cls, indptr: Any, indices: Any, weight: Any = None) -> DeviceGraph:
        """A graph on the current device, copied from arrays on the host.

        Raises
        ------
        BackendUnavailableError : the free memory of the device is too small
        """
        refuse_small_device(indptr.size - 1, indices)
        there = None if weight is None else upload(weight)
        return cls(upload(indptr), upload(indices), there)

    @classmethod
    def of_problem(cls, host: GraphProblem, device: int | None) -> DeviceGraph:
        """A graph on a GPU, copied from a graph on the host.

        Raises
        ------
        BackendUnavailableError : there is no GPU, it fails, or its free memory is too small
        """
        import cupy

        weight = None if bool((host.weight == 1.0).all()) else host.weight
        with on(device) as number:
            graph = cls.of_host(host.indptr, host.indices, weight)
            cupy.cuda.get_current_stream().synchronize()
        graph.host, graph.device = host, number
        return graph

    def clear(self) -> None:
        """Makes all vertices unmatched."""
        import cupy

        width = self.indices.dtype
        self.mate, self.round_of = minus_ones(self.n, width), cupy.zeros(self.n, dtype=width)
        self.rounds = 0

    def on_device(self, session: Session, device: int | None) -> DeviceGraph:
        """This graph. `device` is not used, because no caller of `match` can name one."""
        return self

    def on_host(self) -> GraphProblem:
        """The graph that this one was copied from, with the current matching."""
        host = self.host
        assert host is not None and self.found_by is not None
        with on(self.device):
            host.mate[:], host.round_of[:] = self.mate.get(), self.round_of.get()
        host.own_dual.fill(0.0)
        host.rounds, host.found_by = self.rounds, self.found_by
        return host

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


def refuse_small_device(n: int, indices: Any) -> None:
    """Raises BackendUnavailableError if the current device has too little free memory for
    local-max, which needs most: three lists with two indices and a weight for each entry, two more
    indices for each entry, and eight indices for each vertex."""
    width = indices.dtype.itemsize
    needed = indices.size * (3 * (2 * width + 8) + 2 * width) + 8 * n * width
    refuse_beyond_free(needed, f"a graph of {n:,} vertices with {indices.size:,} entries")
