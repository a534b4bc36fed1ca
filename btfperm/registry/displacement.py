# SPDX-License-Identifier: BSD-3-Clause
"""Pushes that are guided by labels, or short searches; a sample of the pattern decides."""

from __future__ import annotations

from btfperm.registry.algorithm import Algorithm

__all__ = ["ROWS"]

ROWS = (
    Algorithm(
        name="guided-displacement",
        package="transversal",
        family="displacement",
        backend="cpu",
        reference="btfperm",
        summary="pushes guided by labels, or short searches; O((m + n + nnz) sqrt(n))",
        prefer="always, unless a published algorithm is needed",
        parallel=True,
    ),
)
