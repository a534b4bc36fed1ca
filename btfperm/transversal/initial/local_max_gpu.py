# SPDX-License-Identifier: BSD-3-Clause
"""Driver of local-max on a GPU. The algorithm is described in ``local_max.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["local_max"]

_FILE = "transversal/initial/local_max.cu"


def local_max(
    problem: DeviceProblem, budget: Budget, seed: int, _options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Runs rounds of choices until no unmatched column has an unmatched row."""
    import cupy

    run = problem.kernels(_FILE).launch
    m, n, width = problem.m, problem.n, problem.width
    draws = np.random.default_rng(seed)
    state = SharedStruct(_FILE, "State")
    left = state.field("left")
    cols, rows = problem.col_match, problem.row_match
    col_choice, row_choice = cupy.empty(n, dtype=width), cupy.empty(m, dtype=width)
    col_lists = [cupy.empty(n, dtype=width), np.uint64(0)]  # null: all columns
    row_lists = [cupy.empty(m, dtype=width), np.uint64(0)]
    size, row_size, rounds, read = n, m, 0, 0
    while size and not budget.stop:
        rounds += 1
        draw = draws.integers(2**64, dtype=np.uint64)
        left.fill(0)
        run(
            "choose",
            grid(size, COUNTING),
            BLOCK,
            draw,
            1,
            size,
            col_lists[1],
            col_lists[0],
            problem.indptr,
            problem.indices,
            cols,
            rows,
            col_choice,
            state.array,
        )
        run(
            "choose",
            grid(row_size, COUNTING),
            BLOCK,
            draw,
            0,
            row_size,
            row_lists[1],
            row_lists[0],
            *problem.by_rows,
            rows,
            cols,
            row_choice,
            state.array,
        )
        fields = state.fields()
        read, size, row_size = fields["edges"], fields["left[0]"], fields["left[1]"]
        if size:
            budget.spent(read)
        run(
            "match_mutual",
            grid(size),
            BLOCK,
            size,
            col_lists[0],
            col_choice,
            row_choice,
            cols,
            rows,
        )
        col_lists.reverse()
        row_lists.reverse()
        if rounds == 1:
            col_lists[0] = cupy.empty(n, dtype=width)
            row_lists[0] = cupy.empty(m, dtype=width)
    return {"edges": read, "phases": rounds}
