# SPDX-License-Identifier: BSD-3-Clause
"""Driver of local-max on a GPU. The algorithm is described in ``local_max.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, minus_ones
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.pattern.canonical_gpu import columns_of

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["local_max"]

_FILE = "transversal/initial/local_max.cu"
# A launch ends after a round if it has visited this number of entries, so that the host can check
# limits.
_LAUNCH_EDGES = 1 << 30


def local_max(
    problem: DeviceProblem, budget: Budget, seed: int, _options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Runs rounds until no unmatched column has an unmatched row, or a limit is reached."""
    import cupy

    if not problem.nnz:
        return {"edges": 0, "phases": 0}
    nnz, width = problem.nnz, problem.width
    run = problem.kernels(_FILE)
    state = SharedStruct(_FILE, "State")
    matches = problem.col_match, problem.row_match
    col_at, row_at = minus_ones(problem.n, width), minus_ones(problem.m, width)
    lists = [[cupy.empty(nnz, dtype=width) for _ in range(4)] for _ in range(2)]
    of_blocks = run.totals_of_blocks("list_entries", BLOCK)
    cols = columns_of(problem.indptr, nnz), problem.indices, *matches, *lists[0][:2], col_at
    run.launch_together("list_entries", BLOCK, nnz, *cols, of_blocks, state.array)
    row_starts, row_lists = problem.by_rows
    rows = columns_of(row_starts, nnz), row_lists, *matches[::-1], *lists[1][:2], row_at
    run.launch_together("list_entries", BLOCK, nnz, *rows, of_blocks, state.array)
    del cols, rows
    of_blocks = run.totals_of_blocks("run_rounds", BLOCK)
    edges = 0
    while True:
        until = np.uint64(edges + budget.work_left(edges, _LAUNCH_EDGES))
        run.launch_together(
            "run_rounds", BLOCK, np.uint64(seed), until, *lists[0], *lists[1], col_at, row_at,
            *matches, of_blocks, state.array,
        )  # fmt: skip
        fields = state.fields()
        edges = fields["edges"]
        if not fields["size"] or budget.spent(nnz + edges):
            return {"edges": nnz + edges, "phases": fields["rounds"]}
