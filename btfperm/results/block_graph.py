# SPDX-License-Identifier: BSD-3-Clause
"""`BlockGraph`: which fine blocks depend on which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from btfperm.pattern.arrays import IndexArray
from btfperm.results.counted import counted
from btfperm.results.read_only import ReadOnlyArrays, freeze, frozen

__all__ = ["BlockGraph"]


@dataclass(frozen=True, eq=False, repr=False)
class BlockGraph(ReadOnlyArrays):
    """Which fine blocks depend on which.

    Arc k -> l means: rows of block k have entries in columns of block l (k < l: the form is block
    upper triangular), so block l is solved before block k.

    Attributes
    ----------
    indptr, indices : successors of block k are ``indices[indptr[k]:indptr[k+1]]``, ascending
    level : (b,) height of each block: 0 when it has no successor, else one more than the largest
        of its successors; blocks of one level can be solved at the same time
    work : (b,) entries inside each block
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
        """Length of the critical path, in blocks."""
        return int(self.level.max()) + 1 if self.level.size else 0

    @cached_property
    def level_work(self) -> npt.NDArray[np.int64]:
        """(n_levels,) entries inside the blocks of each level."""
        entries = np.bincount(self.level, weights=self.work, minlength=self.n_levels)
        return frozen(entries.astype(np.int64))

    @cached_property
    def level_blocks(self) -> npt.NDArray[np.int64]:
        """(n_levels,) number of blocks of each level: the parallelism at hand."""
        return frozen(np.bincount(self.level, minlength=self.n_levels).astype(np.int64))

    def __repr__(self) -> str:
        return (
            f"<BlockGraph: {counted(self.n_blocks, 'block')}, {counted(self.indices.size, 'arc')}, "
            f"{counted(self.n_levels, 'level')}>"
        )
