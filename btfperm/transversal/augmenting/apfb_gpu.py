# SPDX-License-Identifier: BSD-3-Clause
"""Drivers of apfb and apfb-wr. The algorithms are described in ``apfb.cu``; the loop is in
``gpubfs_gpu.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from btfperm.transversal.augmenting.gpubfs_gpu import search_in_phases

if TYPE_CHECKING:
    from btfperm.backends.gpu.budget import Budget
    from btfperm.backends.gpu.problem import DeviceProblem

__all__ = ["apfb", "apfb_wr"]


def apfb(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """APFB-GPUBFS."""
    return search_in_phases(problem, budget, options, shortest=False, with_roots=False)


def apfb_wr(
    problem: DeviceProblem, budget: Budget, _seed: int, options: Mapping[str, float | str]
) -> dict[str, int | list[int]]:
    """APFB-GPUBFS-WR."""
    return search_in_phases(problem, budget, options, shortest=False, with_roots=True)
