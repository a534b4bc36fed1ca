# SPDX-License-Identifier: BSD-3-Clause
"""Driver of g-pr-noshr and g-pr-shr: algorithm 7 of their paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from btfperm.backends.gpu.arrays import BLOCK, COUNTING, grid
from btfperm.transversal.push_relabel.relabel_gpu import PushRelabel

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["push_by_list"]

_LEAST_TO_SHRINK = 512  # the list is shrunk only if it has at least this number of positions


def push_by_list(
    problem: DeviceProblem,
    budget: Budget,
    options: Mapping[str, float | str],
    *,
    file: str,
    shrinks: bool,
) -> dict[str, int | list[int]]:
    """Relabels and pushes until no column is active, or a limit is reached.

    Parameters
    ----------
    file : source file of the kernels
    shrinks : True is G-PR-Shr, False is G-PR-NoShr
    """
    import cupy

    run, width = PushRelabel(problem, budget, options, file), problem.width
    mu_row, mu_col = run.mu_row, run.mu_col
    size, shrink = problem.n - run.size, False
    active = cupy.empty(size, dtype=width)  # Ac
    run.launch("list_free_columns", grid(problem.n), problem.n, mu_col, active, run.state)
    previous = active.copy()  # Ap
    in_list = cupy.zeros(problem.n, dtype=width)  # iA
    spare = cupy.empty(size, dtype=width) if shrinks else None

    while True:
        shrink |= run.relabel_if_due()
        if budget.stop:
            break
        if shrinks and shrink and size >= _LEAST_TO_SHRINK:
            blocks = grid(size, COUNTING)
            ends = cupy.empty(blocks * BLOCK, dtype=width)
            run.launch("g_pr_shr_count", blocks, size, active, previous, mu_row, mu_col, ends)
            ends = cupy.cumsum(ends, dtype=width)
            run.launch(
                "g_pr_shr_write",
                blocks,
                run.loop,
                size,
                active,
                previous,
                ends,
                spare,
                in_list,
                mu_row,
                mu_col,
                run.state,
            )
            active, spare = spare, active
            size, shrink = run.poll()["listed"], False
        else:
            run.launch(
                "g_pr_init_krnl",
                grid(size),
                run.loop,
                size,
                active,
                previous,
                in_list,
                mu_row,
                mu_col,
                run.state,
            )
        run.launch(
            "g_pr_push_krnl",
            grid(size),
            run.loop,
            size,
            active,
            previous,
            in_list,
            *run.graph,
        )
        active, previous = previous, active
        if not run.continues():
            break
    return run.finish()
