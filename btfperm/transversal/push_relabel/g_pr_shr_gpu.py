# SPDX-License-Identifier: BSD-3-Clause
"""Driver of g-pr-shr. The algorithm is described in ``g_pr_shr.cu``; the loop is in
``active_list_gpu.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from btfperm.transversal.push_relabel.active_list_gpu import push_by_list

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["g_pr_shr"]


def g_pr_shr(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """G-PR-Shr."""
    return push_by_list(problem, budget, options, file="g_pr_shr.cu", shrinks=True)
