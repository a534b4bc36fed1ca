# SPDX-License-Identifier: BSD-3-Clause
"""Sentences about the rows and columns that make a matrix structurally singular."""

from __future__ import annotations

from typing import Any

import numpy as np

from btfperm.results.counted import counted
from btfperm.results.decomposition import DulmageMendelsohn
from btfperm.results.parts import Block

__all__ = ["GROUPS", "blamed_groups", "listed"]

GROUPS = 10  # groups, and blocks, that a message describes
_SHOWN = 5  # rows, and columns, that a message names in one group


def blamed_groups(d: DulmageMendelsohn, noun: str, excess: int) -> list[str]:
    """Lines about the groups that have too many rows (columns), `excess` altogether: the blocks of
    the vertical (horizontal) part."""
    if not excess:
        return []
    of_rows = noun == "row"
    blocks = (d.vertical if of_rows else d.horizontal).blocks
    heights, widths = (
        np.diff(b[blocks.start : blocks.stop + 1]) for b in (d.row_blocks, d.col_blocks)
    )
    many, few = (heights, widths) if of_rows else (widths, heights)
    groups = counted(len(blocks), "independent group")
    lines = [f"  {counted(excess, noun)} too many, in {groups}:"]
    empty = np.flatnonzero(few == 0)  # such a block is one empty row (column)
    if empty.size:
        perm, starts = (d.row_perm, d.row_blocks) if of_rows else (d.col_perm, d.col_blocks)
        members = np.sort(perm[starts[blocks.start + empty]])
        lines.append(f"    {listed(noun, members)} {'is' if empty.size == 1 else 'are'} empty")
    others = np.flatnonzero(few)
    surplus = many[others] - few[others]
    first = np.argsort(-surplus, kind="stable")[: GROUPS - 1]
    for k in others[first]:
        lines.append(f"    {_group(d.block(blocks.start + int(k)), noun)}")
    more = others.size - first.size
    if more:
        rest = counted(int(surplus.sum() - surplus[first].sum()), noun)
        lines.append(f"    and {counted(more, 'group')} more, with {rest} too many")
    return lines


def _group(block: Block, noun: str) -> str:
    """A sentence about a block with more rows than columns, or more columns than rows."""
    rows, cols = listed("row", block.rows), listed("column", block.cols)
    many, few = (rows, cols) if noun == "row" else (cols, rows)
    surplus = abs(block.shape[0] - block.shape[1])
    count = f" ({surplus:,} too many)" if surplus > 1 else ""
    return f"{many} have entries only in {few}{count}"


def listed(noun: str, members: Any) -> str:
    """`row 3`, `rows 1, 2`, or `37 rows (0, 1, 2, 3, 4, ...)`."""
    shown = ", ".join(str(k) for k in members[:_SHOWN])
    if len(members) > _SHOWN:
        return f"{counted(len(members), noun)} ({shown}, ...)"
    return f"{noun}{'s' if len(members) > 1 else ''} {shown}"
