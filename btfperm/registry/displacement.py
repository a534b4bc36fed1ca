# SPDX-License-Identifier: BSD-3-Clause
"""Label-guided pushes and short searches, chosen from a sample of the pattern."""

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
        summary="label-guided pushes or short searches, by a sample; O((m + n + nnz) sqrt(n))",
        prefer="always, unless a published algorithm is needed",
        parallel=True,
    ),
)
