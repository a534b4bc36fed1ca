# SPDX-License-Identifier: BSD-3-Clause
"""The order inside the diagonal blocks for a solver: amd, colamd, minimum-fill, rcm or natural.
"auto" chooses one of these except rcm, by fixed rules about the matrix and the solver."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from btfperm.errors import ResourceMissingError
from btfperm.ordering import (
    Fill,
    Method,
    count_fill,
    count_symmetric,
    order_and_symmetry,
    order_by_fill,
    order_places,
)
from btfperm.pattern import Pattern, inverse
from btfperm.results import BlockTriangularForm, Decomposition, IndexArray

__all__ = ["LESS_FILL", "SMALL", "BlockOrdering", "InsideOrder", "Symmetry", "counted"]
__all__ += ["fill_of", "first_order", "is_nearly_symmetric", "method_of"]
__all__ += ["order_inside_blocks", "with_less_fill"]

BlockOrdering = Literal["auto", "colamd", "amd", "minimum-fill", "rcm", "natural"]

# The predicted fill assumes that pivots stay on the diagonal. Where SuperLU chooses pivots off the
# diagonal, L and U can have many more entries than predicted with amd, and than with colamd. So,
# for solvers other than KLU, "auto" first chooses without a prediction: amd if at least the share
# SYMMETRIC_ENOUGH of the entries has a mirror image; otherwise colamd if more than the share
# MOST_SMALL of the columns has a small diagonal entry, or if the number of these columns is not
# known.
SYMMETRIC_ENOUGH = 0.75
MOST_SMALL = 0.15
# For the other matrices, the choice is amd, unless fewer entries than this share have a mirror
# image and the matrix has at least SMALL rows. Then the smaller predicted fill decides between amd
# and colamd.
_SYMMETRIC_AT_ALL = 0.25
# For KLU, "auto" chooses amd and then tries minimum fill, except on nearly symmetric blocks, where
# minimum fill saves little. The fill by minimum fill must be at most LESS_FILL times that of amd,
# because pivots off the diagonal can cost more than a smaller gain. Minimum fill is abandoned if it
# visits, in one block, more entries than WORK_PER_OPERATION times the operations of the
# factorization with amd plus WORK_PER_ENTRY times the number of rows and entries of the matrix.
LESS_FILL = 0.95
WORK_PER_OPERATION, WORK_PER_ENTRY = 4, 200
MOST_FILL = 100_000_000  # if L has more entries in a block, they are not counted
SMALL = 500  # number of rows below which a second order takes longer than it can save


class Symmetry(NamedTuple):
    """The number of entries off the diagonal inside the blocks of at least three rows, and the
    number of those among them whose mirror image is an entry."""

    entries: int
    mirrored: int

    def reaches(self, share: float) -> bool:
        """Whether at least the share `share` of the entries has a mirror image."""
        return self.mirrored >= share * self.entries


class InsideOrder(NamedTuple):
    """Gather permutations with the transversal on the diagonal, ordered inside the blocks.

    Attributes
    ----------
    block_ordering : the chosen ordering
    fill : the predicted entries of L and U inside the blocks; None if they were not counted, or L
        has more than `MOST_FILL` of them in one block
    symmetry : of the blocks; None if it was not counted, and always None for "minimum-fill"
    """

    row_perm: IndexArray
    col_perm: IndexArray
    block_ordering: BlockOrdering
    fill: Fill | None = None
    symmetry: Symmetry | None = None


def method_of(ordering: BlockOrdering, solver: str) -> Method:
    """The method of `order_places` for "amd", "colamd" or "rcm", and "amd" for all others."""
    if ordering == "colamd" or ordering == "rcm":
        return ordering
    return "amd-ascending" if solver == "klu" else "amd"


def order_inside_blocks(
    pattern: Pattern, form: Decomposition, ordering: BlockOrdering, solver: str, threads: int = 1
) -> InsideOrder:
    """The order inside the blocks of `form`; the blocks themselves keep their places. The matrix is
    square, and `form` pairs each row with a column. The choice does not depend on the values of the
    matrix."""
    first = first_order(pattern, form, ordering, solver, threads)
    return with_less_fill(pattern, form, first, ordering, solver, threads)


def first_order(
    pattern: Pattern,
    form: Decomposition,
    ordering: BlockOrdering,
    solver: str,
    threads: int = 1,
    n_small: int | None = None,
) -> InsideOrder:
    """The requested order. For "auto": natural if no block has three rows; otherwise amd for KLU,
    and amd or colamd for other solvers. For KLU, `with_less_fill` may then replace the order.
    `n_small` is the number of columns with a small entry on the diagonal; None if it is not
    known."""
    row_perm, col_perm = form.matched_row_perm, form.col_perm
    permuted = row_perm, col_perm, form.row_blocks

    def ordered(name: BlockOrdering, *, counted: bool = False) -> InsideOrder:
        places = order_places(pattern, *permuted, method_of(name, solver), threads)
        fill = count_fill(pattern, *permuted, places, MOST_FILL, threads) if counted else None
        return InsideOrder(row_perm[places], col_perm[places], name, fill, symmetry)

    symmetry = None
    are_tiny = form.n_blocks == pattern.n or not (np.diff(form.row_blocks) > 2).any()
    if ordering == "natural" or (ordering == "auto" and are_tiny):
        return InsideOrder(row_perm, col_perm, "natural")
    if ordering == "minimum-fill":
        return _by_fill(pattern, form, threads)
    if ordering != "auto":
        return ordered(ordering)
    if solver == "klu":
        places, found = order_and_symmetry(pattern, *permuted, threads)
        return InsideOrder(row_perm[places], col_perm[places], "amd", None, Symmetry(*found))
    symmetry = Symmetry(*count_symmetric(pattern, *permuted, threads))
    if symmetry.reaches(SYMMETRIC_ENOUGH):
        return ordered("amd")
    if n_small is None or n_small > MOST_SMALL * pattern.n:
        return ordered("colamd")
    if pattern.n < SMALL or symmetry.reaches(_SYMMETRIC_AT_ALL):
        return ordered("amd")
    amd = ordered("amd", counted=True)
    if _total(amd.fill) <= 1.05 * symmetry.entries + pattern.n:
        return amd  # colamd cannot have much less fill, because L + U contain all entries
    colamd = ordered("colamd", counted=True)
    return amd if _total(amd.fill) <= _total(colamd.fill) else colamd


def with_less_fill(
    pattern: Pattern,
    form: Decomposition,
    inside: InsideOrder,
    ordering: BlockOrdering,
    solver: str,
    threads: int = 1,
) -> InsideOrder:
    """The order by minimum fill for "auto" and KLU, or `inside`, the result of `first_order`.

    Minimum fill is tried if the blocks are not nearly symmetric. It is chosen if its fill is at
    most LESS_FILL times that of `inside`, and if its work stays below the limit above. The result
    contains the fill if this function counted it. KLU prefers pivots on the diagonal, so predicted
    fills are reliable."""
    symmetry = inside.symmetry
    if ordering != "auto" or solver != "klu" or symmetry is None:
        return inside
    if symmetry.reaches(SYMMETRIC_ENOUGH):
        return inside
    inside = counted(pattern, form, inside, threads)
    fill = inside.fill
    if fill is None or LESS_FILL * fill.total <= symmetry.entries + pattern.n:
        return inside
    permuted = form.matched_row_perm, form.col_perm, form.row_blocks
    size = pattern.nnz + pattern.n
    most_work = int(WORK_PER_OPERATION * fill.operations) + WORK_PER_ENTRY * size
    most = int(LESS_FILL * fill.total)
    places = order_by_fill(pattern, *permuted, most, most_work, threads)
    if places is None:
        return inside
    other = _placed(pattern, form, places, threads)
    return other if _total(other.fill) <= most else inside


def counted(
    pattern: Pattern, form: Decomposition, inside: InsideOrder, threads: int = 1
) -> InsideOrder:
    """The order `inside` with its fill, which is counted unless it is known. The fill is None if L
    has more than `MOST_FILL` entries in one block."""
    fill = inside.fill or _fill_in(pattern, form, inside.col_perm, threads)
    return inside._replace(fill=fill)


def _by_fill(pattern: Pattern, form: Decomposition, threads: int) -> InsideOrder:
    """The order by minimum fill, whatever it costs."""
    permuted = form.matched_row_perm, form.col_perm, form.row_blocks
    places = order_by_fill(pattern, *permuted, MOST_FILL, np.iinfo(np.int64).max, threads)
    if places is None:
        raise ResourceMissingError(
            f"by minimum fill, L and U have more than {MOST_FILL:,} entries in one block; try "
            "another block_ordering, such as amd"
        )
    return _placed(pattern, form, places, threads)


def _placed(pattern: Pattern, form: Decomposition, places: IndexArray, threads: int) -> InsideOrder:
    rows, cols = form.matched_row_perm, form.col_perm
    fill = count_fill(pattern, rows, cols, form.row_blocks, places, MOST_FILL, threads)
    return InsideOrder(rows[places], cols[places], "minimum-fill", fill)


def fill_of(form: Decomposition, col_perm: IndexArray, most: int = MOST_FILL) -> Fill | None:
    """The predicted `Fill` inside the blocks, in the order `col_perm`; None if L has more than
    `most` entries in one block, or the form has no pattern."""
    pattern: Pattern | None = form.pattern
    return None if pattern is None else _fill_in(pattern.on_host(), form, col_perm, 1, most)


def _fill_in(
    pattern: Pattern,
    form: Decomposition,
    col_perm: IndexArray,
    threads: int,
    most: int = MOST_FILL,
) -> Fill | None:
    order = inverse(form.col_perm)[col_perm].astype(form.col_perm.dtype, copy=False)
    permuted = form.matched_row_perm, form.col_perm, form.row_blocks
    return count_fill(pattern, *permuted, order, most, threads)


def is_nearly_symmetric(form: BlockTriangularForm) -> bool:
    """Whether at least the share SYMMETRIC_ENOUGH of the entries off the diagonal, in blocks of at
    least three rows, has a mirror image. True if there are no such entries; False if the form has
    no pattern. O(nnz)."""
    if form.pattern is None:
        return False
    permuted = form.matched_row_perm, form.col_perm, form.blocks
    entries, mirrored = count_symmetric(form.pattern.on_host(), *permuted)
    return mirrored >= SYMMETRIC_ENOUGH * entries


def _total(fill: Fill | None) -> float:
    return np.inf if fill is None else fill.total
