# SPDX-License-Identifier: BSD-3-Clause
"""Driver of ``canonical_order.cu``: numbers the blocks, then sorts rows and columns by them."""

from __future__ import annotations

from typing import Any

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.counting_sort import places_in_order
from btfperm.backends.gpu.grouping import members_by_group
from btfperm.backends.gpu.problem import DeviceProblem
from btfperm.backends.gpu.readback import SharedStruct
from btfperm.dulmage_mendelsohn.coarse_gpu import Parts
from btfperm.dulmage_mendelsohn.fine_rectangular.connected_gpu import Roots
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import NULL
from btfperm.dulmage_mendelsohn.fine_square.find_square_gpu import Square
from btfperm.pattern import LARGEST_INT32

__all__ = ["in_order"]

_FILE = "dulmage_mendelsohn/canonical_order.cu"


def in_order(
    problem: DeviceProblem, parts: Parts, roots: Roots | None, square: Square | None
) -> tuple[Any, Any, Any, Any]:
    """The permutations and the boundaries of the blocks: row_perm, col_perm, row_blocks,
    col_blocks. `roots` has the blocks of the rectangular parts, `square` those of the square part;
    each is None if there are none."""
    import cupy

    m, n, width = problem.m, problem.n, problem.width
    if square is not None and square.height is None:
        return _one_block(m, n, width)
    run = problem.kernels(_FILE)
    of_col = NULL if parts.of_col is None else parts.of_col
    leader = NULL if square is None or square.leader is None else square.leader
    col_root, row_root = (NULL, NULL) if roots is None else (roots.cols, roots.rows)
    totals, names, heights = (cupy.empty(size, dtype=width) for size in (m + 2 * n, n, n))
    numbers = SharedStruct(_FILE, "Numbers")
    height = NULL if square is None else square.height
    marks = of_col, leader, col_root, row_root, height, totals, names, heights
    of_blocks = run.totals_of_blocks("number_names", BLOCK)
    run.launch_together("number_names", BLOCK, m, n, *marks, of_blocks, numbers.array)
    fields = numbers.fields()
    before, with_square, n_blocks = fields["horizontal"], fields["with_square"], fields["all"]
    if square is not None:
        count = with_square - before
        names, heights = names[before:with_square], heights[before:with_square]
        order = places_in_order(heights, fields["highest"] + 1)
        if count == m == n:  # every block is one row and one column
            row_perm, col_perm = cupy.empty(n, dtype=width), cupy.empty(n, dtype=width)
            run.launch("look_up", grid(n), BLOCK, n, order, names, NULL, col_perm)
            run.launch("look_up", grid(n), BLOCK, n, order, names, problem.col_match, row_perm)
            starts = cupy.arange(n + 1, dtype=width)
            return row_perm, col_perm, starts, starts
        run.launch("renumber_square", grid(count), BLOCK, count, before, order, names, n, totals)
    if n_blocks == 1:
        return _one_block(m, n, width)
    block = cupy.empty(n + m, dtype=width)  # of the columns, then of the rows
    # If neither n + m nor 2 n_blocks exceeds LARGEST_INT32, columns and rows are sorted together.
    # For this sort, n_blocks is added to the block numbers of the rows.
    before_rows = n_blocks if max(n + m, 2 * n_blocks) <= LARGEST_INT32 else 0
    named = of_col, leader, col_root, row_root, totals
    matching = problem.row_match, problem.col_match
    placed = before_rows, block[:n], block[n:]
    run.launch("block_of_each", grid(m + n), BLOCK, m, n, *matching, *named, *placed)
    if not before_rows:
        col_starts, col_perm = members_by_group(block[:n], n_blocks)
        row_starts, row_perm = members_by_group(block[n:], n_blocks)
        return row_perm, col_perm, row_starts, col_starts
    starts, members = members_by_group(block, 2 * n_blocks, (n_blocks, n))
    return members[n:], members[:n], starts[n_blocks + 1 :], starts[: n_blocks + 1]


def _one_block(m: int, n: int, width: Any) -> tuple[Any, Any, Any, Any]:
    import cupy

    starts = (cupy.array([0, size], dtype=width) for size in (m, n))
    return cupy.arange(m, dtype=width), cupy.arange(n, dtype=width), *starts
