# SPDX-License-Identifier: BSD-3-Clause
"""Driver of red-blue on a GPU. The algorithm is described in ``red_blue.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import SharedStruct

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["red_blue"]

_FILE = "transversal/initial/red_blue.cu"


def red_blue(
    problem: DeviceProblem, budget: Budget, seed: int, _options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """Runs rounds of colours, proposals and responses until every vertex is matched or dead, or a
    limit is reached."""
    import cupy

    launch = problem.kernels(_FILE).launch
    m, n = problem.m, problem.n
    draws = np.random.default_rng(seed)
    state = SharedStruct(_FILE, "State")
    col_pi, row_pi = problem.col_match, problem.row_match
    col_sigma = cupy.empty(n, dtype=problem.width)
    row_sigma = cupy.empty(m, dtype=problem.width)
    cols: tuple[Any, ...] = (problem.indptr, problem.indices, col_pi, row_pi, col_sigma)
    rows: tuple[Any, ...] = (*problem.by_rows, row_pi, col_pi, row_sigma)

    def run(name: str, vertices: int, *arguments: Any) -> None:
        launch(name, grid(vertices, COUNTING), BLOCK, *arguments)

    rounds, read = 0, 0
    while not budget.stop:
        number, r = np.uint64(rounds + 1), int(draws.integers(2**30)) * 2 + 1
        run("colour", n, number, r, n, 0, col_pi, state.array)
        run("colour", m, number, r, m, n, row_pi, state.array)
        fields = state.fields()
        read = fields["edges"]
        if fields["alive"] != number:
            break
        budget.spent(read)
        rounds += 1
        run("propose", n, n, r, *cols, state.array)
        run("propose", m, m, r, *rows, state.array)
        run("respond", n, n, r, *cols, row_sigma, state.array)
        run("respond", m, m, r, *rows, col_sigma, state.array)
        run("match", n, n, col_sigma, row_sigma, col_pi)
        run("match", m, m, row_sigma, col_sigma, row_pi)
    run("uncolour", n, n, col_pi)
    run("uncolour", m, m, row_pi)
    return {"edges": read, "phases": rounds}
