# SPDX-License-Identifier: BSD-3-Clause
"""Drivers of apsb and apsb-wr. The algorithms are described in ``apsb.cu``; the loop is in
``gpubfs_gpu.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from btfperm.transversal.augmenting.gpubfs_gpu import search_in_phases

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["apsb", "apsb_wr"]


def apsb(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """APsB-GPUBFS."""
    return search_in_phases(problem, budget, options, shortest=True, with_roots=False)


def apsb_wr(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """APsB-GPUBFS-WR."""
    return search_in_phases(problem, budget, options, shortest=True, with_roots=True)
