# SPDX-License-Identifier: BSD-3-Clause
"""Driver of g-pr-first: algorithm 3 of its paper. The algorithm is described in
``g_pr_first.cu``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from btfperm.backends.gpu.arrays import grid
from btfperm.transversal.push_relabel.relabel_gpu import PushRelabel

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["g_pr_first"]


def g_pr_first(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """G-PR-First."""
    run, n = PushRelabel(problem, budget, options, "g_pr_first.cu"), problem.n
    while True:
        run.relabel_if_due()
        if budget.stop:
            break
        run.launch("g_pr_krnl", grid(n), np.uint64(run.loop), n, *run.graph)
        if not run.continues():
            break
    return run.finish()
