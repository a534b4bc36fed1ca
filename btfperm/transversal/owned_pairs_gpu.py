# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``owned_pairs.cu``: matches columns of a rank to rows of the same rank, on its GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, download, grid, upload
from btfperm.backends.gpu.compile import kernels
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.mpi.problem import DistributedProblem

__all__ = ["match_own_rows"]

_FILE = "transversal/owned_pairs.cu"


def match_own_rows(problem: DistributedProblem) -> int:
    """Adds to the matching of the problem, by the two steps of `match_own_rows` in
    ``owned_pairs.hpp``. In the second step, threads match rows in any order, so the matching may
    differ. Returns the number of visited entries."""
    indptr, items = problem.on_device
    match = upload(problem.row_match), upload(problem.col_match)
    n_cols, firsts = problem.cols.size, (problem.rows.first, problem.cols.first)
    run, edges = kernels(_FILE, np.dtype(problem.width).name), Readback(1)
    if not n_cols:
        return 0
    for kernel in ("match_diagonal", "match_first"):
        sizes = n_cols, problem.rows.size, *firsts
        arrays = indptr, items, *match, edges.array
        run.launch(kernel, grid(32 * n_cols, COUNTING), BLOCK, *sizes, *arrays)
    visited = edges.read()[0]
    download(match[0], problem.row_match)
    download(match[1], problem.col_match)
    return visited
