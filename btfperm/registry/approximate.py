# SPDX-License-Identifier: BSD-3-Clause
"""Weighted searches whose transversal is nearly the best."""

from __future__ import annotations

from btfperm.registry.algorithm import Algorithm

__all__ = ["ROWS"]

ROWS = (
    Algorithm(
        name="heavy-perfect",
        package="weighted",
        family="approximate",
        backend="cpu",
        reference="Bertsekas, Annals of Operations Research 14 (1988); the end by paths: btfperm",
        summary="nearly the largest product or sum by an auction, with a proven gap",
        prefer="if mc64 takes long and a gap of a few per mille is acceptable",
        parallel=True,
        deterministic=True,
    ),
)
