# SPDX-License-Identifier: BSD-3-Clause
"""`Decomposition` and its two kinds, `DulmageMendelsohn` and `BlockTriangularForm`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from btfperm.pattern import Pattern, permute
from btfperm.pattern.arrays import IndexArray, beside
from btfperm.results.block_graph import BlockGraph
from btfperm.results.counted import counted
from btfperm.results.read_only import OnDemand, freeze, frozen
from btfperm.results.transversal import Transversal

if TYPE_CHECKING:
    import os

__all__ = ["BlockTriangularForm", "Decomposition", "DulmageMendelsohn"]

_FIELDS_OF_ARRAYS = (
    "row_perm",
    "col_perm",
    "row_blocks",
    "col_blocks",
    "row_match",
    "col_match",
    "paired_row",
)


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(OnDemand):
    """Permutations, blocks and the matching behind them: what a `perm.npz` holds.

    Attributes
    ----------
    shape : (m, n)
    row_perm, col_perm : (m,), (n,) gather permutations
    row_blocks, col_blocks : (b+1,) boundaries of the fine blocks in the permuted matrix
    coarse_rows, coarse_cols : (5,) boundaries of the coarse parts, as CSparse's ``rr``, ``cc``:
        horizontal is rows ``[0:1]``, columns ``[0:2]``; square is rows ``[1:2]``, columns
        ``[2:3]``; vertical is rows ``[2:4]``, columns ``[3:4]`` (boundaries of those numbers).
        ``coarse_cols[1]`` counts the unmatched columns, ``coarse_rows[4] - coarse_rows[3]`` the
        unmatched rows; *which* they are, `col_match` and `row_match` say
    row_match, col_match : (m,), (n,) a maximum transversal
    structural_rank : its size
    meta : what a file's ``meta`` holds: versions, matrix, algorithm, seconds, counters, ...
    transversal : the transversal with its certificate; None when read from a file
    pattern : the matrix it belongs to; None when read from a file

    Of a matrix that lives on a device, permutations, boundaries of the fine blocks and the matching
    are CuPy arrays there, unless the cpu was asked for or had to go on; the coarse boundaries, five
    numbers each, are NumPy arrays always.
    """

    shape: tuple[int, int]
    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
    row_match: IndexArray
    col_match: IndexArray
    structural_rank: int
    meta: Mapping[str, Any] = field(default_factory=dict)
    transversal: Transversal | None = None
    pattern: Pattern | None = None

    def __post_init__(self) -> None:
        freeze(self.row_perm, self.col_perm, self.row_blocks, self.col_blocks)
        freeze(self.coarse_rows, self.coarse_cols, self.row_match, self.col_match)

    def on_host(self) -> Self:
        """The same with NumPy arrays: itself, unless its arrays live on a device."""
        if not hasattr(self.row_perm, "__cuda_array_interface__"):
            return self
        here: dict[str, Any] = {
            name: value.get()
            for name, value in vars(self).items()
            if name in _FIELDS_OF_ARRAYS and hasattr(value, "get")
        }
        transversal, pattern = self.transversal, self.pattern
        return replace(
            self,
            **here,
            transversal=None if transversal is None else transversal.on_host(),
            pattern=None if pattern is None else pattern.on_host(),
        )

    @property
    def n_blocks(self) -> int:
        """Number of fine blocks."""
        return int(self.row_blocks.size) - 1

    @cached_property
    def row_block(self) -> IndexArray:
        """(m,) fine block of each original row."""
        return _block_of(self.row_perm, self.row_blocks)

    @cached_property
    def col_block(self) -> IndexArray:
        """(n,) fine block of each original column."""
        return _block_of(self.col_perm, self.col_blocks)

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(m,) `row_perm` with the rows of each square block moved opposite their matched
        columns, so that ``A[matched_row_perm, :][:, col_perm]`` has the transversal on the
        diagonals of the square blocks."""
        first_row, last_row = int(self.coarse_rows[1]), int(self.coarse_rows[2])
        first_col, last_col = int(self.coarse_cols[2]), int(self.coarse_cols[3])
        with beside(self.row_perm):
            perm = self.row_perm.copy()
            perm[first_row:last_row] = self.col_match[self.col_perm[first_col:last_col]]
        return frozen(perm)

    def block_graph(self, A: object = None) -> BlockGraph:
        """Which fine blocks depend on which, their levels, and the work in each.

        `A` is needed only for a result read from a file. O(nnz + blocks).
        """
        from btfperm.dulmage_mendelsohn.block_graph import block_graph

        return block_graph(self, A)

    def apply(self, A: Any) -> Any:
        """The permuted matrix ``A[row_perm, :][:, col_perm]``: sparse in, sparse out.

        A `Pattern` gives a `Pattern`; a SciPy matrix or array gives the same kind, as CSC; a path
        or a (data, indices, indptr) triple of compressed columns gives a ``csc_array``. What lives
        on a device is permuted there: a ``cupyx.scipy.sparse`` matrix gives a ``csc_matrix``.
        """
        return permute(A, self.row_perm, self.col_perm)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        convention: str | None = None,
        replace: bool = True,
    ) -> None:
        """Write the result; the format is taken from the suffix (`.npz`, `.mat`, `.json`,
        `.txt`) unless given. See :func:`btfperm.save`."""
        from btfperm.io import save

        save(self, path, format=format, convention=convention, replace=replace)


def _block_of(perm: IndexArray, boundaries: IndexArray) -> IndexArray:
    if hasattr(perm, "__cuda_array_interface__"):
        on_device: IndexArray = _block_on_device(perm, boundaries)
        return on_device
    sizes = np.diff(boundaries)
    block = np.empty(perm.size, dtype=perm.dtype)
    block[perm] = np.repeat(np.arange(sizes.size, dtype=perm.dtype), sizes)
    return frozen(block)


def _block_on_device(perm: Any, boundaries: Any) -> Any:
    import cupy

    with beside(perm):
        places = cupy.arange(perm.size, dtype=perm.dtype)
        block = cupy.empty(perm.size, dtype=perm.dtype)
        block[perm] = cupy.searchsorted(boundaries[1:], places, side="right").astype(perm.dtype)
    return block


@dataclass(frozen=True, eq=False, repr=False)
class DulmageMendelsohn(Decomposition):
    """Coarse and fine Dulmage-Mendelsohn decomposition of a matrix of any shape and rank.

    Fine blocks come in the order horizontal, square, vertical: the connected components of the
    horizontal part, the strongly connected components of the square part in topological order,
    the connected components of the vertical part.
    """

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

    def __repr__(self) -> str:
        m, n = self.shape
        parts = [
            f"{name} {rows:,} x {cols:,}"
            for name, (rows, cols) in (
                ("horizontal", self.horizontal_shape),
                ("square", self.square_shape),
                ("vertical", self.vertical_shape),
            )
            if rows or cols
        ]
        return (
            f"<DulmageMendelsohn of a {m:,} x {n:,} matrix: structural rank "
            f"{self.structural_rank:,}, {', '.join(parts) or 'empty'}, "
            f"{counted(self.n_blocks, 'fine block')}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class BlockTriangularForm(Decomposition):
    """Block upper triangular form of a square matrix, in KLU's sense.

    A structurally singular matrix is accepted as KLU accepts it: unmatched rows are paired with
    unmatched columns, both ascending, and `completed` counts those pairs. Their diagonal entries
    are structurally zero; the blocks are then *not* the Dulmage-Mendelsohn blocks and depend on
    the transversal. `row_match` and `col_match` hold the transversal without the made-up pairs.
    """

    completed: int = 0
    paired_row: IndexArray | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze(self.paired_row)

    @property
    def blocks(self) -> IndexArray:
        """(b+1,) boundaries of the diagonal blocks; the same for rows and columns."""
        return self.row_blocks

    @cached_property
    def matched_row_perm(self) -> IndexArray:
        """(n,) `row_perm` with the rows of each block moved opposite their paired columns, so
        that the diagonal of ``A[matched_row_perm, :][:, col_perm]`` holds the transversal (and,
        when singular, `completed` structural zeros)."""
        paired = self.col_match if self.paired_row is None else self.paired_row
        return frozen(paired[self.col_perm])

    def __repr__(self) -> str:
        n = self.shape[0]
        largest = int(np.diff(self.blocks).max()) if self.n_blocks else 0
        singular = f", structurally singular by {self.completed:,}" if self.completed else ""
        return (
            f"<BlockTriangularForm of a {n:,} x {n:,} matrix: {counted(self.n_blocks, 'block')}, "
            f"the largest of {largest:,} rows{singular}>"
        )
