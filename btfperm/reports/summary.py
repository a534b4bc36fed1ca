# SPDX-License-Identifier: BSD-3-Clause
"""The facts of a decomposition in one small dictionary, and whether a direct solver should use the
block triangular form.

Computed from the boundaries, without a pass over the entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from btfperm.results import DistributedDecomposition, DulmageMendelsohn, IndexArray

__all__ = ["advise", "summarize"]

PAYS_BELOW = 0.9  # factoring by blocks is worthwhile if the largest block's share of rows is less
_PIECE = 1 << 16  # blocks processed at a time


def summarize(result: DulmageMendelsohn | DistributedDecomposition) -> dict[str, Any]:
    """The main facts about `result`, JSON-serialisable.

    Returns
    -------
    dict with ``rows``, ``cols``, ``structural_rank``, ``deficiency`` (unmatched ``rows`` and
    ``cols``), ``coarse`` (``[rows, cols]`` of each part), ``fine_blocks`` (their number),
    ``singletons`` (blocks of one row and column), ``largest_block`` (``rows``, ``cols`` and
    ``share`` of all rows and columns) and ``advice`` (``btf_helps`` and one ``reason``)

    O(blocks).

    >>> import numpy as np, btfperm
    >>> facts = summarize(btfperm.dulmage_mendelsohn(np.eye(3)))
    >>> facts["structural_rank"], facts["fine_blocks"], facts["advice"]["btf_helps"]
    (3, 3, True)
    """
    m, n = result.shape
    if result.is_distributed:
        singletons, height, width = cast("DistributedDecomposition", result).block_sizes()
    else:
        singletons, height, width = _sizes(result.row_blocks, result.col_blocks)
    rank = result.structural_rank
    facts: dict[str, Any] = {
        "rows": m,
        "cols": n,
        "structural_rank": rank,
        "deficiency": {"rows": m - rank, "cols": n - rank},
        "coarse": {
            "horizontal": list(result.horizontal_shape),
            "square": list(result.square_shape),
            "vertical": list(result.vertical_shape),
        },
        "fine_blocks": result.n_blocks,
        "singletons": singletons,
        "largest_block": {
            "rows": height,
            "cols": width,
            "share": (height + width) / (m + n) if m + n else 0.0,
        },
    }
    helps, reason = advise(facts)
    return facts | {"advice": {"btf_helps": helps, "reason": reason}}


def _sizes(row_blocks: IndexArray, col_blocks: IndexArray) -> tuple[int, int, int]:
    """How many blocks have one row and one column, and the numbers of rows and columns of the
    largest block (the first one, if several are as large).

    The blocks are processed in pieces, which limits the memory for their sizes.
    """
    singletons, largest = 0, (0, 0)
    for first in range(0, row_blocks.size - 1, _PIECE):
        here = slice(first, first + _PIECE + 1)
        heights, widths = np.diff(row_blocks[here]), np.diff(col_blocks[here])
        singletons += int(((heights == 1) & (widths == 1)).sum())
        k = int((heights + widths).argmax())
        if heights[k] + widths[k] > sum(largest):
            largest = int(heights[k]), int(widths[k])
    return singletons, *largest


def advise(facts: dict[str, Any]) -> tuple[bool, str]:
    """Whether block triangular form will help a direct solver, and why, in one sentence.

    `facts` are those of `summarize`. O(1).

    >>> advise({"rows": 2, "cols": 3})
    (False, 'the matrix is not square, and block triangular form is for square systems')
    """
    m, n = facts["rows"], facts["cols"]
    if m != n:
        return False, "the matrix is not square, and block triangular form is for square systems"
    if n == 0:
        return False, "the matrix is empty, so there is nothing to factor"
    if facts["structural_rank"] < n:
        missing = n - facts["structural_rank"]
        return False, (
            f"the matrix is structurally singular (rank {missing:,} short of {n:,}): it has no "
            "inverse whatever its values are; inspect the horizontal and vertical parts first"
        )
    if facts["fine_blocks"] == n:
        return True, (
            "every block is a single entry: the permuted matrix is triangular and needs no "
            "factorisation at all"
        )
    largest, share = facts["largest_block"]["rows"], facts["largest_block"]["share"]
    if facts["fine_blocks"] == 1:
        return False, "the matrix is irreducible: there is one block, and nothing to split off"
    if share >= PAYS_BELOW:
        return False, (
            f"one block holds {share:.1%} of the rows ({largest:,} of {n:,}), so at most the "
            "small rest is saved"
        )
    return True, (
        f"only the diagonal blocks need factoring, and the largest holds {share:.1%} of the rows "
        f"({largest:,} of {n:,})"
    )
