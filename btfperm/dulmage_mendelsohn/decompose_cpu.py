# SPDX-License-Identifier: BSD-3-Clause
"""The decomposition by the core: coarse parts, fine blocks, canonical order (``decompose.hpp``)."""

from __future__ import annotations

import numpy as np

from btfperm import _core
from btfperm.dulmage_mendelsohn.form import Form
from btfperm.errors import DefectError
from btfperm.pattern import Pattern
from btfperm.results import IndexArray

__all__ = ["decompose"]


def decompose(
    pattern: Pattern, row_match: IndexArray, col_match: IndexArray, threads: int = 1
) -> Form:
    """The blocks of a pattern that a maximum matching defines. For a square pattern, the two arrays
    may also pair each row with a column, even if some pairs are not entries.

    Raises
    ------
    DefectError : the matching is not maximum, or arrays have wrong lengths
    """
    width = pattern.indices.dtype
    coarse_rows, coarse_cols = np.empty(5, dtype=width), np.empty(5, dtype=width)
    try:
        row_perm, col_perm, row_blocks, col_blocks = _core.dulmage_mendelsohn.decompose(
            pattern.m,
            pattern.indptr,
            pattern.indices,
            row_match,
            col_match,
            coarse_rows,
            coarse_cols,
            threads,
        )
    except ValueError as error:
        raise DefectError(
            f"the decomposition went wrong: {error}; this is a defect of btfperm, please report it "
            "with the matrix"
        ) from error
    return Form(row_perm, col_perm, row_blocks, col_blocks, coarse_rows, coarse_cols)
