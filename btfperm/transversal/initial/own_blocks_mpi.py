# SPDX-License-Identifier: BSD-3-Clause
"""own-blocks: over ranks, each rank matches its own rows and columns as well as possible

Idea        Each rank finds a maximum matching of its own rows and columns by the default search
            for one process: on the GPU of the rank, or on its CPU. Then columns propose to rows of
            other ranks, as in ``greedy_mpi.py``. One rank alone finds the whole matching.
Paper       none; ours
Cost        that of a serial search in the entries of a rank whose rows it owns, without a message;
            then the rounds of greedy
GPU         With ``device=``, meeting-trees runs on the GPU of the rank. If its memory does not
            suffice, the columns take unmatched rows instead, as in greedy.
Prefer it   on ranks with GPUs: of the others, only greedy uses them, and it leaves more columns
Options     rounds (4): bound on the rounds; the search matches the columns that are left
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
    """Matches the rows and columns of each rank, then in at most `rounds` rounds columns to rows of
    other ranks."""
    visited = problem.own_step("own block")(problem, budget.seconds_left, seed)
    return propose(problem, budget, int(options["rounds"]), visited)


def match_own_block(problem: DistributedProblem, seconds: float, seed: int) -> int:
    """A maximum matching of the rows and columns of this rank, on its CPU. Returns the number of
    entries visited."""
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
