# SPDX-License-Identifier: BSD-3-Clause
"""The arrays that the caller of a `DistributedPattern` gives on each rank, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm.errors import InvalidMatrixError
from btfperm.pattern.arrays import prefix

__all__ = ["checked_numbers", "expanded_lists"]

Positions = tuple[npt.NDArray[Any], npt.NDArray[Any]]


def checked_numbers(
    numbers: npt.ArrayLike, count: int, what: str, name: str | None
) -> npt.NDArray[np.signedinteger[Any]]:
    """Row or column numbers of the caller, which must be below `count`, as 64-bit integers."""
    found = np.asarray(numbers)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InvalidMatrixError(f"{prefix(name)}{what} numbers must be an array of integers")
    found = found.astype(np.int64)
    outside = np.flatnonzero((found < 0) | (found >= count))
    if outside.size:
        raise InvalidMatrixError(
            f"{prefix(name)}the {what} number {found[outside[0]]} is not between 0 and {count - 1}"
        )
    return found


def expanded_lists(
    indptr: npt.ArrayLike, indices: npt.ArrayLike, first: int, name: str | None
) -> Positions:
    """For each item of the compressed lists of a rank, the number of its list; and the items."""
    starts, items = np.asarray(indptr), np.asarray(indices)
    lengths = np.diff(starts)
    if starts.ndim != 1 or starts.size == 0 or int(starts[0]) != 0 or (lengths < 0).any():
        raise InvalidMatrixError(f"{prefix(name)}indptr must ascend from 0")
    if items.ndim != 1 or items.size < int(starts[-1]):
        raise InvalidMatrixError(f"{prefix(name)}indices has fewer places than indptr announces")
    numbers = np.repeat(np.arange(first, first + lengths.size, dtype=np.int64), lengths)
    return numbers, items[: int(starts[-1])]
