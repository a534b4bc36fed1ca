# SPDX-License-Identifier: BSD-3-Clause
"""Cut a block triangular matrix into segments: each large block, each long run of blocks of one
row, and each run of smaller blocks between them.

One call of SuperLU for each block would be too slow for many small blocks. Blocks of one row need
no factorization. There are at most ``4 n / large + 1`` segments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.results import IndexArray

__all__ = ["segment_bounds"]


def segment_bounds(blocks: IndexArray, large: int) -> tuple[Any, Any]:
    """(boundaries of the segments, whether each of them consists of blocks of one row). O(blocks).

    >>> import numpy as np
    >>> bounds, single = segment_bounds(np.array([0, 1, 2, 5, 6]), large=3)
    >>> bounds, single
    (array([0, 2, 5, 6]), array([ True, False,  True]))
    """
    sizes = np.diff(blocks)
    alone = sizes >= large
    is_one = np.concatenate(([0], sizes == 1, [0]))
    first, last = np.flatnonzero(np.diff(is_one) > 0), np.flatnonzero(np.diff(is_one) < 0)
    long = last - first >= large
    cuts = (blocks[:1], blocks[:-1][alone], blocks[1:][alone])
    runs = (blocks[first[long]], blocks[last[long]], blocks[-1:])
    bounds = np.unique(np.concatenate((*cuts, *runs)))
    count = np.diff(np.searchsorted(blocks, bounds))
    return bounds, count == np.diff(bounds)
