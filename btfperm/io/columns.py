# SPDX-License-Identifier: BSD-3-Clause
"""The compressed columns that writers store.

The core makes them, because a conversion by SciPy does not respond to Ctrl-C: a matrix of one entry
may have 2^31 columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

__all__ = ["Columns", "compressed_columns"]


class Columns(NamedTuple):
    """Canonical compressed columns with the values of the entries."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[Any]


def compressed_columns(A: Any, pointers: float = 1) -> Columns:
    """The columns of a ``coo_array`` whose positions the caller has checked; the values of
    duplicates are added up, and keep their type. O(m + n + entries log entries).

    Before any memory is allocated, the requirement is checked: the writer needs `pointers` numbers
    for each column, `indptr` included.

    Raises
    ------
    InvalidMatrixError : the type of the values cannot hold a sum of integers
    ResourceMissingError : there is not enough memory for the columns
    """
    from btfperm.pattern import Pattern, check_memory
    from btfperm.pattern.arrays import as_width, index_type
    from btfperm.pattern.canonical import from_positions
    from btfperm.pattern.values import carried

    check_memory(A.shape, None, indices=int(pointers * (A.shape[1] + 1)))
    width = index_type(A.shape, A.row.size)
    rows, cols = as_width(A.row, width, copy=True), as_width(A.col, width, copy=True)
    pattern = Pattern._unchecked(A.shape, *from_positions(rows, cols, A.shape))
    del rows, cols  # `from_positions` has overwritten them
    values = carried(pattern, A.row, A.col, A.data).values
    return Columns(pattern.indptr, pattern.indices, values)
