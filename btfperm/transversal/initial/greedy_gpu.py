# SPDX-License-Identifier: BSD-3-Clause
"""greedy on a GPU: what it is is told in ``greedy.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import Readback

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["greedy"]


def greedy(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """The cheap matching; a limit is looked at when it is done."""
    import cupy

    run = problem.kernels("transversal/initial/greedy.cu").launch
    m, n, indptr, indices = problem.m, problem.n, problem.indptr, problem.indices
    rows, cols = problem.row_match, problem.col_match
    edges = Readback(1)
    if options.get("choice", "first") == "first":
        holder = cupy.empty(m, dtype=problem.width)
        resume = cupy.zeros(n, dtype=problem.width)
        run("empty_rows", grid(m), BLOCK, m, rows, holder)
        # A block for each piece of the columns: the device starts them in order, and on a mesh the
        # fewer have to get up again.
        run("take_in_order", grid(n), BLOCK, n, indptr, indices, cols, resume, holder, edges.array)
        run("keep_holders", grid(m), BLOCK, m, holder, rows, cols)
    else:
        key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
        run(
            "take_at_random",
            grid(n, COUNTING),
            BLOCK,
            n,
            key,
            indptr,
            indices,
            rows,
            cols,
            edges.array,
        )
    (read,) = edges.read()
    budget.spent(read)
    return {"edges": read}
