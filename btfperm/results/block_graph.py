# SPDX-License-Identifier: BSD-3-Clause
"""`BlockGraph`: the dependencies between fine blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from btfperm.arguments import whole_number
from btfperm.pattern.arrays import IndexArray, device_context, is_device_array
from btfperm.results.counted import counted
from btfperm.results.equality import fields_equal
from btfperm.results.html import html_table
from btfperm.results.read_only import ReadOnlyArrays, freeze, frozen

__all__ = ["BlockGraph"]


@dataclass(frozen=True, eq=False, repr=False)
class BlockGraph(ReadOnlyArrays):
    """The dependencies between fine blocks, as a directed graph.

    There is an arc from block k to block l if rows of block k have entries in columns of block l.
    Then block l must be solved before block k. The form is block upper triangular, so k < l.

    Two graphs are equal (``==``) if all four arrays are equal.

    Attributes
    ----------
    indptr, indices : the successors of block k are ``indices[indptr[k]:indptr[k+1]]``, ascending
    level : (b,) height of each block: 0 if it has no successor, else one more than the largest
        height of its successors. Blocks of the same height can be solved at the same time
    work : (b,) number of entries inside each block
    """

    indptr: IndexArray
    indices: IndexArray
    level: IndexArray
    work: IndexArray

    def __post_init__(self) -> None:
        freeze(self.indptr, self.indices, self.level, self.work)

    @property
    def n_blocks(self) -> int:
        return int(self.level.size)

    @property
    def n_levels(self) -> int:
        """Number of levels, which is the number of blocks on the longest path."""
        return int(self.level.max()) + 1 if self.level.size else 0

    @cached_property
    def level_work(self) -> npt.NDArray[np.int64]:
        """(n_levels,) number of entries inside the blocks of each level."""
        entries = np.bincount(self.level, weights=self.work, minlength=self.n_levels)
        return frozen(entries.astype(np.int64))

    @cached_property
    def level_blocks(self) -> npt.NDArray[np.int64]:
        """(n_levels,) number of blocks of each level. All blocks of a level can be solved at the
        same time, after those of the lower levels; see `blocks_at` and `levels`."""
        return frozen(np.bincount(self.level, minlength=self.n_levels).astype(np.int64))

    def blocks_at(self, level: int) -> IndexArray:
        """(level_blocks[level],) numbers of the blocks of one level, ascending; read-only on the
        host.

        The first call sorts all blocks; later ones take O(1). Blocks of one level do not depend on
        one another.

        Raises
        ------
        InvalidArgumentError : there is no such level

        Examples
        --------
        >>> import numpy as np
        >>> import btfperm
        >>> A = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]])
        >>> graph = btfperm.dulmage_mendelsohn(A).block_graph()
        >>> graph.blocks_at(0).tolist(), graph.blocks_at(1).tolist()
        ([2], [0, 1])
        """
        level = whole_number("the level", level, 0, self.n_levels - 1)
        order, ends = self._by_level
        with device_context(order):
            return order[ends[level] : ends[level + 1]]

    def levels(self) -> Iterator[IndexArray]:
        """The blocks of each level, in an order in which they can be solved: level 0 first.

        Each level is an array, the result of `blocks_at`;
        ``[level.tolist() for level in graph.levels()]`` gives lists.
        """
        return map(self.blocks_at, range(self.n_levels))

    @cached_property
    def _by_level(self) -> tuple[IndexArray, list[int]]:
        """Block numbers sorted by level, then by number, and where each level begins."""
        counts = self.level_blocks
        if is_device_array(self.level):
            import cupy

            with device_context(self.level):
                keys = self.level.astype(np.int64) << 32 | cupy.arange(
                    self.n_blocks, dtype=np.int64
                )
                order = (cupy.sort(keys) & 0xFFFFFFFF).astype(self.level.dtype)
                ends = [0, *cupy.cumsum(counts).tolist()]
            return order, ends
        order = np.argsort(self.level, kind="stable").astype(self.level.dtype, copy=False)
        return frozen(order), [0, *np.cumsum(counts).tolist()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BlockGraph):
            return NotImplemented
        return fields_equal(self, other, ("indptr", "indices", "level", "work"))

    def __hash__(self) -> int:
        return hash(("BlockGraph", self.n_blocks, int(self.indices.size)))

    def __repr__(self) -> str:
        return (
            f"<BlockGraph: {counted(self.n_blocks, 'block')}, {counted(self.indices.size, 'arc')}, "
            f"{counted(self.n_levels, 'level')}>"
        )

    def _repr_html_(self) -> str:
        facts = {"blocks": self.n_blocks, "arcs": int(self.indices.size), "levels": self.n_levels}
        return html_table("BlockGraph", facts)
