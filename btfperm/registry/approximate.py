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
        reference="Bertsekas, Annals of Operations Research 14 (1988); paths at the end: btfperm",
        summary="nearly the largest product or sum by an auction, with a proven gap",
        prefer="if mc64 takes long and a gap of a few per mille is acceptable",
        parallel=True,
        deterministic=True,
    ),
    Algorithm(
        name="heavy-perfect",
        package="weighted",
        family="approximate",
        backend="gpu",
        reference="Bertsekas, Annals of Operations Research 14 (1988); paths at the end: btfperm",
        summary="on a GPU: an auction; augmenting paths on the CPU match the last columns",
        prefer="if mc64 takes long and the matrix has some 100,000 entries or more",
        parallel=True,
        deterministic=True,
    ),
    Algorithm(
        name="heavy-perfect",
        package="weighted",
        family="approximate",
        backend="mpi",
        reference="Bertsekas, Annals of Operations Research 14 (1988); paths at the end: btfperm",
        summary="over MPI ranks: an auction; augmenting paths match the last columns",
        prefer="for matrices with values over more than one rank",
        deterministic=True,
        function="btfperm.weighted.assign_mpi:heavy_perfect",
    ),
)
