# SPDX-License-Identifier: BSD-3-Clause
"""The checks of ``graph_certificate.py`` for a graph on a GPU; see ``graph_certificate.cu``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.pattern.canonical_gpu import columns_of
from btfperm.weighted.device_graph import DeviceGraph

__all__ = ["DeviceChecks"]

_FILE = "weighted/graph_certificate.cu"
_ADDING = 256  # thread blocks that add up an array
_NONE = 2**64 - 1


class DeviceChecks:
    """The passes over the entries of a graph on the current device."""

    def __init__(self, graph: DeviceGraph) -> None:
        self._graph = graph
        self._run = kernels(_FILE, graph.indices.dtype.name).launch
        self._columns = graph.indptr, graph.indices, graph.weight_or_null

    @cached_property
    def _heads(self) -> Any:
        return columns_of(self._graph.indptr, self._graph.nnz)

    def find_fault(self) -> tuple[int, int, float]:
        """(kind, entry, largest weight): the kind of the first fault, as numbered in
        ``graph_certificate.hpp``, and the place of the entry that shows it; 0 and -1 if there is no
        fault."""
        fault = SharedStruct(_FILE, "Fault", {"first": _NONE})
        nnz = self._graph.nnz
        self._run("find_fault", grid(nnz), BLOCK, nnz, *self._columns, self._heads, fault.array)
        fields = fault.fields()
        largest = float(np.array([fields["largest"]], np.uint64).view(np.float64)[0])
        first = fields["first"]
        return (0, -1, largest) if first == _NONE else (first % 4, first // 4, largest)

    def check(self, mate: Any, round_of: Any, rounds: int) -> dict[str, Any]:
        """What the passes over the vertices and the entries find: the fields of the class `Facts`
        of ``graph_certificate.py``, on the host, and two arrays on the device: `matched_weight`,
        the weight of the matched edge of each vertex, and `half_of_heaviest`, half of the weight of
        the heaviest edge of each vertex. If a mate is wrong, the edges are not checked."""
        import cupy

        graph, width = self._graph, self._graph.indices.dtype
        n, nnz = graph.n, graph.nnz
        start = dict.fromkeys(("wrong", "free_at", "heavy_at"), _NONE)
        facts = SharedStruct(_FILE, "Facts", start)
        counts = [cupy.zeros(rounds + 2, dtype=width) for _ in range(2)]
        matched, heaviest = cupy.empty(n), cupy.zeros(n)
        result = mate, round_of, rounds
        of_mates = matched, counts[0], facts.array
        self._run("check_mates", grid(n), BLOCK, n, *self._columns, *result, *of_mates)
        found: dict[str, Any] = facts.fields()
        if found["wrong"] == _NONE:
            of_edges = matched, counts[1], heaviest, facts.array
            self._run(
                "check_edges", grid(nnz), BLOCK, nnz, *self._columns[1:], self._heads, *result,
                *of_edges,
            )  # fmt: skip
            self._run("halve", grid(n), BLOCK, n, heaviest)
            found = facts.fields()
        found = {name: -1 if value == _NONE else value for name, value in found.items()}
        in_round, removed = (part.get().astype(np.int64) for part in counts)
        return found | {
            "weight": self.total(matched) / 2,
            "in_round": in_round[1 : rounds + 1],
            "removed": removed[1 : rounds + 1],
            "matched_weight": matched,
            "half_of_heaviest": heaviest,
        }

    def total(self, values: Any) -> float:
        """The sum of an array on the device, which is the same in each run."""
        import cupy

        n = int(values.size)
        sums = cupy.empty(grid(n, _ADDING))
        self._run("add_up", grid(n, _ADDING), BLOCK, n, values, sums)
        return float(sums.get().sum())

    def find_excess(self, dual: Any) -> tuple[float, float, bool]:
        """(largest excess of an edge, at least 0; largest dual; whether a dual is negative or NaN).

        The excess of an edge is its weight minus the duals of its two ends.
        """
        n, nnz = self._graph.n, self._graph.nnz
        excess = SharedStruct(_FILE, "Excess")
        entries = n, nnz, *self._columns[1:], self._heads
        self._run("check_duals", grid(max(n, nnz)), BLOCK, *entries, dual, excess.array)
        fields = excess.fields()
        bits = np.array([fields["bits"], fields["largest"]], np.uint64)
        over, largest = bits.view(np.float64).tolist()
        return over, largest, bool(fields["negative"])
