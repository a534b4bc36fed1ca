# SPDX-License-Identifier: BSD-3-Clause
"""The bipartite graph of a matrix A, as the symmetric matrix [0, A; A', 0]."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from btfperm.errors import InvalidArgumentError
from btfperm.pattern import Pattern
from btfperm.pattern.arrays import device_context, index_type, is_device_array
from btfperm.pattern.canonical import frozen
from btfperm.pattern.valued import ValuedPattern, position_of
from btfperm.weighted.graph_faults import NO_WEIGHT, refuse_fault

__all__ = ["between_sides", "refuse_sides"]


def refuse_sides(where: str) -> NoReturn:
    """Raises InvalidArgumentError: `where` does not accept the argument `bipartite`."""
    raise InvalidArgumentError(
        f"bipartite does not go with {where}: give the symmetric matrix [0, A; A', 0]"
    )


def between_sides(pattern: Pattern, weight: Any) -> tuple[Pattern, Any]:
    """The pattern of the graph and the weights of its entries, on the device that holds the matrix.
    `weight` and the result are None if all weights are 1. Row i of the matrix is the vertex i, and
    column j is the vertex m + j.

    The weights are checked here, because messages must name positions in the matrix.

    Raises
    ------
    InvalidMatrixError : a weight is not positive or not finite
    """
    with device_context(pattern.indptr):
        xp = _module_of(pattern)
        if weight is None:
            turned, across = pattern.transpose(), None
        else:
            wrong = ~((weight > 0) & (weight < np.inf))
            if bool(wrong.any()):
                p = int(wrong.argmax())
                refuse_fault(pattern, NO_WEIGHT, *position_of(pattern, p), float(weight[p]), 0.0)
            transposed = ValuedPattern._unchecked(pattern, weight).transpose()
            turned, across = transposed.pattern, transposed.values
        (m, n), nnz = pattern.shape, pattern.nnz
        width = index_type((m + n, m + n), 2 * nnz)
        indptr = xp.empty(m + n + 1, dtype=width)
        indptr[: m + 1] = turned.indptr
        indptr[m:] = pattern.indptr
        indptr[m:] += width(nnz)
        indices = xp.empty(2 * nnz, dtype=width)
        indices[:nnz] = turned.indices
        indices[:nnz] += width(m)
        indices[nnz:] = pattern.indices
        both = None if across is None else xp.concatenate([across, weight])
    columns = indptr, indices
    if pattern.is_on_host:
        columns = frozen(indptr), frozen(indices)
    about = pattern.name, pattern.source
    graph = type(pattern)._unchecked((m + n, m + n), columns[0], columns[1], *about)
    return graph, both


def _module_of(pattern: Pattern) -> Any:
    if not is_device_array(pattern.indices):
        return np
    import cupy

    return cupy
