# SPDX-License-Identifier: BSD-3-Clause
"""Weighted searches that find the best transversal."""

from __future__ import annotations

from btfperm.registry.algorithm import Algorithm

__all__ = ["ROWS"]

ROWS = (
    Algorithm(
        name="mc64",
        package="weighted",
        family="exact",
        backend="cpu",
        reference="Duff, Koster, SIAM J. Matrix Anal. Appl. 20 (1999) and 22 (2001)",
        summary="largest product or sum by shortest augmenting paths; the duals are scalings",
        prefer="always, unless it is too slow",
        parallel=True,
        deterministic=True,
    ),
)
