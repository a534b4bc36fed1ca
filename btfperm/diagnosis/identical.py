# SPDX-License-Identifier: BSD-3-Clause
"""Rows with identical patterns."""

from __future__ import annotations

import numpy as np

from btfperm import _core
from btfperm.diagnosis.groups import Lists
from btfperm.diagnosis.result import RowSets
from btfperm.pattern import Pattern

__all__ = ["identical_rows"]


def identical_rows(pattern: Pattern) -> RowSets:
    """The sets of at least two rows with entries in the same columns. The largest set is first;
    among sets of equal size, the one with the smallest row. Empty rows are left out.
    O(m + n + nnz), in addition to a sort of the rows found.

    >>> identical_rows(Pattern.from_coo([0, 1, 1, 2], [1, 0, 1, 1], shape=(4, 2)))[0].tolist()
    [0, 2]
    """
    classes = np.empty(pattern.m, dtype=pattern.indices.dtype)
    _core.diagnosis.find_identical_rows(pattern.indptr, pattern.indices, classes)
    rows = np.flatnonzero(classes >= 0).astype(classes.dtype)
    numbers = classes[rows]
    rows = rows[np.argsort(numbers, kind="stable")]
    numbers = classes[rows]
    begins = np.flatnonzero(np.diff(numbers, prepend=-1))
    sizes = np.diff(begins, append=rows.size)
    order = np.lexsort((rows[begins], -sizes))
    starts = np.zeros(order.size + 1, dtype=classes.dtype)
    np.cumsum(sizes[order], out=starts[1:])
    places = np.arange(rows.size) + np.repeat(begins[order] - starts[:-1], sizes[order])
    return RowSets(Lists(rows[places], starts))
