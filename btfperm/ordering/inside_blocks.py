# SPDX-License-Identifier: BSD-3-Clause
"""The order inside the diagonal blocks for a solver: amd, colamd, rcm, natural, or the one of them
that suits the matrix and the solver."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from btfperm.ordering import Fill, Method, count_fill, count_symmetric, order_places
from btfperm.pattern import Pattern, inverse
from btfperm.results import BlockTriangularForm, Decomposition, IndexArray

__all__ = ["SMALL", "BlockOrdering", "InsideOrder", "fill_of", "is_nearly_symmetric"]
__all__ += ["order_inside_blocks"]

BlockOrdering = Literal["auto", "colamd", "amd", "rcm", "natural"]

# Where SuperLU leaves the diagonal, as in weak columns, the predicted fill says little: amd leaves
# many more numbers than colamd on ibmpg1_mna (a share .20 of weak columns), cavity14 (.34), bayer10
# (.44) and NSR8K (.92). With a share of .14 and less (west0655, bp_1200, ScaleMicrogrid), and with
# symmetric blocks, those of amd are as predicted, or at most twice as many.
_SYMMETRIC_ENOUGH = 0.75
_FEW_WEAK = 0.15
# Elsewhere the predicted fill decides. On 36 real matrices colamd has less of
# it than amd only where less than a tenth of the entries are symmetric.
_SYMMETRIC_AT_ALL = 0.25
_MOST_FILL = 100_000_000  # entries of L in a block that are counted
SMALL = 500  # rows below which other orders take longer than they can save


class InsideOrder(NamedTuple):
    """Gather permutations with the transversal on the diagonal, ordered inside the blocks.

    Attributes
    ----------
    block_ordering : the chosen ordering
    fill : the predicted fill; None if it was not counted, or is too large
    """

    row_perm: IndexArray
    col_perm: IndexArray
    block_ordering: BlockOrdering
    fill: Fill | None = None


def order_inside_blocks(
    pattern: Pattern,
    form: Decomposition,
    ordering: BlockOrdering,
    solver: str,
    threads: int = 1,
    weak: int | None = None,
) -> InsideOrder:
    """The order inside the blocks of `form`, which stay where they are. The matrix is square and
    has a row for each column. `weak`: number of columns with a small entry on the diagonal; None if
    it is not known."""
    row_perm, col_perm = form.matched_row_perm, form.col_perm
    permuted = row_perm, col_perm, form.row_blocks

    def ordered(method: Method, *, counted: bool = False) -> InsideOrder:
        places = order_places(pattern, *permuted, method, threads)
        fill = count_fill(pattern, *permuted, places, _MOST_FILL, threads) if counted else None
        return InsideOrder(row_perm[places], col_perm[places], method, fill)

    if ordering == "natural" or (ordering == "auto" and not (np.diff(form.row_blocks) > 2).any()):
        return InsideOrder(row_perm, col_perm, "natural")
    if ordering != "auto":
        return ordered(ordering)
    entries, mirrored = count_symmetric(pattern, *permuted, threads)
    if solver == "superlu":
        if mirrored >= _SYMMETRIC_ENOUGH * entries:
            return ordered("amd")
        if weak is None or weak > _FEW_WEAK * pattern.n:
            return ordered("colamd")
    if pattern.n < SMALL or mirrored >= _SYMMETRIC_AT_ALL * entries:
        return ordered("amd")
    amd = ordered("amd", counted=True)
    if _total(amd.fill) <= 1.05 * entries + pattern.n:
        return amd  # colamd has at least as many numbers as there are entries
    colamd = ordered("colamd", counted=True)
    return amd if _total(amd.fill) <= _total(colamd.fill) else colamd


def fill_of(form: BlockTriangularForm, col_perm: IndexArray, threads: int = 1) -> Fill | None:
    """The predicted `Fill` inside the blocks, in the order `col_perm`; None if it is too large to
    be counted, or the form has no pattern."""
    pattern: Pattern | None = form.pattern
    if pattern is None:
        return None
    order = inverse(form.col_perm)[col_perm].astype(form.col_perm.dtype, copy=False)
    permuted = form.matched_row_perm, form.col_perm, form.blocks
    return count_fill(pattern.on_host(), *permuted, order, _MOST_FILL, threads)


def is_nearly_symmetric(form: BlockTriangularForm) -> bool:
    """Whether three quarters of the entries off the diagonal inside the blocks have a mirror image.
    O(nnz)."""
    if form.pattern is None:
        return False
    permuted = form.matched_row_perm, form.col_perm, form.blocks
    entries, mirrored = count_symmetric(form.pattern.on_host(), *permuted)
    return mirrored >= _SYMMETRIC_ENOUGH * entries


def _total(fill: Fill | None) -> float:
    return np.inf if fill is None else fill.total
