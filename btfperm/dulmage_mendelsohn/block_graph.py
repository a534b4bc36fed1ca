# SPDX-License-Identifier: BSD-3-Clause
"""The dependencies between fine blocks, the levels of the blocks, and the work for each block."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm import _core, registry
from btfperm.errors import InvalidArgumentError
from btfperm.pattern import as_pattern
from btfperm.pattern.arrays import is_on_device_of
from btfperm.results import BlockGraph, Decomposition

__all__ = ["another_matrix", "block_graph"]


def block_graph(result: Decomposition, A: Any = None) -> BlockGraph:
    """The block graph of a decomposition.

    Parameters
    ----------
    result : a decomposition
    A : its matrix. It is needed only if the result does not hold the matrix, because it was read
        from a file or gathered from MPI ranks

    Returns
    -------
    BlockGraph : in O(nnz + blocks) on the host

    Raises
    ------
    InvalidArgumentError : the matrix is missing, has another shape or entries below the diagonal
        blocks, or the arrays of the result are no permutations and blocks

    Examples
    --------
    >>> import numpy as np
    >>> import btfperm
    >>> A = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> graph = btfperm.dulmage_mendelsohn(A).block_graph()
    >>> graph
    <BlockGraph: 3 blocks, 2 arcs, 2 levels>
    >>> graph.level.tolist(), graph.level_blocks.tolist()
    ([1, 1, 0], [1, 2])
    """
    if A is None and result.pattern is None:
        raise InvalidArgumentError(
            "this result does not hold its matrix, because it was read from a file or gathered "
            "from MPI ranks; give it: block_graph(A)"
        )
    shape = result.shape if isinstance(A, tuple) else None
    # The arrays of `A` may be shared, because the pattern does not outlive the call.
    pattern = result.pattern if A is None else as_pattern(A, shape=shape, owned=True)
    assert pattern is not None
    if pattern.shape != result.shape:
        raise InvalidArgumentError(
            f"the decomposition belongs to a matrix of shape {result.shape}, not {pattern.shape}"
        )
    step = ("dulmage_mendelsohn", "block graph", pattern.backend)
    if registry.has_step(*step) and is_on_device_of(pattern, result.row_perm):
        on_device: BlockGraph = registry.step(*step)(pattern, result)
        return on_device
    pattern, result = pattern.on_host(), result.on_host()
    width = pattern.indices.dtype
    try:
        if result.row_blocks[-1] != pattern.m or (np.diff(result.row_blocks) < 0).any():
            raise ValueError("row_blocks is out of range")
        places = (result.row_block, result.col_perm, result.col_blocks)
        arrays = (array.astype(width, copy=False) for array in places)
        graph = BlockGraph(
            *_core.dulmage_mendelsohn.block_graph(
                pattern.m, pattern.indptr, pattern.indices, *arrays
            )
        )
    except (IndexError, TypeError, ValueError) as error:  # the core checks what it is given
        raise InvalidArgumentError(
            f"the arrays of this decomposition are no permutations and blocks: {error}"
        ) from None
    tail = np.repeat(np.arange(graph.n_blocks), np.diff(graph.indptr))
    if (graph.indices <= tail).any():
        raise another_matrix()
    return graph


def another_matrix() -> InvalidArgumentError:
    """The error that is raised if the matrix has entries below the diagonal blocks."""
    return InvalidArgumentError(
        "the matrix has entries below the diagonal blocks: this decomposition belongs to another "
        "matrix, or to this one before it was changed"
    )
