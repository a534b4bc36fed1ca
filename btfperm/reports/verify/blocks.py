# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the fine blocks: they are block triangular, irreducible, and in the canonical order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from btfperm.reports.verify.reach import Index, by_rows, reach
from btfperm.reports.verify.subject import Subject, Violation, named, wrong


def check_triangular(s: Subject) -> Iterator[Violation]:
    """Nothing lies below the diagonal blocks, and nothing between two blocks of one rectangular
    part."""
    of_row, of_col = s.row_block[s.indices], s.col_block[s.entry_col]
    below = of_row > of_col
    first, last = s.square_blocks
    beside = ((of_row < of_col) & (of_col < first)) | ((of_col > of_row) & (of_row >= last))
    for hit, text in (
        (below, "below the diagonal blocks: {entries}"),
        (beside, "between two blocks of the horizontal or the vertical part: {entries}"),
    ):
        where = np.flatnonzero(hit)
        if where.size:
            noun = "entries " if where.size > 1 else "entry "
            yield wrong("triangular", noun + text, s.indices[where], s.entry_col[where])


def check_irreducible(s: Subject) -> Iterator[Violation]:
    """The blocks of the square part are square and irreducible, and each contains the matched
    entries of its rows (see `Subject.mates`). Rectangular blocks are connected, if the canonical
    order is promised."""
    heights, widths = np.diff(s["row_blocks"]), np.diff(s["col_blocks"])
    first, last = s.square_blocks
    square = np.zeros(heights.size, dtype=np.bool_)
    square[first:last] = True
    not_square = np.flatnonzero(square & (heights != widths))
    if not_square.size:
        yield wrong("irreducible", f"not square: {named('block', not_square)} of the square part")
        return
    row_match, col_match = s.mates
    pair_rows = np.flatnonzero(square[s.row_block])
    split = pair_rows[s.row_block[pair_rows] != s.col_block[row_match[pair_rows]]]
    if split.size:
        text = "matched pairs outside the diagonal blocks: {entries}"
        yield wrong("irreducible", text, split, row_match[split])
        return
    inside = s.row_block[s.indices] == s.col_block[s.entry_col]
    rows, cols = s.indices[inside], s.entry_col[inside]
    col_ptr = np.concatenate(([0], np.bincount(cols, minlength=s.n).cumsum()))
    row_ptr, row_cols = by_rows(rows, cols, s.m)

    # A square block is irreducible if its first column reaches all columns and all reach it.
    pivot_cols = s["col_perm"][s["col_blocks"][first:last]]
    from_pivot, _ = reach(col_ptr, rows, row_match, pivot_cols, s.m)
    to_pivot, _ = reach(row_ptr, row_cols, col_match, col_match[pivot_cols], s.n)
    pair_cols = np.flatnonzero(square[s.col_block])
    not_in_component = pair_cols[~(from_pivot[pair_cols] & to_pivot[col_match[pair_cols]])]
    if not_in_component.size:
        blocks = np.unique(s.col_block[not_in_component])
        text = f"not irreducible: {named('square block', blocks)}, split at {{cols}}"
        yield wrong("irreducible", text, cols=not_in_component)

    if not s.canonical:  # other tools need not divide the rectangular parts into connected blocks
        return
    # Rectangular blocks: one undirected search over rows and columns, rows numbered first.
    lists = np.concatenate((row_cols + s.m, rows))
    pointers = np.concatenate((row_ptr, row_ptr[-1] + col_ptr[1:]))
    pivots = np.concatenate(
        (
            s["row_perm"][s["row_blocks"][:-1][~square & (heights > 0)]],
            s["col_perm"][s["col_blocks"][:-1][~square & (heights == 0)]] + s.m,
        )
    )
    near, far = reach(pointers, lists, np.arange(s.m + s.n), pivots, s.m + s.n)
    apart = ~(near | far) & ~square[np.concatenate((s.row_block, s.col_block))]
    for noun, hit in (("rows", apart[: s.m]), ("cols", apart[s.m :])):
        if hit.any():
            text = f"not connected with the rest of a rectangular block: {{{noun}}}"
            yield wrong("irreducible", text, **{noun: np.flatnonzero(hit)})


def check_order(s: Subject) -> Iterator[Violation]:
    """The canonical order: rows and columns ascend inside the blocks. The square blocks are in the
    order of falling height (see `_heights`), and blocks of equal height in the order of their
    smallest columns. The horizontal blocks are in the order of their smallest columns, the vertical
    blocks in the order of their smallest rows."""
    for perm, boundaries, noun in (
        ("row_perm", "row_blocks", "rows"),
        ("col_perm", "col_blocks", "cols"),
    ):
        inside = np.ones(s[perm].size, dtype=np.bool_)
        inside[s[boundaries][:-1][np.diff(s[boundaries]) > 0]] = False
        falls = np.flatnonzero((np.diff(s[perm], prepend=0) < 0) & inside)
        if falls.size:
            text = f"{perm} does not ascend inside a block at {{{noun}}}"
            yield wrong("order", text, **{noun: s[perm][falls]})
    first, last = s.square_blocks
    blocks = s["row_blocks"].size - 1
    least_row, least_col = (
        _least(s["row_perm"], s["row_blocks"]),
        _least(s["col_perm"], s["col_blocks"]),
    )
    height = _heights(s, first, last)
    for name, key, from_, to in (
        ("horizontal", least_col, 0, first),
        ("square", least_col, first, last),
        ("vertical", least_row, last, blocks),
    ):
        rank, tie = height[from_:to], key[from_:to]
        misplaced = (rank[:-1] < rank[1:]) | ((rank[:-1] == rank[1:]) & (tie[:-1] > tie[1:]))
        hit = np.flatnonzero(misplaced) + from_
        if hit.size:
            text = f"not in canonical order: {named(f'{name} block', hit)} and the next"
            yield wrong("order", text, cols=tie[hit - from_] if key is least_col else ())


def _least(perm: Index, boundaries: Index) -> Index:
    """Smallest original number in each block, -1 where it is empty."""
    least = np.full(boundaries.size - 1, -1, dtype=np.int64)
    filled = np.diff(boundaries) > 0
    if filled.any():
        least[filled] = np.minimum.reduceat(perm, boundaries[:-1][filled])
    return least


def _heights(s: Subject, first: int, last: int) -> Index:
    """Height of each square block, provided that the order is canonical. The successors of a block
    are the other square blocks in whose columns its rows have entries. The height is 0 without a
    successor, else one more than the largest height of a successor.

    In canonical order, heights decrease along the order, so the nearest successor has the greatest
    height of all successors, and the height of the block is one more. This function computes only
    that. If the computed numbers never rise along the order, they satisfy height = 1 + max over
    *all* successors, so they are the heights. If they rise somewhere, the order is not canonical,
    which the caller detects by comparing neighbours.
    """
    of_row, of_col = s.row_block[s.indices], s.col_block[s.entry_col]
    arc = (of_row >= first) & (of_col < last) & (of_row != of_col)
    nearest = np.full(s["row_blocks"].size - 1, last, dtype=np.int64)
    np.minimum.at(nearest, of_row[arc], of_col[arc])
    height = [0] * nearest.size
    successor = nearest.data
    for k in range(last - 1, first - 1, -1):
        if successor[k] < last:
            height[k] = height[successor[k]] + 1
    return np.array(height, dtype=np.int64)
