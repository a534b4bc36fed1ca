# SPDX-License-Identifier: BSD-3-Clause
"""`SolverOrder`: an order for a solver, with the attributes that adapters and files use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from btfperm.pattern.arrays import IndexArray
    from btfperm.results.decomposition import BlockTriangularForm

__all__ = ["SolverOrder"]


class SolverOrder:
    """The order of a square, structurally nonsingular matrix for a solver: block triangular, with a
    matching on the diagonal, and ordered inside the blocks. It has the attributes of a
    decomposition that the adapters of solvers use."""

    shape: tuple[int, int]
    row_perm: IndexArray
    col_perm: IndexArray
    blocks: IndexArray
    form: BlockTriangularForm
    solver: str
    block_ordering: str

    @property
    def matched_row_perm(self) -> IndexArray:
        """(n,) the same as `row_perm`: the matching is on the diagonal."""
        return self.row_perm

    @property
    def row_blocks(self) -> IndexArray:
        """(b+1,) the same as `blocks`."""
        return self.blocks

    @property
    def n_blocks(self) -> int:
        """Number of diagonal blocks."""
        return int(self.blocks.size) - 1

    @property
    def structural_rank(self) -> int:
        """The number of rows: the matrix is structurally nonsingular."""
        return self.shape[0]

    @property
    def row_match(self) -> IndexArray:
        """(n,) column matched to each row."""
        return self.form.row_match

    @property
    def col_match(self) -> IndexArray:
        """(n,) row matched to each column."""
        return self.form.col_match

    @property
    def log_row_scale(self) -> npt.NDArray[np.float64] | None:
        """(n,) natural logarithms of the scalings of the original rows, from `form`, or None."""
        return self.form.log_row_scale

    @property
    def log_col_scale(self) -> npt.NDArray[np.float64] | None:
        """(n,) natural logarithms of the scalings of the original columns, from `form`, or None."""
        return self.form.log_col_scale

    @property
    def meta(self) -> Mapping[str, Any]:
        """The ``meta`` of a file: that of `form`, with the solver and the block ordering added."""
        own = {"solver": self.solver, "block_ordering": self.block_ordering}
        return {**self.form.meta, **own}

    def on_host(self) -> Self:
        """The object itself: its arrays are on the host."""
        return self
