# SPDX-License-Identifier: BSD-3-Clause
"""The graph of a matching: the pattern of a matrix and the weight of each entry."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.backends import host_array
from btfperm.errors import InvalidMatrixError
from btfperm.pattern import Pattern, as_pattern, as_valued
from btfperm.pattern.arrays import device_context, prefix
from btfperm.pattern.valued import ValuedPattern
from btfperm.weighted.bipartite import between_sides
from btfperm.weighted.graph_faults import refuse_fault, refuse_rectangles

__all__ = ["Reals", "has_no_values", "on_host", "read_graph", "refuse_faults", "weighted_pattern"]

Reals = npt.NDArray[np.float64]


def read_graph(
    G: Any,
    weights: str,
    shape: Sequence[int] | None = None,
    threads: int | None = None,
    *,
    bipartite: bool = False,
) -> tuple[Pattern, Reals]:
    """The pattern of the matrix and the weight of each entry, checked, on the host. With
    `bipartite`, they are those of the bipartite graph of the matrix.

    Raises
    ------
    InvalidMatrixError : as for `match`
    """
    pattern, weight = on_host(*weighted_pattern(G, weights, shape, threads))
    if bipartite:
        pattern, weight = between_sides(pattern, weight)
    refuse_faults(pattern, weight)
    return pattern, weight


def refuse_faults(pattern: Pattern, weight: Reals) -> None:
    """Raises InvalidMatrixError unless the matrix is square and symmetric, and all values outside
    the diagonal are positive and finite. Values on the diagonal are ignored."""
    refuse_rectangles(pattern)
    found = _core.weighted.find_fault(pattern.indptr, pattern.indices, weight)
    refuse_fault(pattern, *found)


def weighted_pattern(
    G: Any, weights: str, shape: Sequence[int] | None, threads: int | None
) -> tuple[Pattern, Any]:
    """The pattern and the weight of each entry, unchecked, on the device that holds the matrix. On
    a GPU, None means that all weights are 1."""
    if isinstance(G, str | os.PathLike) and weights != "ones":
        from btfperm.io import values_or_ones

        G = values_or_ones(G, weights == "moduli")
    if weights == "ones" or has_no_values(G):
        pattern = as_pattern(G, shape=shape, threads=threads)
        return pattern, np.ones(pattern.nnz) if pattern.is_on_host else None
    valued = as_valued(G, shape=shape, drop_zeros=weights == "moduli", threads=threads)
    with device_context(valued.values):
        return valued.pattern, _weight_of(valued, weights)


def on_host(pattern: Pattern, weight: Any) -> tuple[Pattern, Reals]:
    """The result of `weighted_pattern`, copied to the host."""
    if weight is None:
        weight = np.ones(pattern.nnz)
    return pattern.on_host(), host_array(weight)


def has_no_values(G: Any) -> bool:
    """Whether `G` is a pattern, or its values are truth values."""
    if isinstance(G, tuple):
        return len(G) == 3 and G[0] is None
    kind = getattr(getattr(G, "dtype", None), "kind", None)
    return isinstance(G, Pattern) or kind == "b"


def _weight_of(valued: ValuedPattern, weights: str) -> Reals:
    if weights == "moduli":
        with np.errstate(over="ignore"):
            # abs() of the smallest integer of a type overflows and is negative
            number = np.float64 if valued.field == "integer" else valued.values.dtype
            modulus: Reals = np.abs(valued.values.astype(number)).astype(np.float64, copy=False)
        return modulus
    if valued.field == "complex":
        raise InvalidMatrixError(
            f"{prefix(valued.pattern.name)}complex values are no weights: use "
            'weights="moduli" or "ones"'
        )
    weight: Reals = valued.values.astype(np.float64, copy=False)
    return weight
