# SPDX-License-Identifier: BSD-3-Clause
"""`CoarsePart` and `Block`: the coarse parts and the fine blocks of a decomposition.

Both refer to the decomposition and store no arrays. Their properties return numbers of rows and
columns of the *original* matrix; `rows` and `cols` are views of `row_perm` and `col_perm`. NumPy
arrays are read-only. The arrays of a decomposition on a device are CuPy arrays, which cannot be
read-only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from btfperm.pattern.arrays import IndexArray, device_context, is_device_array
from btfperm.results.counted import counted
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.read_only import frozen

if TYPE_CHECKING:
    from btfperm.results.decomposition import Decomposition

__all__ = ["Block", "CoarsePart", "CoarseShapes", "block_numbers", "blocks_of", "part_ends"]

_PIECE = 1 << 14  # number of boundaries that an iteration converts to Python numbers at a time


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Rectangle:
    """Rows and columns of a rectangle of the permuted matrix."""

    _of: Decomposition
    row_slice: slice
    col_slice: slice

    @property
    def shape(self) -> tuple[int, int]:
        """(number of rows, number of columns)."""
        rows, cols = self.row_slice, self.col_slice
        return rows.stop - rows.start, cols.stop - cols.start

    @property
    def rows(self) -> IndexArray:
        """(r,) original numbers of the rows, in the order of the permuted matrix. O(1)."""
        with device_context(self._of.row_perm):
            return self._of.row_perm[self.row_slice]

    @property
    def cols(self) -> IndexArray:
        """(c,) original numbers of the columns, in the order of the permuted matrix. O(1)."""
        with device_context(self._of.col_perm):
            return self._of.col_perm[self.col_slice]

    @property
    def unmatched_rows(self) -> IndexArray:
        """The members of `rows` that the transversal leaves unmatched, in the same order. O(r)."""
        return _unmatched(self.rows, self._of.row_match)

    @property
    def unmatched_cols(self) -> IndexArray:
        """The members of `cols` that the transversal leaves unmatched, in the same order. O(c)."""
        return _unmatched(self.cols, self._of.col_match)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        own = tuple(field.name for field in fields(self) if field.name != "_of")
        return fields_equal(self, other, (*own, "rows", "cols"))

    def __hash__(self) -> int:
        return hash((self.row_slice.start, self.col_slice.start, self.shape))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Block(_Rectangle):
    """One fine block of a decomposition: ``d.block(k)``, or ``for block in d``.

    Attributes
    ----------
    number : k, from 0 to ``n_blocks - 1``, in the canonical order
    part : "horizontal", "square" or "vertical"; "square" for every block of a
        `BlockTriangularForm`
    shape : (r, c) number of rows and columns
    row_slice, col_slice : the place of the block in the permuted matrix: the block is
        ``d.apply(A)[block.row_slice, block.col_slice]``
    rows, cols : (r,), (c,) original numbers, ascending
    unmatched_rows, unmatched_cols : the rows and columns of the block that the transversal leaves
        unmatched
    """

    number: int
    part: str

    def __repr__(self) -> str:
        r, c = self.shape
        return f"<Block {self.number:,}, {self.part}: {r:,} x {c:,}>"

    def _repr_html_(self) -> str:
        r, c = self.shape
        return html_table(f"Block {self.number:,}", {"part": self.part, "rows": r, "columns": c})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoarsePart(_Rectangle):
    """One of the three coarse parts: ``d.horizontal``, ``d.square``, ``d.vertical``.

    Attributes
    ----------
    name : "horizontal", "square" or "vertical"
    shape : (r, c) number of rows and columns
    row_slice, col_slice : the place of the part in the permuted matrix
    rows, cols : (r,), (c,) original numbers, in the order of the permuted matrix: they ascend
        inside each fine block, not over the whole part
    unmatched_rows, unmatched_cols : the rows and columns of the part that the transversal leaves
        unmatched. All unmatched columns of a matrix are in its horizontal part, all unmatched rows
        in its vertical part
    blocks : numbers of its fine blocks, for ``d.block(k)``
    """

    name: str
    blocks: range

    def __repr__(self) -> str:
        r, c = self.shape
        return f"<CoarsePart {self.name}: {r:,} x {c:,}, {counted(len(self.blocks), 'fine block')}>"

    def _repr_html_(self) -> str:
        r, c = self.shape
        facts = {"rows": r, "columns": c, "fine blocks": len(self.blocks)}
        return html_table(f"{self.name} part", facts)


class CoarseShapes:
    """The shapes of the coarse parts, from the coarse boundaries."""

    #: whether each MPI rank holds only a part of the permutations
    is_distributed: ClassVar[bool] = False

    coarse_rows: IndexArray
    coarse_cols: IndexArray

    @property
    def horizontal_shape(self) -> tuple[int, int]:
        """Rows and columns of the horizontal (underdetermined) part."""
        return int(self.coarse_rows[1]), int(self.coarse_cols[2])

    @property
    def square_shape(self) -> tuple[int, int]:
        """Rows and columns of the square (well-determined) part."""
        return (
            int(self.coarse_rows[2] - self.coarse_rows[1]),
            int(self.coarse_cols[3] - self.coarse_cols[2]),
        )

    @property
    def vertical_shape(self) -> tuple[int, int]:
        """Rows and columns of the vertical (overdetermined) part."""
        return (
            int(self.coarse_rows[4] - self.coarse_rows[2]),
            int(self.coarse_cols[4] - self.coarse_cols[3]),
        )


def blocks_of(d: Decomposition, ends: tuple[int, int], first: int, last: int) -> Iterator[Block]:
    """The blocks ``first`` to ``last - 1``, one at a time; `ends` is the result of `part_ends`."""
    for begin in range(first, last, _PIECE):
        end = min(begin + _PIECE, last)
        with device_context(d.row_blocks):
            rows, cols = (b[begin : end + 1].tolist() for b in (d.row_blocks, d.col_blocks))
        for k, number in enumerate(range(begin, end)):
            part = "square" if number >= ends[0] else "horizontal"
            part = part if number < ends[1] else "vertical"
            yield Block(d, slice(rows[k], rows[k + 1]), slice(cols[k], cols[k + 1]), number, part)


def part_ends(d: Decomposition) -> tuple[int, int]:
    """(number of the first block after the horizontal part, number of the first block after the
    square part). O(log(blocks)) on the host.

    Horizontal and square blocks have at least one column, and square and vertical blocks at least
    one row. A horizontal block may have no row, and a vertical block no column. So the first number
    is found by columns and the second one by rows.
    """
    rows, cols = d.row_blocks, d.col_blocks
    row, col = int(d.coarse_rows[2]), int(d.coarse_cols[2])
    if is_device_array(rows):
        with device_context(rows):
            return int((cols < col).sum()), int((rows <= row).sum()) - 1
    return int(cols.searchsorted(col)), int(rows.searchsorted(row, "right")) - 1


def block_numbers(perm: IndexArray, boundaries: IndexArray) -> IndexArray:
    """The number of the block of each original row or column. O(size)."""
    if is_device_array(perm):
        on_device: IndexArray = _block_on_device(perm, boundaries)
        return on_device
    sizes = np.diff(boundaries)
    block = np.empty(perm.size, dtype=perm.dtype)
    block[perm] = np.repeat(np.arange(sizes.size, dtype=perm.dtype), sizes)
    return frozen(block)


def _block_on_device(perm: Any, boundaries: Any) -> Any:
    import cupy

    with device_context(perm):
        places = cupy.arange(perm.size, dtype=perm.dtype)
        block = cupy.empty(perm.size, dtype=perm.dtype)
        block[perm] = cupy.searchsorted(boundaries[1:], places, side="right").astype(perm.dtype)
    return block


def _unmatched(lines: IndexArray, match: IndexArray) -> IndexArray:
    with device_context(lines):
        return frozen(lines[match[lines] < 0])
