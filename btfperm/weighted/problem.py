# SPDX-License-Identifier: BSD-3-Clause
"""The object that weighted searches work on: a matrix with values, blocks, matching and duals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.registry import Algorithm
from btfperm.registry.counters import OF_WEIGHTED_SEARCHES

if TYPE_CHECKING:
    from btfperm.backends.protocol import Session, ValuedSession

__all__ = ["WeightedProblem"]


class WeightedProblem:
    """A problem on the host. A search on a GPU copies the blocks that it searches to the GPU.

    Attributes
    ----------
    pattern : the matrix; m, indptr, indices: its parts
    value : the contribution of each entry to the objective
    form : the decomposition of the pattern; blocks: the parts of it that the core takes
    row_match, col_match, row_dual, col_dual : set by the search
    threads : number of threads of a search on the CPU
    device : number of the GPU that searches, or None
    found_by : the algorithm that set the matching
    """

    device: int | None = None
    found_by: Algorithm

    def __init__(self, session: ValuedSession, threads: int) -> None:
        self.pattern = pattern = session.pattern
        self.m, n = pattern.shape
        self.indptr, self.indices, self.value = pattern.indptr, pattern.indices, session.values
        self.form = d = session.form
        self.blocks = d.row_perm, d.col_perm, d.row_blocks, d.col_blocks
        width = pattern.indices.dtype
        self.row_match, self.col_match = np.empty(self.m, width), np.empty(n, width)
        self.row_dual, self.col_dual = np.empty(self.m), np.empty(n)
        self.threads = threads

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return int(self.indices.size)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The first arguments of the core's functions."""
        matrix = self.m, self.indptr, self.indices, self.value
        return *matrix, *self.blocks, self.row_match, self.col_match, self.row_dual, self.col_dual

    def run(
        self, function: Callable[..., Any], *limits: Any
    ) -> tuple[int, dict[str, int | list[int]]]:
        """See `btfperm.backends.cpu.problem.Problem.run`."""
        named = dict(zip(("time_limit", "max_work", "threads"), limits, strict=False))
        stop, counted = function(*self.arguments, **named)
        return stop, dict(zip(OF_WEIGHTED_SEARCHES, counted, strict=True))

    def on_host(self) -> WeightedProblem:
        """This problem, which is on the host already."""
        return self

    def on_device(self, session: Session, device: int | None) -> WeightedProblem:
        """This problem, with `device` set to the given GPU, or to CuPy's current one for None."""
        from btfperm.backends.gpu.device import on

        with on(device) as self.device:
            return self
