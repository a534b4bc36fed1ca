# SPDX-License-Identifier: BSD-3-Clause
"""Pushes and short searches by a look at the pattern: ours."""

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
        summary="label-guided pushes or short searches, by a look; O((m + n + nnz) sqrt(n))",
        prefer="always, unless a published algorithm is wanted",
        parallel=True,
    ),
)
