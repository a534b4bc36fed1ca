# SPDX-License-Identifier: BSD-3-Clause
"""Driver of last-row on a GPU. The algorithm is described in ``last_row.cu``."""

from __future__ import annotations

from pathlib import Path

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.backends.gpu.readback import SharedStruct

_FILE = str(Path(__file__).with_name("last_row.cu"))


def last_row(problem, budget, seed, options):
    state = SharedStruct(_FILE, "State")
    lists = problem.indptr, problem.indices
    problem.kernels(_FILE).launch(
        "take_last",
        grid(problem.n, COUNTING),
        BLOCK,
        problem.n,
        *lists,
        problem.row_match,
        problem.col_match,
        state.array,
    )
    return {"edges": state.fields()["edges"]}
