# SPDX-License-Identifier: BSD-3-Clause
"""The result that the decomposition of each backend returns."""

from __future__ import annotations

from typing import NamedTuple

from btfperm.results import IndexArray

__all__ = ["Form"]


class Form(NamedTuple):
    """The permutations and boundaries with the names that `Decomposition` explains."""

    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
