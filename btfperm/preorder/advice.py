# SPDX-License-Identifier: BSD-3-Clause
"""The sentence of `Preordering.advice`: the expected fill, compared with that of one block of all
rows.

One block   If the form has only one block, it saves nothing. The sentence then states how many
            entries the order inside the block saves compared to amd.
Others      The fill of the blocks is compared with the fill of one block that is ordered by the
            same method, so that the difference shows what the blocks save, not what the order
            saves. For the one block, amd replaces "natural", which depends on the blocks, and
            "minimum-fill" if that method exceeds the limits on fill or work.
"""

from __future__ import annotations

import numpy as np

from btfperm.ordering import Fill, count_fill, order_by_fill, order_places
from btfperm.ordering.inside_blocks import (
    WORK_PER_ENTRY,
    WORK_PER_OPERATION,
    BlockOrdering,
    method_of,
)
from btfperm.pattern import Pattern
from btfperm.results import BlockTriangularForm, IndexArray
from btfperm.results.counted import counted

__all__ = ["advice"]

_MORE = 4  # the fill of one block is counted up to this multiple of the fill of the blocks


def advice(
    form: BlockTriangularForm, fill: Fill | None, ordering: BlockOrdering, solver: str
) -> str:
    """A sentence that states the expected fill, and whether the blocks save fill."""
    if fill is None:
        return "the fill is too large to be counted: give the matrix to an iterative solver"
    blocks = counted(form.n_blocks, "block")
    head = f"L + U is expected to have {counted(fill.total, 'entry', 'entries')} inside {blocks}"
    if form.n_blocks <= 1:
        return (
            f"{head}: the block triangular form saves nothing{_saved(form, fill, ordering, solver)}"
        )
    other, total = _in_one_block(form, fill, ordering, solver)
    there = "in one block" if other == ordering else f"in one block ordered by {other}"
    if total is None:
        return f"{head}; {there}, it would have more than four times as many: use the blocks"
    assert form.pattern is not None
    margin = form.pattern.nnz // 20
    verdict = "saves little"
    if total > fill.total + margin:
        verdict = "is worthwhile"
    elif total + margin < fill.total:
        verdict = "has more fill here"
    return f"{head}, and {total:,} {there}: the block triangular form {verdict}"


def _saved(form: BlockTriangularForm, fill: Fill, ordering: BlockOrdering, solver: str) -> str:
    """The part of the sentence about the entries that the order of the only block saves compared to
    amd; empty if it saves nothing."""
    if ordering == "amd" or fill.total == 0:
        return ""
    amd = _total(form, fill, _places(form, "amd", solver))
    if amd is None:
        return f", and {ordering} saves more than three quarters of the entries of amd"
    saved = amd - fill.total
    what = counted(saved, "entry", "entries")
    return f", and {ordering} saves {what} of {amd:,} with amd" if saved > 0 else ""


def _in_one_block(
    form: BlockTriangularForm, fill: Fill, ordering: BlockOrdering, solver: str
) -> tuple[BlockOrdering, int | None]:
    """The order of the one block for the comparison, and its fill. The fill is None if it is more
    than `_MORE` times the fill of the blocks."""
    if ordering == "minimum-fill":
        places = _by_fill(form, fill)
        if places is not None:
            return ordering, _total(form, fill, places)
    same: BlockOrdering = ordering if ordering in ("colamd", "rcm") else "amd"
    return same, _total(form, fill, _places(form, same, solver))


def _by_fill(form: BlockTriangularForm, fill: Fill) -> IndexArray | None:
    """The order by minimum fill in one block; None if it exceeds the limits on fill or work."""
    pattern = form.pattern
    assert pattern is not None
    work = WORK_PER_OPERATION * fill.operations + WORK_PER_ENTRY * (pattern.nnz + pattern.n)
    most = _MORE * fill.total + pattern.nnz
    return order_by_fill(*_one_block(form), most, int(work))


def _places(form: BlockTriangularForm, ordering: BlockOrdering, solver: str) -> IndexArray:
    return order_places(*_one_block(form), method_of(ordering, solver))


def _total(form: BlockTriangularForm, fill: Fill, order: IndexArray) -> int | None:
    """The number of entries of L + U in one block. None if L has more than `_MORE` times the
    entries of `fill`, plus those of the matrix."""
    assert form.pattern is not None
    other = count_fill(*_one_block(form), order, _MORE * fill.total + form.pattern.nnz)
    return None if other is None else other.total


def _one_block(
    form: BlockTriangularForm,
) -> tuple[Pattern, IndexArray, IndexArray, IndexArray]:
    """The matrix with its transversal on the diagonal, and the bounds of one block of all rows."""
    pattern = form.pattern
    assert pattern is not None
    whole = np.array([0, pattern.n], dtype=form.col_perm.dtype)
    return pattern.on_host(), form.matched_row_perm, form.col_perm, whole
