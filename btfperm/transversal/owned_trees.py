# SPDX-License-Identifier: BSD-3-Clause
"""The alternating trees of a rank on its CPU. `HostTrees` has the methods that ``ms_bfs_mpi.py``
calls; `DeviceTrees` (``owned_trees_gpu.py``) has the same methods for trees on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import _core

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["TOP_DOWN", "HostTrees"]

TOP_DOWN = 0
"""The value of `direction` with which trees grow only from their columns."""


class HostTrees:
    """Alternating trees of one rank. All methods that are not defined below are those of the core
    (``owned_growth.hpp``); they change the matching in the arrays of the problem."""

    def __init__(self, problem: DistributedProblem, direction: int = TOP_DOWN) -> None:
        core = _core.transversal
        is_short = problem.col_match.dtype == np.int32
        trees = core.OwnedTrees32 if is_short else core.OwnedTrees64
        self._problem = problem
        self._trees = trees(*problem.bipartite(), problem.by_row, direction)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trees, name)

    def share_visited(self) -> None:
        """Claims the ghosts that their owners have visited, and no others. Collective."""
        self._trees.set_ghosts_seen(self._problem.halo.update(self._trees.rows_in_trees()))

    def deliver(self) -> None:
        """Does nothing, because the arrays of the problem already hold the matching."""
