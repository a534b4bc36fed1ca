# SPDX-License-Identifier: BSD-3-Clause
"""Cut a block triangular matrix into segments: each large block, and each run of smaller ones.

One call of SuperLU for each block would be too slow for a million blocks of one row.
There are at most ``2 n / large + 1`` segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from btfperm.results import IndexArray

__all__ = ["diagonal_squares", "segment_bounds"]


def segment_bounds(blocks: IndexArray, large: int) -> Any:
    """Boundaries of the segments: both ends of each block of at least `large` rows, and the ends
    of the matrix. O(blocks).

    >>> import numpy as np
    >>> segment_bounds(np.array([0, 1, 2, 5, 6]), large=3)
    array([0, 2, 5, 6])
    """
    alone = np.diff(blocks) >= large
    bounds = (blocks[:1], blocks[:-1][alone], blocks[1:][alone], blocks[-1:])
    return np.unique(np.concatenate(bounds))


def diagonal_squares(matrix: Any, bounds: Any) -> Iterator[tuple[int, int, Any]]:
    """(begin, end, csc_array of rows and columns begin:end) for each segment of a csc_array that
    has no entries outside the segments. O(nnz) in all."""
    from scipy.sparse import csc_array

    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        p, q = matrix.indptr[begin], matrix.indptr[end]
        starts = matrix.indptr[begin : end + 1] - p
        arrays = matrix.data[p:q], matrix.indices[p:q] - begin, starts
        yield begin, end, csc_array(arrays, shape=(end - begin, end - begin))
