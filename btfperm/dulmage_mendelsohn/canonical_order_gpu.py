# SPDX-License-Identifier: BSD-3-Clause
"""The canonical order on the device: keys, and sorts of them; ``canonical_order.hpp`` has the rule.

A key has two halves of 32 bits: what comes first, and the row, column or block itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from btfperm.backends.gpu.arrays import BLOCK, grid
from btfperm.backends.gpu.compile import Kernels
from btfperm.dulmage_mendelsohn.coarse_gpu import HORIZONTAL, VERTICAL, Parts
from btfperm.dulmage_mendelsohn.fine_rectangular.connected_gpu import Roots
from btfperm.dulmage_mendelsohn.fine_square.digraph_gpu import NULL
from btfperm.dulmage_mendelsohn.fine_square.find_square_gpu import Square
from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["Placed", "in_order"]


class Placed(NamedTuple):
    """Rows and columns of some blocks in their order, and where each block begins among them."""

    rows: Any
    cols: Any
    row_starts: Any
    col_starts: Any


def in_order(
    problem: DeviceProblem, parts: Parts, roots: Roots | None, square: Square | None
) -> tuple[Any, Any, Any, Any]:
    """row_perm, col_perm, row_blocks, col_blocks."""
    import cupy

    order = _Order(problem, parts)
    placed = []
    if roots is not None and parts.horizontal[1]:
        named = order.of_part(parts.of_col, HORIZONTAL)
        rows = cupy.flatnonzero(roots.rows_by_col >= 0)
        placed.append(
            order.components(rows, named, roots.rows_by_col, roots.cols_by_col, cols_name=True)
        )
    if square is not None:
        placed.append(order.square(square))
    if roots is not None and parts.vertical[0]:
        rows = cupy.flatnonzero(roots.rows_by_row >= 0)
        cols = order.of_part(parts.of_col, VERTICAL)
        placed.append(
            order.components(rows, cols, roots.rows_by_row, roots.cols_by_row, cols_name=False)
        )
    return order.joined(placed)


class _Order:
    def __init__(self, problem: DeviceProblem, parts: Parts) -> None:
        self.problem, self.parts, self.width = problem, parts, problem.width
        self.run: Kernels = problem.kernels("dulmage_mendelsohn/canonical_order.cu")

    def of_part(self, of_col: Any, part: int) -> Any:
        """The columns of a part, ascending."""
        import cupy

        return cupy.flatnonzero(of_col == part)

    def components(
        self, rows: Any, cols: Any, row_root: Any, col_root: Any, *, cols_name: bool
    ) -> Placed:
        """Of a rectangular part, by their smallest columns, or else by their smallest rows."""
        import cupy

        row_keys, col_keys = self._sorted(rows, row_root), self._sorted(cols, col_root)
        members, root = (cols, col_root) if cols_name else (rows, row_root)
        names = members[root[members] == members].astype(np.uint64) << np.uint64(32)
        return Placed(
            self._lower(row_keys),
            self._lower(col_keys),
            cupy.searchsorted(row_keys, names),
            cupy.searchsorted(col_keys, names),
        )

    def square(self, square: Square) -> Placed:
        """Of the square part, by falling height, ties by the smallest column."""
        import cupy

        problem, of_col = self.problem, self.parts.of_col
        n, count = problem.n, self.parts.square[1]
        alone = cupy.arange(n, dtype=self.width)
        cols = alone if of_col is None else self.of_part(of_col, 0).astype(self.width)
        leaders = cols if square.leader is None else cols[square.leader[cols] == cols]
        blocks = int(leaders.size)
        keys = cupy.empty(blocks, dtype=np.uint64)
        self.run.launch("block_keys", grid(blocks), BLOCK, blocks, leaders, square.height, n, keys)
        if blocks > 1:
            keys = cupy.sort(keys)
        if blocks == count:
            starts = alone[:count]
            return Placed(self._lower(keys, problem.col_match), self._lower(keys), starts, starts)
        rows = problem.col_match[cols]
        if blocks == 1:
            return Placed(cupy.sort(rows), cols, alone[:1] * 0, alone[:1] * 0)
        rank = cupy.empty(n, dtype=self.width)
        self.run.launch("rank_leaders", grid(blocks), BLOCK, blocks, keys, rank)
        col_keys = self._sorted(cols, square.leader, rank=rank)
        row_keys = self._sorted(rows, square.leader, problem.row_match, rank)
        starts = cupy.arange(blocks, dtype=np.uint64) << np.uint64(32)
        starts = cupy.searchsorted(col_keys, starts)
        return Placed(self._lower(row_keys), self._lower(col_keys), starts, starts)

    def joined(self, placed: list[Placed]) -> tuple[Any, Any, Any, Any]:
        """One part after the other."""
        import cupy

        width, nothing = self.width, cupy.empty(0, dtype=self.width)
        rows = [nothing, *(part.rows for part in placed)]
        cols = [nothing, *(part.cols for part in placed)]
        row_starts, col_starts = [nothing], [nothing]
        row, col = 0, 0
        for part in placed:
            row_starts.append((part.row_starts + row).astype(width))
            col_starts.append((part.col_starts + col).astype(width))
            row, col = row + int(part.rows.size), col + int(part.cols.size)
        row_starts.append(cupy.full(1, row, dtype=width))
        col_starts.append(cupy.full(1, col, dtype=width))
        return tuple(cupy.concatenate(parts) for parts in (rows, cols, row_starts, col_starts))

    def _sorted(self, members: Any, leader: Any, match: Any = NULL, rank: Any = NULL) -> Any:
        """Keys of members: the rank of what leads them (or of what leads their match), and they
        themselves."""
        import cupy

        count = int(members.size)
        keys = cupy.empty(count, dtype=np.uint64)
        members = members.astype(self.width, copy=False)
        self.run.launch(
            "member_keys", grid(count), BLOCK, count, members, match, leader, rank, keys
        )
        return cupy.sort(keys)

    def _lower(self, keys: Any, match: Any = NULL) -> Any:
        """What the keys stand for, or what is matched to that."""
        import cupy

        members = cupy.empty(keys.size, dtype=self.width)
        count = int(keys.size)
        self.run.launch("lower_halves", grid(count), BLOCK, count, keys, match, members)
        return members
