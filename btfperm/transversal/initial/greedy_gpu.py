# SPDX-License-Identifier: BSD-3-Clause
"""Driver of greedy on a GPU. The algorithm is described in ``greedy.cu``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["draw_rows", "greedy"]

_FILE = "transversal/initial/greedy.cu"


def greedy(
    problem: DeviceProblem, budget: Budget, seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """The cheap matching, in order or at random, see ``greedy.cu``. In order, limits are checked
    after each launch; at random, there is only one launch."""
    import cupy

    run = problem.kernels(_FILE).launch
    m, n, indptr, indices = problem.m, problem.n, problem.indptr, problem.indices
    rows, cols = problem.row_match, problem.col_match
    if options["choice"] == "random":
        return {"edges": draw_rows(problem, seed)()}
    state = SharedStruct(_FILE, "State")
    width, left = problem.width, state.field("left")
    holder, resume = cupy.empty(m, dtype=width), cupy.zeros(n, dtype=width)
    run("empty_rows", grid(m), BLOCK, m, rows, holder)
    size, listed, launches, read = n, np.uint64(0), 0, 0  # null list: all columns
    while size and not budget.stop:
        # The grid has one thread for each column. The device starts the blocks in order, so columns
        # propose almost in order, and on a mesh fewer columns are displaced than with a smaller
        # grid, in which each thread would have several distant columns.
        launches += 1
        left.fill(0)
        remaining = cupy.empty(size, dtype=width)
        run(
            "take_in_order",
            grid(size),
            BLOCK,
            size,
            listed,
            remaining,
            indptr,
            indices,
            cols,
            resume,
            holder,
            state.array,
        )
        fields = state.fields()
        read, size = fields["edges"], fields["left"]
        listed = remaining
        if size:
            budget.spent(read)
    run("keep_holders", grid(m), BLOCK, m, holder, rows, cols)
    return {"edges": read, "launches": launches}


def draw_rows(problem: DeviceProblem, seed: int) -> Callable[[], int]:
    """Launches the cheap matching at random. Returns a function that waits for the end of the
    launch and returns the number of visited entries."""
    state = SharedStruct(_FILE, "State")
    problem.kernels(_FILE).launch(
        "take_at_random",
        grid(problem.n, COUNTING),
        BLOCK,
        problem.n,
        np.random.default_rng(seed).integers(2**64, dtype=np.uint64),
        problem.indptr,
        problem.indices,
        problem.row_match,
        problem.col_match,
        state.array,
    )
    return lambda: state.fields()["edges"]
