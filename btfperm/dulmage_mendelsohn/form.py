# SPDX-License-Identifier: BSD-3-Clause
"""The result of a decomposition on each backend."""

from __future__ import annotations

from typing import NamedTuple

from btfperm.results import IndexArray

__all__ = ["Form"]


class Form(NamedTuple):
    """Permutations and boundaries, as `Decomposition` names them."""

    row_perm: IndexArray
    col_perm: IndexArray
    row_blocks: IndexArray
    col_blocks: IndexArray
    coarse_rows: IndexArray
    coarse_cols: IndexArray
