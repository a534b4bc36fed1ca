# SPDX-License-Identifier: BSD-3-Clause
"""The order inside the diagonal blocks: amd, colamd, natural.

The orders are computed by ``ordering``; this module chooses one.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from btfperm.ordering import count_symmetric, order_places
from btfperm.pattern import Pattern
from btfperm.results import BlockTriangularForm, IndexArray

__all__ = ["BlockOrdering", "order_inside_blocks"]

BlockOrdering = Literal["auto", "colamd", "amd", "natural"]

# Least share of symmetric entries inside the blocks for amd, by solver. With KLU (tol
# .001) amd leaves fewer numbers in L + U than colamd on ibmpg1_mna (.31) and on most matrices that
# are more symmetric, but more on bayer10 (.18). SuperLU (diag_pivot_thresh 1) pivots off the
# diagonal: amd leaves many more on bayer10, ibmpg1_mna, cavity14 (.41) and lns_3937 (.51), and
# fewer on ScaleMicrogrid (.58), bips98_606 (.97) and pfjac 13659pegase (1).
_SYMMETRIC_ENOUGH = {"klu": 0.25, "superlu": 0.75}


def order_inside_blocks(
    pattern: Pattern,
    form: BlockTriangularForm,
    ordering: BlockOrdering,
    solver: str,
    threads: int = 1,
) -> tuple[IndexArray, IndexArray, BlockOrdering]:
    """(row_perm, col_perm, name of the chosen ordering): gather permutations with the
    transversal on the diagonal; the blocks of `form` stay where they are."""
    row_perm, col_perm = form.matched_row_perm, form.col_perm
    if ordering == "auto":
        ordering = _choose(pattern, form, solver, threads)
    if ordering == "natural":
        return row_perm, col_perm, ordering
    order = order_places(pattern, row_perm, col_perm, form.blocks, ordering, threads)
    return row_perm[order], col_perm[order], ordering


def _choose(
    pattern: Pattern, form: BlockTriangularForm, solver: str, threads: int
) -> Literal["amd", "colamd", "natural"]:
    if not (np.diff(form.blocks) > 2).any():
        return "natural"
    permuted = form.matched_row_perm, form.col_perm, form.blocks
    entries, mirrored = count_symmetric(pattern, *permuted, threads)
    return "amd" if mirrored >= _SYMMETRIC_ENOUGH[solver] * entries else "colamd"
