# SPDX-License-Identifier: BSD-3-Clause
"""own-blocks: over ranks, each rank finds a maximum matching of its own rows and columns

Idea        Each rank finds a maximum matching of its own rows and columns by the default search
            for one process: on the GPU of the rank, or on its CPU. Then columns propose to rows of
            other ranks, as in ``greedy_mpi.py``. If there is only one rank, its matching is
            maximum.
Paper       none; ours
Cost        that of a search on one process in the entries of a rank whose rows it also owns,
            without a message; then the rounds of greedy
GPU         With ``device=``, meeting-trees runs on the GPU of the rank. If its memory does not
            suffice, the columns are matched to unmatched rows instead, as in greedy.
Prefer it   on ranks with GPUs: of the other initializers over ranks, only greedy uses GPUs, and it
            leaves more columns unmatched
Options     rounds (4): maximum number of rounds; the search matches the remaining columns
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm import registry
from btfperm.backends.cpu.problem import Problem
from btfperm.backends.mpi.problem import DistributedProblem
from btfperm.pattern.arrays import index_type
from btfperm.transversal.auto_table import DEFAULT
from btfperm.transversal.initial.greedy_mpi import propose

if TYPE_CHECKING:
    from btfperm.backends.mpi.budget import SharedBudget

__all__ = ["match_own_block", "own_blocks"]


def own_blocks(
    problem: DistributedProblem, budget: SharedBudget, seed: int, options: Mapping[str, Any]
) -> dict[str, int | list[int]]:
    """Matches rows and columns inside each rank, then columns to rows of other ranks, in at most
    `rounds` rounds."""
    visited = problem.own_step("own block")(problem, budget.seconds_left, seed)
    return propose(problem, budget, int(options["rounds"]), visited)


def match_own_block(problem: DistributedProblem, seconds: float, seed: int) -> int:
    """Writes a maximum matching of the rows and columns of this rank to the problem, by a search on
    its CPU. Returns the number of entries of this rank whose rows it also owns."""
    rows, cols, halo = problem.rows, problem.cols, problem.halo
    is_own = halo.items < halo.own
    items = halo.items[is_own]
    width = index_type((rows.size, cols.size), items.size)
    indptr = np.concatenate(([0], np.cumsum(is_own)))[problem.indptr].astype(width)
    block = Problem(
        rows.size,
        indptr,
        items.astype(width, copy=False),
        np.full(rows.size, -1, dtype=width),
        np.full(cols.size, -1, dtype=width),
        np.zeros(rows.size, dtype=np.uint8),
        np.zeros(cols.size, dtype=np.uint8),
    )
    row = registry.find(DEFAULT, initializer=False, backend="cpu")
    row.load()(
        block.m,
        block.indptr,
        block.indices,
        block.row_match,
        block.col_match,
        block.row_in_cover,
        seconds,
        0,
        1,
        seed,
        row.defaults,
    )
    problem.match_own(block.row_match, block.col_match)
    return int(items.size)
